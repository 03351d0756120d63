import { isDeepStrictEqual } from 'node:util'
import type { Access } from '#core/access/access.ts'
import type { Document, Head } from '#core/document.ts'
import type { PastList } from '#core/history/past.ts'
import type { Revision } from '#core/history/revision.ts'
import { mustFindRevision, noHistory, parseRevisionName, revisionAsOf, revisionText } from '#core/history/revision-name.ts'
import { type Key, parseKey } from '#core/key.ts'
import { PastListGate } from '#http/past/list-gate.ts'
import { type RevisionView, revisionView } from '#http/past/revisions.ts'
import { type ListMeta, metaOf, pagingOf } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { NotFound } from '#lib/errors.ts'
import type { Json } from '#lib/json.ts'
import { compareText } from '#lib/text/compare.ts'
import type { Histories, History } from '../records/histories.ts'
import { mustMayRead, type ReadingPlace, seesWhole } from '../records/reading/reading-rights.ts'
import { unreadable } from '../records/unreadable.ts'
import { removedPart } from '../records/writing/removed.ts'
import type { ListedMenu, MenuListMeta, MenuView } from './schema.ts'
import { isOpenTo, sightOf } from './sight.ts'
import { byId, everyItem, type Item, isSameTarget, itemsOf, KIND, shownOf } from './tree.ts'
import { answerOf, areTooLong, type MenuAnswer, viewOf, withoutItems } from './view.ts'

/** The dependencies of menus as they were. */
export interface PastDeps extends ReadingPlace {
  readonly histories: Histories
}

/** The differences between two revisions; `against` is null for the time before the first. */
export interface MenuDiff {
  readonly ts: string
  readonly against: string | null
  readonly fields: readonly { readonly field: string; readonly before: Json; readonly after: Json }[]
}

const FIELDS = ['label', 'items'] as const

/**
 * Menus as they were, for one reader at a time. An item that led to a record is shown where nothing of its type is hidden from
 * the reader, or where the menu has it as it was: the record may have been a draft then. A menu that was removed is there for who
 * sees everything. Throws NotFound where no revisions are kept, or none has the name.
 */
export class PastMenus {
  readonly #deps: PastDeps
  readonly #gate = new PastListGate('menus')

  constructor(deps: PastDeps) {
    this.#deps = deps
  }

  /** A part of the revisions of a menu, newest first; `params` are `page` and `per_page`. */
  async list(access: Access, name: string, params: QueryParams = {}): Promise<{ data: RevisionView[]; meta: ListMeta }> {
    const history = await this.history(access, name)
    const paging = pagingOf(params)
    const first = (paging.page - 1) * paging.perPage
    const isWhole = await seesWhole(this.#deps.store, access)
    const now = await this.#now(access, history)
    const data: RevisionView[] = []
    for (const [n, revision] of history.all.slice(first, first + paging.perPage).entries()) {
      const states = [
        await this.#view(access, history, history.all[first + n + 1], now),
        await this.#view(access, history, revision, now),
      ]
      const [old, made] = states
      const changed = old === 'unreadable' || made === 'unreadable' ? null : differing(old, made)
      const current = revision === history.all[0] && revision.version === history.document?.version
      const view = revisionView(access, revision, { isWhole, seesTypes: isWhole, changed, current })
      // A move of a record is a change of the menus that lead to it, and names the record as it was: a draft, perhaps.
      data.push(isWhole ? view : { ...view, message: '' })
    }
    return { data, meta: metaOf(history.all.length, paging) }
  }

  /** The menu as it was in a revision. */
  async one(access: Access, name: string, ts: string): Promise<MenuAnswer> {
    const history = await this.history(access, name)
    return this.#answer(access, history, mustFindRevision(history.all, 'ts', ts))
  }

  /** The menu as of a time. */
  async asOf(access: Access, name: string, at: string): Promise<MenuAnswer> {
    const named = parseRevisionName('at', at)
    const history = await this.history(access, name)
    const revision = revisionAsOf(history.all, named)
    if (revision?.version === undefined) throw new NotFound('The menu was not found at that time.')
    return this.#answer(access, history, revision)
  }

  /** A part of the menus as of a time. That reads much of the history: one list is made at a time, for who may read drafts. */
  async listAsOf(access: Access, at: string, params: QueryParams): Promise<{ data: ListedMenu[]; meta: MenuListMeta }> {
    await mustMayRead(this.#deps, access)
    const [paging, moment] = [pagingOf(params), parseRevisionName('at', at)]
    return this.#gate.runFor(access, async () => {
      const past = await this.#deps.store.past(KIND, { at: moment })
      if (!past) throw noHistory()
      const { page, perPage } = paging
      const heads = (await this.#there(access, past.heads)).sort((a, b) => compareText(a.key.id, b.key.id))
      const part = heads.slice((page - 1) * perPage, page * perPage)
      const meta = metaOf(heads.length, paging)
      if (areTooLong(part.map(({ fields }) => fields)))
        return { data: part.map(withoutItems), meta: { ...meta, omitted: ['items'] } }
      const data: MenuView[] = []
      for (const head of part) {
        const document = await this.#deps.store.get(head.key)
        const now = await this.#now(access, { document })
        data.push(await this.#shown(access, { ...head, body: '' }, now))
      }
      return { data, meta }
    })
  }

  /** The difference of a revision to the one before, or to the one that `against` names. */
  async diff(access: Access, name: string, ts: string, against?: string): Promise<MenuDiff> {
    const history = await this.history(access, name)
    const revision = mustFindRevision(history.all, 'ts', ts)
    const before =
      against === undefined ? history.all[history.all.indexOf(revision) + 1] : mustFindRevision(history.all, 'against', against)
    const now = await this.#now(access, history)
    const [old, made] = [await this.#readable(access, history, before, now), await this.#readable(access, history, revision, now)]
    const value = (view: MenuView | undefined, field: (typeof FIELDS)[number]) => (view?.[field] ?? null) as unknown as Json
    const fields = differing(old, made).map((field) => ({ field, before: value(old, field), after: value(made, field) }))
    return { ts: revisionText(revision), against: before ? revisionText(before) : null, fields }
  }

  /** Those of past menus that are there for the reader. */
  async #there(access: Access, past: PastList['heads']): Promise<Head[]> {
    const heads = past.map(({ head }) => head)
    const { store } = this.#deps
    if (await seesWhole(store, access)) return heads
    const now = new Set((await store.heads(KIND, {})).items.map(({ key }) => key.id))
    return heads.filter(({ key }) => now.has(key.id))
  }

  /** The revisions of a menu, newest first; throws NotFound where there is none of that name for the reader. */
  async history(access: Access, name: string): Promise<History> {
    await mustMayRead(this.#deps, access)
    const { store } = this.#deps
    const key = parseKey(KIND, name)
    const page = key && (await store.history(key, {}))
    if (key && !page) throw noHistory()
    const document = key && (await store.get(key))
    if (!key || !page || (!document && page.items.length === 0)) throw new NotFound('The menu was not found.')
    if (!document && !(await seesWhole(store, access))) throw new NotFound('The menu was not found.')
    return { key, document, all: page.items, visible: page.items }
  }

  /** A part of the menus that were removed, the last one first; none for readers from whom something is hidden. */
  async removed(access: Access, params: QueryParams): ReturnType<typeof removedPart> {
    await mustMayRead(this.#deps, access)
    const { store } = this.#deps
    const isThere = (await seesWhole(store, access)) ? () => true : () => false
    return removedPart(access, { store, kind: KIND, params, gate: this.#gate, isThere })
  }

  /** The file of a menu as it was in a revision, for readers from whom nothing is hidden: it may lead to any record. */
  async source(access: Access, name: string, ts: string): Promise<Document | undefined> {
    const history = await this.history(access, name)
    const revision = mustFindRevision(history.all, 'ts', ts)
    return (await seesWhole(this.#deps.store, access)) ? this.#deps.histories.document(history, revision) : undefined
  }

  /** The menu in a version that it once had; undefined where it had none of that name, or no revisions are kept. */
  async inVersion(key: Key, version: string): Promise<Document | undefined> {
    const all = (await this.#deps.store.history(key, {}))?.items ?? []
    const revision = all.find((one) => one.version === version)
    const document = revision && (await this.#deps.histories.document({ key, document: undefined, all, visible: all }, revision))
    return document?.problem?.severity === 'error' ? undefined : document
  }

  async #answer(access: Access, history: History, revision: Revision): Promise<MenuAnswer> {
    const view = await this.#readable(access, history, revision, await this.#now(access, history))
    if (!view) throw new NotFound('The menu was removed in this revision.', 'The revision before has what it was.')
    return answerOf(view)
  }

  async #readable(access: Access, history: History, revision: Revision | undefined, now: Now): Promise<MenuView | undefined> {
    const view = await this.#view(access, history, revision, now)
    if (view !== 'unreadable') return view
    const problem = revision && (await this.#deps.histories.document(history, revision))?.problem
    throw problem ? unreadable(access, problem, KIND) : new NotFound()
  }

  async #view(
    access: Access,
    history: History,
    revision: Revision | undefined,
    now: Now,
  ): Promise<MenuView | 'unreadable' | undefined> {
    const document = revision && (await this.#deps.histories.document(history, revision))
    if (document?.problem?.severity === 'error') return 'unreadable'
    return document && this.#shown(access, document, now)
  }

  async #shown(access: Access, document: Document, now: Now): Promise<MenuView> {
    const all = itemsOf(document.fields.items)
    const isShown = (item: Item) => isOpenTo(access, item.target) || now.has(item)
    return viewOf(document, shownOf(all, isShown))
  }

  /** The items that the reader sees in the menu as it is. */
  async #now(access: Access, { document }: Pick<History, 'document'>): Promise<Now> {
    const all = itemsOf(document?.fields.items)
    const targets = [...everyItem(all)].map(({ target }) => target)
    const sees = await sightOf(this.#deps, access, targets)
    const shown = byId([shownOf(all, ({ target }) => sees(target))])
    return {
      has: ({ id, label, target }) =>
        shown.get(id)?.some((one) => one.label === label && isSameTarget(one.target, target)) ?? false,
    }
  }
}

/** A menu as one reader sees it, to be asked for an item. */
interface Now {
  has(item: Item): boolean
}

function differing(old: MenuView | undefined, made: MenuView | undefined): (typeof FIELDS)[number][] {
  return FIELDS.filter((field) => !isDeepStrictEqual(old?.[field] ?? null, made?.[field] ?? null))
}
