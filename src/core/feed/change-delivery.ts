import type { Clock } from '#lib/clock.ts'
import { CatchUp } from '#lib/concurrency/catch-up.ts'
import { Unavailable } from '#lib/errors.ts'
import type { Ledger } from '../ledger.ts'
import type { Changed, Cursor, Store } from '../store.ts'

/** Number of changes that are delivered for one cursor that is kept. */
const PART = 100
/**
 * Milliseconds that a node has the deliveries of a name for itself, and that others wait for one that was killed; after half of them it
 * lets others have a turn.
 */
const LEASE_MS = 20_000
/** Milliseconds that a cursor is kept: ten years. */
const KEPT_MS = 3650 * 86_400_000
/** Milliseconds between a change and its delivery: changes come in crowds. For who takes parts, it is worth to wait for more. */
const PAUSE_MS = 20
const PART_PAUSE_MS = 250

/** The source and the receiver of deliveries. */
export interface DeliveryDeps {
  /** The name of the receiver, under which its cursor is kept. */
  readonly name: string
  readonly store: Pick<Store, 'changes' | 'subscribe'>
  readonly ledger: Ledger
  readonly clock: Clock
  /** True if several nodes may deliver to this name. */
  readonly isShared: boolean
  /** Takes a change. If it rejects, the change is delivered again. */
  readonly follow?: (change: Changed) => Promise<void>
  /**
   * Takes a part of the feed, up to a hundred changes between two cursors. If it rejects, what comes after the first is delivered
   * again, with what came since.
   */
  readonly followParts?: (changes: readonly Changed[], after: Cursor, next: Cursor) => Promise<void>
  /** Called where changes were lost: the store does not know any more what came after the cursor. */
  readonly lost?: () => Promise<void>
}

/**
 * Delivers the changes of a store to a receiver that makes side effects of them, from a cursor that is kept in the ledger.
 *
 * - Each change is delivered at least once, in the order of the feed. What changed while nobody delivered comes first after that;
 *   the first delivery of a name ever begins with what changes from then on.
 * - A change that is rejected is tried again every second, and those after it wait: what may fail for long belongs in a job.
 * - One node delivers at a time. After a crash, or of a change that took longer than ten seconds, another node may deliver
 *   again what was delivered since the cursor was kept: up to a hundred changes.
 * - The feed is the store's: the receiver looks at the rights of whom it tells.
 */
export class ChangeDelivery {
  readonly #deps: DeliveryDeps
  readonly #runs: CatchUp
  /** Number of changes after a cursor that were taken, where a later one was not. */
  #taken: { readonly cursor: Cursor; readonly count: number } | undefined
  #until = Number.POSITIVE_INFINITY
  #unsubscribe: (() => void) | undefined

  constructor(deps: DeliveryDeps) {
    this.#deps = deps
    this.#runs = new CatchUp(() => this.#deliver(), deps.followParts ? PART_PAUSE_MS : PAUSE_MS)
  }

  /** Delivers from now on: changes made after it resolves are delivered, unless the store is away. */
  async begin(): Promise<void> {
    const { store, ledger } = this.#deps
    this.#unsubscribe = store.subscribe(() => this.#runs.soon())
    const isNew = (await this.#cursor(ledger).catch(() => '')) === undefined
    if (isNew) await this.#runs.run().catch(() => undefined)
    this.#runs.soon()
  }

  /** Delivers whatever was written before the call. Rejects with the error of the receiver; Unavailable if another node is at it. */
  run(): Promise<void> {
    return this.#runs.run()
  }

  /** Resolves when the change under way has been taken. */
  async close(): Promise<void> {
    this.#unsubscribe?.()
    this.#until = 0
    await this.#runs.close()
  }

  async #deliver(): Promise<void> {
    const { store, ledger } = this.#deps
    const cursor = await this.#cursor(ledger)
    const { changes, next, reset } = await store.changes(cursor, PART)
    // Most hints are of changes that are told to nobody.
    if (!reset && changes.length === 0 && (next === cursor || (await store.changes(next, PART)).next === next)) return
    await this.#alone(() => this.#goOn())
  }

  /** Delivers to the end of the feed, or of the turn. The cursor is read again: another node may just have been at it. */
  async #goOn(): Promise<void> {
    const { store, ledger, lost, name } = this.#deps
    for (let cursor = await this.#cursor(ledger); ; ) {
      const { changes, next, reset } = await store.changes(cursor, PART)
      if (next === cursor) return
      if (reset && cursor !== undefined) await lost?.()
      if (!(await this.#tell(cursor ?? '', changes, next))) return this.#runs.soon()
      await ledger.put(cursorName(name), next, KEPT_MS)
      cursor = next
    }
  }

  /** False where the turn is over before all are taken. */
  async #tell(cursor: Cursor, changes: readonly Changed[], next: Cursor): Promise<boolean> {
    if (changes.length > 0) await this.#deps.followParts?.(changes, cursor, next)
    let count = this.#taken?.cursor === cursor ? this.#taken.count : 0
    for (const change of changes.slice(count)) {
      if (this.#deps.clock.now() >= this.#until) return false
      await this.#deps.follow?.(change)
      this.#taken = { cursor, count: ++count }
    }
    return true
  }

  #cursor(ledger: Ledger): Promise<Cursor | undefined> {
    return deliveredUpTo(ledger, this.#deps.name)
  }

  async #alone(work: () => Promise<void>): Promise<void> {
    const { ledger, clock, isShared, name } = this.#deps
    if (!isShared) return work()
    const end = clock.now() + LEASE_MS
    const lease = `follow/${name}/lease`
    const isOurs = (await ledger.peek(lease)) === undefined && (await ledger.add(lease, 1, LEASE_MS)) === 1
    if (!isOurs) throw new Unavailable('Another node delivers these changes.', 1)
    if (this.#until > 0) this.#until = end - LEASE_MS / 2
    try {
      await work()
    } finally {
      // Once it is over it may be another's.
      if (clock.now() < end) await ledger.take(lease)
    }
  }
}

/** Returns the cursor up to which changes were delivered to a name; undefined where none ever were. */
export async function deliveredUpTo(ledger: Ledger, name: string): Promise<Cursor | undefined> {
  const kept = await ledger.peek(cursorName(name))
  return typeof kept === 'string' ? kept : undefined
}

function cursorName(name: string): string {
  return `follow/${name}/cursor`
}
