import type { User } from '#features/users/user.ts'
import type { AccessTokenDeps } from './access-tokens.ts'
import { ALGORITHM } from './keys.ts'
import { signedPayload } from './signed-tokens.ts'

/** The type in the header, so that no other JWT is taken for one, nor one for another. */
const TYPE = 'preview+jwt'
const REQUIRED = ['iss', 'aud', 'sub', 'iat', 'exp', 'ver', 'rec']
/** Lifetime in seconds. */
const LIFE = 7 * 24 * 60 * 60

/** The record that a preview may be shown of, and the user who said so. */
export interface PreviewClaims {
  readonly type: string
  readonly id: string
  readonly user: string
  /** `User.tokenVersion` when it was made. */
  readonly version: number
}

/**
 * Tokens by which anybody sees the page of one record as it is now: JWTs signed with the site's keys. One is good for seven days,
 * and no longer than the key that signed it. That it is good says nothing yet of the user's rights.
 */
export class PreviewTokens {
  readonly #deps: AccessTokenDeps

  constructor(deps: AccessTokenDeps) {
    this.#deps = deps
  }

  /** Makes the token of a record, with its end in milliseconds since 1970. */
  async make(user: Pick<User, 'id' | 'tokenVersion'>, type: string, id: string): Promise<{ token: string; ends: number }> {
    const { keys, clock, issuer } = this.#deps
    const { SignJWT } = await import('jose')
    const key = await keys.signing()
    const now = Math.floor(clock.now() / 1000)
    const token = await new SignJWT({ ver: user.tokenVersion, rec: [type, id] })
      .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: key.id })
      .setIssuer(issuer)
      .setAudience(audienceOf(issuer))
      .setSubject(user.id)
      .setIssuedAt(now)
      .setExpirationTime(now + LIFE)
      .sign(key.privateKey)
    return { token, ends: (now + LIFE) * 1000 }
  }

  /** Returns the claims of a token; undefined if it is malformed, forged, from another issuer, or over. */
  async read(token: string): Promise<PreviewClaims | undefined> {
    const { issuer } = this.#deps
    const demands = { issuer, audience: audienceOf(issuer), typ: TYPE, requiredClaims: REQUIRED, maxTokenAge: LIFE }
    const signed = await signedPayload(token, this.#deps, demands)
    const { sub, ver, rec, exp } = signed?.payload ?? {}
    if (typeof sub !== 'string' || typeof ver !== 'number' || !Array.isArray(rec) || rec.length !== 2) return undefined
    const [type, id] = rec as unknown[]
    // A tolerance is for clocks that differ, and no link is good for longer than it says.
    const isOver = typeof exp !== 'number' || exp * 1000 <= this.#deps.clock.now()
    return typeof type === 'string' && typeof id === 'string' && !isOver ? { type, id, user: sub, version: ver } : undefined
  }
}

function audienceOf(issuer: string): string {
  return `${issuer}/preview`
}
