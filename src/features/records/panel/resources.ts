import type { Access } from '#core/access/access.ts'
import type { Document, Version } from '#core/document.ts'
import { mediaKnownTo } from '#core/media/media-values.ts'
import { shownUrlOf } from '#core/permalink.ts'
import { extentOf, narrowedTo } from '#core/queries/extent.ts'
import { isKnownType } from '#core/queries/known-types.ts'
import { isClockStatus } from '#core/status.ts'
import { COMPUTED_FIELDS, type ContentType, type Field, STANDARD_FIELDS } from '#core/types/content-type.ts'
import type { QueryParams } from '#http/requests/query.ts'
import type { Fields } from '#lib/json.ts'
import type { ListFilter, Offering } from '../../offered.ts'
import type {
  Past,
  Previewing,
  PreviewPage,
  Resource,
  ResourceAction,
  Resources,
  ResourceWrite,
  Row,
  Rows,
  Save,
  SourceText,
} from '../../resource.ts'
import type { Deps } from '../parts.ts'
import { present } from '../reading/present.ts'
import type { Records } from '../records.ts'
import { reaches } from '../rights.ts'
import { MetTypes } from './met-types.ts'
import { offeredRecords, titleOf } from './offered-records.ts'
import { recordActions } from './record-actions.ts'
import { recordFields } from './record-fields.ts'
import { recordFilters, suggestedFilters } from './record-filters.ts'
import { savesOf } from './saves.ts'
import { singularOf } from './singular.ts'

const PREFIX = 'content/'

/** The dependencies of records in the panel. */
export type RecordResourceDeps = Pick<Deps, 'store' | 'types' | 'clock' | 'registry' | 'search' | 'media'> & OfRecords

/** The parts of other features that are of records. */
export interface OfRecords {
  /** Finds the revisions of a type's records; undefined where they are switched off. */
  readonly pastOf?: ((type: string) => Past | undefined) | undefined
  /** Undefined where there is no site. */
  readonly preview?: Previewing | undefined
}

/** The types of records in the panel: one resource each, `content/<type>`. */
export class RecordResources implements Resources {
  readonly #records: Records
  readonly #deps: RecordResourceDeps
  readonly #met: MetTypes

  constructor(records: Records, deps: RecordResourceDeps) {
    this.#records = records
    this.#deps = deps
    this.#met = new MetTypes(deps.store)
  }

  async seen(access: Access): Promise<RecordResource[]> {
    const declared = this.#deps.types.declared()
    const kinds = await this.#deps.store.kinds()
    const implied = kinds
      .filter((kind) => !declared.some(({ name }) => name === kind))
      .flatMap((kind) => this.#deps.types.get(kind) ?? [])
    const known = await Promise.all(implied.map((type) => isKnownType(this.#deps.store, access, type)))
    const types = [...declared, ...implied.filter((_, n) => known[n])]
    return types.map((type) => new RecordResource(this.#records, this.#deps, type)).filter((resource) => resource.sees(access))
  }

  async named(name: string): Promise<RecordResource | undefined> {
    const type = name.startsWith(PREFIX) ? this.#deps.types.get(name.slice(PREFIX.length)) : undefined
    return type && (await this.#met.has(type)) ? new RecordResource(this.#records, this.#deps, type) : undefined
  }
}

/** The records of a type in the panel. */
class RecordResource implements Resource {
  readonly name: string
  readonly label: string
  readonly singular: string
  readonly group = 'write'
  readonly icon = 'file-text'
  readonly layout = 'desk'
  readonly isSearched: boolean
  readonly removal = 'Its revisions stay, and a rollback brings it back.'
  readonly columns: readonly string[]
  readonly sorts: readonly string[]
  readonly statuses: readonly string[]
  readonly actions: readonly ResourceAction[]
  readonly #records: Records
  readonly #deps: RecordResourceDeps
  readonly #type: ContentType

  constructor(records: Records, deps: RecordResourceDeps, type: ContentType) {
    this.#records = records
    this.#deps = deps
    this.#type = type
    this.name = `${PREFIX}${type.name}`
    this.label = type.label
    this.singular = singularOf(type.label)
    this.columns = type.columns.filter((name) => name !== 'title')
    this.sorts = ['title', 'published_at', 'updated_at']
    this.statuses = statusesOf(type)
    this.actions = recordActions(records, type)
    this.isSearched = deps.search !== undefined
  }

  sees(access: Access): boolean {
    return access.sees(this.#type.name) && access.may('content:read', this.#type.name)
  }

  async count(access: Access): Promise<number> {
    const { name } = this.#type
    return (await this.#deps.store.heads(name, { ...narrowedTo(extentOf(access, name)), limit: 0 })).total
  }

  async counts(access: Access): Promise<ReadonlyMap<string, number>> {
    const { meta } = await this.#records.browse(access, this.#type.name, { facets: 'status', per_page: '1' })
    return meta.facets?.get('status') ?? new Map()
  }

  offers(access: Access, asked: Offering) {
    return offeredRecords(this.#deps.store, access, this.#type, asked)
  }

  fields(access: Access, of?: Row): readonly Field[] {
    return recordFields(access, this.#type, of)
  }

  filters(): readonly ListFilter[] {
    return recordFilters(this.#type)
  }

  async suggestions(access: Access): Promise<ReadonlyMap<string, readonly string[]>> {
    const names = suggestedFilters(this.filters())
    const { meta } = await this.#records.browse(access, this.#type.name, { facets: names.join(), per_page: '1' })
    return new Map([...(meta.facets ?? [])].map(([name, counts]) => [name, [...counts.keys()]]))
  }

  undeclared(access: Access, { values }: Row): Fields {
    const type = this.#type
    if ((type.declared && !type.additionalFields && type.fields.size > 0) || access.writable(type.name)) return {}
    const known = new Set([
      ...STANDARD_FIELDS,
      ...COMPUTED_FIELDS,
      ...type.taxonomies.map(({ name }) => name),
      ...type.fields.keys(),
    ])
    return Object.fromEntries(Object.entries(values).filter(([name]) => !known.has(name)))
  }

  mayCreate(access: Access): boolean {
    return access.reach('content:write', this.#type.name) !== 'none'
  }

  mayUpdate(access: Access, { values, problem }: Row): boolean {
    return problem === undefined && reaches(access, 'content:write', this.#type, storedOf(this.#type, values))
  }

  mayRemove(access: Access, { values }: Row): boolean {
    return reaches(access, 'content:delete', this.#type, storedOf(this.#type, values))
  }

  async list(access: Access, params: QueryParams): Promise<Rows> {
    const { items, meta } = await this.#records.browse(access, this.#type.name, params)
    return {
      rows: items.map((document) => this.#row(document)),
      total: meta.total,
      page: meta.current_page,
      perPage: meta.per_page,
    }
  }

  async get(access: Access, id: string): Promise<Row> {
    return this.#row((await this.#records.get(access, this.#type.name, id)).document)
  }

  async inVersion(access: Access, id: string, version: Version): Promise<Row | undefined> {
    const document = await this.#records.inVersion(access, this.#type.name, id, version)
    return document && this.#row(document)
  }

  get past(): Past | undefined {
    return this.#deps.pastOf?.(this.#type.name)
  }

  async source(access: Access, id: string): Promise<SourceText | undefined> {
    const { document } = await this.#records.get(access, this.#type.name, id)
    return document.source && { text: document.source.toString('utf8') }
  }

  async preview(access: Access, id: string | undefined, values: Fields): Promise<PreviewPage | undefined> {
    const document = await this.#records.draft(access, this.#type.name, id, values)
    return this.#deps.preview?.(this.#type, document, mediaKnownTo(access, this.#deps.media()))
  }

  hasPreview(): boolean {
    return this.#deps.preview !== undefined && this.#type.permalink !== null
  }

  apiPath(id: string): string {
    return `/api/cms/${this.#type.name}/${encodeURIComponent(id)}`
  }

  async create(access: Access, values: Fields, { asked }: ResourceWrite): Promise<Row> {
    return this.#row((await this.#records.create(access, this.#type.name, values, asked)).document)
  }

  async update(access: Access, id: string, values: Fields, { asked, base }: ResourceWrite): Promise<Row> {
    return this.#row((await this.#records.update(access, this.#type.name, id, values, { asked, base })).document)
  }

  async remove(access: Access, id: string, { asked }: ResourceWrite): Promise<void> {
    await this.#records.remove(access, this.#type.name, id, { asked })
  }

  saves(access: Access, row: Row | undefined): readonly Save[] {
    return savesOf(access, this.#type, row && storedOf(this.#type, row.values), this.#deps.clock.now())
  }

  #row(document: Document): Row {
    const type = this.#type
    const values = present(type, document, this.#deps.clock.now())
    const { id } = document.key
    return {
      id,
      title: titleOf(values.title, id),
      values,
      version: document.version,
      status: typeof values.status === 'string' ? values.status : undefined,
      url: shownUrlOf(type, document) ?? undefined,
      problem: document.problem?.severity === 'error' ? document.problem.message : undefined,
    }
  }
}

/** The fields of a record as they are stored: a status that the clock makes is a live one. */
function storedOf({ liveStatus }: ContentType, values: Fields): Fields {
  return typeof values.status === 'string' && isClockStatus(values.status) ? { ...values, status: liveStatus } : values
}

/** The statuses that have a list of their own: those of the type, and before the first live one those that wait for it. */
function statusesOf({ statuses }: ContentType): string[] {
  const names = [...statuses.keys()]
  const live = names.findIndex((name) => statuses.get(name)?.live)
  return live < 0 ? names : names.toSpliced(live, 0, 'scheduled')
}
