import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { type Mailbox, plainAddress } from '#core/address.ts'
import type { HealthProblem } from '#core/backend.ts'
import type { Job, Jobs, Workers } from '#core/jobs/jobs.ts'
import type { Compose, Composed, Composers, Delivered, Mail, Message, MessageName } from '#core/mail.ts'
import type { Clock } from '#lib/clock.ts'
import { InvalidInput } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { MailTemplates } from './templates.ts'
import { type RenderedMessage, type Transport, Undelivered } from './transport.ts'

/** The dependencies of an outbox. */
export interface OutboxDeps {
  /** Opens the queue that stores messages until they are sent. */
  readonly jobs: () => Jobs
  readonly transport: Transport
  readonly templates: MailTemplates
  readonly from: Mailbox
  readonly site: { readonly name: string; readonly url: string }
  readonly clock: Clock
  /** Called with the code or link of a message (`Composed.shown`) if messages stay on this machine; not with a mail server. */
  readonly onShown?: ((message: Message, shown: string) => void) | undefined
  /** Called with what an operator should know: no address in full, nothing of what messages say. */
  readonly log?: ((message: string) => void) | undefined
}

const JOB = 'mail'
const LONGEST_LINE = 200

/** Sends messages: stored as jobs until a transport accepts them, over restarts, by any node. */
export class Outbox implements Mail {
  /** Messages that could not be delivered are tried again for about a day. */
  readonly workers: Workers = {
    [JOB]: {
      work: (job, signal) => this.#carry(job, signal),
      gaveUp: (job, error) => this.#log(`The message to ${veiled(job)} is given up: ${wordsOf(error)}`),
    },
  }
  readonly #deps: OutboxDeps
  readonly #composers = new Map<string, Compose>()
  #lastTrouble: string | undefined

  constructor(deps: OutboxDeps) {
    this.#deps = deps
  }

  composes(composers: Partial<Composers>): void {
    for (const [template, compose] of Object.entries(composers)) this.#composers.set(template, compose)
  }

  async send(message: Message): Promise<void> {
    const { template, data, until } = message
    await this.#deps.jobs().add({ name: JOB, data: { template, to: addressIn(message), data, ...(until && { until }) } })
  }

  async deliver(message: Message): Promise<Delivered | undefined> {
    return this.#deliver({ ...message, to: addressIn(message) }, new AbortController().signal)
  }

  examine(): Promise<HealthProblem> {
    return this.#deps.transport.examine()
  }

  async #carry(job: Job, signal: AbortSignal): Promise<void> {
    const message = messageOf(job.data)
    if (!message) return this.#log('A message is dropped: it can’t be read.')
    // The request is answered first: the time that takes is not to tell whether there is a message to send.
    await setImmediate()
    try {
      await this.#deliver(message, signal)
      this.#lastTrouble = undefined
    } catch (error) {
      if (error instanceof Undelivered && error.isFinal)
        return this.#log(`The message to ${veiled(job)} is given up: ${wordsOf(error)}`)
      this.#tell(error)
      throw error
    }
  }

  async #deliver(message: Message, signal: AbortSignal): Promise<Delivered | undefined> {
    const { clock, transport, onShown } = this.#deps
    if (message.until !== undefined && clock.now() >= message.until) return undefined
    const compose = this.#composers.get(message.template)
    if (!compose) throw new Error(`Nothing composes messages "${message.template}".`)
    const composed = await compose(message)
    if (!composed) return undefined
    const place = await transport.deliver(await this.#message(message, composed), signal)
    if (transport.keeps && composed.shown !== '') onShown?.(message, composed.shown)
    return { place }
  }

  async #message(message: Message, { name, values }: Composed): Promise<RenderedMessage> {
    const { templates, from, site, clock } = this.#deps
    const called = oneLine(name ?? '')
    const { subject, text, html } = await templates.render(message.template, { ...values, name: called, site })
    return {
      id: `${randomUUID()}@${from.address.split('@')[1]}`,
      date: new Date(clock.now()),
      from,
      to: { name: called, address: message.to },
      subject: oneLine(subject),
      text: `${text.trim()}\n`,
      html: html.trim(),
    }
  }

  /** Logs a problem, but not the same one again for each message. */
  #tell(error: unknown): void {
    const trouble = wordsOf(error)
    if (trouble !== this.#lastTrouble) this.#log(`${trouble} Messages are kept, and tried again.`)
    this.#lastTrouble = trouble
  }

  #log(message: string): void {
    this.#deps.log?.(message)
  }
}

function addressIn({ to }: Message): string {
  const address = plainAddress(to)
  if (address !== undefined) return address
  throw new InvalidInput({ email: ['The email must be one plain address, such as ada@example.org.'] })
}

/** Reads a message from a job's data. It is checked like any input: others may have written it. */
function messageOf(data: Json): Message | undefined {
  if (!isFields(data) || typeof data.template !== 'string' || typeof data.to !== 'string') return undefined
  const to = plainAddress(data.to)
  if (to === undefined || !isFields(data.data)) return undefined
  // Another version of Quire may have messages that nothing composes here.
  const template = data.template as MessageName
  return { template, to, data: data.data, ...(typeof data.until === 'number' && { until: data.until }) }
}

function isFields(data: Json | undefined): data is Fields {
  return typeof data === 'object' && data !== null && !Array.isArray(data)
}

/** Makes text fit for a header: no line breaks, no control characters, and none that change the direction of what follows. */
function oneLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\s]+/gu, ' ').trim()
  return [...line].slice(0, LONGEST_LINE).join('')
}

/** Enough of an address for an operator to know whose it may be. */
function veiled({ data }: Job): string {
  const [local = '', domain = ''] = (messageOf(data)?.to ?? '').split('@')
  return `${local.slice(0, 1)}…@${domain}`
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
