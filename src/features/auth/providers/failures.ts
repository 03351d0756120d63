import { BadRequest, type Failure, Forbidden, Unavailable } from '#lib/errors.ts'

/** Seconds to wait before a retry if a provider is unavailable. */
const AGAIN = 10

/** The person, or the provider in their place, would not. */
export class Declined extends Forbidden {}

/** 403: the person who signed in at the provider has no account here. */
export class NoAccount extends Forbidden {}

/** The provider's response does not belong to this sign-in: forged, from another one, or already used. */
export class NotFitting extends BadRequest {}

/** The provider can't be reached, or does not do what it should. `trouble` is for the log: no secret is in it. */
export class ProviderAway extends Unavailable {
  readonly trouble: Error
  constructor(name: string, trouble: string) {
    super(`"${name}" can not sign anybody in at the moment. Try again soon, or sign in another way.`, AGAIN)
    this.trouble = new Error(`The provider "${name}": ${trouble}`)
  }
}

/** Returns the error code for the application that requested a sign-in: the codes of RFC 6749 §4.1.2.1, and `no_account`. */
export function errorCode(failure: Failure): string {
  if (failure instanceof Declined) return 'access_denied'
  if (failure instanceof NoAccount) return 'no_account'
  if (failure instanceof Unavailable) return 'temporarily_unavailable'
  return failure instanceof NotFitting ? 'invalid_request' : 'server_error'
}

/** Returns the error for a provider's response that can't be trusted. */
export function notFitting(name: string): NotFitting {
  return new NotFitting(`What came back from "${name}" does not fit this sign-in. Begin again.`)
}
