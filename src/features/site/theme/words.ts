import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { readData } from '#frontmatter/data.ts'
import { Fault, placeOf } from '#frontmatter/fault.ts'
import { templateFiles } from '#lib/files/templates.ts'
import type { Json } from '#lib/json.ts'
import { TemplateFailure } from './template-failure.ts'

/** The forms of a text by the number it tells of, by the names of CLDR; `other` is for any number. */
export type Forms = Readonly<Record<string, string>>

const FOLDER = 'words'
const FALLBACK = 'en'
/** A name in braces, which a value takes the place of. */
const PLACE = /\{([a-z][a-z0-9_]*)\}/gi

/**
 * The words that templates show, in the language of the site: of `words/<locale>.yaml` in the folders of templates, else of the
 * language alone, else English. A file of the site changes what it names, and leaves the others.
 */
export class Words {
  /** The reasons why files can't be read. */
  readonly faults: readonly TemplateFailure[]
  readonly #texts = new Map<string, string | Forms>()
  readonly #plural: Intl.PluralRules
  readonly #number: Intl.NumberFormat

  /** `folders` are those of templates, the site's own first; `root` is the site's, for paths in messages. */
  constructor(folders: readonly string[], root: string, locale: string) {
    const faults: TemplateFailure[] = []
    const { language, baseName } = new Intl.Locale(locale)
    this.#plural = new Intl.PluralRules(locale)
    this.#number = new Intl.NumberFormat(locale)
    for (const name of new Set([FALLBACK, language, baseName])) {
      for (const folder of [...folders].reverse()) this.#read(join(folder, FOLDER), name, root, faults)
    }
    this.faults = faults
  }

  /** The text of a name with its values in their places; a name without a text is shown itself. `count` chooses a form. */
  text(name: string, values: Readonly<Record<string, unknown>> = {}): string {
    const known = this.#texts.get(name)
    const { count } = values
    const text = typeof known === 'object' ? (known[this.#plural.select(Number(count))] ?? known.other) : known
    return (text ?? name).replace(PLACE, (place, key: string) => (Object.hasOwn(values, key) ? this.#shown(values[key]) : place))
  }

  /** All forms of a text; of one that has none, itself as `other`. */
  forms(name: string): Forms {
    const known = this.#texts.get(name) ?? name
    return typeof known === 'object' ? known : { other: known }
  }

  /** The texts below a name: `markdown` has `note` of `markdown.note`. */
  below(name: string): Record<string, string> {
    const begin = `${name}.`
    const found = [...this.#texts].filter(([key, text]) => key.startsWith(begin) && typeof text === 'string')
    return Object.fromEntries(found.map(([key]) => [key.slice(begin.length), this.text(key)]))
  }

  #shown(value: unknown): string {
    return typeof value === 'number' ? this.#number.format(value) : String(value ?? '')
  }

  #read(folder: string, name: string, root: string, faults: TemplateFailure[]): void {
    const found = templateFiles([folder]).find((file) => file.name === `${name}.yaml`)
    if (!found) return
    const text = readFileSync(found.file, 'utf8')
    try {
      this.#take('', readData(text, 'yaml'))
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      const at = { file: relative(root, found.file), ...placeOf(text, error.offset) }
      faults.push(new TemplateFailure(error.message, at, error.hint))
    }
  }

  #take(name: string, value: Json): void {
    if (typeof value === 'string' || typeof value === 'number') this.#texts.set(name, String(value))
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return
    if (typeof value.other === 'string') {
      const forms = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
      this.#texts.set(name, Object.fromEntries(forms))
    } else for (const [key, one] of Object.entries(value)) this.#take(name === '' ? key : `${name}.${key}`, one)
  }
}
