import type { Ledger } from '#core/ledger.ts'
import type { Mailer } from '#core/mail.ts'
import type { Clock } from '#lib/clock.ts'
import { InvalidInput } from '#lib/errors.ts'
import type { Customers } from '../customers.ts'
import type { Gateway } from './gateway.ts'
import type { Kept } from './kept.ts'
import type { Pending } from './stored.ts'

/** Milliseconds between two looks at what is due. */
const EVERY_MS = 60_000
/** Milliseconds after the start until the first. */
const FIRST_MS = 5_000
/** Milliseconds that a node has the sweep for itself; after half of them it leaves the rest for the next time. */
const LEASE_MS = 300_000
/** Number of subscriptions that are looked up at once. */
const AT_ONCE = 100

const LEASE = 'billing/sweep'

/** The dependencies of the sweep. */
export interface SweepDeps {
  readonly kept: Kept
  readonly gateway: Gateway
  readonly customers: Customers
  /** Undefined where nobody gets letters. */
  readonly mailer: Mailer | undefined
  readonly ledger: Ledger
  readonly clock: Clock
  /** True if other nodes sweep, too. */
  readonly isShared: boolean
}

/**
 * Does what is due of subscriptions, on one node at a time: next periods, what is past due and what ends, and the letters on these.
 * A letter is handed to the mail at least once: one that was just handed over when the process ended goes out again.
 */
export class BillingSweep {
  readonly #deps: SweepDeps
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #isClosed = false

  constructor(deps: SweepDeps) {
    this.#deps = deps
  }

  /** Sweeps every minute from now on. What fails is tried again the next time. */
  begin(): void {
    const look = () => {
      this.#running ??= this.run()
        .catch(() => undefined)
        .finally(() => {
          this.#running = undefined
        })
    }
    this.#timer = setTimeout(() => {
      look()
      this.#timer = setInterval(look, EVERY_MS).unref()
    }, FIRST_MS).unref()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    clearInterval(this.#timer)
    await this.#running
  }

  /** Sweeps once; nothing where another node is at it. Rejects with the first error, once all that can be done is done. */
  async run(): Promise<void> {
    const { ledger, clock, isShared } = this.#deps
    const end = clock.now() + LEASE_MS
    if (!isShared) return this.#sweep(end)
    if ((await ledger.peek(LEASE)) !== undefined || (await ledger.add(LEASE, 1, LEASE_MS)) !== 1) return
    try {
      await this.#sweep(end - LEASE_MS / 2)
    } finally {
      // Once it is over it may be another's.
      if (clock.now() < end) await ledger.take(LEASE)
    }
  }

  async #sweep(until: number): Promise<void> {
    const { kept, gateway, clock } = this.#deps
    const failures: unknown[] = []
    await gateway.work?.(until).catch((error: unknown) => failures.push(error))
    const done = new Set<string>()
    // Those that stay due, because they failed, are passed by.
    for (let offset = 0; !this.#isClosed && clock.now() < until; ) {
      const ids = await kept.due(clock.now(), { offset, limit: AT_ONCE })
      if (ids.length === 0) break
      for (const id of ids) {
        if (done.has(id)) offset++
        else await this.#one(id).catch((error: unknown) => failures.push(error))
        done.add(id)
      }
    }
    if (failures.length > 0) throw failures[0]
  }

  async #one(id: string): Promise<void> {
    const { kept, gateway } = this.#deps
    // Those of another gateway stay as they are: it may be that they go on there.
    if ((await kept.subscription(id))?.gateway !== gateway.name) return
    await gateway.settle(id)
    const of = await kept.subscription(id)
    if (!of || of.letters.length === 0) return
    for (const letter of of.letters) await this.#send(of.subscription.customer, letter)
    await gateway.sent(id, of.letters)
  }

  async #send(customer: string, { letter, invoice }: Pending): Promise<void> {
    const { customers, mailer } = this.#deps
    if (!mailer) return
    for (const { email, name } of await customers.recipients(customer)) {
      await mailer.send({ template: letter, to: email, data: { invoice, name } }).catch((error: unknown) => {
        // An address that takes no mail keeps the others from none.
        if (!(error instanceof InvalidInput)) throw error
      })
    }
  }
}
