import { lookup } from 'node:dns/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createPlainServer, type Server as PlainServer } from 'node:net'
import { endingOf } from '#http/closing.ts'
import { DEFAULT_TIMEOUTS, type Timeouts } from '#http/guarding/limits.ts'

/** An app that is ready, and does not listen by itself. */
export interface Served {
  /** Takes requests as events. */
  readonly server: Server
  close(): PromiseLike<unknown>
}

/**
 * The socket of a server. It stays as it is while the app behind it is another: a request that has begun is answered by the app it
 * began with, the next one on the same connection by the new one.
 */
export class Front {
  readonly #server: Server
  readonly #longest: number
  readonly #begunEnding: () => void
  /** The answers under way of each app. */
  readonly #open = new Map<Served, Set<ServerResponse>>()
  /** Servers at the other addresses of `localhost`. */
  readonly #beside: PlainServer[] = []
  #app: Served

  private constructor(app: Served, timeouts: Timeouts) {
    this.#app = app
    this.#longest = timeouts.request
    const { check, headers, request, keepAlive, idle } = timeouts
    this.#server = createServer({ connectionsCheckingInterval: check, headersTimeout: headers, requireHostHeader: false })
    Object.assign(this.#server, { requestTimeout: request, keepAliveTimeout: keepAlive, maxHeadersCount: 0 })
    this.#server.setTimeout(idle)
    this.#begunEnding = endingOf(this.#server, timeouts.request)
    this.#server.on('request', (request, response) => this.#take(request, response))
    for (const event of ['checkExpectation', 'connect', 'clientError'] as const)
      this.#server.on(event, (...of: unknown[]) => this.#app.server.emit(event, ...of))
  }

  /** Listens, and hands what comes to an app. Rejects where the address is taken. */
  static async listen(
    app: Served,
    address: { host: string; port: number },
    timeouts: Timeouts = DEFAULT_TIMEOUTS,
  ): Promise<Front> {
    const front = new Front(app, timeouts)
    await listening(front.#server, address)
    if (address.host === 'localhost') await front.#listenBeside()
    return front
  }

  get address(): AddressInfo {
    return this.#server.address() as AddressInfo
  }

  /** Hands what comes from now on to another app. */
  serve(app: Served): void {
    this.#app = app
  }

  /** Ends an app that is served no more; resolves when all its requests are answered, or cut off after a while. */
  async retire(app: Served): Promise<void> {
    await app.close()
    const open = this.#open.get(app) ?? new Set()
    const cut = setTimeout(() => {
      for (const response of open) response.destroy()
    }, this.#longest)
    while (open.size > 0) await Promise.race([...open].map(closed))
    clearTimeout(cut)
    this.#open.delete(app)
  }

  /** Takes no more connections; resolves when all requests are answered. */
  async close(): Promise<void> {
    this.#begunEnding()
    for (const server of this.#beside) server.close()
    const over = new Promise((resolve) => this.#server.close(resolve))
    await this.retire(this.#app)
    await over
  }

  /** `localhost` stands for several addresses; one that is not there is left out. */
  async #listenBeside(): Promise<void> {
    const { address, port } = this.address
    for (const other of await lookup('localhost', { all: true }).catch(() => [])) {
      if (other.address === address) continue
      const server = createPlainServer({ allowHalfOpen: true }, (socket) => this.#server.emit('connection', socket))
      const isThere = await listening(server, { host: other.address, port }).then(
        () => true,
        () => false,
      )
      if (isThere) this.#beside.push(server)
    }
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const app = this.#app
    const open = this.#open.get(app) ?? new Set()
    this.#open.set(app, open.add(response))
    response.once('close', () => open.delete(response))
    app.server.emit('request', request, response)
  }
}

function listening(server: Pick<PlainServer, 'once' | 'off' | 'listen'>, address: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(address, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function closed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.closed) resolve()
    else response.once('close', () => resolve())
  })
}
