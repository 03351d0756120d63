import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { Liquid, LiquidError } from 'liquidjs'
import { boundTemplates, inSlices, TEMPLATE_LIMITS, templateFault } from '#lib/template-bounds.ts'
import { type Asset, assetsOf, type TemplateFile, templateFiles } from '#lib/template-files.ts'
import { TemplateTooLarge } from '#lib/template-size.ts'
import { TemplateFailure } from './template-failure.ts'

/** The options that describe the site to a theme. */
export interface ThemeOptions {
  /** Folders of templates, the site's own first. */
  readonly folders: readonly string[]
  /** The site's root, for paths in messages. */
  readonly root: string
  readonly locale: string
  readonly timezone: string
}

const RENDER_LIMIT_MS = 10_000
/** Matches words that make a template depend on the clock or on chance, wherever they are in it. */
const UNSTEADY = /\b(?:now|today|sample)\b/

/** The templates and assets of a site, read into memory: a template can name no file but another template. */
export class Theme {
  readonly assets: ReadonlyMap<string, Asset>
  readonly stamp: string
  /** True if the same data always makes the same page: no template depends on the clock or on chance. */
  readonly isSteady: boolean
  readonly #files: ReadonlyMap<string, TemplateFile>
  readonly #liquid: Liquid
  /** The reasons why files can't be parsed: they stay as long as the files do. */
  readonly #broken = new Map<string, LiquidError>()
  readonly #root: string

  constructor(options: ThemeOptions) {
    const files = templateFiles(options.folders)
    const templates = files.filter(({ name }) => name.endsWith('.liquid'))
    this.stamp = stampOf(files)
    this.assets = assetsOf(files)
    this.#root = options.root
    this.#files = new Map(templates.map((file) => [file.name, file]))
    const texts = Object.fromEntries(templates.map(({ name, file }) => [name, readFileSync(file, 'utf8')]))
    this.isSteady = !Object.values(texts).some((text) => UNSTEADY.test(text))
    this.#liquid = new Liquid({
      templates: texts,
      extname: '.liquid',
      cache: true,
      outputEscape: 'escape',
      ownPropertyOnly: true,
      strictFilters: true,
      renderLimit: RENDER_LIMIT_MS,
      ...TEMPLATE_LIMITS,
      locale: options.locale,
    })
    boundTemplates(this.#liquid)
    this.#readOnce(this.#liquid.options.fs)
    this.#addFilters(options)
  }

  /** The files of all templates, each with its name and `.liquid`. */
  get templates(): readonly TemplateFile[] {
    return [...this.#files.values()]
  }

  /** Returns whether there is a template of that name. */
  has(name: string): boolean {
    return this.#files.has(`${name}.liquid`)
  }

  /**
   * The page a template makes of `data`, in parts. `base` is put before the addresses of assets. Rejects with TemplateFailure
   * with the template's file and line.
   */
  async render(name: string, data: object, base: string): Promise<string> {
    if (!this.has(name)) throw missing(name)
    try {
      return String(await inSlices(this.#liquid._renderFile(name, data, { globals: { base }, sync: true })))
    } catch (error) {
      throw this.#failure(name, error)
    }
  }

  /**
   * Finds the problems that exist before any page is made: templates that can't be parsed, and those of `needed` that are
   * missing.
   */
  faults(needed: Iterable<string>): TemplateFailure[] {
    const faults = [...new Set(needed)].filter((name) => !this.has(name)).map(missing)
    for (const file of this.#files.keys()) {
      const name = file.slice(0, -'.liquid'.length)
      try {
        this.#liquid.parseFileSync(name)
      } catch (error) {
        const fault = this.#failure(name, error)
        if (!(fault instanceof TemplateFailure)) throw fault
        faults.push(fault)
      }
    }
    return faults
  }

  /** Has what could not be parsed once be refused at once. */
  #readOnce(fs: Liquid['options']['fs']): void {
    const read = fs.readFileSync.bind(fs)
    fs.readFileSync = (file) => {
      const broken = this.#broken.get(file)
      if (broken) throw broken
      return read(file)
    }
  }

  #failure(name: string, error: unknown): unknown {
    if (!(error instanceof Error)) return error
    const token = LiquidError.is(error) ? error.token : undefined
    if (token?.file !== undefined && isOfParsing(error)) this.#broken.set(token.file, error)
    const cause: unknown = LiquidError.is(error) ? error.originalError : error
    const place = cause instanceof TemplateTooLarge ? cause : undefined
    const used = this.#files.get(place?.file ?? token?.file ?? `${name}.liquid`)
    const [line, column] = place ? [place.line, place.column] : (token?.getPosition?.() ?? [])
    const message = templateFault(error.message.split(', file:', 1)[0] ?? '').replace(
      /^ENOENT: Failed to lookup ("[^"]*") in .*$/,
      'there is no template $1',
    )
    const at = { file: used && relative(this.#root, used.file), line, column }
    return new TemplateFailure(
      `The template can't be used: ${message}.`,
      at,
      'Correct it; a running server takes it at the next request.',
    )
  }

  #addFilters(options: ThemeOptions): void {
    const { assets } = this
    const day = new Intl.DateTimeFormat(options.locale, { dateStyle: 'long', timeZone: options.timezone })
    const short = new Intl.DateTimeFormat(options.locale, { dateStyle: 'medium', timeZone: options.timezone })
    this.#liquid.registerFilter('asset', function (name: unknown) {
      const asset = assets.get(String(name))
      if (!asset) throw new Error(`there is no asset "${String(name)}" in templates/site/assets`)
      return (
        String(this.context.globals === undefined ? '' : ((this.context.globals as { base?: string }).base ?? '')) + asset.url
      )
    })
    this.#liquid.registerFilter('day', (value: unknown) => dated(value, day))
    this.#liquid.registerFilter('short_day', (value: unknown) => dated(value, short))
  }
}

function isOfParsing(error: Error): error is LiquidError {
  return error.name === 'ParseError' || error.name === 'TokenizationError'
}

/** Changes when a file of the theme does. */
export function stampOf(files: readonly TemplateFile[]): string {
  return files.map(({ stamp }) => stamp).join('\n')
}

function missing(name: string): TemplateFailure {
  const hint = `Put one into templates/site/, or correct the type's template.`
  return new TemplateFailure(`There is no template "${name}.liquid".`, undefined, hint)
}

function dated(value: unknown, format: Intl.DateTimeFormat): string {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? '' : format.format(time)
}
