import { isDeepStrictEqual } from 'node:util'
import type { Access } from '#core/access/access.ts'
import type { Document, Head } from '#core/document.ts'
import type { Revision } from '#core/history/revision.ts'
import { mustFindRevision, noHistory, parseRevisionName, revisionAsOf, revisionText } from '#core/history/revision-name.ts'
import { type Key, MEDIA, parseKey } from '#core/key.ts'
import { seesAllTypes } from '#core/queries/known-types.ts'
import { PastListGate } from '#http/past/list-gate.ts'
import { type RevisionView, revisionView } from '#http/past/revisions.ts'
import { type ListMeta, metaOf, pagingOf } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { Slices, sortedInSlices } from '#lib/concurrency/slices.ts'
import { Forbidden, InvalidInput, NotFound } from '#lib/errors.ts'
import type { Json } from '#lib/json.ts'
import type { Histories } from '../records/histories.ts'
import { mustMayRead, type ReadingPlace, seesWhole } from '../records/reading/reading-rights.ts'
import { unreadable } from '../records/unreadable.ts'
import { removedPart } from '../records/writing/removed.ts'
import type { Entry } from './library.ts'
import { fitting } from './list-fitting.ts'
import { readMediaQuery } from './listing.ts'
import { FIELDS, historyFor, type MediaHistory, toldOf } from './past-sight.ts'
import type { ListedMedia, MediaListMeta, MediaView } from './schema.ts'
import { isOwn, notFound } from './sight.ts'
import { answerOf, type MediaAnswer, pastView } from './view.ts'

/** The dependencies of media as they were. */
export interface PastDeps extends ReadingPlace {
  readonly histories: Histories
  /** Resolves with whether a media file is there for a reader, as far as what uses it goes. */
  isThere(access: Access, media: Pick<Entry, 'key' | 'head'>): Promise<boolean>
  /** Resolves with whether a file of media lies at a key's path. */
  hasFile(key: Key): Promise<boolean>
}

/** The differences between two revisions; `against` is null for the time before the first. */
export interface MediaDiff {
  readonly ts: string
  readonly against: string | null
  readonly fields: readonly { readonly field: string; readonly before: Json; readonly after: Json }[]
}

/**
 * Media as their sidecars were, for one reader at a time: of a file that is there for the reader now, as `historyFor` and `toldOf`
 * say. What was removed is there for who sees drafts, and for who uploaded it. Throws NotFound where no revisions are kept, or none
 * has the name.
 */
export class PastMedia {
  readonly #deps: PastDeps
  readonly #gate = new PastListGate('media')

  constructor(deps: PastDeps) {
    this.#deps = deps
  }

  /** A part of the revisions of a media file, newest first; `params` are `page` and `per_page`. */
  async list(access: Access, id: string, params: QueryParams = {}): Promise<{ data: RevisionView[]; meta: ListMeta }> {
    const paging = pagingOf(params)
    const history = await this.history(access, id)
    const first = (paging.page - 1) * paging.perPage
    const { visible, extent } = history
    const isWhole = extent === 'all'
    const seesTypes = await seesAllTypes(this.#deps.store, access)
    const data: RevisionView[] = []
    for (const [n, revision] of visible.slice(first, first + paging.perPage).entries()) {
      const [old, made] = [await this.#view(history, visible[first + n + 1]), await this.#view(history, revision)]
      const changed = old === 'unreadable' || made === 'unreadable' ? null : differing(old, made)
      const current = revision === history.all[0] && revision.version === history.document?.version
      const view = revisionView(access, revision, { isWhole, seesTypes, changed, current })
      // It may name the file as it was called before.
      data.push(extent === 'now' ? { ...view, message: '' } : view)
    }
    return { data, meta: metaOf(visible.length, paging) }
  }

  /** The media file as its sidecar was in a revision. */
  async one(access: Access, id: string, ts: string): Promise<MediaAnswer> {
    const history = await this.history(access, id)
    return this.#answer(access, history, mustFindRevision(history.visible, 'ts', ts))
  }

  /** The media file as of a time. */
  async asOf(access: Access, id: string, at: string): Promise<MediaAnswer> {
    const named = parseRevisionName('at', at)
    const history = await this.history(access, id)
    const revision = revisionAsOf(history.visible, named)
    if (revision?.version === undefined) throw new NotFound('The media file was not found at that time.')
    return this.#answer(access, history, revision)
  }

  /** A part of the media as of a time. That reads much of the history: one list is made at a time, for who may read drafts. */
  async listAsOf(
    access: Access,
    at: string,
    params: QueryParams,
  ): Promise<{ data: readonly ListedMedia[]; meta: MediaListMeta }> {
    const query = readMediaQuery(params)
    if (query.isUnused) throw new InvalidInput({ unused: ['The unused can not be asked of the past.'] })
    await mustMayRead(this.#deps, access)
    if (!(await seesWhole(this.#deps.store, access))) throw new Forbidden('This needs the right content:drafts for all types.')
    const moment = parseRevisionName('at', at)
    return this.#gate.run(async () => {
      const past = await this.#deps.store.past(MEDIA, { at: moment })
      if (!past) throw noHistory()
      const entries = past.heads.map(({ head }): Entry => ({ key: head.key, head, file: undefined })).filter(query.isAsked)
      const slices = new Slices()
      const sorted = await sortedInSlices(entries, query.compare, slices)
      const { page, perPage } = query.paging
      const data = sorted.slice((page - 1) * perPage, page * perPage).flatMap(({ head }) => (head ? [pastView(head)] : []))
      return fitting(data, metaOf(entries.length, query.paging), slices)
    })
  }

  /** The difference of a revision to the one before, or to the one that `against` names. */
  async diff(access: Access, id: string, ts: string, against?: string): Promise<MediaDiff> {
    const history = await this.history(access, id)
    const revision = mustFindRevision(history.visible, 'ts', ts)
    const { visible } = history
    const before = against === undefined ? visible[visible.indexOf(revision) + 1] : mustFindRevision(visible, 'against', against)
    const [old, made] = [await this.#readable(access, history, before), await this.#readable(access, history, revision)]
    const value = (view: MediaView | undefined, field: (typeof FIELDS)[number]) => (view?.[field] ?? null) as Json
    const fields = differing(old, made).map((field) => ({ field, before: value(old, field), after: value(made, field) }))
    return { ts: revisionText(revision), against: before ? revisionText(before) : null, fields }
  }

  /** The revisions of a sidecar, newest first; `visible` are the reader's. Throws NotFound where the file is not there for them. */
  async history(access: Access, id: string): Promise<MediaHistory> {
    await mustMayRead(this.#deps, access)
    const { store, histories } = this.#deps
    const key = parseKey(MEDIA, id)
    const page = key && (await store.history(key, {}))
    if (key && !page) throw noHistory()
    const document = key && (await store.get(key))
    if (!key || !page || (!document && page.items.length === 0 && !(await this.#deps.hasFile(key)))) throw notFound()
    const history = { key, document, all: page.items, visible: page.items }
    const revision = document ? undefined : page.items.find(({ version }) => version !== undefined)
    const head = document ?? (revision && (await histories.document(history, revision)))
    const isGone = !document && page.items.length > 0 && page.items[0]?.version === undefined
    const extent = (await seesWhole(store, access)) ? 'all' : isOwn(access, { head }) ? 'own' : 'now'
    if (isGone && extent === 'now') throw notFound()
    if (!(await this.#deps.isThere(access, { key, head }))) throw notFound()
    return historyFor(histories, history, { access, extent })
  }

  /** A part of the files that were removed, the last one first: all for who sees everything, else those that the reader uploaded. */
  async removed(access: Access, params: QueryParams): ReturnType<typeof removedPart> {
    await mustMayRead(this.#deps, access)
    const { store } = this.#deps
    const isWhole = await seesWhole(store, access)
    const isThere = (head: Head) => isWhole || isOwn(access, { head })
    return removedPart(access, { store, kind: MEDIA, params, gate: this.#gate, isThere })
  }

  /** The sidecar as it is, for who may know all of the file's past: it names former addresses. */
  async sidecar(access: Access, id: string): Promise<Document | undefined> {
    await mustMayRead(this.#deps, access)
    const { store } = this.#deps
    const key = parseKey(MEDIA, id)
    const head = key && (await store.get(key))
    if (!key || !(await this.#deps.isThere(access, { key, head }))) throw notFound()
    return (await seesWhole(store, access)) || isOwn(access, { head }) ? head : undefined
  }

  /** The sidecar as it was in a revision, for who may know all of the file's past. */
  async source(access: Access, id: string, ts: string): Promise<Document | undefined> {
    const history = await this.history(access, id)
    const revision = mustFindRevision(history.visible, 'ts', ts)
    return history.extent === 'now' ? undefined : this.#deps.histories.document(history, revision)
  }

  /** The sidecar in a version that it once had; undefined where it had none of that name, or no revisions are kept. */
  async inVersion(key: Key, version: string): Promise<Document | undefined> {
    const all = (await this.#deps.store.history(key, {}))?.items ?? []
    const revision = all.find((one) => one.version === version)
    const history = { key, document: undefined, all, visible: all }
    const document = revision && (await this.#deps.histories.document(history, revision))
    return document?.problem?.severity === 'error' ? undefined : document
  }

  async #answer(access: Access, history: MediaHistory, revision: Revision): Promise<MediaAnswer> {
    const view = await this.#readable(access, history, revision)
    if (!view) throw new NotFound('The media file was removed in this revision.', 'The revision before has what it was.')
    return answerOf(view)
  }

  async #readable(access: Access, history: MediaHistory, revision: Revision | undefined): Promise<MediaView | undefined> {
    const view = await this.#view(history, revision)
    if (view !== 'unreadable') return view
    const problem = revision && (await this.#deps.histories.document(history, revision))?.problem
    throw problem ? unreadable(access, problem, MEDIA) : notFound()
  }

  async #view(history: MediaHistory, revision: Revision | undefined): Promise<MediaView | 'unreadable' | undefined> {
    const document = revision && (await this.#deps.histories.document(history, revision))
    if (document?.problem?.severity === 'error') return 'unreadable'
    return document && toldOf(history, document)
  }
}

function differing(old: MediaView | undefined, made: MediaView | undefined): (typeof FIELDS)[number][] {
  return FIELDS.filter((field) => !isDeepStrictEqual(old?.[field] ?? null, made?.[field] ?? null))
}
