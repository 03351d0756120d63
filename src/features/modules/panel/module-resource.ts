import { randomBytes } from 'node:crypto'
import type { Access } from '#core/access/access.ts'
import type { Head, Version } from '#core/document.ts'
import { type Key, type Kind, keyOf, parseKey } from '#core/key.ts'
import type { LookupDeps } from '#core/queries/lookups.ts'
import { Inspection } from '#core/rules/inspection.ts'
import { limitErrors } from '#core/rules/limits.ts'
import type { Field } from '#core/types/content-type.ts'
import { type CustomTypes, customField } from '#core/types/custom-types.ts'
import { pagingOf } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { Conflict, Forbidden, InvalidInput, NotFound, Stale } from '#lib/errors.ts'
import { type Fields, jsonLength } from '#lib/json.ts'
import type { ResourceDefinition } from '#module/panel.ts'
import type { Resource, ResourceGroup, ResourceWrite, Row, Rows } from '../../resource.ts'
import { documentFields, fieldsOfDocument, kindOf } from '../context/collections.ts'
import { collectionNames } from '../context/module-store.ts'
import { ownClaims, ownLookupErrors } from '../context/own-lookups.ts'
import { mayHold } from './caller.ts'
import { PANEL_GROUPS } from './groups.ts'
import { listedHeads } from './listed-heads.ts'
import { DEFAULT_SCOPE, type Shown } from './pages.ts'

/** The most characters of a document, as JSON. */
const MOST_CHARACTERS = 256 * 1024
/** Types of fields of which a list shows and sorts by values. */
const UNLISTED: ReadonlySet<Field['type']> = new Set(['markdown', 'object', 'json', 'list'])

/** The dependencies of documents of modules in the panel. */
export interface ModuleResourceDeps extends LookupDeps {
  readonly fieldTypes: CustomTypes
}

/** Documents of a module's collection in the panel, for who has the right that the module names. */
export class ModuleResource implements Resource {
  readonly name: string
  readonly label: string
  readonly singular: string
  readonly group: ResourceGroup
  readonly icon: string
  readonly empty: string | undefined
  readonly layout = 'form'
  readonly isSearched = true
  readonly columns: readonly string[]
  readonly sorts: readonly string[]
  readonly labels: Readonly<Record<string, string>>
  readonly #deps: ModuleResourceDeps
  readonly #fields: ReadonlyMap<string, Field>
  readonly #kind: Kind
  readonly #collection: string
  readonly #scope: string
  readonly #isOn: () => boolean
  readonly #isReadOnly: boolean
  readonly #kindOf: (collection: string) => Kind | undefined
  /** The field whose value is the title of a row. */
  readonly #title: string

  constructor(
    { module: { name: module, definition }, isOn }: Pick<Shown, 'module' | 'isOn'>,
    resource: ResourceDefinition,
    deps: ModuleResourceDeps,
  ) {
    const { name, label, group, singular = label.toLowerCase().replace(/s$/, ''), scope = DEFAULT_SCOPE } = resource
    this.name = `x/${module}/${name}`
    this.label = label
    this.singular = singular
    this.group = PANEL_GROUPS[group]
    this.icon = resource.icon ?? 'box'
    this.empty = resource.empty
    this.#isReadOnly = resource.readOnly === true
    this.#deps = deps
    this.#fields = new Map(resource.fields.map(({ name, ...field }) => [name, customField(name, field, deps.fieldTypes)]))
    this.#kind = kindOf(module, name)
    this.#collection = name
    this.#scope = scope
    this.#isOn = isOn
    const own = new Map(collectionNames(definition).map((one) => [one, kindOf(module, one)]))
    this.#kindOf = (collection) => own.get(collection)
    const listed = [...this.#fields.values()].filter(({ type }) => !UNLISTED.has(type))
    this.#title = listed.find((field) => field.name === 'title' || field.name === 'name')?.name ?? listed[0]?.name ?? 'id'
    const columns = resource.columns ?? listed.slice(0, 3).map((field) => field.name)
    this.columns = columns.filter((one) => one !== this.#title)
    this.sorts = ['title', ...listed.filter((field) => !field.multiple && field.name !== this.#title).map((field) => field.name)]
    const labels = [...this.#fields.values()].map((field): [string, string] => [field.name, field.label])
    this.labels = { ...Object.fromEntries(labels), title: this.#fields.get(this.#title)?.label ?? 'Name' }
  }

  sees(access: Access): boolean {
    return this.#isOn() && mayHold(access, this.#scope)
  }

  async count(): Promise<number> {
    return (await this.#deps.store.heads(this.#kind, { limit: 0 })).total
  }

  fields(): readonly Field[] {
    return [...this.#fields.values()]
  }

  mayCreate(access: Access): boolean {
    return this.mayUpdate(access)
  }

  mayUpdate(access: Access): boolean {
    return this.sees(access) && !this.#isReadOnly
  }

  mayRemove(access: Access): boolean {
    return this.sees(access)
  }

  async list(access: Access, params: QueryParams): Promise<Rows> {
    this.#mustSee(access)
    const paging = pagingOf(params)
    const { page, perPage } = paging
    const { store } = this.#deps
    const found = await listedHeads({ store, kind: this.#kind, fields: this.#fields, title: this.#title }, params, paging)
    return { rows: found.items.map((head) => this.#row(head)), total: found.total, page, perPage }
  }

  async get(access: Access, id: string): Promise<Row> {
    this.#mustSee(access)
    return this.#row(await this.#head(id))
  }

  async create(access: Access, values: Fields): Promise<Row> {
    this.#mustChange(access)
    const set = withoutNull(values)
    await this.#check(access, set, undefined)
    const key = keyOf(this.#kind, randomBytes(8).toString('hex'))
    return this.#write(access, { key, set, expects: 'absent', unique: ownClaims(this.#collection, this.#fields, set) })
  }

  async update(access: Access, id: string, values: Fields, { base }: ResourceWrite): Promise<Row> {
    this.#mustChange(access)
    const head = await this.#head(id)
    const held = fieldsOfDocument(head)
    if (base !== undefined && base !== head.version) throw conflictWith(head.version, held, values)
    await this.#check(access, { ...held, ...values }, { key: head.key, fields: held })
    const unique = ownClaims(this.#collection, this.#fields, values, held)
    try {
      return await this.#write(access, { key: head.key, set: values, expects: head.version, unique })
    } catch (error) {
      if (!(error instanceof Stale)) throw error
      const now = await this.#head(id)
      throw conflictWith(now.version, fieldsOfDocument(now), values)
    }
  }

  async remove(access: Access, id: string): Promise<void> {
    this.#mustSee(access)
    const { key } = await this.#head(id)
    await this.#deps.store.write([{ key, remove: true }], access.author)
  }

  #mustSee(access: Access): void {
    if (!this.sees(access)) throw new Forbidden(`This takes the right ${this.#scope}.`)
  }

  #mustChange(access: Access): void {
    this.#mustSee(access)
    if (this.#isReadOnly) throw new Forbidden(`${this.label} are neither made nor changed here.`)
  }

  async #head(id: string): Promise<Head> {
    const key = parseKey(this.#kind, id)
    const head = key && (await this.#deps.store.head(key))
    if (!head) throw new NotFound(`The ${this.singular} was not found.`)
    return head
  }

  /** Checks all values of a document: what it held before is kept, and a field that is not declared is none of these. */
  async #check(access: Access, values: Fields, self: { readonly key: Key; readonly fields: Fields } | undefined): Promise<void> {
    const held = self ? [self.fields] : []
    const { errors } = limitErrors(this.#fields, values, held)
    if (Object.keys(errors).length > 0) throw new InvalidInput(errors)
    const inspection = new Inspection(false)
    for (const field of this.#fields.values())
      inspection.field(
        field,
        values,
        held.map((one) => one[field.name]),
      )
    if (Object.keys(inspection.errors).length > 0) throw new InvalidInput(inspection.errors)
    if (jsonLength(values) > MOST_CHARACTERS) throw new InvalidInput({ fields: ['This is more than 256 KiB.'] })
    const asked = await ownLookupErrors({ kindOf: this.#kindOf, lookups: this.#deps, access }, this.#fields, values, {
      ...(self && { held: self.fields }),
      isSelf: ({ kind, id }) => kind === self?.key.kind && id === self.key.id,
    })
    if (Object.keys(asked).length > 0) throw new InvalidInput(asked)
  }

  async #write(
    access: Access,
    { key, set, expects, unique }: { key: Key; set: Fields; expects: Version | 'absent'; unique: ReturnType<typeof ownClaims> },
  ): Promise<Row> {
    const [written] = await this.#deps.store.write([{ key, put: { set: documentFields(set) }, expects, unique }], access.author)
    return this.#row(written ?? (await this.#head(key.id)))
  }

  #row(head: Head): Row {
    const values = fieldsOfDocument(head)
    const field = this.#fields.get(this.#title)
    const value = values[this.#title]
    const isNone = value === undefined || value === null || value === ''
    const title = isNone ? head.key.id : (field?.custom?.present?.(value) ?? textOf(value))
    return { id: head.key.id, title, values, version: head.version, problem: head.problem?.message }
  }
}

/** Null is no value: a new document has none of it. */
function withoutNull(values: Fields): Fields {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
}

function textOf(value: Fields[string]): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function conflictWith(version: Version, theirs: Fields, yours: Fields): Conflict {
  const fields = Object.keys(yours)
  return new Conflict('Somebody else changed this meanwhile.', { version, fields, theirs })
}
