import { short } from '#lib/short-hash.ts'
import { PerSnapshot } from '../outline/per-snapshot.ts'
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
  readonly #known = new PerSnapshot((entry: Entry, snapshot) => this.#read(entry, snapshot))

  constructor(summaries: Summaries) {
    this.#summaries = summaries
  }

  of(entry: Entry, snapshot: SiteSnapshot): Promise<Print> {
    return this.#known.of(entry, snapshot)
  }

  async #read(entry: Entry, snapshot: SiteSnapshot): Promise<Print> {
    const { text, keys } = await this.#summaries.inputs(entry, snapshot)
    return { print: short(text), keys }
  }
}
