import { short } from '#lib/text/short-hash.ts'
import type { Entry } from '../outline/entry.ts'
import { SettledPerSnapshot } from '../outline/per-snapshot.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import type { Inputs, Summaries } from '../pages/summaries.ts'

/** A hash of what the views of a record are made of, and the keys of the records that they show. */
export interface Print {
  readonly print: string
  readonly keys: readonly string[]
}

/** The prints of the records of snapshots, each made once: most records are in several lists. */
export class Prints {
  readonly #summaries: Summaries
  readonly #known = new SettledPerSnapshot((entry: Entry, snapshot) => this.#read(entry, snapshot))

  constructor(summaries: Summaries) {
    this.#summaries = summaries
  }

  /** The print of a record: at once, where what it shows of others was found before. */
  of(entry: Entry, snapshot: SiteSnapshot): Print | Promise<Print> {
    return this.#known.of(entry, snapshot)
  }

  #read(entry: Entry, snapshot: SiteSnapshot): Print | Promise<Print> {
    const inputs = this.#summaries.inputs(entry, snapshot)
    return inputs instanceof Promise ? inputs.then(printOf) : printOf(inputs)
  }
}

function printOf({ text, keys }: Inputs): Print {
  return { print: short(text), keys }
}
