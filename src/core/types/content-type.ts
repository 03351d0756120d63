import type { Json } from '#lib/json.ts'
import type { UrlStyle } from '../page-address.ts'
import type { Comparison, Sort } from '../queries/query.ts'

/** The rules of a field's type that hold wherever its values go. */
interface FieldTypeRules {
  /** The way its values are compared. */
  readonly as: Comparison
  /** True if a search finds the words in its values. */
  readonly isSearched: boolean
}

/** The types of fields. */
export const FIELD_TYPES = {
  text: { as: 'text', isSearched: true },
  markdown: { as: 'text', isSearched: true },
  number: { as: 'number', isSearched: false },
  integer: { as: 'number', isSearched: false },
  boolean: { as: 'boolean', isSearched: false },
  date: { as: 'instant', isSearched: false },
  datetime: { as: 'instant', isSearched: false },
  select: { as: 'text', isSearched: false },
  list: { as: 'any', isSearched: true },
  object: { as: 'any', isSearched: true },
  reference: { as: 'text', isSearched: false },
  media: { as: 'text', isSearched: false },
  slug: { as: 'text', isSearched: false },
  email: { as: 'text', isSearched: false },
  url: { as: 'text', isSearched: false },
  color: { as: 'text', isSearched: false },
  json: { as: 'any', isSearched: false },
} as const satisfies Record<string, FieldTypeRules>

export type FieldType = keyof typeof FIELD_TYPES

/** The names of the types of fields, in the order of the table. */
export const FIELD_TYPE_NAMES = Object.keys(FIELD_TYPES) as readonly FieldType[]

/** The names of the placeholders of a type's `path`. */
export const PATH_PLACEHOLDERS = ['type', 'slug', 'year', 'month', 'day'] as const

export type PathPlaceholder = (typeof PATH_PLACEHOLDERS)[number]

/** One rule of a field: `min:3` is `{ name: 'min', argument: '3' }`. */
export interface Rule {
  readonly name: string
  readonly argument?: string
}

/** A type of field that a module makes of one of these: how it is kept, compared, searched and filled in is that one's. */
export interface CustomType {
  readonly name: string
  readonly module: string
  readonly base: FieldType
  /** Rules that all values keep, before those of the field. */
  readonly rules: readonly string[]
  readonly help?: string | undefined
  /** Says what is wrong with a value that is one of the base, as the end of a sentence. It does not throw. */
  readonly check?: ((value: Json) => string | undefined) | undefined
  /** Returns the words for a value, for people. It does not throw. */
  readonly present?: ((value: Json) => string) | undefined
}

/** A declared field. `to` is the type a reference points to, `options` what a select offers. */
export interface Field {
  /** The name of the list, for its items. */
  readonly name: string
  readonly type: FieldType
  readonly label: string
  /** A sentence for people who fill it in. */
  readonly help?: string
  readonly rules: readonly Rule[]
  readonly to?: string
  readonly options?: readonly string[]
  /** Set if a select, a reference or a media holds a list of values. */
  readonly multiple?: true
  /** The items of a list; without it, a list has any. */
  readonly of?: Field
  /** The fields of an object by name; without them, an object has any. */
  readonly fields?: ReadonlyMap<string, Field>
  /** The kinds and formats of file that a media takes; without them, any. */
  readonly accept?: readonly string[]
  readonly default?: unknown
  /** The type of a module that it is of, where it is: `type` is what that is made of. */
  readonly custom?: CustomType
}

/** The types of field that can have `multiple`. */
export const MULTIPLE_TYPES: readonly FieldType[] = ['select', 'reference', 'media']

/** A status a record can have, and where it may go from there. A record in a live status is public once begun and until over. */
export interface Status {
  readonly name: string
  readonly live: boolean
  readonly to: readonly string[]
}

/** A kind of term: `tags`, whose terms are singly called `tag`. */
export interface Taxonomy {
  readonly name: string
  readonly singular: string
  readonly hierarchical: boolean
}

/** The instants in a value: the value itself, those of a list's items, or those of an object's fields. */
export type Instants = true | { readonly of: Instants } | { readonly fields: Readonly<Record<string, Instants>> }

/** The rules to read the documents of a kind by: the meaning of its front matter keys. */
export interface Shape {
  /** False for kinds that are plain data (terms, menus, tokens): keys are taken as they are and nothing is derived. */
  readonly record: boolean
  /** Front matter key → Quire's name, beside those that every type understands. */
  readonly map: Readonly<Record<string, string>>
  readonly defaultStatus: string
  /** The live status that `draft: false` stands for. */
  readonly liveStatus: string
  /** Names of the taxonomies whose terms this kind's records carry, with the singular each is also written as. */
  readonly taxonomies: readonly Taxonomy[]
  /** The statuses by name; empty where documents have none. */
  readonly statuses: ReadonlyMap<string, Status>
  /** Declared fields whose values are, or hold, instants (`datetime`), brought to RFC 3339 UTC on reading. */
  readonly instants: Readonly<Record<string, Instants>>
  /** Names of declared fields that other tools use otherwise: in this type they are fields of its own. */
  readonly claimed: readonly string[]
  /** IANA zone in which a time without an offset is meant. */
  readonly timezone: string
}

/** A type of record, declared in the configuration or implied by a folder. */
export interface ContentType extends Shape {
  readonly record: true
  readonly name: string
  readonly label: string
  readonly declared: boolean
  readonly fields: ReadonlyMap<string, Field>
  /** The pattern of its records' URLs. Null if they have no page. */
  readonly permalink: string | null
  readonly template: string | null
  /** The pattern of a new record's path: `{year}/{month}/{slug}`. */
  readonly path: string | null
  readonly additionalFields: boolean
  readonly html: 'clean' | 'trusted'
  /** The way in which the addresses of the site's pages are spelled. */
  readonly urls: UrlStyle
  /** True if quotes and dashes of its texts are set as in print. */
  readonly typographer: boolean
  /** True if `[[Page]]` is a link in its texts. */
  readonly wikilinks: boolean
  readonly sort: readonly Sort[]
  /** The number of records on a page of its lists, and in a feed of them; as the site has it where it is missing. */
  readonly perPage?: number
  readonly feedLimit?: number
  /** The names of the fields that a list for people shows. */
  readonly columns: readonly string[]
}

/** The types of a site. Made once from the configuration; what folders imply needs no listing. */
export interface ContentTypes {
  /** The type of that name, declared or implied; undefined where no type can have the name. */
  get(name: string): ContentType | undefined
  /** The declared ones, in the configuration's order. */
  declared(): readonly ContentType[]
  taxonomies(): readonly Taxonomy[]
  /** Returns the shape of any kind's documents, including private ones and terms. */
  shape(kind: string): Shape
}

/** The fields every record of every type has. */
export const STANDARD_FIELDS: readonly string[] = [
  'title',
  'slug',
  'status',
  'body',
  'author',
  'categories',
  'tags',
  'created_at',
  'updated_at',
  'published_at',
]

/** Fields that Quire computes. Ignored if sent back unchanged, rejected if changed. */
export const COMPUTED_FIELDS: readonly string[] = ['id', 'type', 'url', 'version', 'created_at', 'updated_at']
