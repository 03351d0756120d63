import t from 'tap'
import { startChromium } from '#support/chromium.ts'
import { panelOf } from '#support/panel.ts'
import { pixels } from '../media/pictures.ts'
import { lookAt, type NamedState } from './looks.ts'
import { SITE_FILES, SITE_OPTIONS, signedPage, sortsOfPages } from './panel-site.ts'
import { EDITOR_STANDS, STATES } from './states.ts'

/** `all` takes each page at each width in each theme; else each page is taken once. */
const isWhole = process.argv[2] === 'all'
/** A part of the names of those that are looked at. */
const only = process.argv[3] ?? ''

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
      const states: NamedState[] = [
        ...urls.map((url): NamedState => [url, () => open(url)]),
        ...Object.entries(STATES).map(
          ([name, { url, reach }]): NamedState => [
            name,
            async () => {
              await open(url)
              await reach?.({ page, change: (body) => app.ask('PUT /api/cms/posts/p1', { body }) })
            },
          ],
        ),
      ]
      const open = async (url: string) => {
        await page.goto(`${origin}${url}`)
        if (/\/content\/.*\/(?:edit|create)/.test(url)) await page.waitForFunction(EDITOR_STANDS)
      }
      states.push(
        ...SIGNED_OUT.map(
          (url): NamedState => [
            `${url}, signed out`,
            async () => {
              await page.context().clearCookies()
              await open(url)
            },
          ],
        ),
      )
      const part = states.filter(([name]) => name.includes(only))
      await lookAt(t, part, { page, errors, isWhole })
    },
    { site: { ...SITE_OPTIONS.site, beside: { 'content/media/2026/harbour.png': PICTURE } } },
  ),
)
