import { isClaimable } from '#frontmatter/other-tools.ts'
import { instantsOf } from '../format/instants-within.ts'
import { isPrivate, kindFault, RESERVED_TYPES, SYSTEM_FOLDERS } from '../key.ts'
import type { UrlStyle } from '../page-address.ts'
import { defaultPermalink } from '../permalink.ts'
import type { Comparison, Sort } from '../queries/query.ts'
import {
  type ContentType,
  type ContentTypes,
  FIELD_TYPES,
  type Field,
  type Instants,
  type Shape,
  type Status,
  type Taxonomy,
} from './content-type.ts'
import { type CustomTypes, customFields, type NamedFieldInput } from './custom-types.ts'
import { labelOf } from './fields.ts'

/** A declared type, as plain data; what is missing has its default. */
export interface TypeInput {
  readonly label?: string
  readonly permalink?: string | null
  readonly template?: string | null
  readonly path?: string | null
  readonly default_status?: string
  readonly taxonomies?: readonly string[]
  readonly map?: Readonly<Record<string, string>>
  readonly additional_fields?: boolean | null
  readonly html?: 'clean' | 'trusted'
  readonly typographer?: boolean
  readonly wikilinks?: boolean
  readonly sort?: string
  readonly per_page?: number | null
  readonly feed_limit?: number | null
  readonly columns?: readonly string[]
  readonly fields?: Readonly<Record<string, NamedFieldInput>>
}

/** The columns of a type that names none. */
const COLUMNS: readonly string[] = ['title', 'status', 'published_at']

/** The input for the types of a site. The sections of the configuration with the same names fit. */
export interface TypesInput {
  readonly types: Readonly<Record<string, TypeInput>>
  readonly taxonomies: Readonly<Record<string, { readonly singular: string; readonly hierarchical: boolean }>>
  readonly statuses: Readonly<Record<string, { readonly live: boolean; readonly to: readonly string[] }>>
  readonly timezone: string
  /** `directory` where it is missing. */
  readonly urls?: UrlStyle
  /** The types of fields that modules bring. */
  readonly fieldTypes?: CustomTypes
}

/** The types of a site. The input is taken as checked: `config/load.ts` has said what is wrong with it. */
export function contentTypes(input: TypesInput): ContentTypes {
  return new SiteTypes(input)
}

class SiteTypes implements ContentTypes {
  readonly #statuses: ReadonlyMap<string, Status>
  readonly #taxonomies: readonly Taxonomy[]
  readonly #timezone: string
  readonly #urls: UrlStyle
  readonly #fieldTypes: CustomTypes
  readonly #liveStatus: string
  readonly #declared: ReadonlyMap<string, ContentType>
  readonly #implied = new Map<string, ContentType>()
  readonly #shapes = new Map<string, Shape>()

  constructor(input: TypesInput) {
    this.#statuses = new Map(Object.entries(input.statuses).map(([name, { live, to }]) => [name, { name, live, to }]))
    this.#taxonomies = Object.entries(input.taxonomies).map(([name, kind]) => ({ name, ...kind }))
    this.#timezone = input.timezone
    this.#urls = input.urls ?? 'directory'
    this.#fieldTypes = input.fieldTypes ?? new Map()
    this.#liveStatus = liveStatus(this.#statuses)
    this.#declared = new Map(Object.entries(input.types).map(([name, type]) => [name, this.#make(name, type, true)]))
  }

  get(name: string): ContentType | undefined {
    const known = this.#declared.get(name) ?? this.#implied.get(name)
    if (known) return known
    if (typeFault(name) !== undefined) return undefined
    const type = this.#make(name, { additional_fields: true }, false)
    // Names come from requests too, and must not fill the memory.
    if (this.#implied.size < 1000) this.#implied.set(name, type)
    return type
  }

  declared(): readonly ContentType[] {
    return [...this.#declared.values()]
  }

  taxonomies(): readonly Taxonomy[] {
    return this.#taxonomies
  }

  shape(kind: string): Shape {
    const known = this.#shapes.get(kind) ?? this.get(kind)
    if (known) return known
    const shape = this.#data()
    if (this.#shapes.size < 1000) this.#shapes.set(kind, shape)
    return shape
  }

  #data(): Shape {
    return {
      record: false,
      map: {},
      defaultStatus: '',
      liveStatus: '',
      taxonomies: [],
      statuses: new Map(),
      instants: {},
      claimed: [],
      timezone: this.#timezone,
    }
  }

  #make(name: string, input: TypeInput, declared: boolean): ContentType {
    const fields = customFields(input.fields ?? {}, this.#fieldTypes)
    const terms = input.taxonomies
    return {
      record: true,
      name,
      label: input.label ?? labelOf(name),
      declared,
      fields,
      permalink: input.permalink === undefined ? defaultPermalink(name) : input.permalink,
      template: input.template ?? null,
      path: input.path ?? null,
      // One that is declared for its permalink alone says nothing of fields.
      additionalFields: input.additional_fields ?? fields.size === 0,
      html: input.html ?? 'clean',
      urls: this.#urls,
      typographer: input.typographer ?? false,
      wikilinks: input.wikilinks ?? false,
      sort: parseSort(input.sort ?? '-published_at', fields),
      ...(input.per_page && { perPage: input.per_page }),
      ...(input.feed_limit && { feedLimit: input.feed_limit }),
      columns: input.columns ?? COLUMNS,
      map: input.map ?? {},
      defaultStatus: input.default_status ?? this.#liveStatus,
      liveStatus: this.#liveStatus,
      taxonomies: terms ? this.#taxonomies.filter((kind) => terms.includes(kind.name)) : this.#taxonomies,
      statuses: this.#statuses,
      instants: instantsIn(fields),
      claimed: [...fields.keys()].filter(isClaimable),
      timezone: this.#timezone,
    }
  }
}

function instantsIn(fields: ReadonlyMap<string, Field>): Record<string, Instants> {
  const found = [...fields.values()].map((field) => [field.name, instantsOf(field)] as const)
  return Object.fromEntries(found.flatMap(([name, instants]) => (instants ? [[name, instants] as const] : [])))
}

function liveStatus(statuses: ReadonlyMap<string, Status>): string {
  if (statuses.get('published')?.live) return 'published'
  return [...statuses.values()].find((status) => status.live)?.name ?? 'published'
}

/** Returns the reason why no content type can have this name, as the end of a sentence, or undefined if one can. */
export function typeFault(name: string): string | undefined {
  // A disk that ignores case takes them for the same folder.
  if (RESERVED_TYPES.has(name) || SYSTEM_FOLDERS.has(name.toLowerCase())) return 'is reserved'
  if (isPrivate(name) || name.includes('/')) return 'is no folder of the content'
  return kindFault(name)
}

/** The order that `-published_at,title` stands for. */
export function parseSort(text: string, fields: ReadonlyMap<string, Field>): Sort[] {
  return text.split(',').map((part) => {
    const field = part.trim().replace(/^-/, '')
    return { field, descending: part.trim().startsWith('-'), as: comparisonOf(field, fields) }
  })
}

const INSTANTS: ReadonlySet<string> = new Set(['published_at', 'expires_at', 'created_at', 'updated_at'])
const TEXTS: ReadonlySet<string> = new Set(['id', 'title', 'slug', 'status', 'author'])

/** Returns the comparison for the values of a field: by its declared type, `any` if nothing is declared. */
export function comparisonOf(name: string, fields: ReadonlyMap<string, Field>): Comparison {
  if (INSTANTS.has(name)) return 'instant'
  const field = fields.get(name)
  if (field) return FIELD_TYPES[field.type].as
  return TEXTS.has(name) ? 'text' : 'any'
}
