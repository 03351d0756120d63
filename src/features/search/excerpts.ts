import { availableParallelism } from 'node:os'
import { WorkerLine } from '#lib/concurrency/worker-line.ts'
import { NotAsked, Unanswered } from '#lib/concurrency/worker-queue.ts'
import { Unavailable } from '#lib/errors.ts'
import { moduleAddress } from '#lib/package.ts'
import { ExcerptMaker, type ExcerptQuestion } from './excerpt-maker.ts'
import type { ExcerptWorkerData } from './excerpt-worker.ts'

/** Number of questions that are answered in place: a thread takes some 15 MB, and most sites are asked seldom. */
const FEW = 200
/** Mebibytes that the thread may take for what it keeps, and for what it has just made. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 }

/** Makes excerpts: of the first searches here, then in a thread, so that nothing else waits for them. */
export class Excerpts {
  readonly #data: ExcerptWorkerData
  readonly #line: WorkerLine<ExcerptQuestion, (string | undefined)[]>
  readonly #few: number
  #here: ExcerptMaker | undefined
  #count = 0

  /** `few` is how many questions are answered before there is a thread. */
  constructor(locale: string, folder: string | undefined, few = availableParallelism() > 1 ? FEW : Number.POSITIVE_INFINITY) {
    this.#data = { locale, folder }
    this.#line = new WorkerLine(moduleAddress('features/search/excerpt-worker'), this.#data, LIMITS)
    this.#few = few
  }

  /** As `ExcerptMaker`'s answer. Rejects with Unavailable where too many wait, or the thread fails. */
  async answer(question: ExcerptQuestion): Promise<(string | undefined)[]> {
    if (this.#count++ < this.#few || !this.#line.begin()) {
      this.#here ??= new ExcerptMaker(this.#data.locale, this.#data.folder)
      return this.#here.answer(question)
    }
    this.#here?.close()
    this.#here = undefined
    try {
      return await this.#line.ask(question)
    } catch (error) {
      if (error instanceof NotAsked || error instanceof Unanswered) throw new Unavailable('Too much is searched for just now.')
      throw error
    }
  }

  close(): void {
    this.#here?.close()
    void this.#line.close()
  }
}
