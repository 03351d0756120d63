import { keyText } from '#core/key.ts'
import { isOfOutline } from '../data/questions.ts'
import { isOfFiles } from '../files/asked.ts'
import type { Entry } from '../outline/entry.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import type { Made } from './build-memory.ts'
import type { Shows } from './out-manifest.ts'
import { isKnown, type ShownNames } from './shown-names.ts'
import type { SiteState } from './site-state.ts'

/**
 * Tells which pages can be no others than the last build made, without a look at all that each is made of: the site has the same
 * shape as then, and a page has none of the records that changed.
 */
export class Unchanged {
  readonly #snapshot: SiteSnapshot
  readonly #changed: ReadonlySet<Entry>
  readonly #names: ReadonlySet<string>

  private constructor(snapshot: SiteSnapshot, changed: ReadonlySet<Entry>, names: ShownNames) {
    this.#snapshot = snapshot
    this.#changed = changed
    this.#names = names.ofRecords([...changed].map(({ key }) => keyText(key)))
  }

  /** Compares the state of a snapshot with that of the last build; undefined where that was another site in more than some records. */
  static since(before: SiteState | undefined, now: SiteState, snapshot: SiteSnapshot, names: ShownNames): Unchanged | undefined {
    if (before?.shape !== now.shape || before.records.length !== now.records.length) return undefined
    const entries = [...snapshot.entries.values()]
    return new Unchanged(snapshot, new Set(entries.filter((_, n) => before.records[n] !== now.records[n])), names)
  }

  /** Returns whether none of these records has changed. */
  hasNoneOf(entries: readonly Entry[]): boolean {
    return !entries.some((entry) => this.#changed.has(entry))
  }

  /** Returns whether a page with these names on it has none of what has changed: false where that is not known. */
  isWithout(shows: Shows | undefined): boolean {
    if (shows === undefined) return false
    return this.#names.size === 0 || (isKnown(shows) && !shows.own.split(',').some((name) => this.#names.has(name)))
  }

  /** The questions of a page that may be answered otherwise all the same, with their answers. */
  doubtful({ asked }: Pick<Made, 'asked'>): Made['asked'] {
    return asked.filter(([question]) => isOfFiles(question) || !isOfOutline(question, this.#snapshot))
  }
}
