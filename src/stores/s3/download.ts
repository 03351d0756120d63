import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { failureOf, isTemporary, TimedOut, Unexpected, unanswered } from './failures.ts'
import type { RequestLimits } from './settings.ts'

/** A part of a blob that is being read: from `start` until before `end`. */
export interface DownloadDeps {
  readonly start: number
  readonly end: number
  readonly limits: RequestLimits
  /** Asks for the bytes from some place on; undefined where they are gone. */
  readonly ask: (from: number) => Promise<IncomingMessage | undefined>
  /** Resolves after the pause behind the `nth` attempt in a row that brought nothing. */
  readonly pause: (nth: number) => Promise<void>
}

/**
 * A download that goes on where a connection was lost. It takes from the server what its reader takes, and waits for a slow reader,
 * not for a slow server.
 */
export class Download {
  readonly #deps: DownloadDeps
  #message: IncomingMessage

  /** `message` is the answer with the bytes from `deps.start` on. */
  constructor(message: IncomingMessage, deps: DownloadDeps) {
    this.#message = message
    this.#deps = deps
  }

  stream(): Readable {
    const stream = Readable.from(this.#pieces(), { objectMode: false })
    // One that nobody began to read has a connection all the same.
    stream.once('close', () => this.#message.destroy())
    return stream
  }

  async *#pieces(): AsyncGenerator<Buffer> {
    const { start, end, limits, pause } = this.#deps
    for (let [at, failed] = [start, 0]; at < end; ) {
      try {
        for await (const piece of this.#timed()) {
          if (at + piece.length > end) throw new Unexpected('The server of the bucket sends more bytes than it was asked for.')
          at += piece.length
          failed = 0
          yield piece
        }
        if (at < end) throw new Unexpected('The server of the bucket sends fewer bytes than it was asked for.')
      } catch (thrown) {
        const error = unanswered(thrown)
        failed += 1
        if (failed >= limits.attempts || !isTemporary(error)) throw failureOf(error)
        await pause(failed)
        await this.#askAgain(at)
      }
    }
  }

  async #askAgain(at: number): Promise<void> {
    const message = await this.#deps.ask(at).catch((error: unknown) => {
      throw failureOf(error)
    })
    if (!message) throw failureOf(new Unexpected('The content was removed while it was read.'))
    this.#message = message
  }

  async *#timed(): AsyncGenerator<Buffer> {
    const message = this.#message
    // The connection's own limit runs while a slow reader is waited for, too.
    message.setTimeout(0)
    message.on('error', () => undefined)
    const pieces: AsyncIterator<Buffer> = message[Symbol.asyncIterator]()
    try {
      for (;;) {
        const timer = setTimeout(() => message.destroy(new TimedOut()), this.#deps.limits.idleMs)
        const { done, value } = await pieces.next().finally(() => clearTimeout(timer))
        if (done) return
        yield value
      }
    } finally {
      message.destroy()
    }
  }
}
