import type { Access } from '#core/access.ts'
import type { ContentType, ContentTypes } from '#core/content-type.ts'
import type { Document, Head } from '#core/document.ts'
import { idToPath, keyText } from '#core/key.ts'
import { type Removal, redirected, type Standpoints, type Vantage } from '#core/links/moved-links.ts'
import { foldersOf } from '#core/links/resolve.ts'
import { ScanThread } from '#core/links/scan-thread.ts'
import { isListed, urlOf } from '#core/permalink.ts'
import { isLive } from '#core/status.ts'
import type { Put, Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import { isKnown } from '../rights.ts'
import type { Addresses } from './addresses.ts'
import { Following, type Other } from './following.ts'
import { LinkIndex } from './link-index.ts'
import { menuChange } from './menu-links.ts'
import { leadsThere, relinked } from './relinking.ts'

/** A record that gets another key or another address: as it is, and as it will be. */
export interface Going {
  readonly type: ContentType
  readonly before: Document
  readonly after: Head
}

/** The consequences of a change of address. */
export interface Relinks {
  /** The change of the record's own text: nothing, or the text with links that lead to the same places as before. */
  readonly own: Put
  /** Changes of what leads to the record. */
  readonly others: readonly Other[]
  /**
   * Keys, as text, of documents that lead to the record and have to stay as they are, limited to those the reader may know of.
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
 * Finds what links to a record whose address changes, and updates it: links, references and items of menus, also those that the
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

  async plan(access: Access, going: Going): Promise<Relinks> {
    await this.#index.refresh()
    const removal = await this.#removal(going)
    const following = new Following()
    if (removal.from.key !== removal.to.key) await this.#references(access, going, following)
    await this.#links(going, removal, following)
    await this.#menus(going, removal, following)
    const own = await this.#own(going, removal)
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
    const removal: Removal = {
      from: { key, url: isIts ? from : null },
      to: { key: keyText(after.key), url: isIts ? to : null },
      site: this.#site(),
      has: (one) => one === key || this.#index.has(one),
    }
    return this.#own({ type, before: was, after }, removal)
  }

  async #removal({ type, before, after }: Going): Promise<Removal> {
    const from = urlOf(type, before)
    const to = urlOf(type, after)
    const follows = from !== null && to !== null && from !== to && (await this.#leads(from, before)) && this.#isLive(type, after)
    return {
      from: { key: keyText(before.key), url: follows ? from : null },
      to: { key: keyText(after.key), url: follows ? to : null },
      site: this.#site(),
      has: (key) => this.#index.has(key),
    }
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
   * Updates fields of the type reference that name the record. `author` decides whose a record is: it follows only if the caller
   * may change that.
   */
  async #references(access: Access, { before, after }: Going, following: Following): Promise<void> {
    const { store, types } = this.#deps
    for (const type of types.declared()) {
      for (const field of type.fields.values()) {
        if (field.type !== 'reference' || field.to !== before.key.kind) continue
        const where = [{ field: field.name, op: 'eq' as const, value: before.key.id, as: 'text' as const }]
        const { items } = await store.heads(type.name, { where })
        for (const head of items) {
          if (keyText(head.key) === keyText(before.key)) continue
          if (field.name === 'author' && !access.may('content:write', type.name)) following.leave(head)
          else following.refer(head, field.name, before.key.id, after.key.id)
        }
      }
    }
  }

  async #links({ before, after }: Going, removal: Removal, following: Following): Promise<void> {
    const { store, types } = this.#deps
    const isMoved = removal.from.key !== removal.to.key
    if (!isMoved && removal.from.url === null) return
    const addresses = [...(isMoved ? [idToPath(before.key.id)] : []), ...(removal.from.url === null ? [] : [removal.from.url])]
    for (const key of this.#index.linking(addresses)) {
      const type = types.get(key.kind)
      const document = type && keyText(key) !== keyText(before.key) ? await store.get(key) : undefined
      if (!type || !document || keyText(key) === keyText(after.key)) continue
      const from = vantageOf(type, document)
      const at = { before: from, after: from }
      if (document.problem?.severity === 'error') {
        if (await leadsThere(document, at, removal, this.#scanner)) following.leave(document)
      } else following.follow(document, await relinked(document, type, at, removal, this.#scanner))
    }
  }

  async #menus({ before, after }: Going, removal: Removal, following: Following): Promise<void> {
    const { items } = await this.#deps.store.browse('menus', {})
    const from: Vantage = { page: null, folders: [] }
    const address = (text: string) => redirected({ text, form: 'plain' }, { before: from, after: from }, removal)
    for (const menu of items) following.lead(menu, menuChange(menu, { from: before.key, to: after.key, address }))
  }

  /** The record's own relative links, and those to itself. */
  async #own({ type, before, after }: Going, removal: Removal): Promise<Put> {
    const at: Standpoints = { before: vantageOf(type, before), after: vantageOf(type, after) }
    const made = await relinked(before, type, at, removal, this.#scanner)
    return made?.put ?? {}
  }
}

function vantageOf(type: ContentType, head: Head): Vantage {
  return { page: urlOf(type, head), folders: foldersOf(head.key.kind, idToPath(head.key.id)) }
}
