import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { LIMITS } from '#core/rules/limits.ts'
import { type ContentType, FIELD_TYPES, type Field, type FieldType } from '#core/types/content-type.ts'
import { itemOf } from '#core/types/fields.ts'
import type { Fields, Json } from '#lib/json.ts'
import { isExactNumber, type JsonFault, readStrictJson } from '#lib/strict-json.ts'
import type { Call } from './command.ts'
import { usage } from './failure.ts'

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/

/**
 * The fields of `--field name=value`, read as the type declares them: numbers, booleans, lists and terms parted by commas;
 * where nothing is declared, as what the field holds `now`, else text. `name=` sets null, and `name:=value` takes any JSON value.
 */
export function fieldsFrom(type: ContentType, pairs: readonly string[], now: Fields = {}): Fields {
  const fields: Fields = {}
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    if (at < 1) throw usage(`--field takes name=value, not "${pair}".`, 'For example: --field tags=news,release')
    const value = pair.slice(at + 1)
    if (pair[at - 1] === ':') fields[pair.slice(0, at - 1)] = jsonValue(pair.slice(0, at - 1), value)
    else Object.assign(fields, entry(type, pair.slice(0, at), value, now))
  }
  return fields
}

/** Parses the number of an option that counts from 1; throws wrong usage if it is none. */
export function wholeNumber(name: string, text: string): number {
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text)
  throw usage(`${name} takes a whole number from 1 on, not "${text}".`, `For example: ${name} 20`)
}

/** The text of `--body`: a file below the working folder, or all of stdin for `-`. */
export async function bodyFrom(call: Call, from: string): Promise<string> {
  if (from !== '-') return readFile(from, 'utf8')
  if (call.stdin.isTTY) call.output.say('Reading the body from the terminal; end it with Ctrl-D.')
  return readAll(call.stdin)
}

function entry(type: ContentType, name: string, value: string, now: Fields): Fields {
  const taxonomy = type.taxonomies.find((one) => one.name === name || one.singular === name)
  if (taxonomy) return { [taxonomy.name]: value === '' ? null : parts(value) }
  if (value === '') return { [name]: null }
  const field = type.fields.get(name)
  return { [name]: field ? declaredAs(field, name, value) : typed(likeNow(now[name]), name, value) }
}

/** The items of a list are read as what it holds. */
function declaredAs(field: Field, name: string, value: string): Json {
  const isList = field.multiple || field.of
  const item = itemOf(field)
  if (!isList || !item || value.startsWith('[')) return typed(isList ? 'json' : field.type, name, value)
  return parts(value).map((part) => typed(item.type, name, part))
}

/** The type of a field that no one declared, by what it holds. */
function likeNow(value: Json | undefined): FieldType {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string') ? 'list' : 'json'
  if (typeof value === 'number') return 'number'
  if (typeof value === 'boolean') return 'boolean'
  return typeof value === 'object' && value !== null ? 'json' : 'text'
}

function typed(type: FieldType, name: string, value: string): Json {
  const { as } = FIELD_TYPES[type]
  switch (as) {
    case 'number':
      return NUMBER.test(value) && isExactNumber(value) ? Number(value) : value
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : value
    case 'any':
      return type === 'list' && !value.startsWith('[') ? parts(value) : jsonValue(name, value)
    case 'instant':
    case 'text':
      return value
    default:
      return as satisfies never
  }
}

/** Problems of JSON that parses, as the end of "The value of price …". */
const FAULTS: Readonly<Record<JsonFault['kind'], string>> = {
  depth: `is nested more than ${LIMITS.depth} levels deep`,
  keys: `has more than ${LIMITS.items} keys`,
  twice: 'has a key twice',
  unsafe: 'has a key that is not allowed',
  number: "has a number that can't be kept as it is",
  text: 'is not valid Unicode',
}

function parts(value: string): string[] {
  return value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function jsonValue(name: string, value: string): Json {
  const read = strictJson(value)
  if (!read) throw usage(`The value of ${name} is not JSON: ${value}`, `For example: --field '${name}:=["a", "b"]'`)
  if ('value' in read) return read.value as Json
  throw usage(`The value of ${name} ${FAULTS[read.fault.kind]}.`, `For example: --field '${name}:=["a", "b"]'`)
}

function strictJson(value: string): ReturnType<typeof readStrictJson> | undefined {
  try {
    return readStrictJson(value, { depth: LIMITS.depth, keys: LIMITS.items })
  } catch {
    return undefined
  }
}
