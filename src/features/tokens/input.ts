import { InvalidInput } from '#lib/errors.ts'

const DAY = 86_400_000

/**
 * The options of a new token. `scopes` are scopes or presets, each optionally narrowed by `@type`; `expires` is in milliseconds
 * from now (90 days by default).
 */
export interface TokenInput {
  name: string
  scopes: readonly string[]
  types?: readonly string[]
  expires?: number | 'never'
}

/** A name as it is kept; throws InvalidInput. */
export function checkName(name: string): string {
  const trimmed = name.trim()
  if (trimmed === '') throw new InvalidInput({ name: ['The name is required.'] })
  // A name goes into the author line of commits.
  if (trimmed.length > 100 || /[\p{Cc}<>]/u.test(trimmed)) {
    throw new InvalidInput({ name: ['The name may have 100 characters, none of them a control character, < or >.'] })
  }
  return trimmed
}

/** A length of time in milliseconds, as a token may have it; throws InvalidInput. */
export function checkLife(ms: number): number {
  if (Number.isFinite(ms) && ms > 0 && ms < 100_000 * DAY) return ms
  throw new InvalidInput({ expires: ['The expiry is a length of time such as 90d, or never.'] })
}
