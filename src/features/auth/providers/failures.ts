import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client'
import { BadRequest, Failure, Forbidden, Unavailable } from '../../../core/errors.ts'

/** When to try again where a provider is away, in seconds. */
const AGAIN = 10

/** The person, or the provider in their place, would not. */
export class Declined extends Forbidden {}

/** Whoever it is, they have no account here. */
export class NoAccount extends Forbidden {}

/** What came back is of no use for this sign-in: forged, of another one, or used. */
export class NotFitting extends BadRequest {}

/** The provider can't be reached, or does not do what it should. `trouble` is for the log: no secret is in it. */
export class ProviderAway extends Unavailable {
  readonly trouble: Error
  constructor(name: string, trouble: string) {
    super(`"${name}" can not sign anybody in at the moment. Try again soon, or sign in another way.`, AGAIN)
    this.trouble = new Error(`The provider "${name}": ${trouble}`)
  }
}

/** What the application that asked for a sign-in is told of a failure: the codes of RFC 6749 §4.1.2.1, and `no_account`. */
export function errorCode(failure: Failure): string {
  if (failure instanceof Declined) return 'access_denied'
  if (failure instanceof NoAccount) return 'no_account'
  if (failure instanceof Unavailable) return 'temporarily_unavailable'
  return failure instanceof NotFitting ? 'invalid_request' : 'server_error'
}

/** How providers say that the person would not. */
const DECLINED: ReadonlySet<string> = new Set(['access_denied', 'login_required', 'consent_required', 'interaction_required'])

/** How providers say that a code is unknown, over, used, or not of who brings it; the second is GitHub's. */
const SPENT: ReadonlySet<string> = new Set(['invalid_grant', 'bad_verification_code'])

/** What does not hold of what a provider said, where it said something: by the codes of openid-client. */
const UNFIT: ReadonlySet<string> = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
  'OAUTH_UNSUPPORTED_OPERATION',
])

/** What a failure of the second half of a sign-in means. */
export function failureOf(name: string, error: unknown): Failure {
  if (error instanceof Failure) return error
  if (error instanceof AuthorizationResponseError) {
    return DECLINED.has(error.error) ? new Declined(`The sign-in at "${name}" was declined.`) : away(name, error)
  }
  const isSpent = error instanceof ResponseBodyError && SPENT.has(error.error)
  const isUnfit = error instanceof ClientError && UNFIT.has(error.code ?? '')
  return isSpent || isUnfit ? notFitting(name) : away(name, error)
}

/** What is answered where what a provider said is not to be believed. */
export function notFitting(name: string): NotFitting {
  return new NotFitting(`What came back from "${name}" does not fit this sign-in. Begin again.`)
}

/** What is said of a provider that can't be asked, and why for the log. */
export function away(name: string, error: unknown): ProviderAway {
  return new ProviderAway(name, reasonOf(error))
}

function reasonOf(error: unknown): string {
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError)
    return `it answered ${plain(error.error)}`
  if (!(error instanceof Error)) return 'it could not be asked'
  const { message, cause } = error
  const code = (error as { code?: unknown }).code ?? (cause as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? `${message} (${code})` : message
}

/** What a stranger may have chosen, fit for a line of a log. */
function plain(code: string): string {
  return /^[\w.-]{1,60}$/.test(code) ? code : 'with an error'
}
