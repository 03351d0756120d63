/** Messages by field, as the 422 answer carries them: `{"title": ["The title is required."]}`. */
export type FieldErrors = Record<string, string[]>

/**
 * A failure that a client can act on. `status` and `label` are the HTTP answer's; `exit` is the command line's
 * exit code; `hint` says how to mend it. Everything else that is thrown is a bug and becomes a 500 or exit 70.
 */
export abstract class Failure extends Error {
  abstract readonly status: number
  abstract readonly label: string
  readonly exit: number = 1
  readonly hint: string | undefined
  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}

/** A place in a file; line and column count from 1. */
export interface Placed {
  readonly file?: string | undefined
  readonly line?: number | undefined
  readonly column?: number | undefined
}

/** A failure that a place in a file is to blame for. */
export abstract class PlacedFailure extends Failure {
  readonly file: string | undefined
  readonly line: number | undefined
  readonly column: number | undefined
  constructor(message: string, at?: Placed, hint?: string) {
    super(message, hint)
    this.file = at?.file
    this.line = at?.line
    this.column = at?.column
  }
}

/** 400: malformed JSON or URL, an unknown parameter, too deep or too many keys. */
export class BadRequest extends Failure {
  readonly status = 400
  readonly label = 'Bad request'
  override readonly exit = 2
}

/** 401: no, unknown, expired or revoked token. `challenge` is the RFC 6750 error code, absent where no token was sent. */
export class Unauthorized extends Failure {
  readonly status = 401
  readonly label = 'Unauthorized'
  override readonly exit = 6
  readonly challenge: 'invalid_token' | 'invalid_request' | undefined
  constructor(message: string, challenge?: 'invalid_token' | 'invalid_request') {
    super(message)
    this.challenge = challenge
  }
}

/** 403: the token or role lacks a right; the message names it. */
export class Forbidden extends Failure {
  readonly status = 403
  readonly label = 'Forbidden'
  override readonly exit = 6
}

/** 404: there is no such route, type, record or revision, or the reader may not know of it. */
export class NotFound extends Failure {
  readonly status = 404
  readonly label = 'Not found'
  override readonly exit = 4
  constructor(message = 'The record was not found.', hint?: string) {
    super(message, hint)
  }
}

/** 405: the route exists with other methods, `allow`. */
export class MethodNotAllowed extends Failure {
  readonly status = 405
  readonly label = 'Method not allowed'
  override readonly exit = 2
  readonly allow: string[]
  constructor(allow: string[]) {
    super(`This address answers ${allow.join(', ')} only.`)
    this.allow = allow
  }
}

/** 406: the client takes no JSON. */
export class NotAcceptable extends Failure {
  readonly status = 406
  readonly label = 'Not acceptable'
  override readonly exit = 2
  constructor(message = 'This address answers application/json only.') {
    super(message)
  }
}

/** 409: an id or slug is taken, edits overlap, or a status move is not allowed. `conflict` goes into the answer. */
export class Conflict extends Failure {
  readonly status = 409
  readonly label = 'Conflict'
  override readonly exit = 5
  readonly conflict: object | undefined
  constructor(message: string, conflict?: object, hint?: string) {
    super(message, hint)
    this.conflict = conflict
  }
}

/**
 * An id that is that of another document of its kind, `twin`, but for case. The message doesn't name it: not everyone may know of
 * it.
 */
export class CaseConflict extends Conflict {
  readonly kind: string
  readonly id: string
  readonly twin: string
  constructor({ kind, id }: { readonly kind: string; readonly id: string }, twin: string) {
    super(`The id "${id}" differs only in case from one that exists.`)
    this.kind = kind
    this.id = id
    this.twin = twin
  }
}

/** 412: `If-Match` names a version that is not the current one. Thrown by stores for a stale `expects`. */
export class Stale extends Failure {
  readonly status = 412
  readonly label = 'Precondition failed'
  override readonly exit = 5
  constructor(message = 'The record has changed since you read it.') {
    super(message)
  }
}

/** 413: the request is over its size limit. */
export class TooLarge extends Failure {
  readonly status = 413
  readonly label = 'Payload too large'
}

/** 415: a body that is not `application/json`. */
export class UnsupportedMediaType extends Failure {
  readonly status = 415
  readonly label = 'Unsupported media type'
}

/** 422: what was sent is understood but not allowed; `errors` says which field and why. */
export class InvalidInput extends Failure {
  readonly status = 422
  readonly label = 'Validation failed'
  override readonly exit = 3
  readonly errors: FieldErrors
  constructor(errors: FieldErrors, message?: string) {
    super(message ?? Object.values(errors).flat()[0] ?? 'The input is not valid.')
    this.errors = errors
  }
}

/**
 * Something was to be done to several things as one, and nothing was: it can't be done to some. The status and the label are those
 * of `first`; `errors` says what is wrong with each of them, by its id.
 */
export class NoneDone extends Failure {
  readonly status: number
  readonly label: string
  override readonly exit: number
  readonly errors: FieldErrors
  constructor(first: Failure, message: string, errors: FieldErrors) {
    super(message, first.hint)
    this.status = first.status
    this.label = first.label
    this.exit = first.exit
    this.errors = errors
  }
}

/** 422: the file behind this record can't be read as one. */
export class Unreadable extends PlacedFailure {
  readonly status = 422
  readonly label = 'Unreadable record'
  override readonly exit = 3
}

/** 429: a throttle; `retryAfter` in whole seconds. */
export class TooMany extends Failure {
  readonly status = 429
  readonly label = 'Too many requests'
  readonly retryAfter: number
  constructor(message: string, retryAfter: number) {
    super(message)
    this.retryAfter = retryAfter
  }
}

/** 503: busy, draining, or the store is away; `retryAfter` in whole seconds. */
export class Unavailable extends Failure {
  readonly status = 503
  readonly label = 'Unavailable'
  override readonly exit: number = 7
  readonly retryAfter: number
  constructor(message: string, retryAfter = 1, hint?: string) {
    super(message, hint)
    this.retryAfter = retryAfter
  }
}

/** 503: the site's folder can't be written to, which a person has to see to. */
export class NotWritable extends Unavailable {
  override readonly exit = 6
}

/** 507: the disk is full; nothing was changed. */
export class NoSpace extends Failure {
  readonly status = 507
  readonly label = 'Insufficient storage'
}

/** One problem in a file, and how to fix it. */
export interface Mistake extends Placed {
  readonly message: string
  readonly hint?: string | undefined
}

/** Not an HTTP answer: the configuration can't be used (exit 3). `others` are the mistakes after the first, by place. */
export class BadConfig extends PlacedFailure {
  readonly status = 500
  readonly label = 'Configuration'
  override readonly exit = 3
  readonly others: readonly Mistake[]
  constructor(message: string, at?: Placed, hint?: string, others: readonly Mistake[] = []) {
    super(message, at, hint)
    this.others = others
  }
}
