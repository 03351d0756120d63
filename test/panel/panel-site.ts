import { readFileSync } from 'node:fs'
import type { Test } from 'tap'
import { type BrowserPage, type Chromium, type ContextOptions, toolFolder } from '#support/chromium.ts'
import type { PanelBrowser, PanelGiven, PanelOptions } from '#support/panel.ts'
import { pagesFrom } from '#support/panel-pages.ts'
import { plainTypes } from '#support/types.ts'

const LONG = 'On the building of harbours, and of what the tide leaves of them'

/** A site with something on each page of the panel. */
export const SITE_FILES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Array.from({ length: 24 }, (_, n) => [
      `content/posts/p${n}.md`,
      `---\ntitle: ${n % 4 === 0 ? LONG : `Post ${n}`}\nstatus: ${['published', 'draft', 'in_review', 'archived'][n % 4]}\nauthor: ada\ntags: [tides, t${n}]\ncategories: [coast]\ndate: 2026-01-${String((n % 27) + 1).padStart(2, '0')}\n---\nA text with **marks**.\n\n## A heading\n\n- one\n- two\n`,
    ]),
  ),
  'content/posts/later.md': '---\ntitle: Later\nstatus: published\npublished_at: 2099-01-01T10:00:00Z\n---\nx\n',
  'content/posts/broken.md': '---\ntitle: [\n---\nx\n',
  'content/boats/elbe.md':
    '---\ntitle: Elbe\nhome: posts/p1\nmade: 2020-02-03\nfreight: [rye, wood]\nparts:\n  - name: hull\n    note: "**oak**"\n  - name: mast\nowner:\n  name: Ada\nfast: true\nsize: 12.5\ncolour: "#0a6a4c"\nodd: [[1], {a: 2}]\n---\nText.\n',
  'content/menus/main.yaml':
    'items:\n  - id: aaaaaaaa\n    label: Stories\n    url: /stories\n    children:\n      - id: dddddddd\n        label: Tides\n        url: /tides\n  - id: bbbbbbbb\n    label: Harbours\n    url: /harbours\n  - id: cccccccc\n    record: {type: posts, id: p4}\n',
  'content/settings/site.yaml': 'tagline: Of the sea\nper_page: 10\n',
  'content/taxonomy/tags/tides.yaml': 'name: Tides\ndescription: Of the moon.\n',
  'content/taxonomy/categories/coast.yaml': 'name: Coast\n',
  'content/taxonomy/categories/dunes.yaml': 'name: Dunes\nparent: coast\n',
}

/** The types of that site: one has a field of each sort. */
export const SITE_OPTIONS: PanelOptions = {
  site: {
    history: true,
    types: plainTypes({
      posts: {},
      boats: {
        fields: {
          home: { type: 'reference', to: 'posts', help: 'Where it lies.' },
          made: { type: 'date' },
          seen: { type: 'datetime' },
          freight: { type: 'list', of: { type: 'text' } },
          parts: {
            type: 'list',
            of: { type: 'object', fields: { name: { type: 'text', rules: 'required' }, note: { type: 'markdown' } } },
          },
          owner: { type: 'object', fields: { name: { type: 'text' }, mail: { type: 'email' } } },
          fast: { type: 'boolean' },
          size: { type: 'number', rules: 'min:1|max:400' },
          kind: { type: 'select', options: ['ewer', 'kuff', 'schooner'] },
          flags: { type: 'select', options: ['a', 'b', 'c', 'd', 'e'], multiple: true },
          colour: { type: 'color' },
          link: { type: 'url' },
          data: { type: 'json' },
          cover: { type: 'media', accept: ['image'] },
        },
      },
    }),
  },
}

/** The accessibility checks, as a script. */
export const AXE = readFileSync(`${toolFolder('axe-core')}/axe.min.js`, 'utf8')

/** A page of a browser in which somebody is signed in, and what went wrong in it. */
export interface SignedPage {
  readonly page: BrowserPage
  readonly origin: string
  /** What the browser complained of, and what it asked of others. */
  readonly errors: string[]
}

/** Opens a browser's page with the session that `browser` has. */
export async function signedPage(
  t: Test,
  chromium: Chromium,
  { app, browser }: Pick<PanelGiven, 'app' | 'browser'>,
  options: ContextOptions = {},
): Promise<SignedPage> {
  const known = app.app.server.address()
  const origin =
    known && typeof known === 'object' ? `http://127.0.0.1:${known.port}` : await app.app.listen({ port: 0, host: '127.0.0.1' })
  const context = await chromium.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  t.teardown(() => context.close())
  await context.addCookies([...browser.cookies].map(([name, value]) => ({ name, value, domain: '127.0.0.1', path: '/' })))
  const page = await context.newPage()
  const errors: string[] = []
  page.on('console', (message) => {
    if (/error|warning/.test(message.type())) errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('request', (request) => {
    if (!/^(?:data|blob):/.test(request.url()) && !request.url().startsWith(`${origin}/`)) errors.push(`asked ${request.url()}`)
  })
  return { page, origin, errors }
}

/** Returns an address of each sort of page that links lead to, the first of each. */
export async function sortsOfPages(browser: PanelBrowser): Promise<string[]> {
  const sorts = new Map<string, string>()
  const sortOf = (url: string) =>
    url
      .replace(
        /(\/content\/(?:posts|boats)|\/users|\/tokens|\/tags|\/categories|\/menus|\/media)\/(?!create|delete)[^/?]+/,
        '$1/:id',
      )
      .replace(/\/revisions\/[^/?]+/, '/revisions/:ts')
      .replace(/\?.*/, (query) => `?${[...new URLSearchParams(query).keys()].sort().join()}`)
  const leavesOut = (url: string) => {
    const isKnown = sorts.has(sortOf(url)) || /[?&](?:sort|page)=/.test(url)
    if (!isKnown) sorts.set(sortOf(url), url)
    return isKnown
  }
  for await (const { url } of pagesFrom(browser, ['/admin'], leavesOut)) void url
  return ['/admin', ...sorts.values()]
}
