import type { Json } from '#lib/json.ts'
import { conflictAt, Fault, MAX_FILE_BYTES, unresolved } from './fault.ts'
import { readJson } from './json/json.ts'
import { LANGUAGES, type Language } from './languages.ts'
import { valuesOf } from './yaml/values.ts'
import { parseTree } from './yaml/yaml.ts'

/** Stands around JSON of any kind, so that one reader serves. */
const AROUND = '{"":'

/**
 * Reads a file of nothing but data, a list or a mapping. Throws Fault, with the offset of what is at fault in the text. TOML may
 * have 128 KiB, other languages 2 MiB.
 */
export function readData(text: string, language: Language): Json {
  const conflict = conflictAt(text)
  if (conflict >= 0) throw unresolved(conflict)
  const { name, most, read } = LANGUAGES[language]
  const limit = language === 'json' ? MAX_FILE_BYTES : most
  if (text.length > limit) throw new Fault(`The ${name} is larger than ${limit / 1024} KiB.`, limit, 'Divide the file.')
  if (language === 'json') return jsonOf(text)
  return language === 'yaml' ? yamlOf(text) : read(text)
}

function yamlOf(text: string): Json {
  return LANGUAGES.yaml.quick(text) ?? valuesOf(parseTree(text))
}

function jsonOf(text: string): Json {
  try {
    const { data } = readJson(`${AROUND}${text}}`)
    if (Object.keys(data).length > 1) throw new Fault('This is more than one value.', 0, 'Put them into a list.')
    return data[''] ?? null
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw new Fault(error.message, Math.min(Math.max(0, error.offset - AROUND.length), text.length), error.hint)
  }
}
