import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Clock } from '#lib/clock.ts'
import { type Asset, assetsOf, type TemplateFile, templateFiles } from '#lib/files/templates.ts'
import { Templates } from '#liquid/templates.ts'
import { comingOf, dayText, type Moment, momentOf } from './moments.ts'

const LOOK_EVERY_MS = 1000

/** The addresses of assets begin with it. */
const BASE = '/admin'

/** The folders and words that the pages of the panel are made of. */
export interface PanelTemplateOptions {
  /** Folders of templates, the site's own first. */
  readonly folders: readonly string[]
  /** The folder of the scripts that the package was built with; it may not be there. */
  readonly scripts: string
  readonly locale: string
  readonly timezone: string
  readonly clock: Clock
}

/** The templates of one moment. */
interface Loaded {
  readonly stamp: string
  readonly liquid: Templates
  readonly assets: ReadonlyMap<string, Asset>
  readonly byUrl: ReadonlyMap<string, Asset>
}

/** The templates and assets of the panel, read into memory, and again after one has changed. */
export class PanelTemplates {
  readonly #options: PanelTemplateOptions
  #loaded: Loaded | undefined
  #looked = 0

  constructor(options: PanelTemplateOptions) {
    this.#options = options
  }

  /** Makes the page of a template. Rejects with TemplateError, which names file and line. */
  render(name: string, data: object): Promise<string> {
    return this.#current().liquid.render(name, data, { base: '' })
  }

  /** Returns the asset at the path of a URL; undefined where there is none. */
  asset(path: string): Asset | undefined {
    return this.#current().byUrl.get(path)
  }

  #current(): Loaded {
    const { clock } = this.#options
    const now = clock.now()
    if (this.#loaded && Math.abs(now - this.#looked) < LOOK_EVERY_MS) return this.#loaded
    this.#looked = now
    const files = templateFiles(this.#options.folders)
    const scripts = templateFiles([this.#options.scripts])
    const stamp = stampOf([...files, ...scripts])
    if (this.#loaded?.stamp !== stamp) this.#loaded = this.#load(files, scripts, stamp)
    return this.#loaded
  }

  #load(files: readonly TemplateFile[], scripts: readonly TemplateFile[], stamp: string): Loaded {
    const named = (name: string) => ({ name: `assets/${name}` })
    const assets = assetsOf([...files, ...scripts.map((file) => ({ ...file, ...named(file.name) }))])
    const templates = files.filter(({ name }) => name.endsWith('.liquid'))
    const texts = Object.fromEntries(templates.map(({ name, file }) => [name, readFileSync(file, 'utf8')]))
    const liquid = new Templates(texts, { extname: '.liquid', outputEscape: 'escape', locale: this.#options.locale })
    this.#addFilters(liquid, assets, iconsOf(files))
    return { stamp, liquid, assets, byUrl: new Map([...assets.values()].map((asset) => [BASE + asset.url, asset])) }
  }

  #addFilters(liquid: Templates, assets: ReadonlyMap<string, Asset>, icons: ReadonlyMap<string, string>): void {
    const { locale, timezone, clock } = this.#options
    const telling = () => ({ locale, timezone, now: clock.now() })
    liquid.addFilter('asset', (name: unknown) => {
      const asset = assets.get(String(name))
      return asset ? BASE + asset.url : ''
    })
    const iconOf = (name: unknown, other: unknown) => icons.get(String(name)) ?? icons.get(String(other)) ?? ''
    liquid.addFilter('icon', { raw: true, handler: iconOf })
    liquid.addFilter('time', { raw: true, handler: (value: unknown) => timeElement(value, momentOf(value, telling())) })
    liquid.addFilter('coming', { raw: true, handler: (value: unknown) => timeElement(value, comingOf(value, telling())) })
    liquid.addFilter('day', (value: unknown) => dayText(value, telling()) ?? value)
  }
}

/** A time as an element of a page: in few words, with day and zone for who points at it. */
function timeElement(value: unknown, moment: Moment | undefined): string {
  if (!moment) return ''
  const at = new Date(typeof value === 'number' ? value : String(value)).toISOString()
  return `<time datetime="${at}" title="${escapeHtml(moment.long)}">${escapeHtml(moment.short)}</time>`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

/** The icons among the files, by name, ready to stand in a page. */
function iconsOf(files: readonly TemplateFile[]): Map<string, string> {
  const found = files.filter(({ name }) => /^icons\/[^/]+\.svg$/.test(name))
  return new Map(
    found.map(({ name, file }) => [name.slice('icons/'.length, -'.svg'.length), readFileSync(file, 'utf8').trim()] as const),
  )
}

function stampOf(files: readonly TemplateFile[]): string {
  return createHash('sha256')
    .update(JSON.stringify(files.map(({ stamp }) => stamp)))
    .digest('hex')
}
