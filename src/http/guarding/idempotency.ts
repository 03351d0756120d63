import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Ledger } from '#core/ledger.ts'
import { KeyedMutex } from '#lib/concurrency/keyed-mutex.ts'
import { BadRequest, Conflict, Failure, InvalidInput } from '#lib/errors.ts'
import type { Json } from '#lib/json.ts'
import { JSON_UTF8 } from '../answers/answers.ts'
import { errorAnswer } from '../errors/errors.ts'
import { accessOf } from './bearer.ts'
import { underClaim } from './claim.ts'

/** An answer whole, as it is kept for a retry. */
export interface KeptAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** The body that a retry gets, where it is another: a secret is in no ledger. */
  readonly repeated?: Buffer
}

/** The function that answers a request; `once` identifies the request if it has an `Idempotency-Key`. */
type Work = (once?: string) => Promise<KeptAnswer>

/** Returns the answer to a request that was done already, as far as `once` shows. */
type Before = (once: string) => Promise<KeptAnswer | undefined>

const DAY = 86_400_000
/**
 * Milliseconds that a node has a request to itself. Then another node takes it over if the first has died. The store ensures that
 * it is not done twice.
 */
const CLAIMED = 2_000
const MAX_KEY = 128
const NOT_KEPT: ReadonlySet<number> = new Set([408, 429])

/**
 * `Idempotency-Key`: for 24 hours the same key, token, address and body give the first answer again. Failures of the server are
 * not kept. Requests with one key wait for each other; where another node has it in hand, Conflict.
 */
export class Idempotency {
  readonly #ledger: Ledger
  readonly #mutex = new KeyedMutex()

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /**
   * Answers a POST by `work`, or with its first answer. Both callbacks get the identity of the request (token, key, address and
   * body): if an answer was lost after its write was stored, `before` finds it from the write.
   */
  async answer(request: FastifyRequest, reply: FastifyReply, work: Work, before: Before = nothing): Promise<FastifyReply> {
    const key = request.headers['idempotency-key']
    const { status, headers, body } = key === undefined ? await work() : await this.#once(request, keyOf(key), work, before)
    return reply.code(status).headers(headers).header('content-type', JSON_UTF8).send(body)
  }

  #once(request: FastifyRequest, key: string, work: Work, before: Before): Promise<KeptAnswer> {
    const name = `idempotency.${hash('sha256', JSON.stringify([accessOf(request).id, key]), 'hex')}`
    const of = hash('sha256', JSON.stringify([request.method, request.url, request.body ?? null]), 'hex')
    const asked = { name, of, isOver: isOver(request) }
    const found = asked.isOver ? nothing : before
    return this.#mutex.run(name, async () => (await this.#kept(asked)) ?? (await this.#first(asked, work, found)))
  }

  async #kept({ name, of, isOver }: Asked): Promise<KeptAnswer | undefined> {
    const kept = read(await this.#ledger.peek(name))
    if (!kept || kept.of === of) return isOver && kept && kept.answer.status < 400 ? undefined : kept?.answer
    const message = 'The Idempotency-Key was used for another request; take a new one.'
    throw new InvalidInput({ 'Idempotency-Key': [message] }, message)
  }

  async #first(asked: Asked, work: Work, before: Before): Promise<KeptAnswer> {
    const { name, of } = asked
    const once = hash('sha256', `${name} ${of}`, 'hex')
    const inHand = async () => {
      const answer = (await this.#kept(asked)) ?? (await before(once))
      if (answer) return answer
      throw new Conflict('The first request with this Idempotency-Key is still being answered; try again.')
    }
    const first = async () => {
      // Another node may have answered and released its claim between the look and our claim.
      const kept = await this.#kept(asked)
      if (kept) return kept
      const done = async () => (await before(once)) ?? (await work(once))
      const answer = await done().catch((error) => this.#failed(error, () => before(once)))
      if (!NOT_KEPT.has(answer.status)) await this.#ledger.put(name, { of, ...written(answer) }, DAY)
      return answer
    }
    return underClaim(this.#ledger, { name, life: CLAIMED }, first, inHand)
  }

  /** Looks for an answer of before first: a node that took a request over from a slow one may find it done there after all. */
  async #failed(error: unknown, before: () => Promise<KeptAnswer | undefined>): Promise<KeptAnswer> {
    const failure = failureAnswer(error)
    const found = await before().catch((again) => void failureAnswer(again))
    return found ?? failure
  }
}

/** A request with a key: the name that its answer is kept under, all of what it asks for, and whether what it did is over for it. */
interface Asked {
  readonly name: string
  readonly of: string
  readonly isOver: boolean
}

/** Returns whether a request is about a type that does not exist for its caller, any more maybe: a first answer is not given again. */
function isOver(request: FastifyRequest): boolean {
  const { type } = request.params as { readonly type?: unknown }
  return typeof type === 'string' && !accessOf(request).sees(type)
}

async function nothing(): Promise<undefined> {}

function keyOf(header: string | string[]): string {
  if (typeof header === 'string' && header !== '' && header.length <= MAX_KEY) return header
  throw new BadRequest(`An Idempotency-Key has 1 to ${MAX_KEY} characters.`)
}

/**
 * Returns the answer for an error. A client's error is an answer like others; a server's error is rethrown, and the request may
 * be retried.
 */
function failureAnswer(error: unknown): KeptAnswer {
  const { status, headers, body } = errorAnswer(error)
  if (!(error instanceof Failure) || status >= 500) throw error
  return { status, headers, body: Buffer.from(JSON.stringify(body)) }
}

function written({ status, headers, body, repeated = body }: KeptAnswer): { [name: string]: Json } {
  return { status, headers: { ...headers }, body: repeated.toString() }
}

function read(value: Json | undefined): { of: string; answer: KeptAnswer } | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { of, status, headers, body } = value as { of: string; status: number; headers: Record<string, string>; body: string }
  return { of, answer: { status, headers, body: Buffer.from(body) } }
}
