import { isDeepStrictEqual } from 'node:util'
import type { Access } from '#core/access/access.ts'
import { aliasesOf } from '#core/aliases.ts'
import type { Document } from '#core/document.ts'
import { type Key, keyText } from '#core/key.ts'
import { isListed, type Located, permalinkOf, SEARCH_PAGE, urlOf } from '#core/permalink.ts'
import { isLive, statusAt } from '#core/status.ts'
import type { Store } from '#core/store.ts'
import type { ContentType, ContentTypes } from '#core/types/content-type.ts'
import { cacheKey } from '#lib/cache-key.ts'
import type { Clock } from '#lib/clock.ts'
import { KeyedMutex } from '#lib/concurrency/keyed-mutex.ts'
import { Conflict, InvalidInput } from '#lib/errors.ts'
import { isKnown } from '../rights.ts'
import { AddressIndex } from './address-index.ts'

/** A record as it is to be, and as it is now where it is there. */
export interface Placing {
  readonly type: ContentType
  readonly before?: Located | undefined
  readonly after: Located
}

/** An address that a record is to have; `isNew` if it has another one now. */
export interface Wanted {
  readonly url: string
  readonly isNew: boolean
  readonly placing: Placing
}

interface Holder {
  readonly type: ContentType
  readonly head: Document
}

const PAGE_OF_LIST = /\/page\/\d+$/

/**
 * Keeps records from taking pages that others have. A record is not given the address of one that is live, nor of one that its
 * writer may see. One that the writer may not see and that is not live is not there: whichever goes live first has the address
 * then, and the other is refused it.
 */
export class Addresses {
  readonly #store: Store
  readonly #types: ContentTypes
  readonly #clock: Clock
  readonly #index: AddressIndex
  readonly #isSearched: boolean
  readonly #mutex = new KeyedMutex()

  /** `isSearched` says that the site has a search. */
  constructor({ store, types, clock, isSearched }: { store: Store; types: ContentTypes; clock: Clock; isSearched: boolean }) {
    this.#store = store
    this.#types = types
    this.#clock = clock
    this.#index = new AddressIndex({ store, types })
    this.#isSearched = isSearched
  }

  /**
   * Does `work`, which makes the record what it is to be, one at a time for each address. Throws before it where the record gets
   * an address, or goes live at one, that is another's (Conflict), or a permalink that no record can have (InvalidInput).
   */
  async take<T>(access: Access, placing: Placing, work: () => Promise<T>): Promise<T> {
    const wanted = await this.wanted(access, placing)
    if (!wanted) return work()
    return this.hold([wanted], async () => {
      await this.mustBeFree(access, wanted, [])
      return work()
    })
  }

  /**
   * Returns the address that a record gets, or goes live at; undefined if neither. Throws where it is no other record's to take,
   * as `take` does.
   */
  async wanted(access: Access, placing: Placing): Promise<Wanted | undefined> {
    await this.#checkOwn(placing)
    await this.#checkAliases(access, placing)
    const { type, before, after } = placing
    const url = urlOf(type, after)
    if (url === null) return undefined
    const isNew = !before || urlOf(type, before) !== url
    const isWanted = isNew || (isToBeLive(type, after) && before && !isToBeLive(type, before))
    return isWanted ? { url, isNew, placing } : undefined
  }

  /** Does `work`, while no other work has one of these addresses. */
  hold<T>(wanted: readonly Wanted[], work: () => Promise<T>): Promise<T> {
    return this.#mutex.runAll([...new Set(wanted.map(({ url }) => cacheKey('address', url)))], work)
  }

  /** Throws Conflict where an address is another record's, or one of `all`, which are to have theirs in the same step, wants it. */
  async mustBeFree(access: Access, wanted: Wanted, all: readonly Wanted[]): Promise<void> {
    const { url, isNew, placing } = wanted
    const { before, after } = placing
    const now = this.#clock.now()
    const twin = all.find((other) => other.url === url && keyText(other.placing.after.key) !== keyText(after.key))
    if (twin) throw taken(url, `that of "${keyText(twin.placing.after.key)}"`, placing)
    for (const { type, head } of await this.others(url, before ? [before, after] : [after])) {
      const mayKnow = isKnown(access, type, head, now)
      const status = statusAt(head.fields, type.statuses, now)
      const isWanted = isNew || status === 'scheduled'
      if (!isLive(head.fields, type.statuses, now) && !(isWanted && mayKnow)) continue
      throw taken(url, mayKnow ? `that of "${keyText(head.key)}"` : 'taken', placing)
    }
  }

  /** The records whose page is at an address, whatever their status, but for one. */
  async others(url: string, self: readonly Located[]): Promise<Holder[]> {
    const found = await this.#holders(await this.#index.at(url), self)
    return found.filter(({ type, head }) => urlOf(type, head) === url)
  }

  async #holders(keys: readonly Key[], self: readonly Located[]): Promise<Holder[]> {
    const selves = new Set(self.map(({ key }) => keyText(key)))
    const found: Holder[] = []
    for (const key of keys) {
      const type = this.#types.get(key.kind)
      const head = type && !selves.has(keyText(key)) ? await this.#store.get(key) : undefined
      if (type && head) found.push({ type, head })
    }
    return found
  }

  /** An alias that is sent takes no visitors of another record: where an old address of that leads stays as it is. */
  async #checkAliases(access: Access, { type, before, after }: Placing): Promise<void> {
    const { aliases } = after.fields
    const url = urlOf(type, after)
    if (aliases == null || url === null || isDeepStrictEqual(aliases, before?.fields.aliases)) return
    const had = new Set(before ? aliasesOf(before, urlOf(type, before) ?? url) : [])
    const now = this.#clock.now()
    for (const path of aliasesOf(after, url)) {
      if (had.has(path)) continue
      const holders = await this.#holders(await this.#index.leadingFrom(path), before ? [before, after] : [after])
      const holder = holders.find(({ type, head }) => isLive(head.fields, type.statuses, now))
      if (!holder) continue
      const whose = isKnown(access, holder.type, holder.head, now) ? `to "${keyText(holder.head.key)}"` : 'to another record'
      throw new Conflict(
        `The old address "${path}" leads ${whose}.`,
        { field: 'aliases', value: path },
        'Take it out of the aliases.',
      )
    }
  }

  /** A permalink that is sent is refused if it can't be had; that of a file is taken as it is, and reported by `cms check`. */
  async #checkOwn({ type, before, after }: Placing): Promise<void> {
    const { permalink } = after.fields
    if (typeof permalink !== 'string' || permalink === before?.fields.permalink) return
    const { url, fault } = permalinkOf(type, after)
    if (fault !== undefined) throw new InvalidInput({ permalink: [`The record ${fault}.`] })
    if (url === null || (before && urlOf(type, before) === url)) return
    const kinds = (await this.#store.kinds()).flatMap((kind) => this.#types.get(kind) ?? [])
    const list = url.replace(PAGE_OF_LIST, '') || '/'
    const isSearch = this.#isSearched && `${url}/`.startsWith(`${SEARCH_PAGE}/`)
    if (!isSearch && !isListed(list, kinds, this.#types.taxonomies())) return
    throw new Conflict(
      `The address "${url}" is that of ${isSearch ? 'the search' : 'a list'} of the site.`,
      fieldOf(before, after),
      'Choose another permalink.',
    )
  }
}

function taken(url: string, whose: string, { before, after }: Placing): Conflict {
  return new Conflict(`The address "${url}" is ${whose}.`, fieldOf(before, after), 'Choose another slug or permalink.')
}

/** The field that says where the page is. */
function fieldOf(before: Located | undefined, { key, fields }: Located): { field: string; value: string } {
  if (typeof fields.permalink === 'string') return { field: 'permalink', value: fields.permalink }
  if (before && keyText(before.key) !== keyText(key)) return { field: 'id', value: key.id }
  return { field: 'slug', value: String(fields.slug) }
}

/** Returns whether a record is live, or will be without another change. */
function isToBeLive({ statuses }: ContentType, { fields }: Located): boolean {
  return statuses.get(String(fields.status))?.live === true
}
