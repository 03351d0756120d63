import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/**
 * The fate of the next COMMIT, whose sender does not get the answer. Either it does not reach the database (`held`: its
 * connection is lost for other reasons), or the connection is lost while it is under way, or after it was answered.
 */
export type Loss = 'unsent' | 'held' | 'sent' | 'answered'

type Teardown = { teardown(work: () => Promise<void>): unknown }

/** Stands between a node and its database, and loses the answer to a COMMIT when it is told to. */
export class Wire {
  /** The database's address, by way of this. */
  readonly url: string
  /** COMMITs that were lost. */
  lost = 0
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #loss: Loss | undefined
  #isShut = false
  #onRefused: () => void = () => undefined
  #isHung = false
  #onCut: () => void = () => undefined
  #onHeld: () => void = () => undefined

  static async open(t: Teardown, url: string): Promise<Wire> {
    const { hostname, port } = new URL(url)
    const sockets: ((socket: Socket) => void)[] = []
    const server = createServer((socket) => {
      for (const take of sockets) take(socket)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const through = new URL(url)
    through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const wire = new Wire(server, through.href)
    sockets.push((socket) => wire.#carry(socket, Number(port), hostname))
    t.teardown(() => wire.close())
    return wire
  }

  private constructor(server: Server, url: string) {
    this.#server = server
    this.url = url
  }

  /** Has the next COMMIT lost; with `isShut`, no connection is let through from then on. */
  lose(loss: Loss, isShut = false): void {
    this.#loss = loss
    this.#isAfter = isShut
  }
  #isAfter = false

  /** Resolves when a connection was refused. */
  refused(): Promise<void> {
    return new Promise((resolve) => {
      this.#onRefused = resolve
    })
  }

  /**
   * Passes nothing on any more, as a network that is gone; resolves when a node has cut a connection that it asked something on
   * since.
   */
  hang(): Promise<void> {
    this.#isHung = true
    return new Promise((resolve) => {
      this.#onCut = resolve
    })
  }

  /** Resolves when a COMMIT is held. */
  held(): Promise<void> {
    return new Promise((resolve) => {
      this.#onHeld = resolve
    })
  }

  /** Lets connections through again. */
  open(): void {
    this.#isShut = false
    this.#isHung = false
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise<void>((resolve) => void this.#server.close(() => resolve()))
  }

  #carry(node: Socket, port: number, host: string): void {
    if (this.#isShut) {
      node.destroy()
      this.#onRefused()
      return
    }
    const database = connect(port, host)
    this.#keep(node, database)
    this.#keep(database, node)
    let isLost = false
    node.on('data', (bytes) => {
      if (this.#isHung) node.once('close', () => this.#onCut())
      if (this.#isHung) return
      if (this.#loss === undefined || !isCommit(bytes)) return void database.write(bytes)
      const loss = this.#take()
      isLost = true
      if (loss === 'held') return this.#onHeld()
      if (loss !== 'unsent') database.write(bytes)
      if (loss === 'answered') database.once('data', () => node.destroy())
      // In good order, so that what was sent arrives.
      else if (loss === 'sent') database.end()
      if (loss !== 'answered') node.destroy()
    })
    database.on('data', (bytes) => void (isLost || node.write(bytes)))
  }

  #take(): Loss | undefined {
    const loss = this.#loss
    this.#loss = undefined
    this.#isShut = this.#isAfter
    this.lost += 1
    return loss
  }

  #keep(socket: Socket, other: Socket): void {
    this.#sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.#sockets.delete(socket)
      other.end()
    })
  }
}

function isCommit(bytes: Buffer): boolean {
  return /\bcommit\0/i.test(bytes.toString('latin1'))
}
