import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Clock } from '#lib/clock.ts'
import { type SigningKeys, signatureFault } from './s3-signature.ts'

/** An answer: `text` or `bytes`, and a status that is 200 without one. */
export interface S3Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** A request that came, and its answer; of one that was broken off the status it was to have. */
export interface S3Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly size: number
  status: number
}

/** `500` and `503` are answered; `request` breaks off while the request is read, `answer` in the middle of its answer, when it was done. */
const TROUBLES = ['500', '503', 'request', 'answer'] as const
type Trouble = (typeof TROUBLES)[number]

export interface S3ServerOptions {
  readonly clock: Clock
  /** Each request of this number fails: the seventh, the fourteenth and so on. */
  readonly failing?: number
  /** The least bytes of a part that is not the last one; Amazon asks for 5 MiB. */
  readonly leastPart?: number
  /** Objects that are listed at once. */
  readonly page?: number
}

interface Stored {
  readonly bytes: Buffer
  readonly at: number
}

interface Upload {
  readonly key: string
  readonly at: number
  readonly parts: Map<number, Buffer>
}

/** A request that was read, and is signed. */
interface Asked {
  readonly method: string
  readonly key: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/**
 * An S3 server with one bucket in memory, reached by path. It checks the signature of every request, tells times in whole seconds,
 * and fails now and then.
 */
export class S3Server {
  readonly bucket = 'media.example'
  readonly keys: SigningKeys = { id: 'AKIDEXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', region: 'eu-central-1' }
  readonly objects = new Map<string, Stored>()
  readonly uploads = new Map<string, Upload>()
  readonly seen: S3Seen[] = []
  /** Answers in place of the server; of `hang` nothing comes. It is asked before the signature is looked at. */
  intercept: ((seen: S3Seen) => S3Answer | 'hang' | undefined) | undefined
  /** Breaks the next answer off in its middle. */
  breaksNext = false
  /** Sends half of each object that is read, and then nothing. */
  stalls = false
  readonly #options: S3ServerOptions
  readonly #server: Server
  readonly #answering = new Set<Promise<unknown>>()

  private constructor(options: S3ServerOptions) {
    this.#options = options
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => request.socket.destroy())
    })
  }

  static async start(options: S3ServerOptions): Promise<S3Server> {
    const server = new S3Server(options)
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve))
    return server
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** As `media.s3` of a configuration. */
  get settings() {
    const { endpoint, bucket, keys } = this
    return { endpoint, bucket, region: keys.region, access_key_id: keys.id, secret_access_key: keys.secret }
  }

  /** Resolves when no answer is being sent. */
  async idle(): Promise<void> {
    await Promise.all(this.#answering)
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request
    const trouble = this.#trouble()
    const entry: S3Seen = { method, url, headers, size: Number(headers['content-length'] ?? 0), status: 0 }
    this.seen.push(entry)
    if (trouble === 'request')
      return void request.once('data', () => request.socket.destroy()).once('end', () => request.socket.destroy())
    const body = await buffer(request)
    const instead = this.intercept?.(entry)
    if (instead === 'hang') return
    const answer = instead ?? this.#answer(request, body, trouble)
    entry.status = answer.status ?? 200
    const isBroken = this.breaksNext || trouble === 'answer'
    this.breaksNext = false
    this.#send(request, response, answer, isBroken)
  }

  #trouble(): Trouble | undefined {
    const { failing } = this.#options
    const nth = this.seen.length + 1
    if (failing === undefined || nth % failing !== 0) return undefined
    return TROUBLES[(nth / failing - 1) % TROUBLES.length]
  }

  #answer(request: IncomingMessage, body: Buffer, trouble: Trouble | undefined): S3Answer {
    const { method = '', url = '', headers } = request
    if (trouble === '500') return fault(500, 'InternalError')
    if (trouble === '503') return fault(503, 'SlowDown')
    const wrong = signatureFault({ method, url, headers, body }, this.keys, this.#options.clock.now())
    // As S3 does: the key and what was signed are in the answer.
    if (wrong)
      return fault(
        /Malformed|Mismatch/.test(wrong) ? 400 : 403,
        wrong,
        `<AWSAccessKeyId>${this.keys.id}</AWSAccessKeyId><StringToSign>${this.keys.secret}</StringToSign><Region>${this.keys.region}</Region>`,
      )
    const { pathname, searchParams: query } = new URL(url, this.endpoint)
    const [, bucket = '', ...rest] = pathname.split('/').map(decodeURIComponent)
    if (bucket !== this.bucket) return fault(404, 'NoSuchBucket')
    return this.#done({ method, key: rest.join('/'), query, headers, body })
  }

  #done(asked: Asked): S3Answer {
    const { method, key, query, body } = asked
    const id = query.get('uploadId')
    if (id !== null) return this.#ofUpload(asked, id)
    if (key === '' && method === 'GET') return query.has('uploads') ? this.#listUploads(query) : this.#list(query)
    if (method === 'POST' && query.has('uploads')) return this.#begin(key)
    if (method === 'PUT' && asked.headers['x-amz-copy-source']) return this.#copy(asked)
    if (method === 'PUT') return this.#put(key, body)
    if (method === 'GET') return this.#get(asked)
    if (method !== 'DELETE') return fault(405, 'MethodNotAllowed')
    this.objects.delete(key)
    return { status: 204 }
  }

  #put(key: string, bytes: Buffer): S3Answer {
    this.objects.set(key, { bytes, at: this.#now() })
    return { headers: { etag: etagOf(bytes) } }
  }

  #copy({ key, headers }: Asked): S3Answer {
    const [, bucket, ...from] = String(headers['x-amz-copy-source']).split('/').map(decodeURIComponent)
    const source = bucket === this.bucket ? this.objects.get(from.join('/')) : undefined
    if (!source) return fault(404, 'NoSuchKey')
    this.#put(key, source.bytes)
    return xml(`<CopyObjectResult><ETag>${escaped(etagOf(source.bytes))}</ETag></CopyObjectResult>`)
  }

  #get({ key, headers }: Asked): S3Answer {
    const found = this.objects.get(key)
    if (!found) return fault(404, 'NoSuchKey')
    const { bytes } = found
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? []
    const common = { etag: etagOf(bytes), 'last-modified': new Date(found.at).toUTCString() }
    if (from === undefined) return { headers: common, body: bytes }
    const [start, last] = [Number(from), Math.min(to ? Number(to) : bytes.length - 1, bytes.length - 1)]
    if (start > last) return fault(416, 'InvalidRange')
    const range = { 'content-range': `bytes ${start}-${last}/${bytes.length}` }
    return { status: 206, headers: { ...common, ...range }, body: bytes.subarray(start, last + 1) }
  }

  #list(query: URLSearchParams): S3Answer {
    const [prefix, after] = [query.get('prefix') ?? '', fromToken(query.get('continuation-token'))]
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort()
    const page = keys.slice(0, this.#options.page ?? 1000)
    const rows = page.map((key) => {
      const { bytes, at } = this.objects.get(key) as Stored
      return `<Contents><Key>${escaped(key)}</Key><LastModified>${new Date(at).toISOString()}</LastModified><ETag>${escaped(etagOf(bytes))}</ETag><Size>${bytes.length}</Size><StorageClass>STANDARD</StorageClass></Contents>`
    })
    const isCut = page.length < keys.length
    const next = isCut ? `<NextContinuationToken>${toToken(page.at(-1) ?? '')}</NextContinuationToken>` : ''
    return xml(
      `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${this.bucket}</Name><IsTruncated>${isCut}</IsTruncated>${rows.join('')}${next}</ListBucketResult>`,
    )
  }

  #listUploads(query: URLSearchParams): S3Answer {
    const [prefix, after] = [
      query.get('prefix') ?? '',
      `${query.get('key-marker') ?? ''}\n${query.get('upload-id-marker') ?? ''}`,
    ]
    const all = [...this.uploads].filter(([id, { key }]) => key.startsWith(prefix) && `${key}\n${id}` > after)
    const sorted = all.sort(([a, one], [b, other]) => (`${one.key}\n${a}` < `${other.key}\n${b}` ? -1 : 1))
    const page = sorted.slice(0, this.#options.page ?? 1000)
    const rows = page.map(
      ([id, { key, at }]) =>
        `<Upload><Key>${escaped(key)}</Key><UploadId>${escaped(id)}</UploadId><Initiated>${new Date(at).toISOString()}</Initiated></Upload>`,
    )
    const [lastId = '', last] = page.at(-1) ?? []
    const markers = `<NextKeyMarker>${last?.key ?? ''}</NextKeyMarker><NextUploadIdMarker>${escaped(lastId)}</NextUploadIdMarker>`
    return xml(
      `<ListMultipartUploadsResult>${markers}<IsTruncated>${page.length < all.length}</IsTruncated>${rows.join('')}</ListMultipartUploadsResult>`,
    )
  }

  #begin(key: string): S3Answer {
    const id = `${randomBytes(8).toString('base64')}&<`
    this.uploads.set(id, { key, at: this.#now(), parts: new Map() })
    return xml(
      `<InitiateMultipartUploadResult><Key>${escaped(key)}</Key><UploadId>${escaped(id)}</UploadId></InitiateMultipartUploadResult>`,
    )
  }

  #ofUpload({ method, key, query, body }: Asked, id: string): S3Answer {
    const upload = this.uploads.get(id)
    if (upload?.key !== key) return fault(404, 'NoSuchUpload')
    if (method === 'PUT') {
      upload.parts.set(Number(query.get('partNumber')), body)
      return { headers: { etag: etagOf(body) } }
    }
    if (method === 'POST') return this.#finish(id, upload, body.toString())
    this.uploads.delete(id)
    return { status: 204 }
  }

  #finish(id: string, { key, parts }: Upload, wanted: string): S3Answer {
    const named = [...wanted.matchAll(/<Part><PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag><\/Part>/g)]
    const bytes = named.map(([, nth]) => parts.get(Number(nth)) ?? Buffer.alloc(0))
    if (named.length === 0 || named.some(([, , etag], at) => etag !== etagOf(bytes[at] as Buffer)))
      return fault(400, 'InvalidPart')
    if (named.some(([, nth], at) => Number(nth) !== at + 1)) return fault(400, 'InvalidPartOrder')
    if (bytes.slice(0, -1).some((part) => part.length < (this.#options.leastPart ?? 5 * 1024 * 1024)))
      return fault(400, 'EntityTooSmall')
    this.uploads.delete(id)
    this.#put(key, Buffer.concat(bytes))
    return xml(`\n<CompleteMultipartUploadResult><Key>${escaped(key)}</Key></CompleteMultipartUploadResult>`)
  }

  #send(
    request: IncomingMessage,
    response: ServerResponse,
    { status = 200, headers = {}, body = '' }: S3Answer,
    isBroken: boolean,
  ): void {
    const bytes = Buffer.from(body)
    const date = new Date(this.#options.clock.now()).toUTCString()
    response.writeHead(status, { date, 'content-length': String(bytes.length), ...headers })
    const sent: Promise<unknown> = new Promise((resolve) => response.once('close', resolve)).then(() =>
      this.#answering.delete(sent),
    )
    this.#answering.add(sent)
    if (this.stalls && status === 206) return void response.write(bytes.subarray(0, bytes.length / 2))
    if (!isBroken) return void response.end(bytes)
    response.flushHeaders()
    response.write(bytes.subarray(0, bytes.length / 2), () => request.socket.destroy())
    if (bytes.length < 2) request.socket.destroy()
  }

  /** Whole seconds, as most servers tell. */
  #now(): number {
    return Math.floor(this.#options.clock.now() / 1000) * 1000
  }
}

function xml(text: string): S3Answer {
  return { headers: { 'content-type': 'application/xml' }, body: `<?xml version="1.0" encoding="UTF-8"?>\n${text}` }
}

/** An error as S3 answers it. */
export function fault(status: number, code: string, more = ''): S3Answer {
  return { ...xml(`<Error><Code>${code}</Code><Message>No.</Message>${more}</Error>`), status }
}

function etagOf(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

function toToken(key: string): string {
  return Buffer.from(`${key}>>>???`).toString('base64')
}

function fromToken(token: string | null): string {
  return token === null
    ? ''
    : Buffer.from(token, 'base64')
        .toString()
        .replace(/>>>\?\?\?$/, '')
}
