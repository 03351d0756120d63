import { type ResourceLimits, Worker } from 'node:worker_threads'
import type { Draft } from '#fulltext/segments/build.ts'
import type { Part } from '#fulltext/segments/merge.ts'
import { Segment } from '#fulltext/segments/segment.ts'
import { Unavailable } from '#lib/errors.ts'
import { moduleAddress } from '#lib/package.ts'
import type { Done, Task } from './worker.ts'

interface Waiting {
  resolve(segment: Segment): void
  reject(error: Error): void
}

/** Time in milliseconds that an idle worker thread is kept: it holds some 40 MB, and the next burst may be far away. */
const IDLE_MS = 1_000
/**
 * Mebibytes for what a thread has just made: V8 takes 48 for a thread that is given no limit, and the work is no faster for it.
 */
const YOUNG_MB = 8

type Wish = { readonly drafts: readonly Draft[] } | { readonly parts: readonly Part[] }

/**
 * Builds segments in a worker thread, so that nothing else waits for it. The thread runs while there is work, and a while after.
 */
export class Thread {
  readonly #locale: string
  readonly #limits: ResourceLimits
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #next = 1

  /** `mostMb` is how much of its memory may be in use: the less that is, the sooner V8 frees what is not. */
  constructor(locale: string, mostMb?: number) {
    this.#locale = locale
    this.#limits = { maxYoungGenerationSizeMb: YOUNG_MB, ...(mostMb !== undefined && { maxOldGenerationSizeMb: mostMb }) }
  }

  /** Number of tasks that are not done. */
  get waiting(): number {
    return this.#waiting.size
  }

  build(drafts: readonly Draft[]): Promise<Segment> {
    return this.#ask({ drafts })
  }

  merge(parts: readonly Part[]): Promise<Segment> {
    return this.#ask({ parts })
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    const worker = this.#worker
    if (!worker) return
    const ended = worker.terminate()
    // An answer that is on its way must not have it rest: nothing would keep the process running until it has ended.
    this.#ended(worker)
    await ended
  }

  #ask(wish: Wish): Promise<Segment> {
    clearTimeout(this.#idle)
    const worker = this.#worker ?? this.#start()
    const id = this.#next++
    worker.postMessage(taskOf(id, wish))
    worker.ref()
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
  }

  #start(): Worker {
    const worker = new Worker(moduleAddress('stores/files/searching/worker'), {
      workerData: { locale: this.#locale },
      resourceLimits: this.#limits,
    })
    worker.on('message', (done: Done) => {
      if (this.#worker === worker) this.#took(done)
    })
    worker.on('error', () => this.#ended(worker))
    worker.on('exit', () => this.#ended(worker))
    this.#worker = worker
    return worker
  }

  #took(done: Done): void {
    const waiting = this.#waiting.get(done.id)
    this.#waiting.delete(done.id)
    if (this.#waiting.size === 0) this.#rest()
    if ('fault' in done) waiting?.reject(new Error(done.fault))
    else waiting?.resolve(new Segment(done.memory))
  }

  /** With nothing to do it keeps no process running. */
  #rest(): void {
    const worker = this.#worker
    worker?.unref()
    this.#idle = setTimeout(() => this.end(), IDLE_MS).unref()
  }

  /** Ends it now, if it has nothing to do. What is asked from here on is for another. */
  end(): void {
    if (this.#waiting.size > 0) return
    clearTimeout(this.#idle)
    const worker = this.#worker
    this.#worker = undefined
    void worker?.terminate()
  }

  #ended(worker: Worker): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { reject } of waiting) reject(new Unavailable('The search index can’t be made now.'))
  }
}

function taskOf(id: number, wish: Wish): Task {
  if ('drafts' in wish) return { id, drafts: wish.drafts }
  return { id, parts: wish.parts.map(({ segment, gone }) => ({ memory: segment.memory, gone })) }
}
