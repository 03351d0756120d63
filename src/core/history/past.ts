import { compareText } from '#lib/text/compare.ts'
import type { Head, Version } from '../document.ts'
import type { Key } from '../key.ts'
import type { Revision, RevisionNumber } from './revision.ts'
import { type RevisionName, revisionAsOf } from './revision-name.ts'

/** A selection of past records: those that existed at a time, or those that were removed and do not exist now. */
export type PastMoment = { readonly at: RevisionName } | { readonly removed: true }

/** A record as it was, without its body: with the dates that the history had for it then, under the key that it then had. */
export interface PastHead {
  readonly head: Head
  /** The revision it is of, for `Store.at`. */
  readonly number: RevisionNumber
  /** The time of that revision. */
  readonly at: string
  /** The time of the record's removal. Set if removed records were requested. */
  readonly removedAt?: string
}

/** Past records, in no order. */
export interface PastList {
  readonly heads: readonly PastHead[]
  /**
   * The time that was asked for, in milliseconds since 1970: that of the commit, where one was named. Infinity for removed ones.
   */
  readonly time: number
}

/** The parts of a revision that lists of past records are made from. */
export interface PastLink extends Pick<Revision, 'number' | 'at' | 'action'> {
  readonly version?: Version | undefined
  /** The key that the record had in it. */
  readonly owner: Pick<Key, 'kind' | 'id'>
  /** The identity of the revision, the same in the list of any record. */
  readonly mark: unknown
}

/** A record that there is or was, and its revisions, newest first. */
export interface PastRecord<L> {
  readonly key: Key
  readonly links: readonly L[]
  readonly isThere: boolean
}

/** A record as it was. `first` is the oldest of its revisions. */
export interface Chosen<L> {
  readonly key: Key
  readonly link: L
  readonly first: L
  readonly removedAt?: string
}

/** Gathers what is listed of the records of one kind, each handed in once. */
export class PastChoice<L extends PastLink> {
  readonly #moment: PastMoment
  readonly #chosen = new Map<unknown, { readonly one: Chosen<L>; readonly rank: number }>()

  /** No commit is named in it any more. */
  constructor(moment: PastMoment) {
    this.#moment = moment
  }

  take(record: PastRecord<L>): void {
    if ('at' in this.#moment) this.#takeAt(record, this.#moment.at)
    else this.#takeRemoved(record)
  }

  all(): Chosen<L>[] {
    return [...this.#chosen.values()].map(({ one }) => one)
  }

  /**
   * A record that was moved is in the lists of several ids: the one it had then counts if that leads to it, else one that exists
   * now.
   */
  #takeAt({ key, links, isThere }: PastRecord<L>, name: RevisionName): void {
    const link = revisionAsOf(links, name)
    if (!link || link.version === undefined || link.owner.kind !== key.kind) return
    const rank = link.owner.id === key.id ? 0 : isThere ? 1 : 2
    const known = this.#chosen.get(link.mark)
    if (known && (known.rank < rank || (known.rank === rank && compareText(known.one.key.id, key.id) < 0))) return
    this.#chosen.set(link.mark, { one: { key, link, first: links.at(-1) ?? link }, rank })
  }

  #takeRemoved({ key, links, isThere }: PastRecord<L>): void {
    const [newest] = links
    if (isThere || !newest || newest.version !== undefined || newest.action === 'moved') return
    const link = links.find(({ version }) => version !== undefined)
    if (link) this.#chosen.set(key.id, { one: { key, link, first: links.at(-1) ?? link, removedAt: newest.at }, rank: 0 })
  }
}
