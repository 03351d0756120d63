import { availableParallelism } from 'node:os'
import type { Analyser } from '#fulltext/analysis/analyser.ts'
import { buildSegment, type Draft } from '#fulltext/segments/build.ts'
import { mergeSegments, type Part } from '#fulltext/segments/merge.ts'
import type { Segment } from '#fulltext/segments/segment.ts'
import { Thread } from './thread.ts'

/**
 * Limits up to which work is done in place, since a worker thread would take longer to start: characters of documents, and bytes
 * of segments.
 */
const FEW_CHARACTERS = 32_768
const FEW_BYTES = 131_072

/** Number of segments that are made at once: a first start waits for them. */
export const AT_ONCE = Math.min(2, availableParallelism())

/** Mebibytes that making a segment may take: twice what the worst two files at once were seen to. */
const MOST_MB = 256

/** Makes segments: small ones here, others in a thread; what is new does not wait for what is merged. */
export class IndexWorker {
  readonly #analyser: Analyser
  readonly #builders: readonly Thread[]
  readonly #merger: Thread

  constructor(analyser: Analyser, locale: string) {
    this.#analyser = analyser
    this.#builders = Array.from({ length: AT_ONCE }, () => new Thread(locale, MOST_MB))
    this.#merger = new Thread(locale)
  }

  async build(drafts: readonly Draft[]): Promise<Segment> {
    const characters = drafts.reduce((sum, { text }) => sum + charactersOf(text), 0)
    if (characters <= FEW_CHARACTERS) return buildSegment(drafts, this.#analyser)
    // The first that is free, so that others begin only where there is work for them.
    const free = this.#builders.reduce((least, one) => (one.waiting < least.waiting ? one : least))
    return free.build(drafts)
  }

  async merge(parts: readonly Part[]): Promise<Segment> {
    const bytes = parts.reduce((sum, { segment }) => sum + segment.memory.byteLength, 0)
    return bytes <= FEW_BYTES ? mergeSegments(parts) : this.#merger.merge(parts)
  }

  /** Ends the threads that make segments, if they have nothing to do: memory is for what follows. */
  rest(): void {
    for (const thread of this.#builders) thread.end()
  }

  async close(): Promise<void> {
    await Promise.all([...this.#builders, this.#merger].map((thread) => thread.close()))
  }
}

/** Number of UTF-16 units of a document's texts. */
export function charactersOf({ title, tags, body }: Draft['text']): number {
  return [title, ...tags, ...body].reduce((sum, text) => sum + text.length, 0)
}
