import type pg from 'pg'
import type { Database } from '../database.ts'

/** Shortest pause in milliseconds before a lost connection is made again, and the longest one after many attempts. */
const LEAST_PAUSE = 100
const MOST_PAUSE = 1_000

/** Milliseconds between two polls for changes, whatever was heard: a connection can be dead without notice. */
const ASK_EVERY = 1_000

/**
 * Follows writes of other nodes: by LISTEN on a connection of its own, which is opened again if it is lost, and by a query once a
 * second.
 */
export class Listener {
  readonly #database: Database
  readonly #channel: string
  readonly #onNews: () => void
  #client: pg.Client | undefined
  #timer: NodeJS.Timeout | undefined
  #asking: NodeJS.Timeout | undefined
  #pause = LEAST_PAUSE
  #closed = false

  /** `onNews` is called when there may be something new; it must not throw. */
  constructor(database: Database, channel: string, onNews: () => void) {
    this.#database = database
    this.#channel = channel
    this.#onNews = onNews
  }

  /** True if writes of other nodes are noticed at once now. */
  get isListening(): boolean {
    return this.#client !== undefined
  }

  /** Begins to listen; resolves when it does, or has failed for the first time and goes on trying. */
  async start(): Promise<void> {
    this.#asking = setInterval(this.#onNews, ASK_EVERY).unref()
    await this.#connect()
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    clearInterval(this.#asking)
    const client = this.#client
    this.#client = undefined
    await client?.end().catch(() => undefined)
  }

  async #connect(): Promise<void> {
    const client = this.#database.client()
    // Both come when a connection is lost, and either may come first.
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    client.on('notification', () => this.#onNews())
    try {
      await client.connect()
      await client.query(`listen "${this.#channel}"`)
    } catch {
      client.end().catch(() => undefined)
      this.#again()
      return
    }
    if (this.#closed) return void client.end().catch(() => undefined)
    this.#client = client
    this.#pause = LEAST_PAUSE
    // What came before the first word can be heard was not heard.
    this.#onNews()
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return
    this.#client = undefined
    this.#again()
  }

  #again(): void {
    if (this.#closed) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#connect(), this.#pause).unref()
    this.#pause = Math.min(MOST_PAUSE, this.#pause * 2)
  }
}
