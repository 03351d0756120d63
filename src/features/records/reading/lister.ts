import type { Access } from '#core/access/access.ts'
import type { Document, Head } from '#core/document.ts'
import { extentOf, narrowedTo } from '#core/queries/extent.ts'
import type { Page, Query } from '#core/queries/query.ts'
import type { ContentType, Taxonomy } from '#core/types/content-type.ts'
import { etagOf, type Tagged } from '#http/answers/etag.ts'
import { PastListGate } from '#http/past/list-gate.ts'
import { type ListMeta, metaOf } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { Cache } from '#lib/cache.ts'
import { BadRequest } from '#lib/errors.ts'
import type { Deps, Part } from '../parts.ts'
import { mustHold } from '../rights.ts'
import { descendants } from './descendants.ts'
import { type Facets, facetsOf, facetsText } from './facets.ts'
import type { FoundLists } from './found-lists.ts'
import { fitting } from './omission.ts'
import { isHistorical, type Plan, planOf, type Selection, WHOLE } from './parameters.ts'
import { PastLists, removedType } from './past-lists.ts'
import type { Selector } from './selector.ts'
import { presentSource, type Source } from './sources.ts'

/** A list as it is answered: `body` is the whole answer, `{"data":[…],"meta":{…}}`. */
export interface Listing extends Tagged {
  readonly items: readonly Document[]
  /** The list of records alone, as JSON: a part of `body`. */
  readonly data: Buffer
  readonly meta: FacetedMeta
}

/** The position of a part in its list, and what facets say of the list. */
interface FacetedMeta extends ListMeta {
  /** Names of fields that the records go without, since the answer would be too long with them. */
  readonly omitted?: readonly string[]
  readonly facets?: Facets
}

/** The plan and query of a list's parameters, and the last answer to them. */
interface Kept {
  readonly plan: Plan
  readonly query: Query
  readonly listing: Listing
}

const KEPT_BYTES = 8 * 1024 * 1024
const LONGEST_KEPT = 512 * 1024
/** Approximate bytes of a plan, a query and a list beside their texts. */
const OVERHEAD = 1024
const COMMA = Buffer.from(',')
const OPENING = Buffer.from('{"data":[')

/** Answers lists. The store is asked each time; where it gives the documents it gave before, the bytes made then serve again. */
export class Lister {
  readonly #deps: Deps
  readonly #selector: Selector
  readonly #pastLists: PastLists
  readonly #pastGate = new PastListGate('records')
  #foundLists: Promise<FoundLists> | undefined
  readonly #kept = new Cache<Kept>({
    bytes: KEPT_BYTES,
    longest: LONGEST_KEPT,
    // What was sent is in the plan and the query too, two bytes a character.
    sizeOf: ({ listing }, key) => OVERHEAD + listing.body.length + 4 * key.length,
  })

  constructor(deps: Deps, selector: Selector) {
    this.#deps = deps
    this.#selector = selector
    this.#pastLists = new PastLists(deps)
  }

  async browse(access: Access, typeName: string, params: QueryParams): Promise<Listing> {
    const type = this.#deps.registry.readable(access, typeName)
    const listing = await this.#listing(access, type, params)
    // Who may write knows of a type that who may read does not: what is kept is for both.
    if (listing.meta.total === 0) await this.#deps.registry.mustExist(access, type)
    return listing
  }

  async #listing(access: Access, type: ContentType, params: QueryParams): Promise<Listing> {
    const typeName = type.name
    const key = [extentOf(access, typeName), typeName, params]
    const now = this.#deps.clock.now()
    const kept = this.#kept.get(key, undefined, now)
    if (kept && (await this.#isTrue(typeName, kept))) return kept.listing
    if (isHistorical(params)) return this.#past(access, type, params)
    const plan = kept?.plan ?? planOf(type, params)
    const query = kept?.query ?? (await this.#query(access, type, plan))
    const source = await this.#source(type, plan, query)
    const { listing, parts } = await this.#make(access, source, plan)
    if (isKeepable(plan)) this.#kept.set(key, { plan, query, listing }, undefined, { from: now, until: untilOf(parts) })
    return listing
  }

  async #past(access: Access, type: ContentType, params: QueryParams): Promise<Listing> {
    mustHold(access, 'content:drafts', type.name)
    await this.#deps.histories.mustBeKept(type)
    const told = params.deleted === 'true' ? removedType(type) : type
    const plan = planOf(told, params)
    const query = await this.#query(access, type, plan)
    return this.#pastGate.run(async () => {
      const { listing } = await this.#make(access, await this.#pastLists.source(told, plan, query), plan)
      return listing
    })
  }

  /** The index alone says whether a list is still what it was: the same records in the same versions. */
  async #isTrue(typeName: string, { plan, query, listing }: Kept): Promise<boolean> {
    const { per_page, total } = listing.meta
    if (per_page !== plan.perPage) return false
    const page = await this.#deps.store.heads(typeName, { ...query, offset: (plan.page - 1) * per_page, limit: per_page })
    return page.total === total && areSame(page.items, listing.items, this.#deps.types.shape(typeName).taxonomies)
  }

  async #make(access: Access, source: Source, plan: Plan): Promise<{ listing: Listing; parts: readonly Part[] }> {
    const { type, asOf } = source
    const facets = await facetsOf(source, plan.facets)
    const page = await source.page((plan.page - 1) * plan.perPage, plan.perPage)
    const meta = { ...metaOf(page.total, plan), ...(plan.facets.length > 0 && { facets }) }
    const unmade = await this.#selector.select(access, type, page.items, plan.selection, asOf)
    const { selection, parts } = await fitting(unmade, plan.selection, (made, chosen) => sizeOf(made, omitting(meta, chosen)))
    return { listing: listingOf(page, parts, omitting(meta, selection), access, { ...plan, selection }), parts }
  }

  async #source(type: ContentType, plan: Plan, query: Query): Promise<Source> {
    if (plan.q === undefined) return presentSource(this.#deps.store, type, query)
    const { search } = this.#deps
    if (!search) throw new BadRequest('The parameter "q" needs the search, which is switched off (features.search).')
    this.#foundLists ??= import('./found-lists.ts').then(({ FoundLists }) => new FoundLists(this.#deps.store, search))
    // Best first, unless another order is asked for.
    return (await this.#foundLists).source(type, plan.q, plan.sort ? query : withoutSort(query))
  }

  async #query(access: Access, type: ContentType, plan: Plan): Promise<Query> {
    const terms = await Promise.all(plan.terms.map((choice) => descendants(this.#deps.store, choice)))
    return { where: [...plan.where, ...terms], ...narrowedTo(extentOf(access, type.name)), sort: plan.sort ?? type.sort }
  }
}

function withoutSort({ sort: _, ...query }: Query): Query {
  return query
}

/**
 * Returns whether an answer can be cached: it depends only on the documents it lists, and not on terms below a term, included
 * records or the rest of the list.
 */
function isKeepable(plan: Plan): boolean {
  return plan.selection === WHOLE && plan.terms.length === 0 && plan.facets.length === 0 && plan.q === undefined
}

function areSame(heads: readonly Head[], documents: readonly Document[], taxonomies: readonly Taxonomy[]): boolean {
  for (let n = 0; n < documents.length; n++) {
    const one = heads[n]
    const other = documents[n]
    if (!one || !other || one.version !== other.version || one.key.id !== other.key.id) return false
    if (one.createdAt !== other.createdAt || one.updatedAt !== other.updatedAt) return false
    if (one.fields.status !== other.fields.status || one.fields.published_at !== other.fields.published_at) return false
    if (!haveSameTerms(one, other, taxonomies)) return false
  }
  return heads.length === documents.length
}

/** Returns whether two heads have the same terms. The meaning of a term also depends on those that are declared. */
function haveSameTerms(one: Head, other: Head, taxonomies: readonly Taxonomy[]): boolean {
  for (const { name } of taxonomies) {
    const [a, b] = [one.fields[name], other.fields[name]]
    if (a === b) continue
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length || a.some((id, n) => id !== b[n])) return false
  }
  return true
}

function untilOf(parts: readonly Part[]): number {
  return parts.reduce((until, part) => Math.min(until, part.until), Number.POSITIVE_INFINITY)
}

function sizeOf(parts: readonly Part[], meta: FacetedMeta): number {
  return parts.reduce((bytes, { json }) => bytes + json.length + COMMA.length, OPENING.length + tailOf(meta).length)
}

function omitting(meta: FacetedMeta, { omitted }: Selection): FacetedMeta {
  return omitted ? { ...meta, omitted } : meta
}

function tailOf(meta: FacetedMeta): Buffer {
  return Buffer.from(`],"meta":${metaText(meta)}}`)
}

function metaText({ facets, ...meta }: FacetedMeta): string {
  const text = JSON.stringify(meta)
  return facets ? `${text.slice(0, -1)},"facets":${facetsText(facets)}}` : text
}

function listingOf(page: Page<Document>, parts: readonly Part[], meta: FacetedMeta, access: Access, plan: Plan): Listing {
  const buffers: Buffer[] = [OPENING]
  let text = plan.selection === WHOLE ? '' : `${JSON.stringify(plan.selection)}${access.fingerprint}`
  for (const [index, part] of parts.entries()) {
    if (index > 0) buffers.push(COMMA)
    buffers.push(part.json)
    text += part.tag
  }
  const tail = tailOf(meta)
  buffers.push(tail)
  const body = Buffer.concat(buffers)
  // With the brackets around it.
  const data = body.subarray(OPENING.length - 1, body.length - tail.length + 1)
  return { body, etag: etagOf(text + tail.toString()), items: page.items, data, meta }
}
