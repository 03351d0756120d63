import type { AuditLog, RequestOrigin } from '#core/audit-log.ts'

/** Milliseconds in which this process itself may make the entries of a request; then the log is told where it came from. */
const WAIT_MS = 2_000
/** Most requests that wait: of others the address is not known. */
const MOST = 20_000

interface Waiting extends RequestOrigin {
  readonly since: number
}

/** The origins of requests that changed content, until the entries of these are made: here, or on another node. */
export class Origins {
  readonly #log: AuditLog
  #waiting = new Map<string, Waiting>()
  #timer: NodeJS.Timeout | undefined
  #noting: Promise<void> | undefined

  constructor(log: AuditLog) {
    this.#log = log
  }

  add(origin: RequestOrigin): void {
    if (this.#waiting.size >= MOST) return
    this.#waiting.set(origin.request, { ...origin, since: performance.now() })
    this.#timer ??= setTimeout(() => this.#look(), WAIT_MS).unref()
  }

  /** Gives where a request came from, to who makes its entries now. */
  of(request: string): RequestOrigin | undefined {
    return this.#waiting.get(request)
  }

  /** Says that the entries of these requests are kept, with where they came from. */
  kept(requests: Iterable<string>): void {
    for (const request of requests) this.#waiting.delete(request)
  }

  /** Tells the log of all that wait. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#noting
    await this.#note([...this.#waiting.values()])
  }

  #look(): void {
    this.#timer = undefined
    const due = [...this.#waiting.values()].filter(({ since }) => performance.now() - since >= WAIT_MS)
    this.#noting = this.#note(due)
      // A log that is away is told again.
      .catch(() => undefined)
      .finally(() => {
        this.#noting = undefined
        if (this.#waiting.size > 0) this.#timer ??= setTimeout(() => this.#look(), WAIT_MS).unref()
      })
  }

  async #note(some: readonly Waiting[]): Promise<void> {
    await this.#log.note(some.map(({ since: _, ...origin }) => origin))
    this.kept(some.map(({ request }) => request))
  }
}
