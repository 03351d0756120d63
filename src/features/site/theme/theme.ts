import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { type Asset, assetsOf, type TemplateFile, templateFiles } from '#lib/files/templates.ts'
import { short } from '#lib/text/short-hash.ts'
import { TemplateError } from '#liquid/template-error.ts'
import { Templates } from '#liquid/templates.ts'
import type { SiteExtensions } from '../../site-extensions.ts'
import { DataFiles } from './data-files.ts'
import { addFilters } from './filters.ts'
import type { PagePlace } from './page-place.ts'
import { TemplateFailure } from './template-failure.ts'
import { Words } from './words.ts'

/** The options that describe the site to a theme. */
export interface ThemeOptions {
  /** Folders of templates, the site's own first. */
  readonly folders: readonly string[]
  /** The folder of data for templates, if there is one. */
  readonly data?: string | undefined
  /** The site's root, for paths in messages. */
  readonly root: string
  readonly locale: string
  readonly timezone: string
  /** The words of Markdown, without its marks. */
  excerpt(text: string): string
  /** Filters and tags of modules. */
  readonly extensions?: Pick<SiteExtensions, 'filters' | 'tags'> | undefined
}

const RENDER_LIMIT_MS = 10_000
const SHORTCODE = /^shortcodes\/(.+)\.liquid$/
/** Matches words that make a template depend on the clock or on chance, wherever they are in it. */
const UNSTEADY = /\b(?:now|today|sample)\b/

/** The templates and assets of a site, read into memory: a template can name no file but another template. */
export class Theme {
  readonly assets: ReadonlyMap<string, Asset>
  readonly data: DataFiles
  readonly words: Words
  readonly stamp: string
  /** True if the same data always makes the same page: no template depends on the clock or on chance. */
  readonly isSteady: boolean
  /** The names of shortcodes. */
  readonly shortcodes: ReadonlySet<string>
  readonly #options: ThemeOptions
  readonly #all: readonly TemplateFile[]
  readonly #files: ReadonlyMap<string, TemplateFile>
  readonly #templates: Templates
  readonly #root: string

  constructor(options: ThemeOptions) {
    const files = themeFiles(options.folders)
    const templates = files.filter(({ name }) => name.endsWith('.liquid'))
    this.data = new DataFiles(options.data, options.root)
    this.#options = options
    this.#all = [...files, ...this.data.files]
    this.stamp = stampOf(this.#all)
    this.assets = assetsOf(files)
    this.#root = options.root
    this.#files = new Map(templates.map((file) => [file.name, file]))
    this.shortcodes = new Set([...this.#files.keys()].flatMap((name) => SHORTCODE.exec(name)?.[1] ?? []))
    const texts = Object.fromEntries(templates.map(({ name, file }) => [name, readFileSync(file, 'utf8')]))
    this.isSteady = !Object.values(texts).some((text) => UNSTEADY.test(text))
    // Where no template names it, it is a text of the data, of which a page that is kept says nothing more.
    const momentOf = (place: unknown) => (this.isSteady ? undefined : (place as PagePlace).now)
    this.#templates = new Templates(texts, {
      extname: '.liquid',
      outputEscape: 'escape',
      renderLimit: RENDER_LIMIT_MS,
      locale: options.locale,
      timezoneOffset: options.timezone,
      momentOf,
    })
    this.words = new Words(options.folders, options.root, options.locale)
    const { locale, timezone, excerpt } = options
    addFilters(this.#templates, { assets: this.assets, words: this.words, locale, timezone, excerpt, momentOf })
    for (const { name, apply } of options.extensions?.filters ?? [])
      this.#templates.addFilter(name, (...given) => apply(...given))
    for (const { name, make } of options.extensions?.tags ?? []) this.#templates.addTag(name, make)
  }

  /** A hash of the names and bytes of all files; undefined where one was changed since they were read. */
  print(): string | undefined {
    try {
      const prints = this.#all.map(({ name, file }) => [name, short(readFileSync(file, 'base64'))])
      return themeStamp(this.#options) === this.stamp ? short(JSON.stringify(prints)) : undefined
    } catch {
      return undefined
    }
  }

  /** The files of all templates, each with its name and `.liquid`. */
  get templates(): readonly TemplateFile[] {
    return [...this.#files.values()]
  }

  /** Returns whether there is a template of that name. */
  has(name: string): boolean {
    return this.#files.has(`${name}.liquid`)
  }

  /** Returns the path of a template's file from the site's root, by its name with `.liquid`; undefined where there is none. */
  fileOf(name: string): string | undefined {
    const used = this.#files.get(name)
    return used && relative(this.#root, used.file)
  }

  /** Gives each page as much time at once as it needs, where nobody waits for anything else. */
  workAlone(): void {
    this.#templates.atOnceMs = RENDER_LIMIT_MS
  }

  /**
   * The page that a template makes of `data`, in parts. `place` is what filters know of the page. Rejects with TemplateFailure
   * with the template's file and line.
   */
  async render(name: string, data: object, place: PagePlace): Promise<string> {
    if (!this.has(name)) throw missing(name)
    try {
      return await this.#templates.render(name, data, place)
    } catch (error) {
      throw error instanceof TemplateError ? this.#failure(error) : error
    }
  }

  /**
   * Finds the problems that exist before any page is made: templates that can't be parsed, and those of `needed` that are
   * missing.
   */
  faults(needed: Iterable<string>): TemplateFailure[] {
    const faults = [...new Set(needed)].filter((name) => !this.has(name)).map(missing)
    for (const file of this.#files.keys()) {
      const fault = this.#templates.fault(file.slice(0, -'.liquid'.length))
      if (fault) faults.push(this.#failure(fault))
    }
    return [...faults, ...this.data.faults(), ...this.words.faults]
  }

  /** The failure of a template that is refused for a reason. */
  failure(name: string, reason: string): TemplateFailure {
    return unusable(reason, { file: this.fileOf(`${name}.liquid`) })
  }

  #failure({ message, cause, place: { file, line, column } }: TemplateError): TemplateFailure {
    if (cause instanceof TemplateFailure) return cause
    const at = { file: this.fileOf(file), line, column }
    return unusable(message, at)
  }
}

function unusable(reason: string, at: ConstructorParameters<typeof TemplateFailure>[1]): TemplateFailure {
  const hint = 'Correct it; a running server takes it at the next request.'
  return new TemplateFailure(`The template can't be used: ${reason}.`, at, hint)
}

/** Changes when a file of the theme, or of its data, does. */
export function themeStamp({ folders, data, root }: ThemeOptions): string {
  return stampOf([...themeFiles(folders), ...new DataFiles(data, root).files])
}

/** The files of a theme: of its folders, and of those of shortcodes beside them. */
function themeFiles(folders: readonly string[]): TemplateFile[] {
  const beside = templateFiles(folders.map((folder) => join(dirname(folder), 'shortcodes')))
  return [...templateFiles(folders), ...beside.map((file) => ({ ...file, name: `shortcodes/${file.name}` }))]
}

function stampOf(files: readonly TemplateFile[]): string {
  return files.map(({ stamp }) => stamp).join('\n')
}

function missing(name: string): TemplateFailure {
  const hint = `Put one into templates/site/, or correct the type's template.`
  return new TemplateFailure(`There is no template "${name}.liquid".`, undefined, hint)
}
