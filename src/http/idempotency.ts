import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BadRequest, Conflict, Failure, InvalidInput } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import type { Ledger } from '../core/ledger.ts'
import { Turns } from '../core/turns.ts'
import { JSON_UTF8 } from './answers.ts'
import { accessOf } from './bearer.ts'
import { errorAnswer } from './errors.ts'

/** An answer whole, as it is kept for a retry. */
export interface KeptAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** What answers a request; `once` stands for it where it bears an `Idempotency-Key`. */
type Work = (once?: string) => Promise<KeptAnswer>

const DAY = 86_400_000
const LONGEST_REQUEST = 60_000
const MAX_KEY = 128
const NOT_KEPT: ReadonlySet<number> = new Set([408, 429])

/**
 * `Idempotency-Key`: for 24 hours the same key, token, address and body give the first answer again. Failures of the server are not kept.
 * Requests with one key wait for each other; where another node has it in hand, Conflict.
 */
export class Idempotency {
  readonly #ledger: Ledger
  readonly #turns = new Turns()

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /**
   * Answers a POST by `work`, or by what it gave the first time. `work` is given what stands for the request (token, key, address and body): where an
   * answer was lost after its write was kept, the write can be told from it.
   */
  async answer(request: FastifyRequest, reply: FastifyReply, work: Work): Promise<FastifyReply> {
    const key = request.headers['idempotency-key']
    const { status, headers, body } = key === undefined ? await work() : await this.#once(request, keyOf(key), work)
    return reply.code(status).headers(headers).header('content-type', JSON_UTF8).send(body)
  }

  #once(request: FastifyRequest, key: string, work: Work): Promise<KeptAnswer> {
    const name = `idempotency.${hash('sha256', JSON.stringify([accessOf(request).id, key]), 'hex')}`
    const of = hash('sha256', JSON.stringify([request.method, request.url, request.body ?? null]), 'hex')
    return this.#turns.run(name, async () => (await this.#kept(name, of)) ?? (await this.#first(name, of, work)))
  }

  async #kept(name: string, of: string): Promise<KeptAnswer | undefined> {
    const kept = read(await this.#ledger.peek(name))
    if (!kept || kept.of === of) return kept?.answer
    const message = 'The Idempotency-Key was used for another request; take a new one.'
    throw new InvalidInput({ 'Idempotency-Key': [message] }, message)
  }

  async #first(name: string, of: string, work: Work): Promise<KeptAnswer> {
    const claim = `${name}.claim`
    if ((await this.#ledger.add(claim, 1, LONGEST_REQUEST)) > 1) {
      throw new Conflict('The first request with this Idempotency-Key is still being answered; try again.')
    }
    try {
      // Another node may have answered and let go between the look and the claim.
      const kept = await this.#kept(name, of)
      if (kept) return kept
      const answer = await work(hash('sha256', `${name} ${of}`, 'hex')).catch(failureAnswer)
      if (!NOT_KEPT.has(answer.status)) await this.#ledger.put(name, { of, ...written(answer) }, DAY)
      return answer
    } finally {
      await this.#ledger.take(claim)
    }
  }
}

function keyOf(header: string | string[]): string {
  if (typeof header === 'string' && header !== '' && header.length <= MAX_KEY) return header
  throw new BadRequest(`An Idempotency-Key has 1 to ${MAX_KEY} characters.`)
}

/** What a client did wrong is an answer like others; what the server did is thrown on, and may be tried again. */
function failureAnswer(error: unknown): KeptAnswer {
  const { status, headers, body } = errorAnswer(error)
  if (!(error instanceof Failure) || status >= 500) throw error
  return { status, headers, body: Buffer.from(JSON.stringify(body)) }
}

function written({ status, headers, body }: KeptAnswer): { [name: string]: Json } {
  return { status, headers: { ...headers }, body: body.toString() }
}

function read(value: Json | undefined): { of: string; answer: KeptAnswer } | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { of, status, headers, body } = value as { of: string; status: number; headers: Record<string, string>; body: string }
  return { of, answer: { status, headers, body: Buffer.from(body) } }
}
