import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Timeouts } from '../guarding/limits.ts'

/** The error that Node has for a request which takes too long. */
const TIMED_OUT = 'ERR_HTTP_REQUEST_TIMEOUT'

/**
 * The requests whose bodies may take as long as bytes come, on a server that ends all others after a while: Node's own limit is
 * one for the whole of it.
 */
export class UploadTimeouts {
  readonly #timeouts: Timeouts
  readonly #late: (error: NodeJS.ErrnoException, socket: Socket) => void
  /** The connections on which such bodies are coming. */
  readonly #coming = new WeakSet<Socket>()

  /** `late` answers a request that took too long, and ends its connection. */
  constructor(timeouts: Timeouts, late: (error: NodeJS.ErrnoException, socket: Socket) => void) {
    this.#timeouts = timeouts
    this.#late = late
  }

  /**
   * Lets the body of this request take as long as it comes: it ends when none of it has come for `Timeouts.upload`. The caller
   * knows by then that it wants the body, and from whom.
   */
  begin({ raw }: FastifyRequest, reply: FastifyReply): void {
    const { socket } = raw
    if (raw.complete || raw.readableEnded || socket.destroyed) return
    this.#coming.add(socket)
    let [read, at] = [socket.bytesRead, performance.now()]
    const look = () => {
      const now = performance.now()
      // What waits for us has come.
      if (socket.bytesRead !== read || raw.readableLength > 0) [read, at] = [socket.bytesRead, now]
      if (now - at < this.#timeouts.upload) return
      end()
      this.#late(Object.assign(new Error('The body has stopped.'), { code: TIMED_OUT }), socket)
    }
    const timer = setInterval(look, this.#timeouts.check)
    const end = () => {
      clearInterval(timer)
      this.#coming.delete(socket)
    }
    raw.once('end', end).once('close', end)
    // Whoever was answered before all was sent may send the rest, so as to come to read the answer, and not for ever.
    reply.raw.once('finish', () => {
      if (raw.complete) return
      const last = setTimeout(() => raw.destroy(), this.#timeouts.request).unref()
      raw.once('end', () => clearTimeout(last)).once('close', () => clearTimeout(last))
    })
  }

  /** Returns whether an error is Node's that a body takes long which may. */
  isAwaited({ code }: NodeJS.ErrnoException, socket: Socket): boolean {
    return code === TIMED_OUT && this.#coming.has(socket)
  }
}
