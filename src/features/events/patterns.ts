import { InvalidInput } from '#lib/errors.ts'
import { EVENT_TYPES } from './event.ts'

/** Returns whether a type of events is one of these: `record.published`, or with `*` for any part. */
export function typesLike(patterns: readonly string[]): (type: string) => boolean {
  const parts = patterns.map((pattern) => pattern.trim().split('.'))
  return (type) => parts.some((one) => isLike(one, type))
}

/** Throws InvalidInput, naming `field`, where a pattern is that of no event. */
export function checkPatterns(patterns: readonly string[], field: string): void {
  const unknown = patterns.find((pattern) => !EVENT_TYPES.some(typesLike([pattern])))
  if (unknown !== undefined)
    throw new InvalidInput({ [field]: [`There is no event "${unknown}". There are ${EVENT_TYPES.join(', ')}.`] })
}

function isLike(parts: readonly string[], type: string): boolean {
  const of = type.split('.')
  const isAny = parts.length === 1 && parts[0] === '*'
  return isAny || (parts.length === of.length && parts.every((part, nth) => part === '*' || part === of[nth]))
}
