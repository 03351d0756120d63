import type { Fields } from '#lib/json.ts'
import { MOST_KEYS, manyKeys } from '../fault.ts'
import { readFast } from './fast-yaml.ts'

/** At the beginning of a line: what follows on keys, ends what they hold, or is no part of them. */
const NO_KEY = new Set(' \t\r\n#-]}')

/** Reads common YAML without the whole parser; undefined where the text is anything else. Throws Fault where it has too many keys. */
export function readQuick(text: string): Fields | undefined {
  if (keyLines(text) > MOST_KEYS) throw manyKeys()
  return readFast(text)
}

/** Counts the lines that begin with a key, up to one over the most. */
function keyLines(text: string): number {
  let lines = 0
  for (let at = 0; text.length > MOST_KEYS && at < text.length && lines <= MOST_KEYS; ) {
    if (!NO_KEY.has(text.charAt(at))) lines++
    const newline = text.indexOf('\n', at)
    at = newline < 0 ? text.length : newline + 1
  }
  return lines
}
