import { createHash } from 'node:crypto'
import type { Document } from '#core/document.ts'
import { type Key, type Kind, keyOf, parseKey } from '#core/key.ts'
import type { Condition, Page, Sort } from '#core/queries/query.ts'
import type { Change, Part, Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import type { Json } from '#lib/json.ts'
import type { KeptEvent, SiteEvent } from '../events/event.ts'
import { SYSTEM } from './webhook-store.ts'

/** The private kind that deliveries are documents of. */
const DELIVERIES: Kind = '.deliveries'

/** Milliseconds that a delivery is kept. */
const KEPT_MS = 30 * 86_400_000
/** Most documents that are read, or written, at once. */
const MOST = 100

const NEWEST: readonly Sort[] = [{ field: 'at', descending: true, as: 'number' }]
const NEXT: readonly Sort[] = [{ field: 'next', descending: false, as: 'number' }]

/** The states of a delivery: to be tried again, taken, given up. */
export const STATES = ['pending', 'delivered', 'failed'] as const

/** The answer of a receiver; `status` null where there was none, and `body` says why. */
export interface Answer {
  readonly status: number | null
  /** The first KiB. */
  readonly body: string
}

/** A message of the test button, which tells that it is one. */
export type TestEvent = Omit<SiteEvent, 'type'> & { readonly type: 'webhook.test' }

/** A message: an event as it was seen when it was first sent, with what decides who may know of it; or a test. */
export interface Sent {
  readonly event: SiteEvent | TestEvent
  /** Absent of tests. */
  readonly of?: Omit<KeptEvent, 'event'>
}

/** An event on its way to one webhook. Times are milliseconds since 1970. */
export interface Delivery {
  readonly id: string
  readonly webhook: string
  readonly sent: Sent
  readonly state: (typeof STATES)[number]
  readonly attempts: number
  readonly answer: Answer | undefined
  /** The time of the next attempt; undefined where there is none. */
  readonly nextAt: number | undefined
  readonly createdAt: number
}

/** The id of the delivery of an event to a webhook: the same each time. */
export function deliveryId(event: string, webhook: string): string {
  return `dlv_${createHash('sha256')
    .update(JSON.stringify([event, webhook]))
    .digest('hex')
    .slice(0, 32)}`
}

/** The deliveries of the last 30 days. */
export class DeliveryStore {
  readonly #store: Store
  readonly #clock: Clock

  constructor({ store, clock }: { store: Store; clock: Clock }) {
    this.#store = store
    this.#clock = clock
  }

  /** Returns whether there is one of this id. */
  async has(id: string): Promise<boolean> {
    return (await this.#store.head(deliveryKey(id))) !== undefined
  }

  /** One of them; undefined where there is none. */
  async find(id: string): Promise<Delivery | undefined> {
    const key = parseKey(DELIVERIES, id)
    const document = key && (await this.#store.get(key, 'once'))
    return document && read(document)
  }

  /** A part of those of a webhook, newest first. */
  async page(webhook: string, { offset = 0, limit = MOST }: Part): Promise<Page<Delivery>> {
    const { items, total } = await this.#store.browse(DELIVERIES, { where: [ofWebhook(webhook)], sort: NEWEST, offset, limit })
    return { items: items.map(read), total }
  }

  /** Those of a webhook that are to be tried again by now, the first due first; at most so many. */
  async due(webhook: string, limit: number): Promise<Delivery[]> {
    const due: Condition = { field: 'next', op: 'lte', value: this.#clock.now(), as: 'number' }
    const { items } = await this.#store.browse(DELIVERIES, { where: [ofWebhook(webhook), PENDING, due], sort: NEXT, limit })
    return items.map(read)
  }

  /** The time at which the next one of a webhook is due; undefined where none is. */
  async nextDue(webhook: string): Promise<number | undefined> {
    const { items } = await this.#store.heads(DELIVERIES, { where: [ofWebhook(webhook), PENDING], sort: NEXT, limit: 1 })
    const next = items[0]?.fields.next
    return typeof next === 'number' ? next : undefined
  }

  /** The change that keeps a delivery as it is now. */
  changeOf({ id, webhook, sent, state, attempts, answer, nextAt, createdAt }: Delivery): Change {
    const set = { webhook, state, attempts, next: nextAt ?? null, at: createdAt }
    return { key: deliveryKey(id), put: { set, body: `${JSON.stringify({ sent, answer: answer ?? null })}\n` } }
  }

  async write(deliveries: readonly Delivery[]): Promise<void> {
    await this.#store.write(
      deliveries.map((one) => this.changeOf(one)),
      SYSTEM,
    )
  }

  /** Gives up all that are to be tried again. */
  async giveUp(webhook: string): Promise<void> {
    for (;;) {
      const { items } = await this.#store.heads(DELIVERIES, { where: [ofWebhook(webhook), PENDING], limit: MOST })
      if (items.length === 0) return
      const changes = items.map(({ key }): Change => ({ key, put: { set: { state: 'failed', next: null } } }))
      await this.#store.write(changes, SYSTEM)
    }
  }

  /** Removes what is too old. */
  async sweep(): Promise<void> {
    const where: Condition[] = [{ field: 'at', op: 'lt', value: this.#clock.now() - KEPT_MS, as: 'number' }]
    for (;;) {
      const { items } = await this.#store.heads(DELIVERIES, { where, limit: MOST })
      if (items.length === 0) return
      await this.#store.write(
        items.map(({ key }): Change => ({ key, remove: true })),
        SYSTEM,
      )
    }
  }
}

const PENDING: Condition = { field: 'state', op: 'eq', value: 'pending', as: 'text' }

function ofWebhook(id: string): Condition {
  return { field: 'webhook', op: 'eq', value: id, as: 'text' }
}

function deliveryKey(id: string): Key {
  return keyOf(DELIVERIES, id)
}

/** The store is Quire's own, and nobody else writes there. */
function read({ key, fields, body }: Document): Delivery {
  const { sent, answer } = JSON.parse(body) as { readonly sent: Sent; readonly answer: Answer | null }
  const number = (value: Json | undefined) => (typeof value === 'number' ? value : undefined)
  return {
    ...{ id: key.id, sent, answer: answer ?? undefined, webhook: String(fields.webhook) },
    state: STATES.find((one) => one === fields.state) ?? 'failed',
    attempts: number(fields.attempts) ?? 0,
    nextAt: number(fields.next),
    createdAt: number(fields.at) ?? 0,
  }
}
