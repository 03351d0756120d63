import type { ContentTypes } from '#core/types/content-type.ts'
import { type HeldSegment, SegmentSet } from '#fulltext/matching/segment-set.ts'
import type { Draft } from '#fulltext/segments/build.ts'
import type { IndexWorker } from './index-worker.ts'

/** So many segments of about one size are made into one. */
const MOST_ALIKE = 8
/** The most that are merged at once: each word is looked for in all of them. */
const MOST_MERGED = 16

/** Keeps the segments in use few, however documents come and go. */
export class SegmentIndex {
  readonly segments: SegmentSet
  readonly #worker: IndexWorker
  #merging: Promise<void> | undefined
  /** Number of pieces of work under way that add a lot. */
  #gathering = 0

  constructor(worker: IndexWorker, types: ContentTypes) {
    this.#worker = worker
    this.segments = new SegmentSet((kind, status) => types.shape(kind).statuses.get(status)?.live === true)
  }

  /** Takes in documents, each in the place of the one of its key; they can be found when it resolves. */
  add(drafts: readonly Draft[]): Promise<void> {
    return this.#worker.build(drafts).then((segment) => {
      this.segments.add(segment)
      this.#tidy()
    })
  }

  remove(key: string): void {
    this.segments.remove(key)
    this.#tidy()
  }

  /** Does work that adds a lot, and merges once that is done: all is found earlier so, and less memory is held at a time. */
  async untidied(work: () => Promise<void>): Promise<void> {
    this.#gathering++
    try {
      await work()
    } finally {
      this.#gathering--
      this.#worker.rest()
      this.#tidy()
    }
  }

  /** Resolves when no merge is under way, nor needed. */
  async tidied(): Promise<void> {
    this.#tidy()
    while (this.#merging) await this.#merging
  }

  #tidy(): void {
    const alike = this.#merging || this.#gathering > 0 ? undefined : alikeOf(this.segments.all)
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
  return [...bySize.values()].find((alike) => alike.length >= MOST_ALIKE)?.slice(0, MOST_MERGED)
}
