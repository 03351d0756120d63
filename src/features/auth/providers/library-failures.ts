import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client'
import { Failure } from '#lib/errors.ts'
import { Unusable } from './asking.ts'
import { Declined, notFitting, ProviderAway } from './failures.ts'

/** Error codes of providers for a sign-in that the user declined. */
const DECLINED: ReadonlySet<string> = new Set(['access_denied', 'login_required', 'consent_required', 'interaction_required'])

/** Error codes of providers for a code that is unknown, expired, used, or from another client. The second is GitHub's. */
const SPENT: ReadonlySet<string> = new Set(['invalid_grant', 'bad_verification_code'])

/** Error codes of openid-client for a provider's response that fails validation. */
const UNFIT: ReadonlySet<string> = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
  'OAUTH_UNSUPPORTED_OPERATION',
])

/** Returns the failure for an error in the second half of a sign-in. */
export function failureOf(name: string, error: unknown): Failure {
  if (error instanceof Failure) return error
  if (error instanceof AuthorizationResponseError) {
    return DECLINED.has(error.error) ? new Declined(`The sign-in at "${name}" was declined.`) : away(name, error)
  }
  const isSpent = error instanceof ResponseBodyError && SPENT.has(error.error)
  const isUnfit = error instanceof ClientError && UNFIT.has(error.code ?? '')
  return isSpent || isUnfit ? notFitting(name) : away(name, error)
}

/** Returns the error for a provider that can't be reached, with the reason for the log. */
export function away(name: string, error: unknown): ProviderAway {
  return new ProviderAway(name, reasonOf(error))
}

function reasonOf(error: unknown): string {
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError)
    return `it answered ${plain(error.error)}`
  if (!(error instanceof Error)) return 'it could not be asked'
  if (error instanceof Unusable) return error.message
  if (error.cause instanceof Unusable) return error.cause.message
  // What was to be JSON may stand in the message.
  if (error instanceof SyntaxError) return 'it answered what is no JSON'
  const code = codeOf(error) ?? codeOf(error.cause)
  return code === undefined ? error.message : `${error.message} (${code})`
}

function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : undefined
}

/** Makes an error code safe for a line of a log, since a stranger may have chosen it. */
function plain(code: string): string {
  return /^[\w.-]{1,60}$/.test(code) ? code : 'with an error'
}
