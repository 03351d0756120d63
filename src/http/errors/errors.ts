import {
  BadConfig,
  Conflict,
  Failure,
  InvalidInput,
  MethodNotAllowed,
  NoneDone,
  TooMany,
  Unauthorized,
  Unavailable,
} from '#lib/errors.ts'

/** An error as it is answered: JSON of the shape `{"error","message"}`, with `errors` of a 422 and `conflict` of a 409. */
export interface ErrorAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
  /** True for what is no client's fault, and of which the answer says too little: the log has to tell the rest. */
  readonly isFault?: true
}

/** Labels of what is answered without a `Failure` of ours: by Fastify or by Node's parser. */
const LABELS: Readonly<Record<number, string>> = {
  400: 'Bad request',
  404: 'Not found',
  405: 'Method not allowed',
  406: 'Not acceptable',
  408: 'Request timeout',
  413: 'Payload too large',
  414: 'URI too long',
  415: 'Unsupported media type',
  417: 'Expectation failed',
  431: 'Request header fields too large',
  503: 'Unavailable',
}

/** Messages for Fastify's own errors, by their code; none of Fastify's messages is sent to clients. */
const FRAMEWORK: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Send the body as application/json.',
  FST_ERR_CTP_BODY_TOO_LARGE: 'The body is larger than this address takes.',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body is not as long as Content-Length says.',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'The body is empty; send a JSON object.',
  FST_ERR_BAD_URL: 'The address is malformed.',
  FST_ERR_MAX_PARAM_LENGTH: 'A part of the address is too long.',
}

/** Codes of the system's errors that pass: permissions that are being set, a disk or a share that is away, too many open files. */
const PASSING: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EIO', 'ESTALE', 'EMFILE', 'ENFILE'])
const RETRY_AFTER = '5'

/**
 * The answer to anything thrown. What is no `Failure` and no client's fault is a 500 that says nothing of the inside, or a 503
 * where the site's files can't be read or written just now.
 */
export function errorAnswer(error: unknown): ErrorAnswer {
  if (error instanceof Failure && !(error instanceof BadConfig)) {
    return { status: error.status, headers: headersOf(error), body: bodyOf(error) }
  }
  const { statusCode, code } = (error ?? {}) as { statusCode?: unknown; code?: unknown }
  if (PASSING.has(code)) return unreadable()
  const known = typeof code === 'string' && Object.hasOwn(FRAMEWORK, code) ? FRAMEWORK[code] : undefined
  if (typeof statusCode !== 'number' || statusCode < 400 || statusCode > 499) return serverError()
  return plainError(statusCode, known ?? 'The request can not be understood.')
}

/** An error answer without a `Failure`: a status and a sentence. */
export function plainError(status: number, message: string): ErrorAnswer {
  return { status, headers: {}, body: { error: LABELS[status] ?? 'Bad request', message } }
}

function serverError(): ErrorAnswer {
  const message = 'Something went wrong on the server. Its log has the details, under the X-Request-Id of this answer.'
  return { status: 500, headers: {}, body: { error: 'Server error', message }, isFault: true }
}

function unreadable(): ErrorAnswer {
  const message =
    'The files of the site can not be used just now. The log of the server has the details, under the X-Request-Id of this answer.'
  return { ...plainError(503, message), headers: { 'retry-after': RETRY_AFTER }, isFault: true }
}

function bodyOf(error: Failure): Record<string, unknown> {
  const body = { error: error.label, message: error.message }
  if (error instanceof InvalidInput || error instanceof NoneDone) return { ...body, errors: error.errors }
  return error instanceof Conflict && error.conflict ? { ...body, conflict: error.conflict } : body
}

function headersOf(error: Failure): Record<string, string> {
  if (error instanceof Unauthorized) return { 'www-authenticate': challenge(error) }
  if (error.status === 403) return { 'www-authenticate': 'Bearer realm="Quire", error="insufficient_scope"' }
  if (error instanceof MethodNotAllowed) return { allow: error.allow.join(', ') }
  if (error instanceof TooMany || error instanceof Unavailable) return { 'retry-after': String(error.retryAfter) }
  return {}
}

/** Returns the challenge. A request without a token gets the scheme alone (RFC 6750 §3). */
function challenge({ challenge: code, message }: Unauthorized): string {
  const realm = 'Bearer realm="Quire"'
  return code ? `${realm}, error="${code}", error_description="${message.replaceAll(/["\\]/g, '')}"` : realm
}
