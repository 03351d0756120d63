import type { FieldErrors, Fields, Json, ModuleContext } from './context.js';
import type { CardDefinition, FieldDefinition, PageDefinition, ResourceDefinition } from './panel.js';
import type { BodyRules, Middleware, RouteGroup } from './routing.js';
export type * from './context.js';
export type * from './panel.js';
export type * from './routing.js';
/** A setting, kept as `<module>.<name>` beside those of the site. */
export interface SettingDefinition extends FieldDefinition {
    readonly public?: boolean;
}
/** A write of a record that is about to happen. */
export interface RecordWrite {
    readonly action: 'create' | 'update' | 'delete';
    readonly type: string;
    /** Undefined of one that is made now. */
    readonly id: string | undefined;
    /** The record as it would be; of one that is removed, as it is. */
    readonly record: Readonly<Fields>;
}
/** An event, as `GET /api/events` tells it. */
export interface ModuleEvent {
    /** The same each time it is told. */
    readonly id: string;
    readonly type: string;
    readonly created_at: string;
    readonly data: {
        readonly type: string;
        readonly id: string;
        readonly version: string | null;
        readonly url: string | null;
        readonly changed: readonly string[] | null;
    };
    readonly actor: {
        readonly kind: string;
        readonly id: string | null;
        readonly name: string;
    } | null;
    readonly source: string;
}
/** A page of the site that was answered with 200 or 304: permission `site`. */
export interface Visit {
    readonly path: string;
    readonly host: string;
    readonly ip: string;
    readonly headers: Readonly<Record<string, string | undefined>>;
    readonly isSignedIn: boolean;
    readonly method: string;
    readonly at: number;
}
/** A type of field: one of Quire's with more rules, and a way to show its values. */
export interface FieldTypeDefinition {
    /** The type that it is made of: how it is kept, compared, searched and filled in. */
    readonly base: string;
    /** Rules that all its values are held to. */
    readonly rules?: string | readonly string[];
    /** Says what is wrong with a value, as the end of a sentence ("must be …"); undefined where nothing is. */
    readonly check?: (value: Json) => string | undefined;
    /** The words by which lists and the panel show a value. */
    readonly present?: (value: Json) => string;
    /** Help that its form part shows where the field has none. */
    readonly help?: string;
}
/** A job: done at least once, on one node at a time. */
export interface JobDefinition {
    run(data: Json, context: ModuleContext, signal: AbortSignal): Promise<void>;
    /** A duration (`1h`): it is done by itself so often, once for all nodes. */
    readonly every?: string;
}
/** A command `<module>:<name>` of the command line. */
export interface CommandDefinition {
    readonly name: string;
    readonly description: string;
    readonly arguments?: readonly {
        readonly name: string;
        readonly description?: string;
        readonly required?: boolean;
    }[];
    readonly options?: readonly {
        readonly flags: string;
        readonly description: string;
    }[];
    /** Resolves with the exit code. */
    run(call: {
        readonly args: readonly string[];
        readonly options: Readonly<Record<string, Json>>;
        readonly out: {
            result(data: Json): void;
            say(text: string): void;
        };
    }, context: ModuleContext): Promise<number>;
}
/** A change of the module's documents, made once on a site, in the order of its numbers, before the module does anything else. */
export interface Migration {
    readonly number: number;
    run(context: ModuleContext): Promise<void>;
}
/** A module: all that it brings. Every part but `api` is optional. */
export interface ModuleDefinition {
    /** The major of this shape. */
    readonly api: 1;
    readonly settings?: Readonly<Record<string, SettingDefinition>>;
    /** Names of collections, beside those of `resources`. */
    readonly collections?: readonly string[];
    readonly migrations?: readonly Migration[];
    routes?(app: RouteGroup, context: ModuleContext): void;
    /** Before a write: errors by field refuse it. One that takes over 250 ms is passed over. */
    readonly checks?: {
        readonly 'record.write'?: (write: RecordWrite, context: ModuleContext) => Promise<FieldErrors | undefined> | FieldErrors | undefined;
    };
    /** After an event, at least once and in their order; keys are names of events, or `record.*`. */
    readonly on?: Readonly<Record<string, (event: ModuleEvent, context: ModuleContext) => Promise<void> | void>>;
    /** Hears of each page of the site that was answered. It must not take long. */
    visited?(visit: Visit, context: ModuleContext): void;
    readonly fieldTypes?: Readonly<Record<string, FieldTypeDefinition>>;
    /** Filters of the site's templates. */
    readonly filters?: Readonly<Record<string, (value: unknown, ...args: unknown[]) => unknown>>;
    /** Tags of the site's templates, `{% name a b %}`: text that is made of their arguments. It is escaped unless `{ html }`. */
    readonly tags?: Readonly<Record<string, (...args: unknown[]) => string | {
        readonly html: string;
    }>>;
    /** Gets the parser of the site's Markdown (markdown-it) to add rules. HTML it makes is cleaned as that of authors. */
    markdown?(parser: unknown): void;
    readonly resources?: readonly ResourceDefinition[];
    readonly pages?: readonly PageDefinition[];
    readonly cards?: readonly CardDefinition[];
    readonly jobs?: Readonly<Record<string, JobDefinition>>;
    readonly commands?: readonly CommandDefinition[];
    /** Begins what it does by itself in a server that listens. */
    begin?(context: ModuleContext): Promise<void> | void;
    /** Ends what it began, and keeps what it has in memory. */
    close?(context: ModuleContext): Promise<void> | void;
}
/** An error that a client can act on: the answer is `{"error", "message", "errors"}` with this status. */
export declare class ModuleError extends Error {
    readonly status: number;
    readonly errors: FieldErrors | undefined;
    /** `status` is from 400 to 499, or 503. */
    constructor(status: number, message: string, errors?: FieldErrors);
}
/** Returns the definition, with its type checked. */
export declare function defineModule<const M extends ModuleDefinition>(definition: M): M;
/** Bounds requests to `"<n>,<m>"`: n in m minutes, for each token or address. */
export declare function throttle(setting: string): Middleware;
/**
 * The rules of a body by field: `{email: 'required|email|unique:contacts'}`. `unique` and `exists` name a collection of the module,
 * else a type. A field that no rule names is refused.
 */
export declare function validate(rules: BodyRules['rules']): BodyRules;
