import { Conflict } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import { dataAfter, type Edits, keyByKey } from '../edits.ts'
import { composeYaml } from './compose.ts'
import { isLongFor, spliceLines } from './lines.ts'
import { spliceYaml } from './splice.ts'

const spliceKeys = keyByKey(spliceYaml)

/** Edits top-level keys of YAML text: all at once where the text is new or long, else one by one. Throws Conflict where that is not safe. */
export function editYaml(text: string, data: Readonly<Fields>, edits: Edits, eol: string): string {
  if (text === '') return composeYaml(dataAfter({}, edits), eol) ?? spliceKeys(text, data, edits, eol)
  if (!isLongFor(text, edits.size)) return spliceKeys(text, data, edits, eol)
  const made = spliceLines(text, edits, dataAfter(data, edits), eol)
  if (made !== undefined) return made
  throw new Conflict(
    "The file can't be changed safely in the way this file is written.",
    undefined,
    'Change it in the file itself.',
  )
}
