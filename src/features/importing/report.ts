import type { ImportProblem, Source } from './item.ts'

/** Most places that are named for one reason, and most of anything else that is named one by one. */
const MOST_NAMED = 5
const MOST_LISTED = 1_000
const MOST_NAMES = 50

/**
 * The outcome for one document or file. `kept` is what came already and was changed since, which is not written over, or was moved
 * or removed, which does not come back.
 */
export type Outcome = 'created' | 'updated' | 'same' | 'kept'

/** Numbers of documents or files by what becomes of them. */
export type Counts = Record<Outcome, number>

/** Things that are not taken over, for one reason. */
export interface LeftOut {
  readonly reason: string
  count: number
  /** The first of them. */
  readonly first: string[]
  /** Their names, where these are told. */
  readonly names: string[]
}

/** The result of an import, or of a dry run: what would be. */
export interface ImportReport {
  readonly source: Source
  readonly dry_run: boolean
  /** By type. */
  readonly records: Readonly<Record<string, Counts>>
  /** Terms, menus and settings, by kind. */
  readonly documents: Readonly<Record<string, Counts>>
  readonly media: Counts
  /** Records that are drafts, and old addresses that lead to new ones. */
  readonly drafts: number
  readonly redirects: number
  /** Paths in the source of what is here already with other content or came before and is gone, and was left as it is. */
  readonly kept: readonly string[]
  readonly left_out: readonly LeftOut[]
  readonly notes: readonly string[]
  readonly problems: readonly ImportProblem[]
}

/** Gathers the outcome of an import. Bounded, however large the import is. */
export class Tally {
  readonly #records = new Map<string, Counts>()
  readonly #documents = new Map<string, Counts>()
  readonly #media = noCounts()
  readonly #kept: string[] = []
  readonly #left = new Map<string, LeftOut>()
  readonly #notes = new Set<string>()
  readonly #problems: ImportProblem[] = []
  drafts = 0
  redirects = 0
  /** Number of things that have been dealt with. */
  done = 0

  record(type: string, outcome: Outcome): void {
    count(this.#records, type, outcome)
    this.done++
  }

  document(kind: string, outcome: Outcome): void {
    count(this.#documents, kind, outcome)
    this.done++
  }

  file(outcome: Outcome): void {
    this.#media[outcome]++
    this.done++
  }

  keep(from: string): void {
    if (this.#kept.length < MOST_LISTED) this.#kept.push(from)
  }

  leave(from: string, reason: string, name?: string): void {
    const left = this.#left.get(reason) ?? { reason, count: 0, first: [], names: [] }
    left.count++
    if (name !== undefined && !left.names.includes(name) && left.names.length < MOST_NAMES) left.names.push(name)
    if (left.first.length < MOST_NAMED) left.first.push(from)
    this.#left.set(reason, left)
  }

  note(text: string): void {
    if (this.#notes.size < MOST_LISTED) this.#notes.add(text)
  }

  problem(problem: ImportProblem): void {
    if (this.#problems.length < MOST_LISTED) this.#problems.push(problem)
  }

  report(source: Source, dryRun: boolean): ImportReport {
    return {
      source,
      dry_run: dryRun,
      records: Object.fromEntries(this.#records),
      documents: Object.fromEntries(this.#documents),
      media: this.#media,
      drafts: this.drafts,
      redirects: this.redirects,
      kept: this.#kept,
      left_out: [...this.#left.values()],
      notes: [...this.#notes],
      problems: this.#problems,
    }
  }
}

function noCounts(): Counts {
  return { created: 0, updated: 0, same: 0, kept: 0 }
}

function count(counts: Map<string, Counts>, name: string, outcome: Outcome): void {
  const found = counts.get(name) ?? noCounts()
  found[outcome]++
  counts.set(name, found)
}
