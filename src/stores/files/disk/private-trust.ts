import type { BigIntStats } from 'node:fs'
import { join } from 'node:path'
import { PathAliases } from '#git/files/path-aliases.ts'
import { indexNames } from '#git/index/names.ts'
import { atWorkSince, madeAt } from '#git/landing/checkout.ts'
import { type WorkTree, workTreesAround } from '#git/work-trees.ts'
import { type Stamp, stampAt, stampOf } from '#lib/files/stamp.ts'
import { PrivatePaths, placesOf } from './private-paths.ts'

/** A working tree around the private folder, and what its index has of that. */
interface Around {
  readonly tree: WorkTree
  readonly stamp: Stamp | undefined
  /** Paths below the private folder as `PathAliases.below` gives them, each with its path from the top. */
  readonly paths: ReadonlyMap<string, string>
}

/** Milliseconds for which the repositories around the folder are taken as known; their state is looked at each time. */
const TRUST_MS = 1_000
/** The most files of which it is kept that this process wrote them while a git was at work. */
const MOST_WRITTEN = 10_000

/**
 * Tells which files of the private folder may count. A file that git tracks does not: whoever may push would else make accounts,
 * tokens and jobs. git writes its index last; until then no file that was made since it began does, but for those that this process made.
 */
export class PrivateTrust {
  readonly #folder: string
  #around: readonly Around[] = []
  /** Since when another git has been at work, in milliseconds since 1970. */
  #since: number | undefined
  #changes = 0
  readonly #written = new Set<string>()
  #trees: readonly WorkTree[] = []
  #foundAt = Number.NEGATIVE_INFINITY

  /** `folder` is the private folder, absolute. */
  constructor(folder: string) {
    this.#folder = folder
    this.refresh()
  }

  /** Reads anew each index that has changed. Returns a number that is another one when other files count than before. */
  refresh(): number {
    const trees = this.#workTrees()
    const begun = trees.flatMap((tree) => atWorkSince(tree) ?? [])
    // The index of a git that ended since then is written: it is read after the lock.
    const around = trees.map((tree, at) => this.#read(tree, this.#around[at]))
    const since = begun.length === 0 ? undefined : Math.min(...begun)
    const isSame = since === this.#since && around.every(({ paths }, at) => paths === this.#around[at]?.paths)
    if (!isSame || around.length !== this.#around.length) this.#changes++
    if (since === undefined) this.#written.clear()
    this.#since = since
    this.#around = around
    return this.#changes
  }

  #workTrees(): readonly WorkTree[] {
    const now = performance.now()
    if (now - this.#foundAt < TRUST_MS) return this.#trees
    const found = placesOf(this.#folder).flatMap((place) => workTreesAround(place))
    this.#trees = [...new Map(found.map((tree) => [tree.dir, tree])).values()]
    this.#foundAt = now
    return this.#trees
  }

  #read(tree: WorkTree, known: Around | undefined): Around {
    const stamp = stampAt(join(tree.dir, 'index'))
    if (known?.tree.dir === tree.dir && known.stamp === stamp) return known
    const folder = new PrivatePaths(tree.top, this.#folder)
    const paths = new Map<string, string>()
    for (const name of indexNames(tree, folder.mayHave)) {
      const below = folder.below(name)
      if (below !== undefined) paths.set(below, name)
    }
    return { tree, stamp, paths: known && isSame(known.paths, paths) ? known.paths : paths }
  }

  /** Every file of the private folder that git tracks, absolute. */
  tracked(): string[] {
    return this.#around.flatMap(({ tree, paths }) => [...paths.values()].map((path) => join(tree.top, path)))
  }

  /** Returns whether a file counts that was seen a moment ago, at a path below the private folder. */
  has(path: string, stats: BigIntStats): boolean {
    this.refresh()
    return !this.isTracked(path) && !this.#isNews(stats)
  }

  /** Returns whether git tracked a path below the private folder, or something on the way to it, at the last `refresh`. */
  isTracked(path: string): boolean {
    const tracking = this.#around.filter(({ paths }) => paths.size > 0)
    if (tracking.length === 0) return false
    const names = PathAliases.folded(path).split('/')
    const above = ['', ...names.map((_name, at) => names.slice(0, at + 1).join('/'))]
    return tracking.some(({ paths }) => above.some((one) => paths.has(one)))
  }

  /** Says that this process made the file that has this stamp, or had it before it got its name. */
  wrote(stamp: Stamp): void {
    if (this.#written.size < MOST_WRITTEN) this.#written.add(makingOf(stamp))
  }

  /** Says that a write of ours, of nothing private, has put the index with the stamp `to` in place of that with the stamp `from`. */
  indexed(dir: string, from: Stamp | undefined, to: Stamp | undefined): void {
    const isOurs = (one: Around) => one.tree.dir === dir && one.stamp === from
    this.#around = this.#around.map((one) => (isOurs(one) ? { ...one, stamp: to } : one))
  }

  #isNews(stats: BigIntStats): boolean {
    if (this.#since === undefined) return false
    return madeAt(stats) >= this.#since && !this.#written.has(makingOf(stampOf(stats)))
  }
}

/** The part of a stamp that a new name does not change. */
function makingOf(stamp: Stamp): string {
  const [size, mtime, , inode] = stamp.split(':')
  return `${size}:${mtime}:${inode}`
}

function isSame(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one].every(([below, path]) => other.get(below) === path)
}
