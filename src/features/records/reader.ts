import { hash } from 'node:crypto'
import type { Access } from '../../core/access.ts'
import type { ContentType } from '../../core/content-type.ts'
import type { Document } from '../../core/document.ts'
import { NotFound } from '../../core/errors.ts'
import { parseKey } from '../../core/key.ts'
import type { Page, Query } from '../../core/query.ts'
import { descendants } from './descendants.ts'
import { type BrowseParams, type Plan, planOf, type Selection, selectionOf, WHOLE } from './parameters.ts'
import type { Part, Parts, RecordAnswer } from './parts.ts'
import { shortHash } from './present.ts'
import { isThere, liveOnly } from './rights.ts'
import { Selector } from './selector.ts'
import { unreadable } from './unreadable.ts'

/** A list as it is answered. */
export interface Listing {
  /** The whole answer: `{"data":[…],"meta":{…}}`. */
  readonly body: Buffer
  /** With its quotes, as the header has it. */
  readonly etag: string
  readonly items: readonly Document[]
  readonly meta: ListMeta
}

/** Where in a list its part is. */
export interface ListMeta {
  readonly total: number
  readonly per_page: number
  readonly current_page: number
  readonly last_page: number
}

/** What of a single record is wanted: `fields` and `include` are lists with commas. */
export interface GetOptions {
  readonly fields?: string
  readonly include?: string
}

/** The most bytes of records in one answer. */
const MOST_BYTES = 8 * 1024 * 1024
const COMMA = Buffer.from(',')
const OPENING = Buffer.from('{"data":[')

/** Answers lists and single records. */
export class Reader {
  readonly #parts: Parts
  readonly #selector: Selector

  constructor(parts: Parts) {
    this.#parts = parts
    this.#selector = new Selector(parts)
  }

  async get(access: Access, typeName: string, id: string, options?: GetOptions): Promise<RecordAnswer> {
    const { store, clock, catalogue, renderer } = this.#parts
    const type = catalogue.readable(access, typeName)
    const selection = options ? selectionOf(type, options) : WHOLE
    const key = parseKey(typeName, id)
    const document = key && (await store.get(key))
    if (!document || !isThere(access, type, document, clock.now())) throw new NotFound()
    if (document.problem?.severity === 'error') throw unreadable(access, document.problem, typeName)
    const { body, json, etag } = renderer.render(type, document)
    return selection === WHOLE ? { document, body, json, etag } : this.#selected(access, type, document, selection)
  }

  async #selected(access: Access, type: ContentType, document: Document, selection: Selection): Promise<RecordAnswer> {
    const [part] = await this.#selector.select(access, type, [document], selection)
    if (!part) throw new NotFound()
    const suffix = shortHash(`${JSON.stringify(selection)} ${access.fingerprint} ${part.tag}`)
    const body = Buffer.concat([Buffer.from('{"data":'), part.json, Buffer.from('}')])
    return { document, json: part.json, body, etag: `"${document.version}-${suffix}"` }
  }

  async browse(access: Access, typeName: string, params: BrowseParams): Promise<Listing> {
    const type = this.#parts.catalogue.readable(access, typeName)
    const plan = planOf(type, params)
    const query = await this.#query(access, type, plan)
    let perPage = plan.perPage
    for (;;) {
      const page = await this.#parts.store.browse(typeName, { ...query, offset: (plan.page - 1) * perPage, limit: perPage })
      if (page.total === 0) await this.#parts.catalogue.mustExist(type)
      const parts = await this.#selector.select(access, type, page.items, plan.selection)
      const fitting = howManyFit(parts)
      if (fitting >= parts.length || perPage === 1)
        return listing(page, parts, metaOf(page.total, perPage, plan.page), access, plan)
      // A page is shorter for all of the list, so that following meta misses nothing.
      perPage = Math.max(1, fitting)
    }
  }

  async #query(access: Access, type: ContentType, plan: Plan): Promise<Query> {
    const terms = await Promise.all(plan.terms.map((choice) => descendants(this.#parts.store, choice)))
    return { where: [...plan.where, ...terms], live: liveOnly(access, type.name), sort: plan.sort ?? type.sort }
  }
}

function howManyFit(parts: readonly Part[]): number {
  let bytes = 0
  for (const [index, part] of parts.entries()) {
    bytes += part.json.length + 1
    if (bytes > MOST_BYTES) return index
  }
  return parts.length
}

function metaOf(total: number, per_page: number, current_page: number): ListMeta {
  return { total, per_page, current_page, last_page: Math.max(1, Math.ceil(total / per_page)) }
}

function listing(page: Page<Document>, parts: readonly Part[], meta: ListMeta, access: Access, plan: Plan): Listing {
  const buffers: Buffer[] = [OPENING]
  let text = plan.selection === WHOLE ? '' : `${JSON.stringify(plan.selection)}${access.fingerprint}`
  for (const [index, part] of parts.entries()) {
    if (index > 0) buffers.push(COMMA)
    buffers.push(part.json)
    text += part.tag
  }
  const tail = `],"meta":${JSON.stringify(meta)}}`
  buffers.push(Buffer.from(tail))
  return { body: Buffer.concat(buffers), etag: `"${hash('sha1', text + tail, 'hex')}"`, items: page.items, meta }
}
