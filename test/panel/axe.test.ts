import t from 'tap'
import { type BrowserPage, startChromium } from '#support/chromium.ts'
import { panelOf } from '#support/panel.ts'
import { AXE, SITE_FILES, SITE_OPTIONS, signedPage, sortsOfPages } from './panel-site.ts'

/** `all` takes each page at each width in each theme; the short form takes each page once. */
const isWhole = process.argv[2] === 'all'
const SHOTS = process.env.SHOTS
/** A part of the names of those that are looked at. */
const only = process.argv[3] ?? ''

const LOOKS = [
  { width: 1280, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
  { width: 390, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
] as const

/** As much of the checks as is used. */
interface Axe {
  run(options: object): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>
}

/** Returns whether the editor of a page is there, where it has one. */
const EDITOR_STANDS = () => !document.querySelector('[data-editor]') || document.querySelector('.cm-content') !== null

/** A state of a page that no link leads to. */
interface State {
  readonly url: string
  reach?(at: { page: BrowserPage; change(values: object): Promise<unknown> }): Promise<unknown>
}

/** Presses the last of the buttons that save. */
async function save(page: BrowserPage): Promise<void> {
  await page.evaluate(() => {
    const form = document.querySelector<HTMLFormElement>('form#record, form#form')
    form?.requestSubmit(form.querySelector<HTMLButtonElement>('button.say, .foot button.primary'))
  })
  await page.waitForSelector('main h1')
}

const POST = '/admin/content/posts/p1/edit'

const STATES: Readonly<Record<string, State>> = {
  'a page that is not there': { url: '/admin/none' },
  'an unreadable record': { url: '/admin/content/posts/broken/edit' },
  'something done': { url: `${POST}?done=published` },
  'an empty list': { url: '/admin/content/posts?q=nothing+at+all' },
  'a form with errors': {
    url: '/admin/content/boats/elbe/edit',
    reach: async ({ page }) => {
      await page.fill('[name=title]', 'x'.repeat(201))
      await page.fill('[name=size]', 'many')
      await save(page)
      await page.waitForSelector('[aria-invalid]')
    },
  },
  'a term with errors': {
    url: '/admin/tags/create',
    reach: async ({ page }) => {
      await page.fill('[name=slug]', 'Not a slug!')
      await save(page)
      await page.waitForSelector('[aria-invalid]')
    },
  },
  'two edits that meet': {
    url: POST,
    reach: async ({ page, change }) => {
      await change({ title: `Theirs ${Math.random()}` })
      await page.fill('[name=title]', 'Mine')
      await save(page)
      await page.waitForSelector('[type=radio]')
    },
  },
  'the menu of the panel': {
    url: '/admin',
    reach: ({ page }) =>
      page.evaluate(
        () => document.querySelector<HTMLElement>('#nav:popover-open') ?? document.getElementById('nav')?.showPopover(),
      ),
  },
  'a list with its columns open, and one ticked': {
    url: '/admin/content/posts',
    reach: async ({ page }) => {
      await page.click('tbody tr:nth-child(2) input')
      await page.click('.tools summary')
    },
  },
  'all that is folded, unfolded': {
    url: POST,
    reach: ({ page }) =>
      page.evaluate(() => {
        for (const one of document.querySelectorAll('details')) one.open = true
      }),
  },
}

/** Pages of who is not signed in: they come last. */
const SIGNED_OUT = ['/admin/login', '/admin/verify', '/admin/login/link?token=none', '/admin/signed-out', '/admin/none']

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
      const look = async (name: string, { width, colorScheme }: (typeof LOOKS)[number]) => {
        await page.evaluate(AXE)
        const { violations, scrolls, headings } = await page.evaluate(async () => {
          const { axe } = globalThis as unknown as { axe: Axe }
          const { violations } = await axe.run({ resultTypes: ['violations'] })
          return {
            violations: violations.map(
              ({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary} (${nodes.length})`,
            ),
            scrolls: document.documentElement.scrollWidth - document.documentElement.clientWidth,
            headings: document.querySelectorAll('h1').length,
          }
        })
        const where = `${name} at ${width}, ${colorScheme}`
        t.strictSame(violations, [], where)
        t.equal(scrolls, 0, `${where}: nothing is wider than the window`)
        t.equal(headings, 1, `${where}: one heading`)
        t.strictSame(errors.splice(0), [], `${where}: the browser complains of nothing`)
        if (SHOTS)
          await page.screenshot({
            path: `${SHOTS}/${name.replaceAll(/[^\w]+/g, '_')}-${width}-${colorScheme}.png`,
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
          errors.splice(0, errors.length, ...errors.filter((error) => !/status of (?:401|403|404|409|422)/.test(error)))
          await look(name, one)
        }
      }
    },
    SITE_OPTIONS,
  ),
)
