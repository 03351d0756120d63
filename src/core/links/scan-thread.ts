import { Worker } from 'node:worker_threads'
import { moduleAddress } from '#lib/package.ts'
import type { Destination } from './destination.ts'
import { linkMarks } from './marks.ts'
import type { ScanDone, ScanTask } from './scan-worker.ts'
import { LinkScanner } from './scanner.ts'

interface Waiting {
  resolve(found: ScanDone['found'] | undefined): void
  readonly limit: NodeJS.Timeout
}

/** Up to this length a text is read at once: it takes some milliseconds. */
const SHORT = 8 * 1024
/** Milliseconds that a text may take, including those queued before it. */
const LIMIT_MS = 20_000
/** Milliseconds that an idle worker thread is kept. */
const IDLE_MS = 5_000

/** Finds destinations in texts; in a thread of its own where that takes long, so that nothing else waits for it. */
export class ScanThread {
  readonly #scanner = new LinkScanner()
  readonly #wikiScanner = new LinkScanner(true)
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #next = 1

  /** As `LinkScanner.scan`, with names in double brackets where `wikilinks` says so; undefined where the text takes too long. */
  async scan(text: string, wikilinks = false): Promise<readonly Destination[] | undefined> {
    if (text.length <= SHORT) return (wikilinks ? this.#wikiScanner : this.#scanner).scan(text)
    const found = await this.#ask(text, 'destinations', wikilinks)
    return found instanceof Uint32Array ? undefined : found
  }

  /** As `linkMarks`; undefined where the text takes too long. */
  async marks(text: string): Promise<Uint32Array | undefined> {
    if (text.length <= 4 * SHORT) return linkMarks(text)
    const found = await this.#ask(text, 'marks')
    return found instanceof Uint32Array ? found : undefined
  }

  #ask(text: string, want: ScanTask['want'], wikilinks = false): Promise<ScanDone['found'] | undefined> {
    clearTimeout(this.#idle)
    this.#worker ??= this.#start()
    const worker = this.#worker
    const task: ScanTask = { id: this.#next++, text, want, wikilinks }
    worker.postMessage(task)
    worker.ref()
    return new Promise((resolve) => {
      const limit = setTimeout(() => this.#ended(worker), LIMIT_MS).unref()
      this.#waiting.set(task.id, { resolve, limit })
    })
  }

  #start(): Worker {
    const worker = new Worker(moduleAddress('core/links/scan-worker'))
    worker.on('message', (done: ScanDone) => this.#took(done))
    worker.on('error', () => this.#ended(worker))
    worker.on('exit', () => this.#ended(worker))
    return worker
  }

  #took({ id, found }: ScanDone): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    clearTimeout(waiting?.limit)
    waiting?.resolve(found)
    if (this.#waiting.size > 0) return
    // With nothing to do it keeps no process running.
    const worker = this.#worker
    worker?.unref()
    this.#idle = setTimeout(() => {
      this.#worker = undefined
      void worker?.terminate()
    }, IDLE_MS).unref()
  }

  #ended(worker: Worker): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    void worker.terminate()
    for (const { resolve, limit } of this.#waiting.values()) {
      clearTimeout(limit)
      resolve(undefined)
    }
    this.#waiting.clear()
  }
}
