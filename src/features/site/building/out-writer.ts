import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { moduleAddress } from '#lib/package.ts'
import { type Twin, twinText } from '../pages/twin.ts'
import type { Batch, Written } from './out-writer-worker.ts'
import { type Refused, type Taken, tried, Writing } from './out-writing.ts'

/** Number of files that are written here before a thread is started: that takes as long as some hundred. */
const FEW = 400
/** Bytes of a batch, and the most files of one. */
const BATCH = 1024 * 1024
const MOST_FILES = 256
/** Batches that may wait for the thread. */
const MOST_WAITING = 4
/** Of the thread: of what it made lately, and of all. */
const MEGABYTES = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 128 }

/** A file as its bytes, its text, or what its text is made of. */
export type Body = string | Buffer | Twin

type Done = (taken: Taken | Refused) => void

/**
 * Takes in the files of a build: the first ones here, and the others, where there is a second processor, in a thread, so that
 * pages are made while others are compared, hashed and written.
 */
export class Writer {
  readonly here: Writing
  readonly #place: { readonly path: string; readonly made: string | undefined }
  #few: number
  #count = 0
  #worker: Worker | undefined
  #isReady = false
  #error: Error | undefined
  #batch: Batch['files'][number][] = []
  #bytes: Buffer | undefined
  #end = 0
  readonly #spare: SharedArrayBuffer[] = []
  /** Of the batch that is being filled, and of those that the thread has, in their order. */
  #dones: Done[] = []
  readonly #waiting: Done[][] = []
  #wake: (() => void) | undefined

  /** As `Writing`. A thread is started after a `few` files. */
  constructor(path: string, made: string | undefined, few = availableParallelism() > 1 ? FEW : Number.POSITIVE_INFINITY) {
    this.#place = { path, made }
    this.here = new Writing(path, made)
    this.#few = few
  }

  /** Takes in a file, by its path; calls `done`, now or by the end of `settled`. */
  put(file: string, body: Body, done: Done): void {
    this.#count++
    if (this.#isReady) this.#send(file, body, done)
    else done(tried(() => this.here.put(file, bytesOf(body))))
  }

  /** True while there is a thread. */
  get isAway(): boolean {
    return this.#worker !== undefined
  }

  /**
   * To be awaited now and then: starts the thread where that is worth it. Undefined while there is room for more; else it resolves when
   * there is. Rejects if the thread failed.
   */
  room(): Promise<void> | undefined {
    if (this.#count >= this.#few && !this.#worker) this.#start()
    return this.#waiting.length > MOST_WAITING || this.#error ? this.#waitFor(MOST_WAITING) : undefined
  }

  /** Resolves when all files are taken in, and the thread is ended. Rejects if it failed. */
  async settled(): Promise<void> {
    this.#flush()
    await this.#waitFor(0).finally(() => this.close())
  }

  /** Ends the thread, with what it is at. */
  async close(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    this.#isReady = false
    this.#few = Number.POSITIVE_INFINITY
    await worker?.terminate()
  }

  async #waitFor(most: number): Promise<void> {
    while (this.#waiting.length > most && !this.#error)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    if (this.#error) throw this.#error
  }

  #start(): void {
    const worker = new Worker(moduleAddress('features/site/building/out-writer-worker'), {
      workerData: this.#place,
      resourceLimits: MEGABYTES,
    })
    worker.unref()
    worker.on('message', (written: Written | undefined) => {
      if (written) this.#take(written)
      else this.#isReady = this.#worker === worker
    })
    const ended = (error: Error) => {
      if (this.#worker !== worker) return
      if (this.#isReady) this.#fail(error)
      // It was given nothing yet: all goes on here.
      else void this.close()
    }
    worker.on('error', ended)
    worker.on('exit', () => ended(new Error('The thread that writes the site ended before its time.')))
    this.#worker = worker
  }

  #fail(error: Error): void {
    this.#error ??= error
    this.#wake?.()
  }

  #send(file: string, body: Body, done: Done): void {
    if (this.#batch.length === MOST_FILES) this.#flush()
    const isWhole = typeof body === 'string' || Buffer.isBuffer(body)
    // It may begin another batch.
    const [at, length] = this.#keep(isWhole ? body : body.html)
    this.#batch.push(isWhole ? [file, at, length] : [file, at, length, { title: body.title, canonical: body.canonical }])
    this.#dones.push(done)
  }

  /** Adds bytes to the batch: where they begin, and how many they are. */
  #keep(body: string | Buffer): [at: number, length: number] {
    const length = Buffer.byteLength(body)
    if (this.#bytes && this.#end + length > this.#bytes.length) this.#flush()
    this.#bytes ??= Buffer.from(
      length > BATCH ? new SharedArrayBuffer(length) : (this.#spare.pop() ?? new SharedArrayBuffer(BATCH)),
    )
    if (typeof body === 'string') this.#bytes.write(body, this.#end)
    else body.copy(this.#bytes, this.#end)
    this.#end += length
    return [this.#end - length, length]
  }

  #flush(): void {
    if (this.#batch.length === 0 || !this.#worker) return
    this.#worker.ref()
    this.#worker.postMessage({ bytes: this.#bytes?.buffer as SharedArrayBuffer | undefined, files: this.#batch } satisfies Batch)
    this.#waiting.push(this.#dones)
    this.#bytes = undefined
    this.#end = 0
    this.#batch = []
    this.#dones = []
  }

  #take({ bytes, taken }: Written): void {
    if (bytes?.byteLength === BATCH) this.#spare.push(bytes)
    const dones = this.#waiting.shift() ?? []
    if (this.#waiting.length === 0) this.#worker?.unref()
    try {
      for (const [n, done] of dones.entries()) done(taken[n] as Taken | Refused)
    } catch (error) {
      this.#fail(error as Error)
    }
    this.#wake?.()
  }
}

function bytesOf(body: Body): Buffer {
  if (Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : twinText(body))
}
