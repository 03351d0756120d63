import { type ResourceLimits, Worker } from 'node:worker_threads'
import { READY } from './worker-answers.ts'
import { NotAsked, Unanswered } from './worker-queue.ts'

/** The most questions that are under way at once. */
const MOST_WAITING = 1024

interface Asked<Answer> {
  resolve(answer: Answer): void
  reject(error: Error): void
}

/**
 * One thread that answers questions in the order in which they are asked, without a pause between two. Its module calls
 * `answerQuestions` with a function that answers at once; nothing limits the time of an answer, so that questions must be bounded.
 * With nothing to do it keeps no process running. What it prints goes nowhere.
 */
export class WorkerLine<Question, Answer> {
  readonly #file: URL
  readonly #data: unknown
  readonly #limits: ResourceLimits
  readonly #asked: Asked<Answer>[] = []
  #worker: Worker | undefined
  #isReady = false
  #isClosed = false

  /** `data` is the thread's `workerData`. */
  constructor(file: URL, data: unknown, limits: ResourceLimits) {
    this.#file = file
    this.#data = data
    this.#limits = limits
  }

  /** Begins the thread, if there is none; true once it can be asked. */
  begin(): boolean {
    if (!this.#isClosed) this.#worker ??= this.#start()
    return this.#isReady
  }

  /** Resolves with the thread's answer; rejects with Unanswered where the thread fails, with NotAsked where too many wait. */
  ask(question: Question): Promise<Answer> {
    this.begin()
    const worker = this.#worker
    if (!worker || this.#asked.length >= MOST_WAITING) return Promise.reject(new NotAsked('Too much waits already.'))
    return new Promise((resolve, reject) => {
      if (this.#asked.push({ resolve, reject }) === 1) worker.ref()
      worker.postMessage(question)
    })
  }

  /** Ends the thread for good. What still waits is rejected. */
  async close(): Promise<void> {
    this.#isClosed = true
    const worker = this.#worker
    if (worker) this.#ended(worker, new NotAsked('It was ended.'))
    await worker?.terminate()
  }

  #start(): Worker {
    // Its stdout is not read: a stream that is read keeps the process running.
    const worker = new Worker(this.#file, { stdout: true, workerData: this.#data, resourceLimits: this.#limits })
    worker.unref()
    worker.on('message', (answer: Answer | typeof READY) => {
      if (this.#worker !== worker) return
      if (answer === READY) {
        this.#isReady = true
        return
      }
      this.#asked.shift()?.resolve(answer)
      if (this.#asked.length === 0) worker.unref()
    })
    const failed = (error?: unknown) =>
      this.#ended(worker, new Unanswered(error instanceof Error ? error.message : 'The thread ended.'))
    worker.on('error', failed)
    worker.on('exit', () => failed())
    return worker
  }

  #ended(worker: Worker, why: Error): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    this.#isReady = false
    for (const { reject } of this.#asked.splice(0)) reject(why)
  }
}
