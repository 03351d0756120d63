import { Conflict } from '#lib/errors.ts'
import type { Json } from '#lib/json.ts'
import { isObject } from '../changes.ts'

const DATE = /^\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)?)?$/

/** A key as TOML writes it. */
export function keyText(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key)
}

/** A value on its key's line, in the style of the `old` text where it can be. Throws Conflict for null. */
export function valueText(value: Json, old: string, eol: string): string {
  if (typeof value === 'string') return stringText(value, old, eol)
  if (value === null) throw new Conflict('TOML has no null.', undefined, 'Leave the value out.')
  if (Array.isArray(value)) return listText(value, old, eol)
  if (!isObject(value)) return JSON.stringify(value)
  const pairs = Object.entries(value).map(([key, item]) => `${keyText(key)} = ${valueText(item, '', eol)}`)
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`
}

/** A list over several lines stays one, at its first item's indentation. */
function listText(list: Json[], old: string, eol: string): string {
  const pad = /^\[\s*?\n([ \t]*)/.exec(old)?.[1]
  const sample = /["']/.exec(old)?.[0] ?? ''
  const items = list.map((item) => valueText(item, sample, eol))
  if (pad === undefined || items.length === 0) return `[${items.join(', ')}]`
  const close = /\n([ \t]*)\]$/.exec(old)?.[1] ?? ''
  return `[${eol}${items.map((item) => `${pad}${item},${eol}`).join('')}${close}]`
}

function stringText(value: string, old: string, eol: string): string {
  if (DATE.test(old) && DATE.test(value)) return value
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a literal string can't hold them
  const isLiteral = old.startsWith("'") && !/['\x00-\x08\x0a-\x1f\x7f]/.test(value)
  if (isLiteral) return `'${value}'`
  // What a CRLF inside a long string stands for is left to the reader: not written.
  if (!value.includes('\n') || eol !== '\n') return basicText(value)
  const lines = value.split('\n').map((line) => basicText(line).slice(1, -1).replace(/""/g, '"\\"'))
  return `"""${eol}${lines.join(eol)}"""`
}

function basicText(value: string): string {
  return JSON.stringify(value).replace(/\x7f/g, '\\u007f')
}
