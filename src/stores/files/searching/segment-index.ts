import type { ContentTypes } from '#core/content-type.ts'
import { type HeldSegment, SegmentSet } from '#fulltext/matching/segment-set.ts'
import type { Draft } from '#fulltext/segments/build.ts'
import { Unavailable } from '#lib/errors.ts'
import type { IndexWorker } from './index-worker.ts'

/** So many segments of about one size are made into one. */
const MOST_ALIKE = 8

/** Keeps the segments in use few, however documents come and go. */
export class SegmentIndex {
  readonly segments: SegmentSet
  readonly #worker: IndexWorker
  #merging: Promise<void> | undefined

  constructor(worker: IndexWorker, types: ContentTypes) {
    this.#worker = worker
    this.segments = new SegmentSet((kind, status) => types.shape(kind).statuses.get(status)?.live === true)
  }

  /**
   * Takes in documents, each in the place of the one of its key; they can be found when it resolves. One that no index can be
   * made of is not found, and keeps no other from it.
   */
  async add(drafts: readonly Draft[]): Promise<void> {
    try {
      this.segments.add(await this.#worker.build(drafts))
    } catch (error) {
      if (error instanceof Unavailable) throw error
      await this.#addOthers(drafts)
    }
    this.#tidy()
  }

  async #addOthers(drafts: readonly Draft[]): Promise<void> {
    const [first, ...others] = drafts
    if (!first) return
    if (others.length === 0) return this.segments.remove(first.facts.key)
    const half = drafts.length >>> 1
    await this.add(drafts.slice(0, half))
    await this.add(drafts.slice(half))
  }

  remove(key: string): void {
    this.segments.remove(key)
    this.#tidy()
  }

  /** Resolves when no merge is under way, nor needed. */
  async tidied(): Promise<void> {
    this.#tidy()
    while (this.#merging) await this.#merging
  }

  #tidy(): void {
    const alike = this.#merging ? undefined : alikeOf(this.segments.all)
    if (!alike) return
    this.#merging = this.#merge(alike)
      // Segments that can't be merged are searched as they are; the next change tries again.
      .catch(() => undefined)
      .then(() => {
        this.#merging = undefined
      })
  }

  async #merge(first: readonly HeldSegment[]): Promise<void> {
    for (let alike: readonly HeldSegment[] | undefined = first; alike; alike = alikeOf(this.segments.all)) {
      const parts = this.segments.parts(alike)
      this.segments.replace(alike, parts, await this.#worker.merge(parts))
    }
  }
}

/** The segments that are to be one: many of a size, or one that is mostly gone. */
function alikeOf(all: readonly HeldSegment[]): readonly HeldSegment[] | undefined {
  const bySize = new Map<number, HeldSegment[]>()
  for (const held of all) {
    if (held.left * 2 < held.segment.size) return [held]
    const size = Math.floor(Math.log2(held.left) / 3)
    bySize.set(size, [...(bySize.get(size) ?? []), held])
  }
  return [...bySize.values()].find((alike) => alike.length >= MOST_ALIKE)
}
