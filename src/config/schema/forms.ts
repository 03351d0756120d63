import type { JSONSchema } from 'json-schema-to-ts'

/** A length of time: a whole number and `s`, `m`, `h` or `d`. Bare numbers are refused, for nobody can tell their unit. */
export const duration = {
  type: 'string',
  pattern: '^[0-9]{1,9}[smhd]$',
  examples: ['30s', '10m', '12h', '90d'],
} as const satisfies JSONSchema

/** A size in bytes: a number and `B`, `KiB`, `MiB`, `GiB` (or `kB`, `MB`, `GB`). */
export const size = {
  type: 'string',
  pattern: '^[0-9]{1,12} ?(B|kB|KiB|MB|MiB|GB|GiB)$',
  examples: ['512KiB', '20MiB'],
} as const satisfies JSONSchema

/** `"<n>,<m>"`: n requests in m minutes; `off` for no limit. */
export const throttle = {
  type: 'string',
  pattern: '^(off|[1-9][0-9]*,[1-9][0-9]*)$',
  examples: ['600,1', 'off'],
} as const satisfies JSONSchema

/** An interval: `off` or a length of time. */
export const interval = {
  type: 'string',
  pattern: '^(off|[0-9]{1,9}[smhd])$',
  examples: ['off', '60s'],
} as const satisfies JSONSchema

/** A string that is not empty. */
export const text = { type: 'string', minLength: 1 } as const satisfies JSONSchema

/** A number of records on a page of a list. */
export const perPage = { minimum: 1, maximum: 1000 } as const satisfies JSONSchema

/** A number of records in a feed: those of a list hold whole texts, and are fetched again and again. */
export const feedLimit = { minimum: 1, maximum: 200 } as const satisfies JSONSchema

/** A list of strings that are not empty. */
export const texts = { type: 'array', items: text } as const satisfies JSONSchema

/** An http or https address. */
export const address = {
  type: 'string',
  pattern: '^https?://[^\\s]+$',
  examples: ['https://example.org'],
} as const satisfies JSONSchema
