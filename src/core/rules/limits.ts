import { UNSAFE_KEYS } from '#frontmatter/fault.ts'
import { isLonger } from '#lib/characters.ts'
import type { FieldErrors } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import { say } from './checks.ts'

/** Limits of a request: fields, levels, characters of a string, items of a list, characters of a key, bytes of a body. */
export const LIMITS = { fields: 100, depth: 20, string: 10_000, items: 1000, key: 100, title: 200, body: 1024 * 1024 } as const

/**
 * Messages for what is over the limits of any request, whatever its type; `longest` says how long the strings of a field may be.
 */
export function limitErrors(fields: Fields, longest: (name: string) => number): FieldErrors {
  const names = Object.keys(fields)
  if (names.length > LIMITS.fields) return { fields: [`A record can't be sent with more than ${LIMITS.fields} fields.`] }
  const errors: FieldErrors = {}
  for (const name of names) {
    // Not even a message can be kept under such a name.
    if (UNSAFE_KEYS.has(name)) return { fields: [`The field "${name}" is not allowed.`] }
    const fault = keyFault(name) ?? treeFault(fields[name] ?? null, 1, longest(name))
    if (fault) errors[printable(name)] = [say(printable(name), fault)]
  }
  return errors
}

function treeFault(value: Json, depth: number, longest: number): string | undefined {
  if (typeof value === 'string') return stringFault(value, longest)
  if (typeof value === 'number' && !Number.isFinite(value)) return 'must be a finite number.'
  if (typeof value !== 'object' || value === null) return undefined
  if (depth > LIMITS.depth) return `must not be nested more than ${LIMITS.depth} levels deep.`
  // Pairs of keys and items are made of what is short enough alone.
  const { length } = Array.isArray(value) ? value : Object.keys(value)
  if (length > LIMITS.items) return `must not have more than ${LIMITS.items} items.`
  for (const [key, child] of Object.entries(value)) {
    const fault = (Array.isArray(value) ? undefined : keyFault(key)) ?? treeFault(child, depth + 1, longest)
    if (fault) return fault
  }
  return undefined
}

function stringFault(text: string, longest: number): string | undefined {
  if (isLonger(text, longest)) return `must not be greater than ${longest} characters.`
  if (/\p{Cs}/u.test(text)) return 'must be valid Unicode.'
  return text.includes('\0') ? 'must not hold a NUL character.' : undefined
}

function keyFault(key: string): string | undefined {
  if (UNSAFE_KEYS.has(key)) return `holds the key "${key}", which is not allowed.`
  if (key === '' || key.length > LIMITS.key || key !== key.trim())
    return `holds a key that is empty, over ${LIMITS.key} characters or padded with spaces.`
  return /[\p{Cc}\p{Cs}]/u.test(key) ? 'holds a key with a control character.' : undefined
}

function printable(name: string): string {
  return name.replaceAll(/\p{Cc}/gu, '\uFFFD').slice(0, LIMITS.key)
}
