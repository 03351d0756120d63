import type { Document } from '#core/document.ts'
import type { ContentType } from '#core/types/content-type.ts'
import type { Analyser } from '#fulltext/analysis/analyser.ts'
import { Unanswered, WorkerQueue } from '#lib/concurrency/worker-queue.ts'
import { moduleAddress } from '#lib/package.ts'
import { type Reading, readingOf } from './reading.ts'
import type { ReadingQuestion } from './reading-worker.ts'

/** Up to so many bytes a document is read at once: it takes some milliseconds. */
const SHORT = 32 * 1024
const LIMIT_MS = 15_000

/** Reads documents for the index: short ones at once, others in a thread of their own, so that nothing else waits for them. */
export class Reader {
  readonly #analyser: Analyser
  readonly #locale: string
  readonly #queue: WorkerQueue<ReadingQuestion, Reading>

  /** `limit` is how long one document may take, in milliseconds. */
  constructor(analyser: Analyser, locale: string, limit = LIMIT_MS) {
    this.#analyser = analyser
    this.#locale = locale
    this.#queue = new WorkerQueue(moduleAddress('stores/postgres/searching/reading-worker'), limit)
  }

  /** As `readingOf`; of a document that takes too long only the title is read. */
  read({ taxonomies, fields: known }: ContentType, { fields, body, source }: Document): Reading | Promise<Reading> {
    const type = { taxonomies, fields: known }
    if ((source?.length ?? body.length) <= SHORT) return readingOf(type, { fields, body }, this.#analyser)
    return this.#queue.ask({ locale: this.#locale, type, document: { fields, body } }).catch((error: unknown) => {
      if (!(error instanceof Unanswered)) throw error
      return readingOf(type, { fields: { title: fields.title ?? null }, body: '' }, this.#analyser)
    })
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    await this.#queue.close()
  }
}
