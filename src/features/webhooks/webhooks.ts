import { randomBytes } from 'node:crypto'
import type { Access } from '#core/access/access.ts'
import { type ListMeta, metaOf, type Paging } from '#http/requests/paging.ts'
import type { Clock } from '#lib/clock.ts'
import { Conflict, Forbidden, InvalidInput, NotFound } from '#lib/errors.ts'
import { actorOf } from '../events/event.ts'
import type { EventLog } from '../events/event-log.ts'
import { checkPatterns } from '../events/patterns.ts'
import { urlFault } from './configured.ts'
import { type Delivery, type DeliveryStore, deliveryId, type TestEvent } from './delivery-store.ts'
import type { DeliveryView, NewWebhook, WebhookChangeInput, WebhookView } from './schema.ts'
import { makeSecret, secretChange } from './secrets.ts'
import { afterAttempt } from './sending/attempts.ts'
import type { Sender } from './sending/sender.ts'
import { accessFor, type FindMaker } from './sending/told.ts'
import { deliveryView, webhookView } from './views.ts'
import type { Webhook, WebhookChange } from './webhook.ts'
import type { WebhookStore } from './webhook-store.ts'

/** Most webhooks of a site, beside those of the configuration. */
const MOST = 100

/** The parts that webhooks are made of. */
export interface WebhooksDeps {
  readonly clock: Clock
  readonly webhooks: WebhookStore
  readonly deliveries: DeliveryStore
  readonly sender: Sender
  readonly log: EventLog
  readonly makerOf: FindMaker
  /** Called when something is to be sent. */
  readonly wake: () => void
}

/** A webhook, and its new secret. */
export interface MadeWebhook {
  readonly view: WebhookView
  readonly secret: string
}

/**
 * The webhooks of a site, for callers with webhooks:write; throws Forbidden for others. A webhook is told what its maker may read:
 * who gives it another address, or other events, is its maker from then on, so that nobody reads with the rights of others.
 */
export class Webhooks {
  readonly #deps: WebhooksDeps

  constructor(deps: WebhooksDeps) {
    this.#deps = deps
  }

  /** A part of the list: those of the configuration first, then by the time they were made. */
  async list(access: Access, paging: Paging): Promise<{ data: WebhookView[]; meta: ListMeta }> {
    mustManage(access)
    const all = await this.#deps.webhooks.all()
    const from = (paging.page - 1) * paging.perPage
    const data = await Promise.all(all.slice(from, from + paging.perPage).map((one) => this.#view(one)))
    return { data, meta: metaOf(all.length, paging) }
  }

  /** One of them; throws NotFound. */
  async get(access: Access, id: string): Promise<WebhookView> {
    return this.#view(await this.#find(access, id))
  }

  /** Makes one, which is told of what happens from now on. */
  async create(access: Access, { url, events, description = '' }: NewWebhook): Promise<MadeWebhook> {
    mustManage(access)
    this.#check({ url, events })
    const { webhooks, clock, log } = this.#deps
    const made = (await webhooks.all()).filter(({ configured }) => !configured)
    if (made.length >= MOST) throw new Conflict(`There are ${MOST} webhooks; remove one that is not used any more.`)
    const [id, secret, now] = [`wh_${randomBytes(8).toString('hex')}`, makeSecret(), await log.newest()]
    const webhook = {
      ...{ url, events: [...events], description, maker: access.id, createdAt: clock.now(), isEnabled: true },
      after: now,
    }
    await webhooks.add(id, webhook, access.author, [secretChange(id, secret, undefined)])
    return { view: await this.get(access, id), secret }
  }

  /** Changes what is sent. */
  async update(access: Access, id: string, sent: WebhookChangeInput): Promise<WebhookView> {
    this.#check(sent)
    const webhook = await this.#own(access, id)
    const change = ({ url, events, description }: Webhook): WebhookChange | undefined => {
      const isElsewhere = (sent.url ?? url) !== url || String(sent.events ?? events) !== String(events)
      if (!isElsewhere && (sent.description ?? description) === description) return undefined
      return { ...sent, ...(isElsewhere && { maker: access.id }) }
    }
    return this.#view(await this.#deps.webhooks.change(webhook.id, change, { by: access.author }))
  }

  /** Removes one, with what is on its way to it. */
  async remove(access: Access, id: string): Promise<void> {
    await this.#own(access, id)
    await this.#deps.webhooks.remove(id, access.author)
    await this.#deps.deliveries.giveUp(id)
  }

  /** Gives it a new secret; for a day, it signs with the one before, too. */
  async rotate(access: Access, id: string): Promise<MadeWebhook> {
    const { webhooks, clock } = this.#deps
    const webhook = await this.#own(access, id)
    const secret = makeSecret()
    const before = { secrets: await webhooks.secretsOf(webhook), now: clock.now() }
    await webhooks.change(id, () => ({}), { by: access.author, along: [secretChange(id, secret, before)] })
    return { view: await this.#view(webhook), secret }
  }

  /** Has one that was disabled told again, of what happens from now on. The caller takes over one whose maker is gone. */
  async enable(access: Access, id: string): Promise<WebhookView> {
    const { webhooks, makerOf, log } = this.#deps
    const webhook = await this.#find(access, id)
    const isOrphan = (await accessFor(webhook, makerOf)) === undefined
    if (webhook.isEnabled && !isOrphan) return this.#view(webhook)
    const now = await log.newest()
    const change = {
      ...{ isEnabled: true, disabledAt: undefined, disabledReason: undefined, failingSince: undefined, after: now },
      ...(isOrphan && { maker: access.id }),
    }
    return this.#view(await webhooks.change(id, () => change, { by: access.author }))
  }

  /** Sends a test at once, one that is disabled too, and resolves with what came of it. */
  async test(access: Access, id: string): Promise<DeliveryView> {
    const { webhooks, deliveries, sender, clock } = this.#deps
    const webhook = await this.#find(access, id)
    const now = clock.now()
    const event: TestEvent = {
      id: `evt_${randomBytes(18).toString('base64url')}`,
      ...{ type: 'webhook.test', created_at: new Date(now).toISOString() },
      data: { type: 'webhook', id, version: null, url: null, changed: null },
      ...{ actor: actorOf(access.author), source: 'api' },
    }
    const delivery: Delivery = {
      ...{ id: deliveryId(event.id, id), webhook: id, sent: { event }, state: 'pending', attempts: 0 },
      ...{ answer: undefined, nextAt: undefined, createdAt: now },
    }
    const receiver = {
      ...{ url: webhook.url, mayBePrivate: webhook.configured?.mayBePrivate === true },
      secrets: await webhooks.secretsOf(webhook),
    }
    const answer = await sender.send(delivery.sent, receiver, new AbortController().signal)
    const { state, ...tried } = afterAttempt({ delivery, answer }, now)
    const done: Delivery = { ...tried, state: state === 'pending' ? 'failed' : state, nextAt: undefined }
    await deliveries.write([done])
    return deliveryView(done)
  }

  /** A part of what was sent to one, newest first. */
  async deliveries(access: Access, id: string, paging: Paging): Promise<{ data: DeliveryView[]; meta: ListMeta }> {
    await this.#find(access, id)
    const part = { offset: (paging.page - 1) * paging.perPage, limit: paging.perPage }
    const { items, total } = await this.#deps.deliveries.page(id, part)
    return { data: items.map(deliveryView), meta: metaOf(total, paging) }
  }

  /** Has an event sent again, under the same `webhook-id`. Throws Conflict where its webhook is disabled. */
  async replay(access: Access, id: string): Promise<DeliveryView> {
    mustManage(access)
    const { webhooks, deliveries, clock } = this.#deps
    const delivery = await deliveries.find(id)
    const webhook = delivery && (await webhooks.find(delivery.webhook))
    if (!delivery || !webhook) throw new NotFound('The delivery was not found.')
    if (!webhook.isEnabled) throw new Conflict('The webhook is disabled. Enable it first.')
    const again: Delivery = { ...delivery, state: 'pending', attempts: 0, nextAt: clock.now() }
    await deliveries.write([again])
    this.#deps.wake()
    return deliveryView(again)
  }

  #view(webhook: Webhook): Promise<WebhookView> {
    return webhookView(webhook, this.#deps.makerOf)
  }

  #check({ url, events }: WebhookChangeInput): void {
    const fault = url === undefined ? undefined : (urlFault(url) ?? this.#deps.sender.faultOf(url))
    if (fault !== undefined) throw new InvalidInput({ url: [`The url ${fault}`] })
    if (events) checkPatterns(events, 'events')
  }

  async #find(access: Access, id: string): Promise<Webhook> {
    mustManage(access)
    const webhook = await this.#deps.webhooks.find(id)
    if (!webhook) throw new NotFound('The webhook was not found.')
    return webhook
  }

  /** One that may be changed here. */
  async #own(access: Access, id: string): Promise<Webhook> {
    const webhook = await this.#find(access, id)
    if (!webhook.configured) return webhook
    throw new Conflict('This webhook comes from the configuration; change it in webhooks there.')
  }
}

function mustManage(access: Access): void {
  if (!access.may('webhooks:write')) throw new Forbidden('This needs the right webhooks:write.')
}
