import type { IncomingMessage } from 'node:http'
import type { S3Client } from './client.ts'
import { isMissing, Refused, Unexpected } from './failures.ts'
import { elements, textOf } from './xml.ts'

/** An object of a bucket. */
export interface StoredObject {
  readonly key: string
  readonly size: number
  /** The server's time at which it was put, in milliseconds since 1970; many keep whole seconds. */
  readonly at: number
}

/** An upload in parts that was begun and not ended. */
export interface BegunUpload {
  readonly key: string
  readonly id: string
  readonly at: number
}

/** An upload in parts that is under way. */
export interface PartedUpload {
  readonly key: string
  readonly id: string
  readonly etags: readonly string[]
}

const BYTES = { 'content-type': 'application/octet-stream' } as const

/** The operations of S3 on the objects of one bucket. They throw as `S3Client`. */
export class Bucket {
  readonly #client: S3Client
  readonly #name: string

  constructor(client: S3Client, name: string) {
    this.#client = client
    this.#name = name
  }

  async put(key: string, body: Buffer): Promise<void> {
    await this.#client.send({ method: 'PUT', key, body, headers: BYTES })
  }

  /** The bytes from `start` until before `end`, which the object has; undefined where there is no such object. */
  async get(key: string, start: number, end: number): Promise<IncomingMessage | undefined> {
    const headers = { range: `bytes=${start}-${end - 1}` }
    const message = await this.#client.stream({ method: 'GET', key, headers }).catch((error: unknown) => {
      if (isMissing(error)) return undefined
      throw error
    })
    const told = message?.headers['content-range'] ?? ''
    if (!message || told.startsWith(`bytes ${start}-${end - 1}/`)) return message
    message.destroy()
    throw new Unexpected('The server of the bucket sends other bytes than it was asked for.')
  }

  /** Copies within the bucket: the bytes stay there. */
  async copy(from: string, to: string): Promise<void> {
    const headers = { 'x-amz-copy-source': `/${encodeURIComponent(this.#name)}/${from}` }
    const { text } = await this.#client.send({ method: 'PUT', key: to, headers })
    if (textOf(text, 'ETag') === undefined) throw new Unexpected('The server of the bucket does not say that it copied.')
  }

  /** Removes an object, if there is one. */
  async remove(key: string): Promise<void> {
    await this.#ifThere(this.#client.send({ method: 'DELETE', key }))
  }

  /** The objects whose keys begin with a prefix, in the order of their keys, as they are listed. */
  async *list(prefix: string): AsyncGenerator<StoredObject> {
    for (let token: string | undefined; ; ) {
      const part = token === undefined ? {} : { 'continuation-token': token }
      const { text } = await this.#client.send({ method: 'GET', query: { 'list-type': '2', prefix, ...part } })
      if (!text.includes('<ListBucketResult')) throw new Unexpected('The server of the bucket answers with no list.')
      yield* elements(text, 'Contents').map(objectOf)
      token = textOf(text, 'IsTruncated') === 'true' ? textOf(text, 'NextContinuationToken') : undefined
      if (token === undefined) return
    }
  }

  async begin(key: string): Promise<string> {
    const { text } = await this.#client.send({ method: 'POST', key, query: { uploads: '' }, headers: BYTES })
    const id = textOf(text, 'UploadId')
    if (!id) throw new Unexpected('The server of the bucket begins no upload in parts.')
    return id
  }

  /** Puts a part, counted from 1, and resolves with its ETag. */
  async putPart(key: string, id: string, nth: number, body: Buffer): Promise<string> {
    const query = { partNumber: String(nth), uploadId: id }
    const { headers } = await this.#client.send({ method: 'PUT', key, query, body })
    if (!headers.etag) throw new Unexpected('The server of the bucket does not name the part that it took.')
    return headers.etag
  }

  /** Makes an object of an upload in parts. */
  async finish({ key, id, etags }: PartedUpload, size: number): Promise<void> {
    const parts = etags.map((etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`)
    const xml = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`
    const headers = { 'content-type': 'application/xml' }
    try {
      await this.#client.send({ method: 'POST', key, query: { uploadId: id }, headers, body: Buffer.from(xml) })
    } catch (error) {
      // The answer to an earlier attempt may have been lost: then there is no such upload any more, but the object.
      if (!isMissing(error)) throw error
      for await (const object of this.list(key)) if (object.key === key && object.size === size) return
      throw error
    }
  }

  /** The uploads in parts that were begun under keys with a prefix, as they are listed; none where the server can't list them. */
  async *uploads(prefix: string): AsyncGenerator<BegunUpload> {
    for (let marker: Record<string, string> | undefined; ; ) {
      const query = { uploads: '', prefix, ...marker }
      const text = await this.#client.send({ method: 'GET', query }).then((answer) => answer.text, noneWhereUnknown)
      yield* elements(text, 'Upload').map(uploadOf)
      const [key, id] = [textOf(text, 'NextKeyMarker'), textOf(text, 'NextUploadIdMarker')]
      if (textOf(text, 'IsTruncated') !== 'true' || !key) return
      marker = { 'key-marker': key, 'upload-id-marker': id ?? '' }
    }
  }

  /** Gives up an upload in parts, if there is one. */
  async abort(key: string, id: string): Promise<void> {
    await this.#ifThere(this.#client.send({ method: 'DELETE', key, query: { uploadId: id } }))
  }

  async #ifThere(sent: Promise<unknown>): Promise<void> {
    await sent.catch((error: unknown) => {
      if (!isMissing(error)) throw error
    })
  }
}

/** Some servers end uploads by themselves, and list none. */
function noneWhereUnknown(error: unknown): string {
  if (error instanceof Refused && error.status === 501) return ''
  throw error
}

function objectOf(xml: string): StoredObject {
  return { key: textOf(xml, 'Key') ?? '', size: Number(textOf(xml, 'Size')), at: Date.parse(textOf(xml, 'LastModified') ?? '') }
}

function uploadOf(xml: string): BegunUpload {
  return { key: textOf(xml, 'Key') ?? '', id: textOf(xml, 'UploadId') ?? '', at: Date.parse(textOf(xml, 'Initiated') ?? '') }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
