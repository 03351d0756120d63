import type { Caller, Json, ModuleContext } from './context.js';
/** A field as in `types.<name>.fields` of the configuration. */
export interface FieldDefinition {
    readonly type: string;
    readonly label?: string;
    readonly help?: string;
    readonly rules?: string | readonly string[];
    readonly default?: Json;
    readonly options?: readonly string[];
    readonly multiple?: boolean;
    readonly to?: string;
    readonly of?: FieldDefinition;
    readonly fields?: Readonly<Record<string, FieldDefinition>>;
    readonly accept?: readonly string[];
}
/** Things that the panel shows. Without `list` and the others, they are the documents of the collection of its name. */
export interface ResourceDefinition {
    readonly name: string;
    readonly label: string;
    /** One of them, in a sentence. */
    readonly singular?: string;
    readonly group: 'content' | 'site' | 'people' | 'business' | 'system';
    readonly fields: readonly (FieldDefinition & {
        readonly name: string;
    })[];
    /** Names of the values that its list shows; the first three fields where it is missing. */
    readonly columns?: readonly string[];
    /** The right to see and change them; `settings:write` where it is missing. */
    readonly scope?: string;
    /** The name of an icon of the panel. */
    readonly icon?: string;
    /** True where they come from elsewhere: they are shown and removed in the panel, and neither made nor changed. */
    readonly readOnly?: boolean;
    /** A sentence for the list while there is none. */
    readonly empty?: string;
}
/** A link of a part. `icon` is the name of one of the panel's, such as `download`: it makes a button of it. */
export interface PartLink {
    readonly label: string;
    /** A path of the panel (`/admin/…`, `?days=7`) or of the site, or an address of https. */
    readonly url: string;
    readonly isCurrent?: boolean;
    readonly icon?: string;
}
/** A cell of a table: text, a link, or a text behind a bar of a length from 0 to 1. */
export type PartCell = string | {
    readonly text: string;
    readonly url?: string;
    readonly share?: number;
};
/** A part of a page of the panel: text is escaped, there is no HTML in it. */
export type PagePart = {
    readonly kind: 'text';
    readonly text: string;
    /** True for a remark, in small type. */
    readonly isNote?: boolean;
} | {
    readonly kind: 'figures';
    readonly figures: readonly {
        readonly label: string;
        readonly value: string;
        readonly note?: string;
    }[];
} | {
    readonly kind: 'chart';
    readonly label: string;
    /** The names of the bars and of the line, for the legend and the table behind. */
    readonly bars?: string;
    readonly line?: string;
    /** At most 400. `value` is a bar's height, `line` a point of the line; bars that are muted are lighter. */
    readonly points: readonly {
        readonly label: string;
        readonly value: number;
        readonly line?: number;
        readonly isMuted?: boolean;
    }[];
} | {
    readonly kind: 'table';
    readonly label: string;
    readonly columns: readonly string[];
    /** At most 1,000. */
    readonly rows: readonly (readonly PartCell[])[];
    readonly empty?: string;
} | {
    /** Links beside one another; those that a page begins with stand beside its heading. */
    readonly kind: 'links';
    readonly links: readonly PartLink[];
};
/** A file that a page offers. */
export interface PageFile {
    readonly type: 'text/csv' | 'text/plain' | 'application/json';
    readonly text: string;
}
/** A page of the panel at `/admin/x/<module>/<name>`; of a module that ships, one with its name is at `/admin/<name>`. */
export interface PageDefinition {
    readonly name: string;
    readonly label: string;
    readonly group: ResourceDefinition['group'];
    readonly icon?: string;
    /** The right to see it; `settings:write` where it is missing. */
    readonly scope?: string;
    /** `query` are the parameters of its address. One that takes over 5 s is given up. */
    parts(query: Readonly<Record<string, string>>, context: ModuleContext, caller: Caller): Promise<readonly PagePart[]>;
    /** Files below its address by their names: `views.csv`. */
    readonly files?: Readonly<Record<string, (query: Readonly<Record<string, string>>, context: ModuleContext, caller: Caller) => Promise<PageFile>>>;
}
/** A card of the dashboard; it is left out where `parts` takes over a second, or throws. */
export interface CardDefinition {
    readonly name: string;
    readonly label: string;
    readonly scope?: string;
    parts(context: ModuleContext, caller: Caller): Promise<readonly PagePart[]>;
}
