import { Worker } from 'node:worker_threads'
import { READY } from './worker-answers.ts'

/** The most questions that wait at once. */
const MOST_WAITING = 256
/** Milliseconds that the worker thread is kept when there is nothing to do, and that it may take to start. */
const IDLE_MS = 60_000
const START_MS = 60_000
const MOST_MEGABYTES = 1024

interface Asked<Question, Answer> {
  readonly question: Question
  resolve(answer: Answer): void
  reject(error: Error): void
}

/** A question that a thread could not answer: it took too long or too much memory, or failed. */
export class Unanswered extends Error {}

/** A question that was not looked at: too many wait, or the queue is closed. */
export class NotAsked extends Error {}

/**
 * One thread that answers questions one after the other, each within `limit` milliseconds: it is ended and begun anew where one
 * takes longer. The module at `file` calls `answerQuestions`; its failure ends the thread. The thread is there while there is
 * work, and a while after; with nothing to do it keeps no process running. What it prints goes nowhere.
 */
export class WorkerQueue<Question, Answer> {
  readonly #file: URL
  readonly #limit: number
  readonly #waiting: Asked<Question, Answer>[] = []
  #now: Asked<Question, Answer> | undefined
  #worker: Worker | undefined
  #timer: NodeJS.Timeout | undefined
  #isReady = false

  constructor(file: URL, limit: number) {
    this.#file = file
    this.#limit = limit
  }

  /** Resolves with the thread's answer; rejects with Unanswered or NotAsked. */
  ask(question: Question): Promise<Answer> {
    if (this.#waiting.length >= MOST_WAITING) return Promise.reject(new NotAsked('Too much waits already.'))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, resolve, reject })
      if (!this.#now) this.#next()
    })
  }

  /** Ends the thread. What still waits is rejected. */
  async close(): Promise<void> {
    const left = this.#waiting.splice(0)
    if (this.#now) left.unshift(this.#now)
    this.#now = undefined
    const ended = this.#stop('It was ended.')
    for (const { reject } of left) reject(new NotAsked('It was ended.'))
    await ended
  }

  #next(): void {
    clearTimeout(this.#timer)
    this.#now = this.#waiting.shift()
    if (!this.#now) {
      this.#worker?.unref()
      this.#timer = setTimeout(() => void this.#stop('It was ended.'), IDLE_MS).unref()
      return
    }
    this.#worker ??= this.#start()
    this.#worker.ref()
    this.#worker.postMessage(this.#now.question)
    this.#time()
  }

  #time(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#stop('It takes too long.'), this.#isReady ? this.#limit : START_MS)
  }

  #start(): Worker {
    this.#isReady = false
    // Its stdout is not read: a stream that is read keeps the process running.
    const worker = new Worker(this.#file, { stdout: true, resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES } })
    worker.on('message', (answer: Answer | typeof READY) => {
      if (this.#worker !== worker) return
      if (answer === READY) {
        this.#isReady = true
        if (this.#now) this.#time()
      } else {
        this.#now?.resolve(answer)
        this.#next()
      }
    })
    const ended = (error?: unknown) => {
      if (this.#worker === worker) void this.#stop(error instanceof Error ? error.message : 'The thread ended.')
    }
    worker.on('error', ended)
    worker.on('exit', () => ended())
    return worker
  }

  /** Ends the thread, fails what it was at, and goes on with another. */
  async #stop(why: string): Promise<void> {
    const [worker, asked] = [this.#worker, this.#now]
    this.#worker = undefined
    this.#now = undefined
    clearTimeout(this.#timer)
    asked?.reject(new Unanswered(why))
    if (this.#waiting.length > 0) this.#next()
    await worker?.terminate()
  }
}
