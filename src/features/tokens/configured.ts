import type { Access } from '#core/access/access.ts'
import { BadConfig, type Placed } from '#lib/errors.ts'
import { hashToken } from './format.ts'
import { accessOf, expandScopes } from './rights.ts'

/**
 * A token that the configuration knows: the SHA-256 of its secret (64 hex digits), what it may do, and until when (an instant,
 * RFC 3339).
 */
export interface ConfiguredToken {
  readonly name: string
  readonly hash: string
  readonly scopes: readonly string[]
  readonly types: readonly string[]
  readonly expiresAt: string | null
}

/** A token as `api.tokens` of the configuration has it. */
export interface TokenSetting {
  readonly name: string
  readonly scopes: readonly string[]
  readonly env?: string | undefined
  readonly hash?: string | undefined
  readonly types?: readonly string[] | undefined
  readonly expires_at?: string | undefined
}

const SHORTEST = 32

/**
 * The tokens of the configuration with the secrets of `env` hashed. Throws BadConfig for one whose variable is unset or whose
 * secret is short; `at` says where the name of its variable is.
 */
export function configuredTokens(
  settings: readonly TokenSetting[],
  env: NodeJS.ProcessEnv,
  at: (index: number) => Placed,
): ConfiguredToken[] {
  return settings.map((setting, index) => ({
    name: setting.name,
    hash: hashOf(setting, env, index, at),
    scopes: expandScopes(setting.scopes),
    types: setting.types ?? [],
    expiresAt: setting.expires_at ? new Date(setting.expires_at).toISOString() : null,
  }))
}

/** Returns the hash of a configured token. The text in place of a name may be the secret itself, so it is not repeated. */
function hashOf(
  { hash, env: variable }: TokenSetting,
  env: NodeJS.ProcessEnv,
  index: number,
  at: (index: number) => Placed,
): string {
  if (hash !== undefined) return hash.replace(/^sha256:/, '')
  const secret = env[variable ?? '']?.trim() ?? ''
  if (secret.length >= SHORTEST) return hashToken(secret)
  const fault = secret === '' ? 'is not set' : `holds fewer than ${SHORTEST} characters`
  const hint = 'Set it to a token made by `cms token:create`, or give the token\'s hash as `hash: "sha256:…"`.'
  throw new BadConfig(`api.tokens.${index}.env names an environment variable that ${fault}.`, at(index), hint)
}

/** A configured token's place in the process: its id, its rights, and its end in milliseconds since 1970 (Infinity for never). */
export interface Holder {
  readonly id: string
  readonly hash: string
  readonly access: Access
  readonly ends: number
}

/** The holder of a configured token; `narrow` leaves out of its access what does not exist for a token that is nobody's. */
export function holderOf(token: ConfiguredToken, siteHost: string, narrow: (access: Access) => Access): Holder {
  const id = tokenId(token.hash)
  const access = narrow(accessOf(`token:${id}`, tokenAuthor(token.name, id, siteHost), token.scopes, token.types))
  return { id, hash: token.hash, access, ends: token.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(token.expiresAt) }
}

/** A token's id: the first 12 digits of its hash, so that it is found without a search. */
export function tokenId(hash: string): string {
  return hash.slice(0, 12)
}

/** Returns the author of the changes made with a token. */
export function tokenAuthor(name: string, id: string, siteHost: string): { name: string; email: string } {
  return { name, email: `token+${id}@${siteHost}` }
}
