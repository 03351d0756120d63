import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hidingKeys } from '#frontmatter/hiding-words.ts'
import type { Fields, Json } from '#lib/json.ts'
import { globPattern } from '#lib/text/glob.ts'
import { lowerKeys, objectOf, objectsOf, textOf } from '../folder.ts'
import { readPage } from '../pages.ts'
import { withJsonFences } from './json-head.ts'

/** Values that a page or a configuration gives to the pages below. */
interface Cascade {
  readonly paths: readonly RegExp[] | undefined
  readonly values: Readonly<Fields>
}

/** Matches the names of the pages of sections, each in its language: `_index.de.md`. */
const INDEX = /^_index(?:\.[\w-]+)?\.(?:md|markdown|mdx|html?|org|adoc|asciidoc|ad|rst|pandoc|pdc)$/i
const READABLE = /\.(?:md|markdown|mdx|html?)$/i

/** The values that sections of one folder of content, and the configuration, give to the pages below them. */
export class Cascades {
  readonly #root: string
  readonly #now: number
  readonly #known = new Map<string, Promise<readonly Cascade[]>>()
  /** Names of values that are given and hide nothing. */
  readonly passedOver = new Set<string>()

  constructor(root: string, configured: Json | undefined, now: number) {
    this.#root = root
    this.#now = now
    this.#known.set('\n', Promise.resolve(cascadesIn(configured)))
  }

  /** Returns the keys of values by which a file is hidden from above, and how it is built, which Quire understands itself. */
  async hiding(path: string): Promise<{ readonly build: Json | undefined; readonly hiding: readonly string[] }> {
    const folders = path.split('/').slice(0, -1)
    const above = ['\n', ...folders.map((_, n) => folders.slice(0, n + 1).join('/')), '']
    const found = new Set<string>()
    let build: Json | undefined
    for (const folder of above) {
      for (const { paths, values } of await this.#of(folder)) {
        const hides = hidingKeys(values, this.#now)
        for (const key of Object.keys(values)) if (!hides.includes(key)) this.passedOver.add(key)
        if (paths && !namesOf(path).some((name) => paths.some((pattern) => pattern.test(name)))) continue
        for (const key of hides) {
          if (/^_?build$/.test(key)) build = values[key]
          else found.add(key)
        }
      }
    }
    return { build, hiding: [...found] }
  }

  #of(folder: string): Promise<readonly Cascade[]> {
    const found = this.#known.get(folder) ?? this.#read(folder)
    this.#known.set(folder, found)
    return found
  }

  async #read(folder: string): Promise<readonly Cascade[]> {
    const names = (await readdir(join(this.#root, folder)).catch(() => [])).filter((name) => INDEX.test(name))
    const found: Cascade[] = []
    for (const name of names.sort()) found.push(...(await cascadesOf(join(this.#root, folder, name))))
    return found
  }
}

/** The cascades of the page of a section. Of one that can't be read nobody knows which pages below it hides: so it hides all. */
async function cascadesOf(path: string): Promise<Cascade[]> {
  const page = READABLE.test(path) ? await readPage(path, path, withJsonFences) : undefined
  if (page && !('problem' in page)) return cascadesIn(lowerKeys(page.data).cascade)
  const text = await readFile(path, 'utf8').catch(() => '')
  return /cascade/i.test(text) ? [{ paths: undefined, values: { draft: true } }] : []
}

function cascadesIn(value: Json | undefined): Cascade[] {
  return objectsOf(value).map((said) => {
    const { target, _target, params, ...values } = lowerKeys(said)
    const path = textOf(lowerKeys(objectOf(target ?? _target)).path)
    return { paths: path === undefined ? undefined : patternsOf(path), values: { ...values, ...objectOf(params) } }
  })
}

/** The most forms that the braces of a pattern are written out in. */
const MOST_FORMS = 200

/** A pattern that can't be read is one of all pages: what may be hidden is. */
function patternsOf(glob: string): readonly RegExp[] | undefined {
  try {
    const forms = [glob.toLowerCase()]
    for (let n = 0; n < forms.length; n++) {
      const [braces, inner = ''] = /\{([^{}]*)\}/.exec(forms[n] ?? '') ?? []
      if (braces === undefined) continue
      forms.push(...inner.split(',').map((one) => (forms[n] ?? '').replace(braces, () => one.trim())))
      if (forms.length > MOST_FORMS) return undefined
    }
    return forms.filter((form) => !/\{[^{}]*\}/.test(form)).map(globPattern)
  } catch {
    return undefined
  }
}

/** The paths that Hugo may call a page by: in small letters, with `-` for spaces, that of its folder, and without a language. */
function namesOf(path: string): string[] {
  const whole = `/${path.replace(/\.[^./]+$/, '')}`.toLowerCase()
  const named = [whole, whole.replace(/\.[\w-]{2,12}$/, '')].flatMap((one) => [one, one.replace(/\/_?index$/, '') || '/'])
  return named.flatMap((one) => [one, one.replace(/\s+/g, '-')])
}
