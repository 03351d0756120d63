import { type Key, keyText } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import { changedAt, type Stamp } from '#lib/files/stamp.ts'
import type { Tree } from '../disk/tree.ts'
import type { FileRegistry } from '../registry/file-registry.ts'
import { pathOf } from '../registry/registry.ts'

/** Milliseconds without a change after which a file is taken for saved: some editors empty it first, some write it in pieces. */
const STILL_MS = 200

/** Milliseconds for which a file that was waited for in vain is not waited for again. */
const HOT_MS = 5_000
/** Most documents of which that is kept. */
const MOST_HOT = 1_000

interface Files {
  readonly tree: Tree
  readonly registry: FileRegistry
}

/**
 * Tells how long to wait for others to have saved files. To replace one in the middle of a save loses what its editor is still to
 * write: that would go to the file that was there before.
 */
export class UnderSave {
  readonly #files: Files
  readonly #stillMs: number
  /** Documents whose files are changed all the time, and until when they count as such. */
  readonly #hot = new Map<string, number>()

  constructor(files: Files, stillMs = STILL_MS) {
    this.#files = files
    this.#stillMs = stillMs
  }

  /**
   * Returns the milliseconds until the files of these changes count as saved; 0 where none was changed by others a moment ago, as
   * is usual, and where they were waited for until `until` (of `performance.now`), or were so a moment ago.
   */
  rest(changes: readonly Change[], until: number): number {
    const now = performance.now()
    const waiting = this.#hot.size === 0 ? changes : changes.filter(({ key }) => (this.#hot.get(keyText(key)) ?? 0) < now)
    const rest = untilSaved(this.#files, waiting, this.#stillMs)
    if (rest === 0 || now < until) return Math.min(rest, until - now)
    if (this.#hot.size > MOST_HOT) this.#hot.clear()
    for (const { key } of waiting) this.#hot.set(keyText(key), now + HOT_MS)
    return 0
  }
}

function untilSaved(files: Files, changes: readonly Change[], still: number): number {
  const now = Date.now()
  const keys = changes.flatMap((change) => ('put' in change && change.from ? [change.key, change.from] : [change.key]))
  return Math.max(0, ...keys.flatMap((key) => stampsOf(files, key)).map((stamp) => restOf(now, changedAt(stamp), still)))
}

/** The stamps of a document's files that this process did not write. What is private is no editor's. */
function stampsOf({ tree, registry }: Files, key: Key): Stamp[] {
  const known = registry.claims(key)
  const places = known.length > 0 ? [] : registry.places.candidates(key)
  const written = new Set(known.map((entry) => entry.written))
  const stamps = [...known.map(pathOf), ...places].flatMap((path) => stampOf(tree, path) ?? [])
  return stamps.filter((stamp) => !written.has(stamp))
}

/** A file that can't be asked after is the plan's to tell of. */
function stampOf(tree: Tree, path: string): Stamp | undefined {
  try {
    return tree.stamp(path)
  } catch {
    return undefined
  }
}

/** A date to come, where the clock was set back or the disk has another, is not waited for. */
function restOf(now: number, changed: number, still: number): number {
  return Math.abs(now - changed) < still ? Math.ceil(changed + still - now) : 0
}
