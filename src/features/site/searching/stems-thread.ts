import { Analyser } from '#fulltext/analysis/analyser.ts'
import type { SearchText } from '#fulltext/segments/search-text.ts'
import { Unanswered, WorkerQueue } from '#lib/concurrency/worker-queue.ts'
import { moduleAddress } from '#lib/package.ts'
import { type PageWords, wordsOf } from './stems.ts'
import type { StemsQuestion } from './stems-worker.ts'

/** Up to so many characters a text is read at once: it takes some milliseconds. */
const SHORT = 32 * 1024
const LIMIT_MS = 15_000

/**
 * Reads texts for an index that a browser searches: short ones at once, others in a thread of their own, so that nothing else
 * waits for them.
 */
export class StemsThread {
  readonly #locale: string
  readonly #queue: WorkerQueue<StemsQuestion, PageWords>
  #analyser: Analyser | undefined

  /** `limit` is how long one text may take, in milliseconds. */
  constructor(locale: string, limit = LIMIT_MS) {
    this.#locale = locale
    this.#queue = new WorkerQueue(moduleAddress('features/site/searching/stems-worker'), limit)
  }

  /** As `wordsOf`; of a text that takes too long only the title is read. */
  read(text: SearchText): PageWords | Promise<PageWords> {
    this.#analyser ??= new Analyser(this.#locale)
    const analyser = this.#analyser
    if (text.body.reduce((sum, part) => sum + part.length, 0) <= SHORT) return wordsOf(text, analyser)
    return this.#queue.ask({ locale: this.#locale, text }).catch((error: unknown) => {
      if (!(error instanceof Unanswered)) throw error
      return wordsOf({ title: text.title, tags: [], body: [] }, analyser)
    })
  }

  /** Ends the thread. */
  close(): void {
    void this.#queue.close()
  }
}
