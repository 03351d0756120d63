import { isDeepStrictEqual } from 'node:util'
import type { Fields } from '#lib/json.ts'
import { readFast } from './fast-yaml.ts'
import { NEW_LOOK, pairLines } from './text.ts'

/**
 * YAML text of a mapping that is new, as `spliceYaml` writes it key by key. Undefined where the fast reader does not read back what was given: `yaml` has
 * to judge that text then.
 */
export function composeYaml(fields: Readonly<Fields>, eol: string): string | undefined {
  const text = pairLines(fields, 0, NEW_LOOK)
    .map((line) => line + eol)
    .join('')
  const read = readFast(text)
  return read && isDeepStrictEqual(read, fields) ? text : undefined
}
