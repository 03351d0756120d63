import { NoSpace, Unavailable } from '#lib/errors.ts'

/** An answer of a bucket's server that says no. Of its text only the code is kept: it repeats the key and what was signed. */
export class Refused extends Error {
  readonly status: number
  /** The code of S3's error, such as `NoSuchBucket`; empty where there is none. */
  readonly code: string
  /** The region that the server names, if it does. */
  readonly region: string | undefined
  /** The server's time less ours, in milliseconds, if it says. */
  readonly skew: number | undefined
  constructor(status: number, code: string, region?: string, skew?: number) {
    super(`The server of the bucket answered ${status}${code && ` ${code}`}.`)
    this.status = status
    this.code = code
    this.region = region
    this.skew = skew
  }
}

/** An attempt that came to no answer, or to none of S3's. `code` is that of the network's error. */
export class Unanswered extends Error {
  readonly code: string
  constructor(message: string, code: string) {
    super(message)
    this.code = code
  }
}

/** An answer that is none of S3's, or not the one that was asked for. */
export class Unexpected extends Unanswered {
  constructor(message: string) {
    super(message, 'UNEXPECTED')
  }
}

/** An attempt that took too long. */
export class TimedOut extends Unanswered {
  constructor() {
    super('The server of the bucket does not answer in time.', 'ETIMEDOUT')
  }
}

/** Makes an `Unanswered` of the network's own error; those of a reader or writer beside a bucket may have the same codes. */
export function unanswered(error: unknown): unknown {
  if (error instanceof Refused || error instanceof Unanswered) return error
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  return typeof code === 'string' ? new Unanswered(String(message), code) : error
}

/** An explanation for operators: what is wrong, and how to mend it. No key is in it. */
export interface Explained {
  readonly says: string
  readonly hint: string
}

const TEMPORARY: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])
const TEMPORARY_CODES: ReadonlySet<string> = new Set(['RequestTimeout', 'InternalError', 'SlowDown', 'ServiceUnavailable'])
const LOST = /^(?:ECONN|EPIPE|ETIMEDOUT|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENETDOWN|ERR_STREAM_PREMATURE_CLOSE|HPE_|UNEXPECTED)/

/** Returns whether the same request may succeed a moment later. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof Refused) return TEMPORARY.has(error.status) || TEMPORARY_CODES.has(error.code)
  return error instanceof Unanswered && LOST.test(error.code)
}

/** Returns whether a server says that there is no such object, which a missing bucket is not. */
export function isMissing(error: unknown): boolean {
  return error instanceof Refused && error.status === 404 && !['', 'NoSuchBucket'].includes(error.code)
}

/** Converts an error of a bucket into one that a client can act on. Returns others unchanged. */
export function failureOf(error: unknown): unknown {
  if (!(error instanceof Refused || error instanceof Unanswered)) return error
  if (isFull(error)) return new NoSpace('The bucket of the media is full.')
  const { says, hint } = explained(error)
  const failure = new Unavailable('The bucket of the media is out of reach; try again.', 5, `${says} ${hint}`)
  return Object.assign(failure, { cause: error })
}

function isFull(error: Refused | Unanswered): boolean {
  return error instanceof Refused && (error.status === 507 || /^(?:QuotaExceeded|XMinioStorageFull)/.test(error.code))
}

/** Explains why a bucket can't be used. */
export function explained(error: Refused | Unanswered): Explained {
  if (error instanceof Refused) return ofRefusal(error)
  const { code, message } = error
  const known = NETWORK[code]
  if (known) return known
  if (error instanceof Unexpected) return { says: message, hint: 'media.s3.endpoint may lead to something that is no S3 server.' }
  if (LOST.test(code))
    return { says: `The connection to the bucket was lost (${code}).`, hint: 'See to its server, and to the network.' }
  return {
    says: `No secure connection to the server of the bucket is made (${code}).`,
    hint: 'See to its certificate, and to http or https in media.s3.endpoint.',
  }
}

const NOT_FOUND = {
  says: 'The server of the bucket is not found.',
  hint: 'Correct the host in media.s3.endpoint, or see to the name server.',
}

const NETWORK: Readonly<Record<string, Explained | undefined>> = {
  ENOTFOUND: NOT_FOUND,
  EAI_AGAIN: NOT_FOUND,
  ECONNREFUSED: { says: 'Nothing answers at the bucket’s address.', hint: 'Start its server, or correct media.s3.endpoint.' },
  ETIMEDOUT: { says: 'The server of the bucket does not answer in time.', hint: 'See to it, and to the network.' },
}

function ofRefusal({ status, code, region, skew }: Refused): Explained {
  if (status >= 300 && status < 400) return elsewhere(region)
  const known = Object.hasOwn(KNOWN, code) ? KNOWN[code] : undefined
  if (code === 'RequestTimeTooSkewed') return clock(skew)
  if (known) return known
  if (/^AuthorizationHeaderMalformed|^InvalidRegion/.test(code)) return wrongRegion(region)
  const says = `The server of the bucket answers ${status}${code && ` ${code}`}.`
  if (status === 401 || status === 403) return { says, hint: RIGHTS }
  return {
    says,
    hint: TEMPORARY.has(status) ? 'It is overloaded or failing: see to it.' : 'Its documentation says what that means.',
  }
}

const RIGHTS = 'Let the key list the bucket, and read, write and delete what is in it: docs/deployment.md has the rights.'

const KNOWN: Readonly<Record<string, Explained | undefined>> = {
  InvalidAccessKeyId: {
    says: 'The server of the bucket does not know the key (InvalidAccessKeyId).',
    hint: 'Correct media.s3.access_key_id.',
  },
  SignatureDoesNotMatch: {
    says: 'The secret key does not belong to the key id (SignatureDoesNotMatch).',
    hint: 'Correct media.s3.secret_access_key; a proxy that changes requests has the same effect.',
  },
  NoSuchBucket: { says: 'There is no such bucket.', hint: 'Make it, or correct media.s3.bucket.' },
  AccessDenied: { says: 'The key lacks rights in the bucket (AccessDenied).', hint: RIGHTS },
}

function elsewhere(region: string | undefined): Explained {
  const at = region ? ` It is in the region ${region}.` : ''
  return {
    says: `The bucket is at another address, to which nothing is sent.${at}`,
    hint: 'Correct media.s3.endpoint and media.s3.region.',
  }
}

function wrongRegion(region: string | undefined): Explained {
  const says = `The region is not that of the bucket${region ? `, which is ${region}` : ''}.`
  return { says, hint: 'Correct media.s3.region.' }
}

function clock(skew: number | undefined): Explained {
  const by = skew === undefined ? 'too far off' : `${spanOf(Math.abs(skew))} ${skew > 0 ? 'behind' : 'ahead of'}`
  const says = `The clock of this machine is ${by} that of the bucket’s server, which takes no more than 15 minutes.`
  return { says, hint: 'Have both follow a time server (timedatectl set-ntp true).' }
}

function spanOf(ms: number): string {
  return ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`
}
