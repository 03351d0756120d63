import type { Fields } from '#lib/json.ts'
import { type Edits, keyByKey } from './edits.ts'
import { MAX_FILE_BYTES } from './fault.ts'
import { readJson } from './json/json.ts'
import { spliceJson } from './json/splice.ts'
import { spliceToml } from './toml/splice.ts'
import { readToml, tomlComments } from './toml/toml.ts'
import { yamlComments } from './yaml/comments.ts'
import { editYaml } from './yaml/edit.ts'
import { readQuick } from './yaml/quick.ts'
import { readYaml } from './yaml/yaml.ts'

/** A language of front matter. */
export type Language = 'yaml' | 'toml' | 'json'

/** The rules of a language. */
interface Rules {
  /** The name that people know it by. */
  readonly name: string
  /** The lines before and after front matter. Each begins with one sign three times. */
  readonly open: string
  readonly close: string
  /** The most characters of front matter: some languages take more time than others to read and to edit. */
  readonly most: number
  /** Reads common text without the whole parser; undefined where that is not sure. Throws Fault. */
  quick(text: string): Fields | undefined
  /** Reads any text; throws Fault. */
  read(text: string): Fields
  /** Edits top-level keys of a text that holds `data`, touching their lines alone. Throws Conflict where that is not safe. */
  splice(text: string, data: Readonly<Fields>, edits: Edits, eol: string): string
  /** Returns the comments in their order. */
  comments(text: string): string[]
}

const MOST_OTHER = 128 * 1024

/** The languages of front matter. One more is a folder that reads and splices it, and a row here. */
export const LANGUAGES = {
  yaml: {
    name: 'YAML',
    open: '---',
    close: '---',
    most: MAX_FILE_BYTES,
    quick: readQuick,
    read: readYaml,
    splice: editYaml,
    comments: yamlComments,
  },
  toml: {
    name: 'TOML',
    open: '+++',
    close: '+++',
    most: MOST_OTHER,
    quick: () => undefined,
    read: readToml,
    splice: keyByKey(spliceToml),
    comments: tomlComments,
  },
  json: {
    name: 'JSON',
    open: '---json',
    close: '---',
    most: MOST_OTHER,
    quick: () => undefined,
    read: (text) => readJson(text).data,
    splice: keyByKey(spliceJson),
    comments: () => [],
  },
} as const satisfies Record<Language, Rules>

/** The names of the languages, in the order of the table. */
export const LANGUAGE_NAMES = Object.keys(LANGUAGES) as readonly Language[]

/** The remedy for front matter that nothing opens: `Begin with --- (YAML), +++ (TOML) or ---json.` */
export const HOW_TO_BEGIN = `Begin with ${listed(LANGUAGE_NAMES.map((language) => openingOf(language)))}.`

function openingOf(language: Language): string {
  const { name, open } = LANGUAGES[language]
  return open.endsWith(language) ? open : `${open} (${name})`
}

function listed(items: readonly string[]): string {
  return `${items.slice(0, -1).join(', ')} or ${items.at(-1)}`
}
