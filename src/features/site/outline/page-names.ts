import { idToPath } from '#core/key.ts'
import { pathOfAddress } from '#core/permalink.ts'
import { compareText } from '#lib/text/compare.ts'
import { composed } from '#lib/text/normal-form.ts'
import type { Entry } from './entry.ts'
import type { Records } from './holders.ts'

/** The record that a name means, and how many it may mean that are no better. */
export interface Named {
  readonly entry: Entry
  readonly count: number
}

/** The most parts of a path by which a record is named, beside the whole. */
const MOST_PARTS = 6

/** The names that a record may be called by, the best first: the end of its file's path, its title, an old address or other name. */
type Rank = 0 | 1 | 2

interface Known {
  readonly rank: Rank
  readonly entries: Set<Entry>
  /** Once it was asked for. */
  named?: Named
}

/**
 * The records that the site shows by the names that links in double brackets call them: a path, or the end of one, a title, an
 * alias; case does not count. Of several the one with the shortest path is meant.
 */
export class PageNames {
  readonly #records: Records
  #known: Map<string, Known> | undefined

  /** `records` are those with pages. They are gone through when a name is first asked for. */
  constructor(records: Records) {
    this.#records = records
  }

  /** The record that a name means; undefined where there is none. */
  find(name: string): Named | undefined {
    this.#known ??= this.#read()
    const known = this.#known.get(folded(name.replace(/^\/+/, '')))
    const entries = known?.named ? [] : [...(known?.entries ?? [])].sort(shortest)
    const [entry] = entries
    if (known && entry) known.named = { entry, count: entries.length }
    return known?.named
  }

  #read(): Map<string, Known> {
    const all = new Map<string, Known>()
    for (const entry of this.#records.values()) {
      for (const path of pathsOf(entry)) add(all, path, 0, entry)
      add(all, entry.title, 1, entry)
      for (const alias of entry.aliases) add(all, pathOfAddress(alias).split('/').at(-1) ?? '', 2, entry)
    }
    return all
  }
}

function add(all: Map<string, Known>, name: string, rank: Rank, entry: Entry): void {
  const text = folded(name)
  const known = all.get(text)
  if (!known || known.rank > rank) all.set(text, { rank, entries: new Set([entry]) })
  else if (known.rank === rank) known.entries.add(entry)
}

/** The path of a record below content/, and its ends. */
function pathsOf({ key: { kind, id } }: Entry): string[] {
  const parts = [kind, ...idToPath(id).split('/')]
  const most = Math.min(MOST_PARTS, parts.length - 1)
  const ends = Array.from({ length: most }, (_, n) => parts.slice(-(n + 1)).join('/'))
  return [parts.join('/'), parts.slice(1).join('/'), ...ends]
}

function shortest(a: Entry, b: Entry): number {
  const [one, two] = [idToPath(a.key.id), idToPath(b.key.id)]
  return (
    one.split('/').length - two.split('/').length ||
    one.length - two.length ||
    compareText(`${a.key.kind}/${one}`, `${b.key.kind}/${two}`)
  )
}

function folded(name: string): string {
  return composed(name).trim().toLowerCase()
}
