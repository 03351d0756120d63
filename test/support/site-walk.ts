import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { atomFaults, jsonFeedFaults, rssFaults, sitemapFaults } from './feed-faults.ts'
import { type HtmlPage, htmlPage } from './html-page.ts'
import { type Element, xmlOf } from './xml.ts'

/** Something wrong with a built site: in which file, and of an address where it leads. */
export interface Finding {
  readonly kind: 'address' | 'canonical' | 'elements' | 'feed' | 'html' | 'part' | 'redirect' | 'sitemap'
  readonly file: string
  readonly what: string
  /** The path that an address leads to, decoded, with its part. */
  readonly path?: string
}

/** The way to walk a site: the address that it is built for, and a check of the elements of a page. */
export interface WalkOptions {
  readonly site: string
  readonly elements?: (html: string) => Promise<string[]>
}

/** Walks each file of a built site, and resolves with all that is wrong with it. */
export async function walkSite(folder: string, options: WalkOptions): Promise<Finding[]> {
  const walk = new Walk(folder, options.site)
  await walk.read(options.elements)
  walk.follow()
  return walk.findings
}

/** Returns the paths of all files of a built site, with `/`, in order. */
export function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length).replaceAll('\\', '/').replace(/^\//, ''))
    .sort()
}

class Walk {
  readonly findings: Finding[] = []
  readonly #folder: string
  readonly #site: URL
  readonly #base: string
  readonly #files: ReadonlySet<string>
  readonly #pages = new Map<string, HtmlPage>()
  /** Addresses that stand elsewhere than in a page, with their files; all of them whole. */
  readonly #others: { file: string; at: string; address: string }[] = []

  constructor(folder: string, site: string) {
    this.#folder = folder
    this.#site = new URL(site)
    this.#base = this.#site.pathname.replace(/\/$/, '')
    this.#files = new Set(filesOf(folder))
  }

  async read(elements: WalkOptions['elements']): Promise<void> {
    for (const file of this.#files) {
      if (file.endsWith('.html')) await this.#readPage(file, elements)
      else if (/(?:^|\/)(?:feed|rss)\.xml$|(?:^|\/)feed\.json$/.test(file)) this.#readFeed(file)
      else if (/^sitemap(?:-\d+)?\.xml$/.test(file)) this.#readSitemap(file)
      else if (file === '_redirects') this.#readRedirects(file)
      else if (file === 'robots.txt' || file === 'llms.txt') this.#readText(file)
    }
  }

  follow(): void {
    for (const [file, page] of this.#pages) {
      const own = new URL((page.isRedirect ? undefined : page.canonical) ?? this.#addressOf(file), this.#site)
      for (const { at, address, line } of page.addresses) this.#look(file, own, `${at} at line ${line}`, address)
      this.#lookAtCanonical(file, page)
    }
    for (const { file, at, address } of this.#others) this.#look(file, this.#site, at, address)
  }

  async #readPage(file: string, elements: WalkOptions['elements']): Promise<void> {
    const html = this.#text(file)
    const page = htmlPage(html)
    this.#pages.set(file, page)
    for (const what of page.faults) this.findings.push({ kind: 'html', file, what })
    for (const what of (await elements?.(html)) ?? []) this.findings.push({ kind: 'elements', file, what })
  }

  #readFeed(file: string): void {
    const text = this.#text(file)
    const faults = file.endsWith('.json') ? jsonFeedFaults(text) : file.endsWith('rss.xml') ? rssFaults(text) : atomFaults(text)
    for (const what of faults) this.findings.push({ kind: 'feed', file, what })
    const texts = file.endsWith('.json') ? JSON.parse(text) : undefined
    const whole = texts
      ? [
          texts.home_page_url,
          texts.feed_url,
          ...texts.items.flatMap(({ url, image }: { url: string; image?: string }) => [url, image ?? []].flat()),
        ]
      : elementsIn(xmlOf(text)).flatMap(({ name, attributes, text }) =>
          name === 'link' ? (attributes.href ?? text) : (attributes.url ?? []),
        )
    for (const address of whole) this.#others.push({ file, at: 'its address', address })
    const contents: string[] = texts
      ? texts.items.map(({ content_html = '' }: { content_html?: string }) => content_html)
      : elementsIn(xmlOf(text)).flatMap(({ name, text }) => (/^(?:content|description|content:encoded)$/.test(name) ? text : []))
    for (const html of contents)
      for (const { at, address } of htmlPage(`<!doctype html><title>x</title>${html}`).addresses)
        this.#others.push({ file, at: `${at} of an entry`, address })
  }

  #readSitemap(file: string): void {
    const text = this.#text(file)
    for (const what of sitemapFaults(text, this.#site.href.replace(/\/?$/, '/')))
      this.findings.push({ kind: 'sitemap', file, what })
    for (const { name, text: address } of elementsIn(xmlOf(text)))
      if (/^(?:image:)?loc$/.test(name)) this.#others.push({ file, at: name, address })
  }

  #readRedirects(file: string): void {
    for (const line of this.#text(file).split('\n')) {
      const [, to] = line.trim().split(/\s+/)
      if (to !== undefined && !line.startsWith('#')) this.#others.push({ file, at: line, address: to })
    }
  }

  #readText(file: string): void {
    for (const [, link, map] of this.#text(file).matchAll(/\]\((https?:[^()\s]+)\)|^Sitemap: (\S+)$/gm))
      this.#others.push({ file, at: 'a link', address: link ?? map ?? '' })
  }

  #text(file: string): string {
    return readFileSync(join(this.#folder, file), 'utf8')
  }

  #addressOf(file: string): string {
    const path = file.replace(/(?:^|\/)index\.html$/, '')
    return `${this.#base}/${path.split('/').map(encodeURIComponent).join('/')}`
  }

  /** Looks where an address leads; those of other sites lead where they like. */
  #look(file: string, from: URL, at: string, address: string): void {
    if (!URL.canParse(address, from)) {
      this.findings.push({ kind: 'address', file, what: `${at}: "${address}" is no address`, path: address })
      return
    }
    const url = new URL(address, from)
    if (url.host !== this.#site.host || !/^https?:$/.test(url.protocol)) return
    const path = decoded(url.pathname)
    if (path !== this.#base && !path.startsWith(`${this.#base}/`)) return
    const whole = path + decoded(url.hash)
    const target = this.#fileAt(path.slice(this.#base.length + 1))
    if (target === undefined) {
      this.findings.push({ kind: 'address', file, what: `${at}: ${address} leads to nothing`, path: whole })
      return
    }
    const page = this.#pages.get(target)
    const part = decoded(url.hash.slice(1))
    if (page?.isRedirect && !at.startsWith('meta'))
      this.findings.push({ kind: 'redirect', file, what: `${at}: ${address}`, path: whole })
    if (page && part !== '' && part !== 'top' && !part.includes(':~:') && !page.ids.has(part))
      this.findings.push({ kind: 'part', file, what: `${at}: ${target} has no part "${part}"`, path: whole })
  }

  /** The file that a host answers with at a path below the site, without its first slash. */
  #fileAt(path: string): string | undefined {
    const plain = path.replace(/\/$/, '')
    return [path, plain === '' ? 'index.html' : `${plain}/index.html`, `${plain}.html`].find((name) => this.#files.has(name))
  }

  #lookAtCanonical(file: string, { canonical, isRedirect }: HtmlPage): void {
    if (canonical === undefined || isRedirect) return
    const path = decoded(new URL(canonical, this.#site).pathname).slice(this.#base.length + 1)
    if (this.#fileAt(path) !== file) this.findings.push({ kind: 'canonical', file, what: canonical })
  }
}

function elementsIn(element: Element): Element[] {
  return [element, ...element.children.flatMap(elementsIn)]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
