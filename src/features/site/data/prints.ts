import { short } from '#lib/short-hash.ts'
import type { Entry } from '../outline/site-entries.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import type { Summaries } from '../pages/summaries.ts'

/** A hash of what the views of a record are made of, and the keys of the records that they show. */
export interface Print {
  readonly print: string
  readonly keys: readonly string[]
}

/** The prints of the records of snapshots, each made once: most records are in several lists. */
export class Prints {
  readonly #summaries: Summaries
  readonly #known = new WeakMap<SiteSnapshot, Map<Entry, Promise<Print>>>()

  constructor(summaries: Summaries) {
    this.#summaries = summaries
  }

  of(entry: Entry, snapshot: SiteSnapshot): Promise<Print> {
    const prints = this.#known.get(snapshot) ?? new Map<Entry, Promise<Print>>()
    this.#known.set(snapshot, prints)
    const known = prints.get(entry) ?? this.#read(entry, snapshot)
    prints.set(entry, known)
    return known
  }

  async #read(entry: Entry, snapshot: SiteSnapshot): Promise<Print> {
    const { text, keys } = await this.#summaries.inputs(entry, snapshot)
    return { print: short(text), keys }
  }
}
