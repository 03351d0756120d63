import type { Caller, Json, ModuleContext } from './context.ts'

/** A field as in `types.<name>.fields` of the configuration. */
export interface FieldDefinition {
  readonly type: string
  readonly label?: string
  readonly help?: string
  readonly rules?: string | readonly string[]
  readonly default?: Json
  readonly options?: readonly string[]
  readonly multiple?: boolean
  readonly to?: string
  readonly of?: FieldDefinition
  readonly fields?: Readonly<Record<string, FieldDefinition>>
  readonly accept?: readonly string[]
}

/** Things that the panel shows. Without `list` and the others, they are the documents of the collection of its name. */
export interface ResourceDefinition {
  readonly name: string
  readonly label: string
  /** One of them, in a sentence. */
  readonly singular?: string
  readonly group: 'content' | 'site' | 'people' | 'business' | 'system'
  readonly fields: readonly (FieldDefinition & { readonly name: string })[]
  /** Names of the values that its list shows; the first three fields where it is missing. */
  readonly columns?: readonly string[]
  /** The right to see and change them; `settings:write` where it is missing. */
  readonly scope?: string
}

/** A part of a page of the panel: text is escaped, there is no HTML in it. */
export type PagePart =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'figures'
      readonly figures: readonly { readonly label: string; readonly value: string; readonly note?: string }[]
    }
  | {
      readonly kind: 'chart'
      readonly label: string
      readonly points: readonly { readonly label: string; readonly value: number }[]
    }
  | {
      readonly kind: 'table'
      readonly label: string
      readonly columns: readonly string[]
      readonly rows: readonly (readonly (string | { readonly text: string; readonly url: string })[])[]
      readonly empty?: string
    }
  | {
      readonly kind: 'links'
      readonly links: readonly { readonly label: string; readonly url: string; readonly isCurrent?: boolean }[]
    }

/** A page of the panel at `/admin/x/<module>/<name>`. */
export interface PageDefinition {
  readonly name: string
  readonly label: string
  readonly group: ResourceDefinition['group']
  readonly icon?: string
  /** The right to see it; `settings:write` where it is missing. */
  readonly scope?: string
  parts(query: Readonly<Record<string, string>>, context: ModuleContext, caller: Caller): Promise<readonly PagePart[]>
}

/** A card of the dashboard; it is left out where `parts` takes over a second, or throws. */
export interface CardDefinition {
  readonly name: string
  readonly label: string
  readonly scope?: string
  parts(context: ModuleContext, caller: Caller): Promise<readonly PagePart[]>
}
