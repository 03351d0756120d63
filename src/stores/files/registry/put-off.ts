import type { Version } from '#core/document.ts'
import { versionOf } from '#core/format/version.ts'
import { ownFolderOf } from '#core/media/attachments.ts'
import { changedAt } from '#lib/files/stamp.ts'
import { PRIVATE, type Tree } from '../disk/tree.ts'
import type { Written } from './entry-reader.ts'
import { type Entry, pathOf, type Registry } from './registry.ts'

/**
 * Others who change many files at once, as an author's git does: what is seen of content meanwhile was not there before and won't
 * be afterwards.
 */
export interface Others {
  /**
   * Returns a function that, once files were read, returns whether nobody worked on them meanwhile; undefined if there is no need
   * to ask.
   */
  watch(): (() => boolean) | undefined
  /** Returns whether postponed files are looked at again. */
  isFollowing(): boolean
  /** A callback for a postponed file. */
  putOff(): void
}

/**
 * Milliseconds after which a file that was emptied counts as empty, a data file as whole, and the `index` of a folder as gone: many
 * editors empty a file, or move it away, before they write it anew, and some write it in pieces.
 */
const SETTLED_MS = 500
/** The versions of files in which there is nothing, or not even a whole fence: what a text begins with while it is written. */
const BEGINNINGS: ReadonlySet<Version> = new Set(
  ['', '\ufeff', ' ', '\n', '\r\n', '\r', '-', '--', '+', '++'].map((text) => versionOf(Buffer.from(text))),
)
/** Files whose front matter has no end: the beginning of one can be read, without the line that hides it. */
const DATA_FILE = /^ya?ml$/

/**
 * Paths of content at which something changed while others worked on it: they are not read yet, and are to be looked at again.
 */
export class PutOff {
  readonly #others: Others | undefined
  readonly #registry: Pick<Registry, 'claims'>
  readonly #tree: Pick<Tree, 'inTheWay'>
  readonly #paths = new Set<string>()
  /** Since when files are seen to be gone, in milliseconds since 1970. */
  readonly #gone = new Map<string, number>()
  #written: ReadonlySet<Version | undefined> = new Set()
  /** True where a path is put off for others who are at work. */
  isHeld = false

  constructor(others: Others | undefined, registry: Pick<Registry, 'claims'>, tree: Pick<Tree, 'inTheWay'>) {
    this.#others = others
    this.#registry = registry
    this.#tree = tree
  }

  get size(): number {
    return this.#paths.size
  }

  /**
   * Begins a look at a path. Gives what ends it: true where what was seen is to be taken in. What is private always is, at once.
   */
  begin(path: string): () => boolean {
    const holds = path.startsWith(PRIVATE) ? undefined : this.#others?.watch()
    return () => {
      if (!holds || holds()) return true
      this.#paths.add(path)
      this.isHeld = true
      this.#others?.putOff()
      return false
    }
  }

  /** Returns whether a look found what was known. One that was gone may have come back as it was. */
  isSame(before: Entry | undefined, now: Entry | undefined): boolean {
    if (now) this.noteThere(now)
    return now === before
  }

  /** Notes that a file is there, as one that went by another's hand and was brought back here: when it goes again it counts anew. */
  noteThere(entry: Entry): void {
    if (this.#gone.size > 0) this.#gone.delete(pathOf(entry))
  }

  /**
   * Puts a file off that may be being saved just now: one with hardly anything in it, or a data file that is public (`isLive` says
   * what is), that changed a moment ago; and one that went a moment ago and whose record has its folder. Returns whether it did.
   */
  unsettled(before: Entry | undefined, now: Entry | undefined, isLive: (entry: Entry) => boolean): boolean {
    const isUnsettled = now ? this.#isBegun(before, now, isLive) : before !== undefined && this.#isAway(before)
    const entry = now ?? before
    if (!entry) return false
    const path = pathOf(entry)
    if (!isUnsettled) this.#gone.delete(path)
    if (!isUnsettled) return false
    this.#paths.add(path)
    this.#others?.putOff()
    return true
  }

  #isBegun(before: Entry | undefined, now: Entry, isLive: (entry: Entry) => boolean): boolean {
    if (now.head.version === before?.head.version || this.#written.has(now.head.version)) return false
    if (!BEGINNINGS.has(now.head.version) && !(DATA_FILE.test(now.extension) && isLive(now))) return false
    // A date to come, where the clock was set back or the disk has another, is not waited for.
    return this.#isFollowed(now) && Math.abs(Date.now() - changedAt(now.stamp)) <= SETTLED_MS
  }

  /** Without it the files of its folder are anyone's, and public. One whose folder is gone, or with another file by now, is not waited for. */
  #isAway(before: Entry): boolean {
    const { head, folder } = before
    if (this.#written.has(undefined) || ownFolderOf(head) === undefined) return false
    if (this.#registry.claims(head.key).length > 1 || this.#tree.inTheWay(folder) === undefined) return false
    const path = pathOf(before)
    const since = this.#gone.get(path) ?? Date.now()
    this.#gone.set(path, since)
    return this.#isFollowed(before) && Math.abs(Date.now() - since) <= SETTLED_MS
  }

  #isFollowed({ folder }: Entry): boolean {
    return !folder.startsWith(PRIVATE) && this.#others?.isFollowing() === true
  }

  /** Looks at files that this process has written: those that still hold one of these documents are whole. */
  ours(files: readonly Written[], look: () => void): void {
    this.#written = new Set(files.map(({ document }) => document?.version))
    try {
      look()
    } finally {
      this.#written = new Set()
    }
  }

  /** Returns whether a path is to be looked at again. */
  has(path: string): boolean {
    return this.#paths.has(path)
  }

  /** The paths so far, which are let go of. */
  take(): Set<string> {
    const paths = new Set(this.#paths)
    this.#paths.clear()
    this.isHeld = false
    return paths
  }
}
