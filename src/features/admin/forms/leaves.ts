import type { Field } from '#core/types/content-type.ts'
import type { Json } from '#lib/json.ts'
import { isExactNumber, readStrictJson } from '#lib/strict-json.ts'
import { withFinalNewline, withLf, withLineEndings } from '#lib/text/line-endings.ts'
import { instantOf, localText } from './times.ts'

/** The value that a text of a form means: undefined for none, or the reason why it means nothing. */
export type Meaning = { readonly value: Json | undefined } | { readonly fault: string }

/** Levels and keys of a JSON text. */
const JSON_LIMITS = { depth: 20, keys: 1000 }
const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i

/** Returns the text that the input of a field shows of a value. */
export function textOf({ type }: Field, value: Json | undefined, zone: string): string {
  if (value === undefined || value === null) return ''
  if (type === 'json' || typeof value === 'object') return JSON.stringify(value, null, 2)
  if (type === 'datetime') return localText(String(value), zone)
  return typeof value === 'string' ? withLf(value) : value === false ? '' : String(value)
}

/**
 * Returns the value that a typed text means. It is `held`, the value that the record has, where it is the text that was shown of it.
 * What is no number or no date stays a text: the field's rules say what is wrong with it.
 */
export function meaningOf(field: Field, typed: string, held: Json | undefined, zone: string): Meaning {
  const text = withLf(typed)
  if (field.type === 'boolean') return { value: truth(text, held) }
  if (isShown(field, text, held, zone)) return { value: held }
  if (text === '') return { value: undefined }
  switch (field.type) {
    case 'text':
    case 'markdown':
      return { value: withEndsOf(text, held) }
    case 'number':
    case 'integer':
      return { value: number(text.trim()) ?? typed }
    case 'datetime':
      return { value: instantOf(text.trim(), zone, typeof held === 'string' ? held : undefined) ?? typed }
    case 'json':
    case 'object':
      return json(text)
    default:
      return { value: text }
  }
}

function isShown(field: Field, text: string, held: Json | undefined, zone: string): boolean {
  const shown = textOf(field, held, zone)
  return text === shown || (field.type === 'color' && text.toLowerCase() === shown.toLowerCase())
}

/** Not ticked is no value where there was none: a form says the same of both. */
function truth(text: string, held: Json | undefined): Json | undefined {
  if (text === 'true' || text === 'on') return true
  if (text !== 'false' && text !== '') return text
  return held === true ? false : held
}

function withEndsOf(text: string, held: Json | undefined): string {
  return typeof held === 'string' ? withLineEndings(withFinalNewline(text, held), held) : text
}

function number(text: string): number | undefined {
  // There is one zero in JSON.
  return NUMBER.test(text) && isExactNumber(text) ? Number(text) + 0 : undefined
}

function json(text: string): Meaning {
  try {
    const read = readStrictJson(text, JSON_LIMITS)
    if ('value' in read) return { value: (read.value as Json | null) ?? undefined }
    return {
      fault: `can't be kept as it is${read.fault.path === '' ? '' : `, at ${read.fault.path.slice(0, 100)}`}: ${FAULTS[read.fault.kind]}.`,
    }
  } catch {
    return { fault: 'must be JSON, such as {"a": 1}.' }
  }
}

const FAULTS = {
  depth: `it is nested more than ${JSON_LIMITS.depth} levels deep`,
  keys: `it has more than ${JSON_LIMITS.keys} keys`,
  unsafe: 'the keys __proto__, constructor and prototype are not allowed',
  twice: 'a key is there twice',
  number: 'a number is too large, or too exact',
  text: 'a text is no valid Unicode',
} as const
