import type { Head } from '#core/document.ts'
import { stateOf } from '#core/feed/changed-state.ts'
import { type Key, keyOfText, keyText } from '#core/key.ts'
import type { Changed, ChangedState } from '#core/store.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import { externalChange } from '#stores/engine/changes.ts'
import type { FileRegistry } from '../registry/file-registry.ts'
import { type Entry, pathOf } from '../registry/registry.ts'
import { type ChangeLine, type LoggedChanges, type Run, type State, type Told, versionIn } from './change-lines.ts'
import type { ChangeLog, Logged } from './change-log.ts'
import type { Ring } from './ring.ts'

/** After so many added changes the log is written anew, or after as many as there are documents. */
const MANY = 40_000
/** Milliseconds after a change until it is checked if the log is due to be rewritten. */
const RENEW_MS = 1_000
/** Milliseconds after a failure to write the log until it is retried. */
const RETRY_MS = 30_000
/** Number of runs to remember: a cursor of an older one is answered with a reset. */
const RUNS = 1_000

/** The state that the feed shares with its keeper. */
export interface Kept {
  readonly run: string
  readonly runs: Run[]
  readonly ring: Ring
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Keeps the feed over restarts. At the start it loads the log of earlier runs, compares the known state of each document with the
 * disk, and adds the differences: changes while no process ran come after every earlier cursor. It never fails: without a usable
 * log the feed is that of this run alone, and older cursors are answered with a reset.
 */
export class FeedKeeper {
  readonly #log: ChangeLog
  readonly #registry: FileRegistry
  /** The changes before the comparison was over; undefined from then on. */
  #early: Changed[] | undefined = []
  #kept: Kept | undefined
  #renewing: NodeJS.Timeout | undefined
  #rewriting: Promise<void> | undefined
  #tried = 0
  #closed = false

  constructor(log: ChangeLog, registry: FileRegistry) {
    this.#log = log
    this.#registry = registry
  }

  /**
   * Opens the log for a run; to be awaited before any answer. States that are seen from then on are in the feed after a crash as
   * well; where it came before the comparison, earlier cursors are answered with a reset.
   */
  open(run: string): Promise<void> {
    return this.#log.open(run)
  }

  /** Takes up the feed; when it resolves, cursors may be given out. */
  async begin(kept: Kept): Promise<void> {
    this.#kept = kept
    const logged = await this.#read(kept.run)
    if (this.#closed) return
    if (!logged) {
      kept.runs.push({ id: kept.run, from: 0 })
      this.#early = undefined
      return this.#rewrite(kept)
    }
    const { differing } = logged
    kept.ring.restore(logged.first, logged.changes)
    const run = { id: kept.run, from: kept.ring.end }
    kept.runs.push(...logged.runs.slice(-RUNS), run)
    this.#log.addRun(run)
    const early = this.#early ?? []
    this.#early = undefined
    for (const { key } of early) differing.delete(keyText(key))
    const was = (key: Key) => formerState(logged.told.get(keyText(key)))
    const at = kept.now()
    const found = [...differing.values()].map((key) => ({ ...externalChange(key, this.#registry.head(key), was(key)), at }))
    const isNews = ({ key }: Changed) => this.#fact(key) !== (logged.told.get(keyText(key))?.fact ?? '')
    for (const change of [...found, ...early].filter(isNews)) this.push(change)
  }

  /** Takes in a change, in the same step in which it can first be seen; its number in the ring is the one it has in the log. */
  push(change: Changed): void {
    const text = keyText(change.key)
    if (this.#early || !this.#kept) {
      this.#early?.push(change)
      this.#log.addDoubt(text)
      return
    }
    const { ring, run } = this.#kept
    const number = ring.push(change)
    this.#log.addChange({ change, text, number, run, fact: change.removed ? '' : this.#fact(change.key) })
    this.#renewing ??= setTimeout(() => this.#renew(), RENEW_MS).unref()
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#renewing)
    await this.#rewriting
    await this.#log.close()
  }

  /**
   * Resolves with the log of earlier runs, and what differs from it now. The last log that was read is the one that is continued.
   */
  async #read(run: string): Promise<(Logged & { differing: Map<string, Key> }) | undefined> {
    for (;;) {
      const logged = await this.#log.read(run)
      if (!logged) return undefined
      const differing = await this.#differing(logged.told)
      try {
        if (this.#closed || this.#log.resume(logged)) return { ...logged, differing }
      } catch {
        return undefined
      }
    }
  }

  async #differing(told: LoggedChanges['told']): Promise<Map<string, Key>> {
    const differing = new Map<string, Key>()
    const left = new Set(told.keys())
    const slices = new Slices()
    for (const { head } of this.#registry.folders.contentEntries()) {
      const text = keyText(head.key)
      left.delete(text)
      if (told.get(text)?.fact !== this.#fact(head.key)) differing.set(text, head.key)
      if (slices.isOver) await slices.pause()
    }
    for (const text of left) {
      const key = keyOfText(text)
      if (key) differing.set(text, key)
    }
    return differing
  }

  /**
   * Returns an identifier for a document's state: the bytes of each file that claims its id, and its form, or its path if that
   * has a meaning, too.
   */
  #fact(key: Key): string {
    return this.#registry
      .claims(key)
      .map((entry) => `${isSaid(entry) ? JSON.stringify(pathOf(entry)) : entry.extension}:${entry.head.version}`)
      .join(' ')
  }

  #renew(): void {
    this.#renewing = undefined
    const isDue = this.#log.added > Math.max(MANY, this.#registry.folders.size) || !this.#log.isOpen
    if (!isDue || this.#closed || !this.#kept || performance.now() - this.#tried < RETRY_MS) return
    this.#rewriting ??= this.#rewrite(this.#kept).finally(() => {
      this.#rewriting = undefined
    })
  }

  async #rewrite({ run, runs, ring }: Kept): Promise<void> {
    this.#tried = performance.now()
    const { first } = ring
    // A cursor older than the oldest change is of no use, nor is its run.
    while (runs[1] && runs[1].from < first) runs.shift()
    const changes = ring.all().map((change, at): ChangeLine => {
      return { change, text: keyText(change.key), number: first + at, run, fact: '' }
    })
    await this.#log.rewrite({ runs: [...runs], first, changes, states: this.#states() }).catch(() => undefined)
  }

  #state(head: Head): State {
    return { text: keyText(head.key), fact: this.#fact(head.key), is: stateOf(head) }
  }

  *#states(): Generator<State> {
    for (const { head } of this.#registry.folders.contentEntries()) yield this.#state(head)
  }
}

/** Returns the state that a log tells of a document; undefined where it was not there. */
function formerState(told: Told | undefined): ChangedState | undefined {
  if (!told?.fact || told.fact === '?') return undefined
  return told.is ?? { version: versionIn(told.fact) ?? '' }
}

/** Returns whether the path of a file has a meaning for its content, as in `_drafts`. */
function isSaid({ folder, name }: Entry): boolean {
  return name.startsWith('_') || folder.includes('/_')
}
