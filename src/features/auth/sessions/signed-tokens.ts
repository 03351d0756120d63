import type { JWTHeaderParameters, JWTPayload, JWTVerifyOptions } from 'jose'
import type { Clock } from '#lib/clock.ts'
import { ALGORITHM, type Keys } from './keys.ts'

/** The payload of a JWT that one of the site's keys has signed, and the name of that key. */
export interface SignedPayload {
  readonly payload: JWTPayload
  readonly key: string
}

/** The demands on a JWT that can't be left out (RFC 8725). */
export type Demands = Required<Pick<JWTVerifyOptions, 'issuer' | 'audience' | 'typ' | 'requiredClaims' | 'maxTokenAge'>>

/** Maximum difference between the clocks of nodes, in seconds. */
const SKEW = 10

/** Returns the payload of a JWT; undefined if it is malformed, forged, of another kind or issuer, or expired. */
export async function signedPayload(
  token: string,
  { keys, clock }: { readonly keys: Keys; readonly clock: Clock },
  demands: Demands,
): Promise<SignedPayload | undefined> {
  const { jwtVerify } = await import('jose')
  const keyOf = async ({ kid }: JWTHeaderParameters) => {
    const key = typeof kid === 'string' && /^[0-9a-f]{16}$/.test(kid) ? await keys.find(kid) : undefined
    if (!key) throw new UnknownKey()
    return key.publicKey
  }
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keyOf, {
      ...demands,
      algorithms: [ALGORITHM],
      clockTolerance: SKEW,
      currentDate: new Date(clock.now()),
    })
    return { payload, key: String(protectedHeader.kid) }
  } catch (error) {
    if (isRefusal(error)) return undefined
    throw error
  }
}

class UnknownKey extends Error {}

/** Returns whether jose rejected a token. Any other error is a failure of ours, such as an unavailable store. */
function isRefusal(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code
  return error instanceof UnknownKey || (typeof code === 'string' && /^ERR_J/.test(code))
}
