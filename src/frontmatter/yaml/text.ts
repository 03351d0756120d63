import type { Json } from '#lib/json.ts'
import { isObject } from '../changes.ts'
import { plainScalar } from './plain-scalar.ts'

export type Quote = 'plain' | 'single' | 'double'

/** A value as YAML text: what stands after the key on its line, and whole lines below it (without their ends). */
export interface Rendered {
  inline: string
  lines: string[]
}

/** The style of new YAML text. `dash` is the indentation of a list's dashes relative to its key. `width` folds `>` texts. */
export interface Look {
  quote: Quote
  step: number
  dash: number
}

/** The look of text that has no author's style to follow. */
export const NEW_LOOK: Look = { quote: 'plain', step: 2, dash: 2 }

/** Words that other YAML readers (1.1) take for booleans or null. */
const OTHERS_WORDS = /^(?:y|n|yes|no|on|off|null|true|false|~)$/i
/** Numbers and times that they read as numbers. */
const OTHERS_NUMBERS = /^(?:0b[01_]+|0x[\da-f_]+|\d[\d_,]*(?:\.[\d_]*)?(?:e[-+]?\d+)?|\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?)$/i
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what only double quotes can hold
const ESCAPED = /[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/

/** A scalar on one line. The quotes are kept as far as the text allows. */
export function scalarText(value: null | boolean | number | string, quote: Quote, inFlow: boolean): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  if (ESCAPED.test(value) || /[\ud800-\udfff]/.test(value.replace(/[\ud800-\udbff][\udc00-\udfff]/g, ''))) return doubled(value)
  if (quote === 'plain' && isPlain(value, inFlow)) return value
  if (quote === 'double') return doubled(value)
  const apostrophes = value.includes("'") && !/["\\]/.test(value)
  return quote === 'plain' && apostrophes ? doubled(value) : `'${value.replaceAll("'", "''")}'`
}

function isPlain(value: string, inFlow: boolean): boolean {
  if (value === '' || value !== value.trim() || plainScalar(value) !== value) return false
  if (OTHERS_WORDS.test(value) || OTHERS_NUMBERS.test(value)) return false
  return !value.includes(' #') && !(inFlow && /[,[\]{}]/.test(value))
}

function doubled(value: string): string {
  const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value).replace(new RegExp(ESCAPED, 'g'), escaped)
}

/** A key as it is written before its colon. */
export function keyText(key: string): string {
  return /^[A-Za-z_][\w-]*$/.test(key) && !OTHERS_WORDS.test(key) ? key : doubled(key)
}

/** A value inside `[…]` or `{…}`, or one that has to stand on one line. */
export function flowText(value: Json, quote: Quote): string {
  if (Array.isArray(value)) return `[${value.map((item) => flowText(item, quote)).join(', ')}]`
  if (!isObject(value)) return scalarText(value, quote, true)
  const pairs = Object.entries(value).map(([key, item]) => `${keyText(key)}: ${flowText(item, quote)}`)
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`
}

/** A value in block form below a key (or dash) that stands at column `indent`. */
export function blockText(value: Json, indent: number, look: Look): Rendered {
  if (typeof value === 'string' && value.includes('\n')) {
    return literalText(value, indent + look.step, indent, '|') ?? { inline: doubled(value), lines: [] }
  }
  if (Array.isArray(value) && value.length > 0) {
    const pad = indent + look.dash
    return { inline: '', lines: value.flatMap((item) => itemLines(item, pad, look)) }
  }
  if (isObject(value) && Object.keys(value).length > 0) return { inline: '', lines: pairLines(value, indent + look.step, look) }
  return { inline: flowText(value, look.quote), lines: [] }
}

/** The lines of one `- item` whose dash stands at column `indent`. */
export function itemLines(item: Json, indent: number, look: Look): string[] {
  const lead = `${' '.repeat(indent)}- `
  if (isObject(item) && Object.keys(item).length > 0) {
    const lines = pairLines(item, indent + 2, look)
    return [lead + (lines[0] ?? '').trimStart(), ...lines.slice(1)]
  }
  const { inline, lines } = blockText(item, indent, { ...look, dash: 2 })
  if (inline !== '') return [lead + inline, ...lines]
  return [lead + (lines[0] ?? '').trimStart(), ...lines.slice(1)]
}

/** The lines of `key: value` pairs whose keys stand at column `indent`. */
export function pairLines(fields: Record<string, Json>, indent: number, look: Look): string[] {
  return Object.entries(fields).flatMap(([key, value]) => {
    const { inline, lines } = blockText(value, indent, look)
    return [`${' '.repeat(indent)}${keyText(key)}:${inline === '' ? '' : ` ${inline}`}`, ...lines]
  })
}

/** A text as `|` or `>` with its lines at column `column`, under a key at `indent`; undefined where it can't be one. */
export function literalText(value: string, column: number, indent: number, style: '|' | '>'): Rendered | undefined {
  if (!/\S/.test(value) || ESCAPED.test(value.replace(/[\n\t]/g, '')) || column <= indent) return undefined
  const body = style === '>' ? folded(value) : value
  if (body === undefined) return undefined
  const chomp = !value.endsWith('\n') ? '-' : value.endsWith('\n\n') ? '+' : ''
  const digit = /^\n* /.test(value) ? String(column - indent) : ''
  const lines = (body.endsWith('\n') ? body.slice(0, -1) : body).split('\n')
  return { inline: style + digit + chomp, lines: lines.map((line) => (line === '' ? '' : ' '.repeat(column) + line)) }
}

const FOLD_AT = 80

/** A text as it stands in `>`: each line end doubled, long lines broken at a space. Undefined where folding would not give it back. */
function folded(value: string): string | undefined {
  if (/(?:^|\n)[ \t]|[ \t](?:\n|$)| {2}|\n\n$/.test(value)) return undefined
  const [text = '', ...end] = value.split(/(\n)$/)
  const parts = text.split(/(\n+)/).map((part) => (part.startsWith('\n') ? `${part}\n` : wrap(part)))
  return parts.join('') + end.join('')
}

function wrap(line: string): string {
  let width = 0
  return line.replace(/ ?[^ ]+/g, (word) => {
    const breaks = width > 0 && width + word.length > FOLD_AT
    width = breaks ? word.length - 1 : width + word.length
    return breaks ? `\n${word.slice(1)}` : word
  })
}
