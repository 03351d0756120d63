import type { Access } from '#core/access/access.ts'
import type { Document, Head } from '#core/document.ts'
import { idToPath, type Key, keyText } from '#core/key.ts'
import { type Removal, redirected, type Standpoints, type Vantage } from '#core/links/moved-links.ts'
import { foldersOf } from '#core/links/resolve.ts'
import { ScanThread } from '#core/links/scan-thread.ts'
import { folderOf, movedHead } from '#core/media/attachments.ts'
import { isListed, urlOf } from '#core/permalink.ts'
import { isLive } from '#core/status.ts'
import type { Put, Store } from '#core/store.ts'
import type { ContentType, ContentTypes } from '#core/types/content-type.ts'
import { targetOf } from '#core/types/fields.ts'
import type { Clock } from '#lib/clock.ts'
import { isKnown } from '../rights.ts'
import type { Addresses } from './addresses.ts'
import { Following, type Other } from './following.ts'
import { deepReferences, LinkIndex } from './link-index.ts'
import { menuChange } from './menu-links.ts'
import { leadsThere, type Redirect, relinked } from './relinking.ts'

/** A record that gets another key or another address: as it is, and as it will be. */
export interface Going {
  readonly type: ContentType
  readonly before: Document
  readonly after: Head
}

/** The consequences of changes of addresses. */
export interface Relinks {
  /**
   * The changes of the records' own texts, by the texts of the keys that they had: the text with links that lead to the same
   * places as before. Nothing for a record whose text stays.
   */
  readonly own: ReadonlyMap<string, Put>
  /** Changes of what leads to the records. */
  readonly others: readonly Other[]
  /**
   * Keys, as text, of documents that lead to the records and have to stay as they are, limited to those the reader may know of.
   */
  readonly left: readonly string[]
}

/** The dependencies of a relinker; `url` is the address of the site on the web. */
export interface RelinkerDeps {
  readonly store: Store
  readonly types: ContentTypes
  readonly clock: Clock
  readonly addresses: Addresses
  readonly url: string
}

/**
 * Finds what links to records whose address changes, and updates it: links, references and items of menus, also those that the
 * caller may not see.
 */
export class Relinker {
  readonly #deps: RelinkerDeps
  readonly #scanner = new ScanThread()
  readonly #index: LinkIndex

  constructor(deps: RelinkerDeps) {
    this.#deps = deps
    this.#index = new LinkIndex(deps, this.#scanner)
  }

  /** Plans what follows records that are changed as one: any number, or a single one that gets another key. */
  async plan(access: Access, goings: readonly Going[]): Promise<Relinks> {
    await this.#index.refresh()
    const removal = await this.#removal(goings)
    const following = new Following()
    for (const going of goings) if (isMoved(going)) await this.#references(access, going, following)
    const linking = this.#linking(goings, removal)
    await this.#links(goings, linking, removal, following)
    await this.#menus(goings, removal, following)
    const texts = new Set(linking.map(keyText))
    const own = new Map<string, Put>()
    for (const going of goings) {
      const text = keyText(going.before.key)
      if (isMoved(going) || isPaged(going) || texts.has(text)) own.set(text, await this.#own(going, removal))
    }
    const { clock, types } = this.#deps
    const now = clock.now()
    // Menus are on every page.
    const mayKnow = (head: Head, type = types.get(head.key.kind)) => !type || isKnown(access, type, head, now)
    return { own, ...following.result((head) => mayKnow(head)) }
  }

  /** Rewrites the links of a record that is restored under another key than `was` has, so that they keep their targets. */
  async returned(type: ContentType, was: Document, after: Head): Promise<Put> {
    await this.#index.refresh()
    const [from, to, key] = [urlOf(type, was), urlOf(type, after), keyText(was.key)]
    const isIts = from !== null && to !== null && (await this.#deps.addresses.others(from, [after])).length === 0
    const along = this.#along(was, after)
    const removal: Removal = {
      from: key,
      to: keyText(after.key),
      pages: new Map(isIts ? [[from, to]] : []),
      site: this.#site(),
      has: (one) => one === key || this.#index.has(one),
      ...(along && { along }),
    }
    return this.#own({ type, before: was, after }, removal)
  }

  async #removal(goings: readonly Going[]): Promise<Removal> {
    const pages = new Map<string, string>()
    for (const { type, before, after } of goings) {
      const [from, to] = [urlOf(type, before), urlOf(type, after)]
      if (from === null || to === null || from === to) continue
      if ((await this.#leads(from, before)) && this.#isLive(type, after)) pages.set(from, to)
    }
    const moved = goings.find(isMoved)
    const [from, to] = moved ? [keyText(moved.before.key), keyText(moved.after.key)] : ['', '']
    const along = moved && this.#along(moved.before, moved.after)
    return { from, to, pages, site: this.#site(), has: (key) => this.#index.has(key), ...(along && { along }) }
  }

  /** The folder that goes with a record that is moved, and the one it becomes. */
  #along(before: Head, after: Head): Removal['along'] {
    const next = movedHead(before, after)
    const isTaken = before.hasFolder && before.key.id !== 'index' && next.hasFolder && next.key.id !== 'index'
    const hasFolder = (key: string) => this.#index.hasFolder(key)
    return isTaken ? { from: folderOf(before), to: folderOf(next), hasFolder } : undefined
  }

  #site(): Removal['site'] {
    const { host, pathname } = new URL(this.#deps.url)
    return { host, base: pathname.replace(/\/+$/, '') }
  }

  /**
   * Checks whether an address leads to this record and to nothing else. A record that shares its address, or has that of a list,
   * does not decide where it leads.
   */
  async #leads(url: string, document: Document): Promise<boolean> {
    const { addresses, store, types } = this.#deps
    if (!this.#isLive(types.get(document.key.kind), document)) return false
    const kinds = (await store.kinds()).flatMap((kind) => types.get(kind) ?? [])
    if (isListed(url, kinds, types.taxonomies())) return false
    const others = await addresses.others(url, [document])
    return !others.some(({ type, head }) => this.#isLive(type, head))
  }

  #isLive(type: ContentType | undefined, head: Head): boolean {
    return type !== undefined && isLive(head.fields, type.statuses, this.#deps.clock.now())
  }

  /**
   * Updates fields of the type reference, and lists of those, that name the record. `author` decides whose a record is: it follows
   * only if the caller may change that.
   */
  async #references(access: Access, { before, after }: Going, following: Following): Promise<void> {
    const { store, types } = this.#deps
    const moved = { from: before.key, to: after.key }
    for (const type of types.declared()) {
      for (const field of type.fields.values()) {
        if (targetOf(field) !== before.key.kind) continue
        const where = [{ field: field.name, op: 'eq' as const, value: before.key.id, as: 'text' as const }]
        const { items } = await store.heads(type.name, { where })
        for (const head of items) {
          if (keyText(head.key) === keyText(before.key)) continue
          if (field.name === 'author' && !access.may('content:write', type.name)) following.leave(head)
          else following.refer(head, field, moved)
        }
      }
    }
  }

  /** The records that may have a link to one of those that go elsewhere, or to the files that go along. */
  #linking(goings: readonly Going[], { pages, from, along }: Removal): Key[] {
    const addresses = [...goings.filter(isMoved).map(({ before }) => idToPath(before.key.id)), ...pages.keys()]
    const found = addresses.length === 0 ? [] : this.#index.linking(addresses)
    // From within the folder a name alone leads to a file.
    const within = along ? this.#index.below(from) : []
    return [...new Map([...found, ...within].map((key) => [keyText(key), key])).values()]
  }

  /** The links of other records, and the references within their lists and objects, which no query finds. */
  async #links(goings: readonly Going[], linking: readonly Key[], removal: Removal, following: Following): Promise<void> {
    const { store, types } = this.#deps
    const moves = goings.filter(isMoved).map(({ before, after }) => ({ from: before.key, to: after.key }))
    const selves = new Set(goings.flatMap(({ before, after }) => [keyText(before.key), keyText(after.key)]))
    for (const key of linking) {
      const type = types.get(key.kind)
      const document = type && !selves.has(keyText(key)) ? await store.get(key) : undefined
      if (!type || !document) continue
      const from = vantageOf(type, document)
      const redirect: Redirect = (link) => redirected(link, { before: from, after: from }, removal)
      if (document.problem?.severity === 'error') {
        if (await leadsThere(document, redirect, this.#scanner)) following.leave(document)
        continue
      }
      for (const moved of moves) for (const field of deepReferences(type)) following.refer(document, field, moved)
      following.follow(document, await relinked(document, type, redirect, this.#scanner, following.fieldsOf(document)))
    }
  }

  async #menus(goings: readonly Going[], removal: Removal, following: Following): Promise<void> {
    const moved = goings.find(isMoved)
    if (!moved && removal.pages.size === 0) return
    const { items } = await this.#deps.store.browse('menus', {})
    const from: Vantage = { page: null, folders: [] }
    const address = (text: string) => redirected({ text, form: 'plain' }, { before: from, after: from }, removal)
    const targets = { from: moved?.before.key, to: moved?.after.key, address }
    for (const menu of items) following.lead(menu, menuChange(menu, targets))
  }

  /** The record's own relative links, and those to itself. */
  async #own({ type, before, after }: Going, removal: Removal): Promise<Put> {
    const at: Standpoints = { before: vantageOf(type, before), after: vantageOf(type, movedHead(before, after)) }
    const made = await relinked(before, type, (link) => redirected(link, at, removal), this.#scanner)
    return made?.put ?? {}
  }
}

/** Returns whether a record gets another key. */
function isMoved({ before, after }: Going): boolean {
  return keyText(before.key) !== keyText(after.key)
}

/** Returns whether the page of a record gets another address. */
function isPaged({ type, before, after }: Going): boolean {
  return urlOf(type, before) !== urlOf(type, after)
}

function vantageOf(type: ContentType, head: Head): Vantage {
  return { page: urlOf(type, head), folders: foldersOf(head.key.kind, idToPath(head.key.id)), folder: folderOf(head) }
}
