import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import t, { type Test } from 'tap'
import { FORMATS } from '#config/schema/media.ts'
import { keyOf } from '#core/key.ts'
import type { UrlStyle } from '#core/page-address.ts'
import { POLICY } from '#features/site/policies.ts'
import { type BrowserPage, startChromium, toolFolder } from '#support/chromium.ts'
import { publicSite } from '#support/public-site.ts'
import { openMemory } from '#support/stores.ts'

const AXE = readFileSync(`${toolFolder('axe-core')}/axe.min.js`, 'utf8')
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
}

const FILES: Record<string, string> = {
  'content/posts/light.md': '---\ntitle: The lighthouse\n---\nThe keeper burns a lamp all **night**.\n',
  'content/posts/ship.md': '---\ntitle: Ships\n---\nRunning ships look for the lighthouse in fog.\n',
}
for (let n = 0; n < 23; n++) FILES[`content/posts/p${n}.md`] = `---\ntitle: Note ${n}\n---\nA harbour & its <b>boats</b>.\n`

const chromium = await startChromium()
t.teardown(() => chromium.close())

/** A built site, served from its folder below /base, and a page of a browser; `held` are paths that the host fails to serve. */
async function built(t: Test, files: Record<string, string>, urls: UrlStyle = 'directory', locale = 'en') {
  const opened = await openMemory({ files })
  const { site, folder } = publicSite(t, opened, true, {
    config: {
      site: {
        ...{ name: 'Site', url: 'https://example.org/base', locale, timezone: 'UTC' },
        ...{ content: 'content', templates: 'templates' },
      },
      build: { base_url: null, drafts: false, future: false, urls },
      features: { sitemap: true, taxonomy: true, search: true },
      media: { types: FORMATS },
    },
  })
  await site.build('public')
  const held = { pattern: /^$/ }
  const origin = await served(t, folder.path('public'), held)
  const context = await chromium.newContext({ viewport: { width: 390, height: 800 } })
  t.teardown(() => context.close())
  const page = await context.newPage()
  const errors: string[] = []
  const asked: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  page.on('request', (request) => asked.push(request.url()))
  return { page, origin, held, errors, asked, site, store: opened.store }
}

async function served(t: Test, folder: string, held: { pattern: RegExp }): Promise<string> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname).replace(/^\/base/, '')
    const file = [path, `${path}.html`, `${path}/index.html`].map((name) => join(folder, name)).find(isFile)
    if (file === undefined || held.pattern.test(path)) return response.writeHead(file === undefined ? 404 : 503).end()
    const headers = { 'content-type': TYPES[extname(file)] ?? 'text/plain', 'content-security-policy': POLICY }
    return response.writeHead(200, { ...headers, 'cache-control': 'no-store' }).end(readFileSync(file))
  })
  t.teardown(() => new Promise((resolve) => server.close(resolve)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile()
}

/** The titles that are shown, once the page says something. */
async function titles(page: BrowserPage, says: string): Promise<string[]> {
  await page.waitForFunction((text) => document.querySelector('.found')?.textContent === text, says)
  return page.evaluate(() => [...document.querySelectorAll('#results h2')].map((one) => one.textContent ?? ''))
}

t.test('a person finds pages while typing, goes through them by keys, and sees where the words are', async (t) => {
  const { page, origin, errors, asked } = await built(t, FILES)
  await page.goto(`${origin}/base/search/`)
  t.equal(await page.evaluate(() => document.activeElement?.id), 'q')
  await page.keyboard.type('lightho')
  t.strictSame(await titles(page, '2 pages'), ['The lighthouse', 'Ships'])
  t.equal(await page.evaluate(() => document.querySelector('#results mark')?.textContent), 'lighthouse')
  t.match(page.url(), /\?q=lightho$/)
  await page.evaluate(AXE)
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string }[] }> } }
    return (await axe.run()).violations.map(({ id }) => id)
  })
  t.strictSame(violations, [])
  await page.keyboard.press('ArrowDown')
  t.equal(await page.evaluate(() => document.activeElement?.textContent), 'The lighthouse')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/base\/posts\/ship$/)
  t.strictSame(errors, [])
  t.ok(asked.every((url) => url.startsWith(`${origin}/base/`)))
})

t.test('ten pages are shown, and more when they are asked for', async (t) => {
  const { page, origin } = await built(t, FILES)
  await page.goto(`${origin}/base/search?q=harbour`)
  t.equal((await titles(page, '23 pages; the first 10 are shown.')).length, 10)
  const excerpt = await page.evaluate(() => document.querySelector('#results p')?.innerHTML)
  t.equal(excerpt, 'A <mark>harbour</mark> &amp; its boats.')
  await page.click('.more button')
  t.equal((await titles(page, '23 pages; the first 20 are shown.')).length, 20)
  t.ok(await page.evaluate(() => document.activeElement === document.querySelectorAll('#results a')[10]))
  await page.click('.more button')
  t.equal((await titles(page, '23 pages')).length, 23)
  t.notOk(await page.locator('.more').isVisible())
})

t.test('nothing found, and a host that fails, are said in words', async (t) => {
  const { page, origin, held } = await built(t, FILES)
  await page.goto(`${origin}/base/search`)
  held.pattern = /\/words\//
  await page.keyboard.type('lamp')
  await titles(page, 'The search can not be reached just now.')
  t.ok(await page.locator('.browse').isVisible(), 'there is something to go on with')
  held.pattern = /^$/
  await page.keyboard.press('Enter')
  t.strictSame(await titles(page, '1 page'), ['The lighthouse'])
  await page.fill('#q', 'zeppelins')
  t.strictSame(await titles(page, 'Nothing was found.'), [])
  await page.fill('#q', '')
  t.strictSame(await titles(page, ''), [])
})

t.test('a page that was open while the site was built anew goes on with the new files', async (t) => {
  const { page, origin, site, store } = await built(t, FILES)
  await page.goto(`${origin}/base/search`)
  // A letter fetches words, too, and those a page has it keeps.
  await page.keyboard.type(' ')
  await page.waitForFunction(() => performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/index.json')))
  await store.write([{ key: keyOf('posts', 'ship'), put: { body: 'A zeppelin.\n' } }], { name: 'Ada', email: 'ada@example.org' })
  await site.build('public')
  await page.fill('#q', 'zeppelin')
  t.strictSame(await titles(page, '1 page'), ['Ships'])
})

t.test('from right to left, in the words of the language', async (t) => {
  const files = { 'content/posts/a.md': '---\ntitle: الكتاب\n---\nقرأ الكتاب في البيت.\n' }
  const { page, origin, errors } = await built(t, files, 'directory', 'ar')
  await page.goto(`${origin}/base/search`)
  await page.keyboard.insertText('كتاب')
  await titles(page, 'صفحة واحدة')
  const { left, right, marked } = await page.evaluate(() => {
    const { left, right } = document.querySelector('#results')?.getBoundingClientRect() ?? { left: 0, right: 0 }
    const mark = document.querySelector('#results mark')?.getBoundingClientRect() ?? { left: 0, right: 0 }
    return { left: mark.left - left, right: right - mark.right, marked: document.querySelector('#results mark')?.textContent }
  })
  t.equal(marked, 'الكتاب')
  t.ok(right < left, 'the title begins on the right')
  t.strictSame(errors, [])
})

t.test('in each style of addresses what is found leads to its page', async (t) => {
  for (const [urls, address] of [
    ['directory', '/base/posts/light'],
    ['slash', '/base/posts/light/'],
    ['file', '/base/posts/light'],
  ] as const) {
    const { page, origin, errors } = await built(t, FILES, urls)
    await page.goto(`${origin}/base/search${urls === 'slash' ? '/' : ''}?q=lamp`)
    await titles(page, '1 page')
    t.equal(await page.evaluate(() => document.querySelector('#results a')?.getAttribute('href')), address)
    t.strictSame(errors, [])
  }
})

t.test('without JavaScript the page says how to go on', async (t) => {
  const { origin } = await built(t, FILES)
  const context = await chromium.newContext({ javaScriptEnabled: false })
  t.teardown(() => context.close())
  const page = await context.newPage()
  await page.goto(`${origin}/base/search`)
  t.match(await page.innerText('main'), /Searching needs JavaScript\.[\s\S]*Posts\s*25/)
  t.notOk(await page.locator('form.search').isVisible())
})
