import { NotAsked, Unanswered, WorkerQueue } from '#lib/concurrency/worker-queue.ts'
import { Unavailable } from '#lib/errors.ts'
import { moduleAddress } from '#lib/package.ts'
import { type Twin, twinText } from './twin.ts'

/** Up to so many characters of HTML are made into Markdown at once: the worst of them takes some 20 ms. */
const SMALL = 32 * 1024
const LIMIT_MS = 10_000

/** Makes the texts of pages as Markdown: small ones here, others in a thread of their own, so that nothing else waits for them. */
export class Twins {
  readonly #queue: WorkerQueue<Twin, string>

  /** `limit` is how long one may take in that thread, in milliseconds. */
  constructor(limit = LIMIT_MS) {
    this.#queue = new WorkerQueue(moduleAddress('features/site/pages/twin-worker'), limit)
  }

  /** As `twinText`; without the text where that takes too long. Rejects with Unavailable where too many wait. */
  async text(twin: Twin): Promise<string> {
    if (twin.html.length <= SMALL) return twinText(twin)
    try {
      return await this.#queue.ask(twin)
    } catch (error) {
      if (error instanceof NotAsked) throw new Unavailable('Too many long pages are being made just now.')
      if (error instanceof Unanswered) return twinText({ ...twin, html: '' })
      throw error
    }
  }

  /** Ends the thread. */
  close(): void {
    void this.#queue.close()
  }
}
