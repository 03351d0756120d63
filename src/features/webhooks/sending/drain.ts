import type { Access } from '#core/access/access.ts'
import { keyOf, keyText } from '#core/key.ts'
import { alone } from '#core/lease.ts'
import type { Ledger } from '#core/ledger.ts'
import { CatchUp } from '#lib/concurrency/catch-up.ts'
import { NotFound } from '#lib/errors.ts'
import { type EventLog, numberOfEvent } from '../../events/event-log.ts'
import { typesLike } from '../../events/patterns.ts'
import type { ShownDeps } from '../../events/shown.ts'
import { type Delivery, type DeliveryStore, deliveryId, type Sent } from '../delivery-store.ts'
import type { Webhook, WebhookChange } from '../webhook.ts'
import type { WebhookStore } from '../webhook-store.ts'
import { afterAttempt, disabled, fate, hasFailed, type Tried } from './attempts.ts'

import type { Receiver, Sender } from './sender.ts'
import { accessFor, type FindMaker, sentTo } from './told.ts'

/** Most first attempts, and most later ones, that are looked at for one write. */
const MOST = 16
/** Most requests to one receiver at once. */
const AT_ONCE = 4
/** Milliseconds after which no more are begun before what came of the others is kept. */
const TURN_MS = 5_000
/** Milliseconds of events that are looked at again after a restart, where none was for this webhook. */
const UNKEPT_MS = 60_000

/** The dependencies of deliveries. */
export interface DrainDeps extends ShownDeps {
  readonly ledger: Ledger
  readonly webhooks: WebhookStore
  readonly deliveries: DeliveryStore
  readonly log: EventLog
  readonly sender: Sender
  readonly makerOf: FindMaker
  /** True if several nodes may send. */
  readonly isShared: boolean
  /** Hears of a webhook that was disabled for its failures. */
  readonly failed: (webhook: Webhook) => Promise<void>
}

/** Events that are to be sent, and the number up to which all are looked at once these are. */
interface Fresh {
  readonly found: readonly { readonly n: number; readonly delivery: Delivery }[]
  readonly upTo: number
  readonly hasWithheld: boolean
  /** True where there may be more. */
  readonly isCut: boolean
}

/** The part of what was done that is not kept yet: it is not done again where that fails. */
interface Unkept {
  readonly tried: readonly Tried[]
  readonly after: number
}

/** The way of events to one webhook: in their order, from where it stands, beside those of all others. */
export class Drain {
  readonly #id: string
  readonly #deps: DrainDeps
  readonly #runs: CatchUp
  readonly #ending = new AbortController()
  /** The number of the last event that was looked at. */
  #after = -1
  /** True where another node may have left something that is due. */
  #isWhole = true
  #nextDue: number | undefined
  #unkept: Unkept | undefined
  #isClosed = false

  constructor(id: string, deps: DrainDeps) {
    this.#id = id
    this.#deps = deps
    this.#runs = new CatchUp(() => this.#run())
  }

  /** Sends soon what there is; `isWhole` where another node may have left something. */
  soon(isWhole = false): void {
    this.#isWhole ||= isWhole
    this.#runs.soon()
  }

  /** Sends what is there, and due by now. Rejects with Unavailable if another node is at it. */
  run(): Promise<void> {
    this.#isWhole = true
    return this.#runs.run()
  }

  /** Begins nothing more; resolves when what is under way has ended, or was given up after some milliseconds. */
  async close(ms: number): Promise<void> {
    this.#isClosed = true
    const timer = setTimeout(() => this.#ending.abort(), ms)
    await this.#runs.close()
    clearTimeout(timer)
  }

  async #run(): Promise<void> {
    const { log, ledger, clock, isShared, deliveries } = this.#deps
    if (this.#isWhole) this.#nextDue = await deliveries.nextDue(this.#id)
    this.#isWhole = false
    const isDue = this.#nextDue !== undefined && clock.now() >= this.#nextDue
    if (!isDue && !this.#unkept && (await log.newest()) <= this.#after) return
    if (isShared) await alone(ledger, `webhooks/${this.#id}/lease`, (renew) => this.#turns(renew))
    else await this.#turns(async () => undefined)
  }

  async #turns(renew: () => Promise<void>): Promise<void> {
    const { webhooks, deliveries } = this.#deps
    for (let hasMore = true; hasMore && !this.#isClosed; ) {
      await renew()
      if (this.#unkept) await this.#keep(this.#unkept)
      const webhook = await webhooks.find(this.#id)
      hasMore = webhook?.isEnabled === true && (await this.#turn(webhook))
    }
    this.#nextDue = await deliveries.nextDue(this.#id)
  }

  /** Sends some; false where there was nothing to do. */
  async #turn(webhook: Webhook): Promise<boolean> {
    const { webhooks, makerOf, deliveries } = this.#deps
    if (webhook.version === undefined) return this.#beginAt(webhook)
    const access = await accessFor(webhook, makerOf)
    if (!access) return this.#disable('The account that made it is gone, or disabled.')
    const due = await deliveries.due(this.#id, MOST)
    const until = performance.now() + TURN_MS
    const { found, upTo, hasWithheld, isCut } = await this.#fresh(webhook, access, until)
    const receiver = {
      ...{ url: webhook.url, mayBePrivate: webhook.configured?.mayBePrivate === true },
      secrets: await webhooks.secretsOf(webhook),
    }
    const tried: Tried[] = []
    const send = async (delivery: Delivery) => {
      if (this.#isClosed || performance.now() > until + TURN_MS) return
      const one = await this.#attempt(access, delivery, receiver)
      if (one) tried.push(one)
    }
    await inLines([...linesOf(found.map(({ delivery }) => delivery)), ...due.map((one) => [one])], send)
    const isDone = new Set(tried.map(({ delivery }) => delivery.id))
    const undone = found.find(({ delivery }) => !isDone.has(delivery.id))
    const after = Math.max(webhook.after, undone ? undone.n - 1 : upTo)
    this.#after = Math.max(this.#after, after)
    const isMoved = after > webhook.after && (hasWithheld || after - webhook.after > UNKEPT_MS)
    if (tried.length > 0 || isMoved) {
      this.#unkept = { tried, after }
      await this.#keep(this.#unkept)
    }
    return tried.length > 0 || isCut
  }

  /** One of the configuration is told of what comes from now on. */
  async #beginAt({ id }: Webhook): Promise<boolean> {
    const now = await this.#deps.log.newest()
    await this.#deps.webhooks.change(id, ({ version }) => (version === undefined ? { after: now } : undefined))
    return true
  }

  /** Undefined where the server ends before there is an answer. */
  async #attempt(access: Access, delivery: Delivery, receiver: Receiver): Promise<Tried | undefined> {
    const sent = await sentTo(access, delivery.sent, this.#deps)
    if (!sent) return { delivery, answer: undefined }
    try {
      return { delivery: { ...delivery, sent }, answer: await this.#deps.sender.send(sent, receiver, this.#ending.signal) }
    } catch (error) {
      if (this.#ending.signal.aborted) return undefined
      throw error
    }
  }

  /** Keeps what came of attempts, and where the webhook stands, in one step. */
  async #keep({ tried, after }: Unkept): Promise<void> {
    const { webhooks, deliveries, clock, failed } = this.#deps
    const now = clock.now()
    const along = tried.map((one) => deliveries.changeOf(afterAttempt(one, now)))
    const change = (webhook: Webhook): WebhookChange => ({
      after: Math.max(webhook.after, after),
      ...(webhook.isEnabled && fate(webhook, tried, now)),
    })
    const webhook = await webhooks.change(this.#id, change, { along }).catch(nothingIfGone)
    this.#unkept = undefined
    if (!webhook || webhook.isEnabled) return
    await deliveries.giveUp(this.#id)
    if (hasFailed(webhook)) await failed(webhook)
  }

  async #disable(reason: string): Promise<boolean> {
    const { webhooks, deliveries, clock } = this.#deps
    const now = clock.now()
    await webhooks.change(this.#id, ({ isEnabled }) => (isEnabled ? disabled(reason, now) : undefined)).catch(nothingIfGone)
    await deliveries.giveUp(this.#id)
    return false
  }

  /** The next events that the webhook is to be told of, of those that are not on their way yet. */
  async #fresh(webhook: Webhook, access: Access, until: number): Promise<Fresh> {
    const { log, deliveries } = this.#deps
    const wants = typesLike(webhook.events)
    const found: { n: number; delivery: Delivery }[] = []
    let upTo = Math.max(webhook.after, this.#after)
    let hasWithheld = false
    for (;;) {
      const parts = await log.after(upTo)
      for (const { event, ...of } of parts.flatMap(({ events }) => events)) {
        if (found.length === MOST || performance.now() > until) return { found, upTo, hasWithheld, isCut: true }
        const told = await sentTo(access, { event, of }, this.#deps)
        upTo = numberOfEvent(event.id)
        hasWithheld ||= !told
        if (!told || !wants(told.event.type)) continue
        const id = deliveryId(event.id, webhook.id)
        if (!(await deliveries.has(id))) found.push({ n: upTo, delivery: this.#new(id, told) })
      }
      const last = parts.at(-1)
      if (!last) return { found, upTo, hasWithheld, isCut: false }
      upTo = Math.max(upTo, last.n)
    }
  }

  #new(id: string, sent: Sent): Delivery {
    const createdAt = this.#deps.clock.now()
    return { id, webhook: this.#id, sent, state: 'pending', attempts: 0, answer: undefined, nextAt: undefined, createdAt }
  }
}

/** Deliveries in lines: those of one thing are in one, in their order, also where it was moved. */
function linesOf(deliveries: readonly Delivery[]): Delivery[][] {
  const lines = new Map<string, Delivery[]>()
  for (const delivery of deliveries) {
    const { event, of } = delivery.sent
    const name = keyText(keyOf(of?.kind ?? '', event.data.id))
    const line = lines.get(name) ?? (of?.from && lines.get(keyText(of.from))) ?? []
    line.push(delivery)
    lines.set(name, line)
  }
  return [...new Set(lines.values())]
}

/** Does some work for all, line by line in order, a few lines at once. */
async function inLines<T>(lines: readonly T[][], work: (one: T) => Promise<void>): Promise<void> {
  const waiting = lines.values()
  const take = async () => {
    for (const line of waiting) for (const one of line) await work(one)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, take))
}

function nothingIfGone(error: unknown): undefined {
  if (!(error instanceof NotFound)) throw error
}
