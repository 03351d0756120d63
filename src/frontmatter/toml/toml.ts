import { parse, TomlError } from 'smol-toml'
import type { Fields } from '#lib/json.ts'
import { Fault, MAX_DEPTH, UNSAFE_KEYS, unsafeKey } from '../fault.ts'
import type { Path } from '../json/json.ts'
import { toJson } from '../to-json.ts'

/** Reads TOML 1.0; dates and times become their text. Throws Fault. */
export function readToml(text: string): Fields {
  const table = parsed(text)
  checkKeys(table, text, [])
  return toJson(table, 0) as Fields
}

/** Returns the comments of TOML text in their order, each from its `#` on. */
export function tomlComments(text: string): string[] {
  return text.split('\n').flatMap((line) => /(?:^|\s)#.*$/s.exec(line)?.[0].trim() ?? [])
}

function parsed(text: string): object {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded', maxDepth: MAX_DEPTH })
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const message = error.message.split('\n')[0]?.replace('Invalid TOML document: ', '') ?? ''
    throw new Fault(`${capital(message)}.`, offsetOf(text, error.line, error.column), 'Compare it with key = "value".')
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function offsetOf(text: string, line: number, column: number): number {
  let at = 0
  for (let i = 1; i < line; i++) at = text.indexOf('\n', at) + 1
  return Math.min(at + Math.max(column - 1, 0), text.length)
}

function checkKeys(value: unknown, text: string, path: Path): void {
  if (value === null || typeof value !== 'object' || value instanceof Date || path.length > MAX_DEPTH) return
  for (const key of Reflect.ownKeys(value)) {
    if (typeof key === 'string' && UNSAFE_KEYS.has(key)) throw unsafeKey(key, Math.max(text.indexOf(key), 0))
    checkKeys(Reflect.get(value, key), text, [...path, String(key)])
  }
}
