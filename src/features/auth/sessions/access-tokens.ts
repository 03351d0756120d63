import { hash, randomBytes } from 'node:crypto'
import type { User } from '#features/users/user.ts'
import { Cache } from '#lib/cache.ts'
import type { Clock } from '#lib/clock.ts'
import { ALGORITHM, type Keys, TOKEN_LIFE } from './keys.ts'
import { signedPayload } from './signed-tokens.ts'

/** The type in the header of an access token (RFC 9068 §2.1), so that no other JWT is taken for one. */
const TYPE = 'at+jwt'

const REQUIRED = ['iss', 'aud', 'sub', 'iat', 'exp', 'jti', 'ver']

/** Number of verified tokens to cache, so that their signatures need not be checked again. */
const MOST_READ = 20_000

/** The claims of an access token. */
export interface Claims {
  readonly user: string
  readonly session: string
  /** `User.tokenVersion` when it was made. */
  readonly version: number
  /** The key it was signed with. */
  readonly key: string
  /** Its end, in milliseconds since 1970. */
  readonly ends: number
}

/** The dependencies of access tokens. `issuer` is the site's address. */
export interface AccessTokenDeps {
  readonly keys: Keys
  readonly clock: Clock
  readonly issuer: string
}

/**
 * Access tokens: JWTs signed with EdDSA, as RFC 8725 asks, of the type of RFC 9068 (there is no client to name in `client_id`). A
 * role is not in them: it is looked up. That a token is good says nothing yet of the account and the session it names.
 */
export class AccessTokens {
  readonly #keys: Keys
  readonly #clock: Clock
  readonly #issuer: string
  readonly #read = new Cache<Claims>({ most: MOST_READ })

  constructor({ keys, clock, issuer }: AccessTokenDeps) {
    this.#keys = keys
    this.#clock = clock
    this.#issuer = issuer
  }

  /** A token for a session of a user, good for `TOKEN_LIFE` seconds. */
  async make(user: Pick<User, 'id' | 'tokenVersion'>, session: string): Promise<string> {
    const { SignJWT } = await import('jose')
    const { id, privateKey } = await this.#keys.signing()
    const now = Math.floor(this.#clock.now() / 1000)
    return new SignJWT({ ver: user.tokenVersion })
      .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: id })
      .setIssuer(this.#issuer)
      .setAudience(audienceOf(this.#issuer))
      .setSubject(user.id)
      .setIssuedAt(now)
      .setExpirationTime(now + TOKEN_LIFE)
      .setJti(`${session}.${randomBytes(9).toString('base64url')}`)
      .sign(privateKey)
  }

  /**
   * Returns the claims of a token. Undefined if it is malformed, forged, from another issuer, or expired. A cached token only
   * costs a hash.
   */
  async read(token: string): Promise<Claims | undefined> {
    const name = hash('sha256', token, 'base64url')
    const known = this.#read.get(name)
    const claims = known ?? (await this.#verify(token))
    if (!claims || claims.ends <= this.#clock.now()) return undefined
    if (!known) this.#read.set(name, claims)
    // A key that was taken out of service takes with it what it signed.
    return known && !(await this.#keys.find(known.key)) ? undefined : claims
  }

  async #verify(token: string): Promise<Claims | undefined> {
    const issuer = this.#issuer
    const demands = { issuer, audience: audienceOf(issuer), typ: TYPE, requiredClaims: REQUIRED, maxTokenAge: TOKEN_LIFE }
    const signed = await signedPayload(token, { keys: this.#keys, clock: this.#clock }, demands)
    return signed && claimsOf(signed.payload, signed.key)
  }
}

/**
 * Returns the claims of a payload with a valid signature, times and audience. Its types are up to the signer, whatever the types
 * of jose say.
 */
function claimsOf({ sub, jti, ver, exp }: { readonly [claim: string]: unknown }, key: string): Claims | undefined {
  if (typeof sub !== 'string' || typeof jti !== 'string' || typeof exp !== 'number') return undefined
  const session = /^([A-Za-z0-9_-]{1,64})\./.exec(jti)?.[1]
  if (session === undefined || typeof ver !== 'number' || !Number.isInteger(ver)) return undefined
  return { user: sub, session, version: ver, key, ends: exp * 1000 }
}

/** Returns the audience of access tokens: the API of the site. */
function audienceOf(issuer: string): string {
  return `${issuer}/api`
}
