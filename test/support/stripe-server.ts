import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** The secret that events are signed with, and the key that requests must have. */
export const WEBHOOK_SECRET = 'whsec_test_of_the_webhook'
export const SECRET_KEY = 'sk_test_of_the_site'

/** A request as it came. */
export interface StripeRequest {
  readonly method: string
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  /** The name under which it may be sent again. */
  readonly key: string | undefined
}

// The shapes are Stripe's, and the tests say what they expect of them.
// biome-ignore lint/suspicious/noExplicitAny: a test's assertions are its types
type Thing = any

interface Refusal {
  readonly status: number
  readonly error: object
}

/** A server that speaks the part of Stripe's API that is used, over HTTP, with its state in memory. It ends with the test. */
export class StripeServer {
  readonly sessions = new Map<string, Thing>()
  readonly subscriptions = new Map<string, Thing>()
  readonly invoices = new Map<string, Thing>()
  /** The prices that there are, by their ids. */
  readonly prices = new Map<string, Thing>()
  /** All requests that were understood, in order. */
  readonly got: StripeRequest[] = []
  /** The way it fails: not at all; without an answer, before or after it did what it was asked for; with an error of its own. */
  failing: 'no' | 'before' | 'after' | 'error' = 'no'
  /** The origin of the pages on which people pay. */
  checkout = 'https://checkout.stripe.com'
  /** The key that requests must have. */
  key = SECRET_KEY
  /** Milliseconds since 1970. */
  now: () => number
  /** Called before a request is answered. */
  before: (request: StripeRequest) => void | Promise<void> = () => undefined
  url = ''
  #count = 0
  readonly #answers = new Map<string, { readonly asked: string; readonly answer: string }>()

  private constructor(now: () => number) {
    this.now = now
  }

  static async listen(t: Test, now: () => number): Promise<StripeServer> {
    const stripe = new StripeServer(now)
    const server = createServer((request, response) => void stripe.#serve(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    stripe.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    for (const [id, unit_amount, interval] of [...[['price_solo', 900, 'month'] as const, ['price_pro', 4950, 'month'] as const]])
      stripe.prices.set(id, { id, object: 'price', unit_amount, currency: 'eur', nickname: null, recurring: { interval } })
    return stripe
  }

  /** Pays for a session, as a person does on its page; returns the ids of what that made. */
  pay(session: string): { subscription: string; invoice: string } {
    const { metadata, trial_period_days: days, price } = this.sessions.get(session)?.asked ?? {}
    const made = this.subscribe(metadata, price, Number(days ?? 0))
    const { asked, ...seen } = this.sessions.get(session)
    this.sessions.set(session, { ...seen, asked, status: 'complete', url: null, subscription: made.subscription })
    return made
  }

  /** Makes a subscription with its first invoice, which is paid. */
  subscribe(metadata: object, price = 'price_pro', trialDays = 0): { subscription: string; invoice: string } {
    const [id, now] = [this.#id('sub'), this.#seconds()]
    const end = trialDays > 0 ? now + trialDays * 86_400 : now + 31 * 86_400
    const item = { id: this.#id('si'), object: 'subscription_item', price: this.prices.get(price), quantity: 1 }
    const invoice = this.bill(id, price)
    this.subscriptions.set(id, {
      ...{ id, object: 'subscription', customer: this.#id('cus'), metadata, created: now, billing_cycle_anchor: now },
      ...{ status: trialDays > 0 ? 'trialing' : 'active', trial_end: trialDays > 0 ? end : null, currency: 'eur' },
      ...{ cancel_at: null, cancel_at_period_end: false, canceled_at: null, ended_at: null, latest_invoice: invoice },
      items: list([{ ...item, current_period_start: now, current_period_end: end }]),
    })
    return { subscription: id, invoice }
  }

  /** Makes an invoice on a subscription, with tax; by default it is paid. */
  bill(subscription: string, price = 'price_pro', status: 'open' | 'paid' = 'paid'): string {
    const [id, now] = [this.#id('in'), this.#seconds()]
    this.invoices.set(id, { ...this.#invoice(subscription, price, now), id, number: `ACME-${++this.#count}` })
    this.setInvoice(id, status)
    return id
  }

  /** Changes the status of an invoice. */
  setInvoice(id: string, status: 'open' | 'paid' | 'void' | 'uncollectible'): void {
    const { amount_due: due, status_transitions: when, ...invoice } = this.invoices.get(id)
    const isPaid = status === 'paid'
    this.invoices.set(id, {
      ...{ ...invoice, status, amount_due: due, amount_paid: isPaid ? due : 0 },
      status_transitions: { ...when, paid_at: isPaid ? this.#seconds() : null },
    })
  }

  /** Changes a subscription. */
  set(id: string, changes: object): void {
    this.subscriptions.set(id, { ...this.subscriptions.get(id), ...changes })
  }

  /** An event on a thing as it is now: its bytes and its signature. */
  event(type: string, thing: Thing, { id = this.#id('evt'), at = this.now(), secret = WEBHOOK_SECRET } = {}) {
    const { asked: _asked, ...object } = thing
    const created = Math.floor(at / 1000)
    const body = JSON.stringify({ id, object: 'event', type, created, api_version: '2020-08-27', data: { object } })
    return { body, signature: signatureOf(body, secret, at), id }
  }

  /** The requests to a path that came, taken out. */
  take(pattern: RegExp): StripeRequest[] {
    const found = this.got.filter(({ method, path }) => pattern.test(`${method} ${path}`))
    this.got.length = 0
    return found
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stripe.invalid')
    const sent = new URLSearchParams(Buffer.concat(parts).toString())
    const params = Object.fromEntries([...searchParams, ...sent])
    const { authorization = '' } = request.headers
    const key = request.headers['idempotency-key'] as string | undefined
    const asked = { method: request.method ?? '', path: pathname, params, key }
    this.got.push(asked)
    await this.before(asked)
    if (this.failing === 'before') return void request.socket.destroy()
    if (this.failing === 'error') return send(response, 500, JSON.stringify({ error: { type: 'api_error', message: 'Broken.' } }))
    const { status, text } = authorization === `Bearer ${this.key}` ? this.#once(asked) : said(unknown(authorization))
    if (this.failing === 'after') return void request.socket.destroy()
    send(response, status, text)
  }

  /** Answers a request that comes again under its name as the first time. */
  #once(asked: StripeRequest): { status: number; text: string } {
    const { key, path, params } = asked
    const whole = JSON.stringify([path, params])
    const known = key === undefined ? undefined : this.#answers.get(key)
    if (known && known.asked !== whole) return said({ status: 400, error: { type: 'idempotency_error', message: 'Another.' } })
    if (known) return { status: 200, text: known.answer }
    const made = this.#answer(asked)
    if (isRefusal(made)) return said(made)
    const { asked: _asked, ...shown } = made
    const text = JSON.stringify(shown)
    if (key !== undefined && asked.method === 'POST') this.#answers.set(key, { asked: whole, answer: text })
    return { status: 200, text }
  }

  #answer({ method, path, params }: StripeRequest): Thing | Refusal {
    const [, , sort = '', ...rest] = path.split('/')
    const name = sort === 'checkout' ? rest.slice(1) : rest
    const [id = '', act] = name
    const found = { subscriptions: this.subscriptions, invoices: this.invoices, checkout: this.sessions }[sort]?.get(id)
    if (`${method} ${path}` === 'POST /v1/checkout/sessions') return this.#session(params)
    if (path === '/v1/invoices/create_preview') return this.#preview(params.subscription ?? '')
    if (path === '/v1/invoices') {
      const of = [...this.invoices.values()].filter(
        ({ parent }) => parent.subscription_details.subscription === params.subscription,
      )
      return list(of.reverse())
    }
    if (!found) return missing(id)
    if (method === 'GET') return act === 'lines' ? list(found.all) : found
    if (act === 'expire') return this.#expire(found)
    if (sort !== 'subscriptions') return missing(id)
    if (params.cancel_at_period_end !== undefined)
      this.set(id, { cancel_at_period_end: params.cancel_at_period_end === 'true', canceled_at: this.#seconds() })
    if (params.cancel_at === '') this.set(id, { cancel_at: null })
    return this.subscriptions.get(id)
  }

  #session(params: StripeRequest['params']): Thing | Refusal {
    const price = params['line_items[0][price]'] ?? ''
    if (!this.prices.has(price))
      return { status: 400, error: { type: 'invalid_request_error', code: 'resource_missing', param: 'line_items[0][price]' } }
    const id = this.#id('cs_test')
    const metadata = {
      quire_site: params['subscription_data[metadata][quire_site]'],
      quire_customer: params['subscription_data[metadata][quire_customer]'],
    }
    const asked = { metadata, price, trial_period_days: params['subscription_data[trial_period_days]'] }
    const url = `${this.checkout}/c/pay/${id}`
    const made = { id, object: 'checkout.session', status: 'open', url, subscription: null, metadata, asked }
    this.sessions.set(id, made)
    return made
  }

  #expire(session: Thing): Thing | Refusal {
    if (session.status !== 'open') return { status: 400, error: { type: 'invalid_request_error', message: 'It is not open.' } }
    this.sessions.set(session.id, { ...session, status: 'expired', url: null })
    return this.sessions.get(session.id)
  }

  #preview(subscription: string): Thing | Refusal {
    const item = this.subscriptions.get(subscription)?.items.data[0]
    if (!item) return missing(subscription)
    return {
      ...this.#invoice(subscription, item.price.id, item.current_period_end),
      id: 'upcoming_in_1',
      status: 'draft',
      number: null,
    }
  }

  #invoice(subscription: string, price: string, start: number): Thing {
    const { unit_amount: amount, currency } = this.prices.get(price)
    const tax = Math.round(amount * 0.19)
    const parent = { type: 'subscription_item_details', subscription_item_details: { proration: false } }
    const line = { id: this.#id('il'), object: 'line_item', amount, description: `1 × ${price}`, quantity: 1, parent }
    return {
      ...{ object: 'invoice', currency, customer_name: null, created: start, due_date: null },
      ...{ subtotal: amount, subtotal_excluding_tax: amount, total: amount + tax, amount_due: amount + tax, amount_paid: 0 },
      total_taxes: [{ amount: tax, tax_behavior: 'exclusive' }],
      ...{ period_start: start, period_end: start, status_transitions: { finalized_at: start, paid_at: null } },
      parent: { type: 'subscription_details', subscription_details: { subscription, metadata: {} } },
      lines: list([{ ...line, period: { start, end: start + 31 * 86_400 } }]),
      hosted_invoice_url: `https://invoice.stripe.com/i/${subscription}`,
    }
  }

  #seconds(): number {
    return Math.floor(this.now() / 1000)
  }

  #id(prefix: string): string {
    return `${prefix}_${String(++this.#count).padStart(8, '0')}`
  }
}

/** The header that signs a body (Stripe's scheme v1). */
export function signatureOf(body: string, secret: string, at: number): string {
  const seconds = Math.floor(at / 1000)
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}

function list(data: readonly unknown[]) {
  return { object: 'list', data, has_more: false }
}

function unknown(key: string): Refusal {
  return { status: 401, error: { type: 'invalid_request_error', message: `Invalid API Key provided: ${key}` } }
}

function missing(id: string): Refusal {
  return { status: 404, error: { type: 'invalid_request_error', code: 'resource_missing', message: `No such thing: ${id}` } }
}

function isRefusal(answer: Thing): answer is Refusal {
  return typeof answer.error === 'object' && typeof answer.status === 'number'
}

function said({ status, error }: Refusal): { status: number; text: string } {
  return { status, text: JSON.stringify({ error }) }
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(text)
}
