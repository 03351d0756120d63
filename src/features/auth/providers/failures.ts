import { BadRequest, type Failure, Forbidden, Unavailable } from '#lib/errors.ts'

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

/** What is answered where what a provider said is not to be believed. */
export function notFitting(name: string): NotFitting {
  return new NotFitting(`What came back from "${name}" does not fit this sign-in. Begin again.`)
}
