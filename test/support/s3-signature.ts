import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** A request as it came, and the keys that it may be signed with. */
export interface SignedRequest {
  readonly method: string
  /** Path and query, as they came. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Uint8Array
}

export interface SigningKeys {
  readonly id: string
  readonly secret: string
  readonly region: string
}

/** The most by which a request's time may be off, in milliseconds. */
const MOST_SKEW = 15 * 60_000

/**
 * The code of the error that S3 answers a request with whose signature is none; undefined where it is right. Written from Amazon's
 * description of Signature Version 4 ("Authenticating Requests: Using the Authorization Header").
 */
export function signatureFault(request: SignedRequest, keys: SigningKeys, now: number): string | undefined {
  const { headers, body } = request
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/(\d{8})\/([^/,]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/
  const [, id, day = '', region = '', names = '', signature = ''] = form.exec(textOf(headers.authorization)) ?? []
  if (id === undefined) return 'AccessDenied'
  if (id !== keys.id) return 'InvalidAccessKeyId'
  const time = textOf(headers['x-amz-date'])
  const at = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (!time.startsWith(day) || !(Math.abs(now - at) <= MOST_SKEW)) return 'RequestTimeTooSkewed'
  if (region !== keys.region) return 'AuthorizationHeaderMalformed'
  const signed = names.split(';')
  const needed = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))]
  if (needed.some((name) => !signed.includes(name))) return 'AccessDenied'
  const content = textOf(headers['x-amz-content-sha256'])
  if (content !== sha256(body)) return 'XAmzContentSHA256Mismatch'
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical(request, signed, content))].join('\n')
  const key = [day, region, 's3', 'aws4_request'].reduce<Buffer>(hmac, Buffer.from(`AWS4${keys.secret}`))
  return timingSafeEqual(hmac(key, text), Buffer.from(signature, 'hex')) ? undefined : 'SignatureDoesNotMatch'
}

function canonical({ method, url, headers }: SignedRequest, signed: readonly string[], content: string): string {
  const [path = '', ...query] = url.split('?')
  const pairs = query
    .join('?')
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) =>
      [pair.split('=')[0] ?? '', pair.split('=').slice(1).join('=')].map((text) => encoded(decodeURIComponent(text))),
    )
    .map(([name = '', value = '']) => [name, value] as const)
    .sort(([a, c], [b, d]) => (a === b ? compared(c, d) : compared(a, b)))
  return [
    method,
    path
      .split('/')
      .map((segment) => encoded(decodeURIComponent(segment)))
      .join('/'),
    pairs.map((pair) => pair.join('=')).join('&'),
    ...signed.map((name) => `${name}:${textOf(headers[name]).trim().replaceAll(/ +/g, ' ')}`),
    '',
    signed.join(';'),
    content,
  ].join('\n')
}

function compared(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Every byte is encoded but `A`–`Z`, `a`–`z`, `0`–`9`, `-`, `.`, `_` and `~`. */
function encoded(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte)
      return /[A-Za-z0-9._~-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')
}

function textOf(value: string | string[] | undefined): string {
  return Array.isArray(value) ? value.join(',') : (value ?? '')
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}
