import type { Head } from '#core/document.ts'
import { parseKey } from '#core/key.ts'
import type { Store } from '#core/store.ts'
import { cacheKey } from '#lib/cache-key.ts'
import type { Clock } from '#lib/clock.ts'
import { BadRequest, Conflict, Stale, Unavailable } from '#lib/errors.ts'
import { NOBODY } from '../gateway.ts'
import { written } from '../stored.ts'
import { StripeRefusal } from './sdk.ts'

/** The private kind of what Stripe told, by the ids of its events. */
const KIND = '.stripe-events'

/** Milliseconds for which an event is remembered: Stripe sends one again for three days at most. */
const KEPT_MS = 30 * 86_400_000
/** Number of events that are looked up, and that are forgotten, at once. */
const AT_ONCE = 100

const SORTS = ['subscription', 'invoice', 'checkout.session'] as const

/** A thing at Stripe that has changed. */
export interface Noticed {
  readonly sort: (typeof SORTS)[number]
  readonly id: string
}

/** The dependencies of notices. */
export interface NoticesDeps {
  readonly store: Store
  readonly clock: Clock
  /** Brings a thing to what Stripe has now. May be asked for the same again. */
  readonly take: (noticed: Noticed) => Promise<void>
}

/**
 * The events of Stripe. One says no more than that something has changed: that, and nothing else of it, is kept until the thing was
 * read from Stripe. So neither their order matters, nor who takes them, nor when.
 */
export class Notices {
  readonly #deps: NoticesDeps
  #running: Promise<void> | undefined
  #isAsked = false

  constructor(deps: NoticesDeps) {
    this.#deps = deps
  }

  /** Keeps an event whose signature was looked at, once. Events on other things are left out. Throws BadRequest for what is none. */
  async keep(event: unknown): Promise<void> {
    const { store, clock } = this.#deps
    const { id, data } = objectOf(event)
    const { object, id: of } = objectOf(objectOf(data).object)
    const key = typeof id === 'string' && id.startsWith('evt_') ? parseKey(KIND, id) : undefined
    if (!key) throw new BadRequest('The body is no event of Stripe’s.')
    const sort = SORTS.find((one) => one === object)
    if (!sort || typeof of !== 'string') return
    const set = { sort, of, at: written(clock.now()), waits: 'yes' }
    await store.write([{ key, put: { set }, expects: 'absent' }], NOBODY.author).catch((error: unknown) => {
      if (!(error instanceof Conflict)) throw error
    })
  }

  /**
   * Takes what waits, one thing after the other, until a time in milliseconds since 1970. Rejects while Stripe is away, else with the
   * first error once all that can be done is done.
   */
  work(until = Number.POSITIVE_INFINITY): Promise<void> {
    this.#isAsked = true
    this.#running ??= this.#workAll(until).finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Forgets what was told long ago. */
  async forget(): Promise<void> {
    const { store, clock } = this.#deps
    const where = [{ field: 'at', op: 'lte', value: written(clock.now() - KEPT_MS), as: 'text' } as const]
    const { items } = await store.heads(KIND, { where, limit: AT_ONCE })
    if (items.length === 0) return
    const removals = items.map(({ key, version }) => ({ key, remove: true, expects: version }) as const)
    await store.write(removals, NOBODY.author).catch(isMet)
  }

  /** Resolves when what is being taken is done. */
  async end(): Promise<void> {
    await this.#running?.catch(() => undefined)
  }

  async #workAll(until: number): Promise<void> {
    const failures: unknown[] = []
    // What comes while the last of it is taken is told by who brings it.
    while (this.#isAsked) {
      this.#isAsked = false
      await this.#pass(until, failures)
    }
    if (failures.length > 0) throw failures[0]
  }

  async #pass(until: number, failures: unknown[]): Promise<void> {
    const { store, clock } = this.#deps
    const where = [{ field: 'waits', op: 'eq', value: 'yes', as: 'text' } as const]
    const sort = [{ field: 'at', descending: false, as: 'text' } as const]
    const failed = new Set<string>()
    for (let offset = 0; clock.now() < until; ) {
      const { items } = await store.heads(KIND, { where, sort, offset, limit: AT_ONCE })
      if (items.length === 0) return
      for (const [name, heads] of byThing(items)) {
        if (failed.has(name)) offset += heads.length
        else if (!(await this.#one(heads, failures))) failed.add(name)
      }
    }
  }

  /** Takes what several events are about; false where that failed for a reason of its own. Rejects while Stripe is away. */
  async #one(heads: readonly Head[], failures: unknown[]): Promise<boolean> {
    const fields = heads[0]?.fields
    const sort = SORTS.find((one) => one === fields?.sort)
    try {
      if (sort) await this.#deps.take({ sort, id: String(fields?.of) })
      const changes = heads.map(({ key, version }) => ({ key, put: { set: { waits: null } }, expects: version }))
      await this.#deps.store.write(changes, NOBODY.author).catch(isMet)
      return true
    } catch (error) {
      if (error instanceof Unavailable && !(error instanceof StripeRefusal)) throw error
      failures.push(error)
      return false
    }
  }
}

function byThing(heads: readonly Head[]): Map<string, Head[]> {
  const things = new Map<string, Head[]>()
  for (const head of heads) {
    const name = cacheKey(String(head.fields.sort), String(head.fields.of))
    things.set(name, [...(things.get(name) ?? []), head])
  }
  return things
}

/** Another node may have done the same meanwhile. */
function isMet(error: unknown): void {
  if (!(error instanceof Stale)) throw error
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
