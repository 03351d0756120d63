import t from 'tap'
import { startChromium } from '#support/chromium.ts'
import { panelOf } from '#support/panel.ts'
import { pixels } from '../media/pictures.ts'
import { AXE, SITE_FILES, SITE_OPTIONS, signedPage, sortsOfPages } from './panel-site.ts'
import { EDITOR_STANDS, STATES } from './states.ts'

/** `all` takes each page at each width in each theme; else each page is taken once. */
const isWhole = process.argv[2] === 'all'
const SHOTS = process.env.SHOTS
/** A part of the names of those that are looked at. */
const only = process.argv[3] ?? ''

const LOOKS = [
  { width: 1280, colorScheme: 'light', text: '' },
  { width: 390, colorScheme: 'dark', text: '' },
  { width: 1280, colorScheme: 'dark', text: '200%' },
  { width: 390, colorScheme: 'light', text: '' },
  { width: 1280, colorScheme: 'dark', text: '' },
  { width: 390, colorScheme: 'light', text: '200%' },
] as const

/** As much of the checks as is used. */
interface Axe {
  run(options: object): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>
}

/** Pages of who is not signed in: they come last. */
const SIGNED_OUT = ['/admin/login', '/admin/verify', '/admin/login/link?token=none', '/admin/signed-out', '/admin/none']

const PICTURE = await pixels().png().toBuffer()
const chromium = await startChromium()
t.teardown(() => chromium.close())

t.test('pages can be used by all, at any width', (t) =>
  panelOf(
    t,
    SITE_FILES,
    async (t, { app, browser, opened, as }) => {
      if (opened.name === 'postgres') return
      await as('editor')
      await app.features.tokens.create({ name: 'A key', scopes: ['content:read'], types: [], expires: 'never' })
      const urls = await sortsOfPages(browser)
      t.ok(urls.length > 25, `${urls.length} sorts of pages`)
      const { page, origin, errors } = await signedPage(t, chromium, { app, browser })
      const look = async (name: string, { width, colorScheme, text }: (typeof LOOKS)[number]) => {
        await page.evaluate(AXE)
        await page.evaluate((text) => document.documentElement.style.setProperty('font-size', text), text)
        const { violations, scrolls, headings, tables } = await page.evaluate(async () => {
          const { axe } = globalThis as unknown as { axe: Axe }
          // The preview's frame has an origin of its own, which axe's messages do not reach: asking it is an error on the console.
          const { violations } = await axe.run({ resultTypes: ['violations'], iframes: false })
          return {
            violations: violations.map(
              ({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary} (${nodes.length})`,
            ),
            scrolls: document.documentElement.scrollWidth - document.documentElement.clientWidth,
            headings: document.querySelectorAll('h1').length,
            tables: [...document.querySelectorAll('main table.table')].map((table) => getComputedStyle(table).display),
          }
        })
        const where = `${name} at ${width}, ${colorScheme}${text === '' ? '' : `, text ${text}`}`
        t.strictSame(violations, [], where)
        t.equal(scrolls, 0, `${where}: nothing is wider than the window`)
        t.equal(headings, 1, `${where}: one heading`)
        if (width === 1280 && text === '')
          t.ok(
            tables.every((display) => display === 'table'),
            `${where}: tables are tables`,
          )
        t.strictSame(errors.splice(0), [], `${where}: the browser complains of nothing`)
        if (SHOTS)
          await page.screenshot({
            path: `${SHOTS}/${name.replaceAll(/[^\w]+/g, '_')}-${width}-${colorScheme}${text.slice(0, 3)}.png`,
            fullPage: true,
          })
      }
      const states: [name: string, reach: () => Promise<unknown>][] = [
        ...urls.map((url): [string, () => Promise<unknown>] => [url, () => open(url)]),
        ...Object.entries(STATES).map(([name, { url, reach }]): [string, () => Promise<unknown>] => [
          name,
          async () => {
            await open(url)
            await reach?.({ page, change: (body) => app.ask('PUT /api/cms/posts/p1', { body }) })
          },
        ]),
      ]
      const open = async (url: string) => {
        await page.goto(`${origin}${url}`)
        if (/\/content\/.*\/(?:edit|create)/.test(url)) await page.waitForFunction(EDITOR_STANDS)
      }
      states.push(
        ...SIGNED_OUT.map((url): [string, () => Promise<unknown>] => [
          `${url}, signed out`,
          async () => {
            await page.context().clearCookies()
            await open(url)
          },
        ]),
      )
      const part = states.filter(([name]) => name.includes(only))
      for (const [n, [name, reach]] of part.entries()) {
        for (const [m, one] of LOOKS.entries()) {
          if (!isWhole && n % LOOKS.length !== m) continue
          await page.setViewportSize({ width: one.width, height: 800 })
          await page.emulateMedia({ colorScheme: one.colorScheme, reducedMotion: 'reduce' })
          await reach()
          // A browser calls the status of a page that says what is wrong an error.
          errors.splice(0, errors.length, ...errors.filter((error) => !/status of (?:401|403|404|409|415|422)/.test(error)))
          await look(name, one)
        }
      }
    },
    { site: { ...SITE_OPTIONS.site, beside: { 'content/media/2026/harbour.png': PICTURE } } },
  ),
)
