import type { Access } from '#core/access/access.ts'
import type { Document } from '#core/document.ts'
import type { Asked } from '#core/history/revision.ts'
import { type Key, keyOf, keyText, parseKey } from '#core/key.ts'
import { mustMatchAnswer } from '#http/answers/etag.ts'
import { untilFirst } from '#http/guarding/until-first.ts'
import { metaOf, pagingOf } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import type { WriteOptions } from '#http/requests/write-options.ts'
import { KeyedMutex } from '#lib/concurrency/keyed-mutex.ts'
import { Conflict, InvalidInput, NotFound } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import { mustMayRead, seesWhole } from '../records/reading/reading-rights.ts'
import { unreadable } from '../records/unreadable.ts'
import type { Bases } from '../records/writing/bases.ts'
import { noteOf } from '../records/writing/commit-messages.ts'
import { AnsweredMenus } from './answered.ts'
import { bothMerged, mergedLabel } from './conflicts.ts'
import { readMenuInput, readName, type SentItem } from './input.ts'
import type { Picks } from './merge.ts'
import { mergedItems, newId } from './merging.ts'
import { type PastDeps, PastMenus } from './past.ts'
import { type RolledBackMenu, rollBack } from './rollback.ts'
import type { ListedMenu, MenuListMeta, MenuView } from './schema.ts'
import { presentSender, type Sender, senderFrom } from './sender.ts'
import { newlyLed, withIds } from './sent-items.ts'
import { mustMayWrite, recordsThere, sightOf, textOf } from './sight.ts'
import { byId, everyItem, itemsOf, KIND, shownOf } from './tree.ts'
import { answerOf, areTooLong, etagOf, type KnownMenu, type MenuAnswer, viewOf, withoutItems } from './view.ts'
import { changeOf, newFields } from './written.ts'

/** The dependencies of menus; `bases` keeps the versions that were lately read. */
export interface MenusDeps extends PastDeps {
  readonly bases: Bases
}

/** The options of a change: `base` is the version it started from, to be merged with what was done since. */
export interface MenuOptions extends WriteOptions {
  readonly base?: string | undefined
  /** The sides that were picked of conflicts, in the version `at`: of a newer one they say nothing. */
  readonly settled?: { readonly at: string; readonly picks: Picks } | undefined
}

/**
 * The menus of a site, for one reader at a time: an item that leads to a record that the reader may not see is left out, with
 * what is below it, and stays where it is when the reader changes the menu.
 */
export class Menus {
  readonly past: PastMenus
  readonly #deps: MenusDeps
  readonly #answered = new AnsweredMenus()
  readonly #mutex = new KeyedMutex()

  constructor(deps: MenusDeps) {
    this.#deps = deps
    this.past = new PastMenus(deps)
  }

  /** A part of the menus, by name; `params` are `page` and `per_page`. */
  async list(access: Access, params: QueryParams = {}): Promise<{ data: ListedMenu[]; meta: MenuListMeta }> {
    const paging = pagingOf(params)
    await mustMayRead(this.#deps, access)
    const { page, perPage } = paging
    const sort = [{ field: 'id', descending: false, as: 'text' as const }]
    const { items, total } = await this.#deps.store.browse(KIND, { sort, offset: (page - 1) * perPage, limit: perPage })
    const meta = metaOf(total, paging)
    if (areTooLong(items.map(({ fields }) => fields)))
      return { data: items.map(withoutItems), meta: { ...meta, omitted: ['items'] } }
    const data: MenuView[] = []
    for (const document of items) data.push((await this.#answer(access, document)).view)
    return { data, meta }
  }

  /** Throws NotFound where there is no menu of that name, Unreadable where its file can't be read. */
  async get(access: Access, name: string): Promise<MenuAnswer> {
    await mustMayRead(this.#deps, access)
    const document = await this.#found(name)
    mustBeReadable(access, document)
    return this.#answer(access, document)
  }

  /** The document of a menu, for readers from whom nothing is hidden: it may lead to any record. */
  async source(access: Access, name: string): Promise<Document | undefined> {
    await mustMayRead(this.#deps, access)
    return (await seesWhole(this.#deps.store, access)) ? this.#found(name) : undefined
  }

  /** Makes a menu of `name`, `label` and `items`; Conflict where there is one of that name. */
  async create(access: Access, { name: named, ...input }: Fields, asked?: Asked): Promise<MenuAnswer> {
    await this.#mustWrite(access)
    const name = readName(named)
    const { label, items = [] } = readMenuInput(input, [], new Map())
    await this.#mustBeThere(access, items)
    const key = keyOf(KIND, name)
    return this.#mutex.run(keyText(key), async () => {
      if (await this.#deps.store.get(key)) throw new Conflict(`There is a menu "${name}" already.`)
      const set = newFields(label, withIds(items, [], newId(new Set())))
      const note = noteOf('created', key, asked)
      const [document] = await this.#deps.store.write([{ key, put: { set }, expects: 'absent' }], access.author, note)
      return this.#answer(access, document ?? (await this.#found(name)))
    })
  }

  /** The menu that was made for what `once` stands for, where the store knows of it. */
  async written(access: Access, once: string): Promise<MenuAnswer | undefined> {
    await this.#mustWrite(access)
    const document = (await this.#deps.store.written(once))?.find(({ key }) => key.kind === KIND)
    return document && this.#answer(access, document)
  }

  /**
   * Changes the label, and the items to those that are sent; items that the reader does not see stay. With `base`, what others did
   * since is merged; Conflict with the three sides where it overlaps.
   */
  update(access: Access, name: string, input: Fields, options: MenuOptions = {}): Promise<MenuAnswer> {
    return this.#onMenu(access, name, options, async (document, isExact) => {
      mustBeReadable(access, document)
      const now = await this.#known(access, document)
      const base = await this.#base(access, document, now, options.base)
      const sender = await this.#sender(access, base ?? now, options.base, isExact)
      const known = byId([...(base ? [base] : []), now].map((one) => sender.ofMenu(one)))
      const views = [now, ...(base ? [base] : [])].map((one) => viewOf(one.document, one.shown))
      const sent = readMenuInput(input, views, known)
      await this.#mustBeThere(access, newlyLed(sent.items ?? [], known))
      const isMerged = base !== undefined && base !== now
      const picks = options.settled?.at === document.version ? options.settled.picks : undefined
      const [label, made] = bothMerged(
        () => mergedLabel(sent.label, base, now, picks),
        () => (sent.items ? mergedItems(access, sent.items, { base, now, sender, picks }) : now.all),
      )
      const put = await changeOf(document, now.all, made, label)
      if (!put) return this.#answer(access, document, isMerged)
      const note = noteOf('updated', document.key, options.asked)
      const change = { key: document.key, put, expects: document.version }
      const [written] = await this.#deps.store.write([change], access.author, note)
      return this.#answer(access, written ?? (await this.#found(name)), isMerged)
    })
  }

  /** Takes a menu away, also one that can't be read; its revisions stay. */
  remove(access: Access, name: string, options: WriteOptions = {}): Promise<void> {
    return this.#onMenu(access, name, options, async ({ key, version }) => {
      const note = noteOf('deleted', key, options.asked)
      await this.#deps.store.write([{ key, remove: true, expects: version }], access.author, note)
    })
  }

  /** Makes a menu what it was in a revision, by a revision of its own; brings a removed one back. */
  async rollback(access: Access, name: string, ts: string, options: WriteOptions = {}): Promise<RolledBackMenu & MenuAnswer> {
    await this.#mustWrite(access)
    const once = () => rollBack(this.#deps, this.past, access, { name, ts }, options)
    const back = await this.#mutex.run(`${KIND}/${name}`, () => untilFirst(options, once))
    return { ...back, ...(await this.#answer(access, back.document)) }
  }

  async #mustWrite(access: Access): Promise<void> {
    mustMayWrite(access)
    // Who changes a menu is answered with it.
    await mustMayRead(this.#deps, access)
  }

  /** Does `work` on a menu, one at a time for each; it is told whether `If-Match` names the menu just as the reader sees it. */
  async #onMenu<T>(
    access: Access,
    name: string,
    { ifMatch }: WriteOptions,
    work: (document: Document, isExact: boolean) => Promise<T>,
  ): Promise<T> {
    await this.#mustWrite(access)
    const once = async () => {
      const document = await this.#found(name)
      if (!ifMatch) return work(document, false)
      const { shown } = await this.#known(access, document)
      const etag = etagOf(viewOf(document, shown))
      return work(document, mustMatchAnswer(ifMatch, document.version, etag, 'The menu has changed since you read it.'))
    }
    return this.#mutex.run(`${KIND}/${name}`, () => untilFirst({ ifMatch }, once))
  }

  /** The sight of whoever sent a change that began from a version; that of now where they name none, or the menu as they see it. */
  #sender(access: Access, base: KnownMenu, version: string | undefined, isExact: boolean): Sender | Promise<Sender> {
    const { key, version: now } = base.document
    const answered = this.#answered.find(access, key, version ?? now)
    const isPresent = isExact || version === undefined
    return isPresent ? presentSender(base, answered) : senderFrom(this.#deps, access, base, answered)
  }

  /** The version that a change started from, as the reader knows it; undefined where it is not known any more. */
  async #base(access: Access, document: Document, now: KnownMenu, version: string | undefined): Promise<KnownMenu | undefined> {
    if (version === undefined || version === document.version) return now
    const lately = this.#deps.bases.find(document.key, version)?.document
    const base = lately ?? (await this.past.inVersion(document.key, version))
    return base && this.#known(access, base)
  }

  /** Throws InvalidInput for items that lead to records which are not there, or not for this reader. */
  async #mustBeThere(access: Access, sent: readonly SentItem[]): Promise<void> {
    const items = [...everyItem(sent)].filter(({ target }) => target && 'record' in target)
    const there = await recordsThere(
      this.#deps,
      access,
      items.map(({ target }) => target),
    )
    const missing = items.filter(({ target }) => !there.has(textOf(target)))
    if (missing.length === 0) return
    throw new InvalidInput(Object.fromEntries(missing.map(({ path }) => [`${path}.record`, ['There is no such record.']])))
  }

  async #found(name: string): Promise<Document> {
    const key: Key | undefined = parseKey(KIND, name)
    const document = key && (await this.#deps.store.get(key))
    if (!document) throw new NotFound('The menu was not found.')
    return document
  }

  async #known(access: Access, document: Document): Promise<KnownMenu> {
    const all = itemsOf(document.fields.items)
    const sees = await sightOf(
      this.#deps,
      access,
      [...everyItem(all)].map(({ target }) => target),
    )
    return { document, all, shown: shownOf(all, ({ target }) => sees(target)), sees }
  }

  async #answer(access: Access, document: Document, isMerged = false): Promise<MenuAnswer> {
    this.#deps.bases.remember(document)
    const known = await this.#known(access, document)
    this.#answered.remember(access, known)
    return answerOf(viewOf(document, known.shown), isMerged ? { merged: true } : undefined)
  }
}

function mustBeReadable(access: Access, { problem }: Document): void {
  if (problem?.severity === 'error') throw unreadable(access, problem, KIND)
}
