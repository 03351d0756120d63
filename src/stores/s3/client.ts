import { hash } from 'node:crypto'
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { AwsV4Signer } from 'aws4fetch'
import type { Clock } from '#lib/clock.ts'
import { isTemporary, Refused, TimedOut, Unexpected, unanswered } from './failures.ts'
import type { BucketSettings, RequestLimits } from './settings.ts'
import { textOf } from './xml.ts'

/** A request to a bucket: to the bucket itself without a key. */
export interface BucketRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer
}

/** An answer that was read whole. */
export interface BucketAnswer {
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** The most bytes of an answer that is read whole: a list of a thousand objects has a tenth of it. */
const MOST_BYTES = 4 * 1024 * 1024

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

const EMPTY = Buffer.alloc(0)

/**
 * Sends requests to a bucket, by its path below the server's address. Each attempt is signed anew (SigV4, the body included). Those
 * that may succeed a moment later are repeated, some times; no redirect is followed.
 */
export class S3Client {
  readonly #settings: BucketSettings
  readonly #clock: Clock
  readonly #limits: RequestLimits
  readonly #base: string
  readonly #agent: HttpAgent | HttpsAgent
  readonly #request: typeof requestHttp

  constructor(settings: BucketSettings, clock: Clock, limits: RequestLimits) {
    this.#settings = settings
    this.#clock = clock
    this.#limits = limits
    this.#base = `${settings.endpoint.replace(/\/$/, '')}/${encodeURIComponent(settings.bucket)}`
    const isSecure = new URL(settings.endpoint).protocol === 'https:'
    this.#agent = isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
    this.#request = isSecure ? requestHttps : requestHttp
  }

  /** Resolves with the answer, read whole. Throws Refused where the server says no, and what the network throws. */
  send(request: BucketRequest): Promise<BucketAnswer> {
    return this.#repeated(() =>
      this.#within(async (signal) => {
        const message = await this.#exchange(request, signal)
        const text = await wholeOf(message)
        // A copy and the end of an upload in parts are answered with 200 before they are done.
        if (textOf(text, 'Code') !== undefined && text.includes('<Error>')) throw this.#refusal(message, text)
        return { headers: message.headers, text }
      }),
    )
  }

  /** Resolves with an answer whose body is to come. The caller reads or destroys it. */
  stream(request: BucketRequest): Promise<IncomingMessage> {
    return this.#repeated(() => this.#within((signal) => this.#exchange(request, signal)))
  }

  /** Resolves after the pause before an attempt: the `nth` one that failed in a row is behind it, from 1. */
  async pause(nth: number): Promise<void> {
    const longest = Math.min(FIRST_PAUSE_MS * 2 ** (nth - 1), LONGEST_PAUSE_MS)
    // Of many that failed at once, some come back sooner.
    await this.#limits.pause(longest * (0.5 + Math.random() / 2))
  }

  close(): void {
    this.#agent.destroy()
  }

  async #repeated<T>(attempt: () => Promise<T>): Promise<T> {
    for (let nth = 1; ; nth++) {
      try {
        return await attempt()
      } catch (error) {
        if (nth >= this.#limits.attempts || !isTemporary(error)) throw error
        await this.pause(nth)
      }
    }
  }

  /** Gives an attempt its time. */
  async #within<T>(attempt: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const abort = new AbortController()
    const timer = setTimeout(() => abort.abort(), this.#limits.attemptMs)
    try {
      return await attempt(abort.signal)
    } catch (error) {
      if (abort.signal.aborted) throw new TimedOut()
      throw unanswered(error)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Resolves when the head of a good answer is there. */
  async #exchange(asked: BucketRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const { method, body = EMPTY } = asked
    const { url, headers } = await this.#signed(asked)
    // Its time may have ended while it was signed: nobody would hear of that any more.
    signal.throwIfAborted()
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = this.#request(url, { method, headers, agent: this.#agent }, resolve)
      request.on('error', reject)
      request.setTimeout(this.#limits.idleMs, () => request.destroy(new TimedOut()))
      const stop = () => request.destroy(new TimedOut())
      signal.addEventListener('abort', stop, { once: true })
      request.end(body)
    })
    const { statusCode = 0 } = message
    if (statusCode >= 200 && statusCode < 300) return message
    throw this.#refusal(message, await wholeOf(message))
  }

  async #signed({ method, key, query = {}, headers = {}, body = EMPTY }: BucketRequest) {
    const search = Object.entries(query).map((pair) => pair.map(encodeURIComponent).join('='))
    const path = key === undefined ? '' : `/${key.split('/').map(encodeURIComponent).join('/')}`
    const url = `${this.#base}${path}${search.length > 0 ? `?${search.join('&')}` : ''}`
    const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, region } = this.#settings
    const datetime = new Date(this.#clock.now()).toISOString().replaceAll(/[:-]|\.\d{3}/g, '')
    const signed = await new AwsV4Signer({
      method,
      url,
      headers: { ...headers, 'x-amz-content-sha256': hash('sha256', body, 'hex') },
      service: 's3',
      datetime,
      accessKeyId,
      secretAccessKey,
      region,
    }).sign()
    // Not signed: what stands in between may change it.
    const bare = { 'accept-encoding': 'identity', 'content-length': String(body.length) }
    return { url, headers: { ...Object.fromEntries(signed.headers.entries()), ...bare } }
  }

  #refusal({ statusCode = 0, headers }: IncomingMessage, text: string): Refused {
    const code = /^[A-Za-z0-9.]{1,64}$/.exec(textOf(text, 'Code') ?? '')?.[0] ?? ''
    const told = textOf(text, 'Region') ?? headers['x-amz-bucket-region']
    const region = /^[a-z0-9-]{1,40}$/.exec(String(told))?.[0]
    const date = Date.parse(headers.date ?? '')
    return new Refused(
      statusCode,
      code,
      told === undefined ? undefined : region,
      Number.isNaN(date) ? undefined : date - this.#clock.now(),
    )
  }
}

async function wholeOf(message: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of message as AsyncIterable<Buffer>) {
    size += part.length
    if (size > MOST_BYTES) throw new Unexpected('The server of the bucket answers at a length that no list has.')
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}
