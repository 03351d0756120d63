import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Liquid } from 'liquidjs'
import t from 'tap'
import { startChromium } from '#support/chromium.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const ASSETS: Readonly<Record<string, readonly [file: string, type: string]>> = {
  '/panel.js': ['dist/panel/panel.js', 'text/javascript'],
  '/panel.css': ['templates/admin/assets/panel.css', 'text/css'],
  '/favicon.svg': ['templates/admin/assets/favicon.svg', 'image/svg+xml'],
}

const liquid = new Liquid({ root: `${ROOT}templates/admin`, extname: '.liquid', outputEscape: 'escape' })
liquid.registerFilter('icon', () => '')
liquid.registerFilter('time', String)
liquid.registerFilter('asset', (name: string) => (ASSETS[`/${name}`] ? `/${name}` : ''))

const FRAME = {
  title: 'Posts',
  site: { name: 'Slipway', url: '/' },
  home_url: '/',
  nav: [],
  user: { name: 'Ada', url: '/', initials: 'A' },
}
const TITLE = { kind: 'text', name: 'title', id: 'f-title', label: 'Title', value: 'a', required: false, isReadOnly: false }
/** The pages by their paths: a template and what it shows. */
const PAGES: Readonly<Record<string, readonly [template: string, data: object]>> = {
  '/list': [
    'list',
    {
      heading: 'Posts',
      sort: { label: 'Sort', icon: 'sort', items: [{ label: 'Title', url: '/list' }] },
      columns: [{ label: 'Title' }],
      rows: ['a', 'b', 'c'].map((id) => ({ id, title: id, url: '/edit', cells: [] })),
      picks: { action: '/list', actions: [{ label: 'Publish', name: 'action', value: 'publish' }] },
    },
  ],
  '/edit': ['edit', { form: { action: '/edit', base: '' }, fields: { title: TITLE, side: [], below: [] } }],
}

const server = createServer(async (request, response) => {
  const path = request.url ?? ''
  const [file, type] = ASSETS[path] ?? []
  const [template, data] = PAGES[path] ?? []
  const body = file ? readFileSync(ROOT + file) : template ? String(await liquid.renderFile(template, { ...FRAME, ...data })) : ''
  response.writeHead(body === '' ? 404 : 200, { 'content-type': type ?? 'text/html; charset=utf-8' }).end(body)
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const chromium = await startChromium()
t.teardown(async () => {
  await chromium.close()
  server.close()
})

t.test('ticks, drops and titles answer to hand and key', async (t) => {
  const context = await chromium.newContext({ viewport: { width: 1280, height: 800 } })
  t.teardown(() => context.close())
  const page = await context.newPage()
  const errors: string[] = []
  page.on('console', (message) => {
    if (/error|warning/.test(message.type())) errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(String(error)))
  const ticks = () =>
    page.evaluate(() => {
      const all = document.querySelector<HTMLInputElement>('[data-all]')
      const bar = document.querySelector('.selection')
      return {
        rows: [...document.querySelectorAll<HTMLInputElement>('input[name="ids[]"]')].map((row) => row.checked),
        all: all?.indeterminate ? 'some' : all?.checked,
        bar: bar && getComputedStyle(bar).visibility,
      }
    })

  await page.goto(`${origin}/list`)
  t.strictSame(await ticks(), { rows: [false, false, false], all: false, bar: 'hidden' })
  await page.click('[data-all]')
  t.strictSame(await ticks(), { rows: [true, true, true], all: true, bar: 'visible' })
  await page.click('tbody tr:nth-child(2) input')
  t.strictSame(await ticks(), { rows: [true, false, true], all: 'some', bar: 'visible' })
  await page.click('.selection [type=reset]')
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>('[data-all]')?.indeterminate === false)
  t.strictSame(await ticks(), { rows: [false, false, false], all: false, bar: 'hidden' })

  const open = () => page.evaluate(() => document.querySelectorAll('details.drop[open]').length)
  await page.click('.tools summary')
  t.equal(await open(), 1)
  await page.keyboard.press('Escape')
  t.equal(await open(), 0)
  t.equal(await page.evaluate(() => document.activeElement?.localName), 'summary', 'the focus stays where it was')
  await page.click('.tools summary')
  await page.click('h1')
  t.equal(await open(), 0, 'a click elsewhere closes it')

  await page.goto(`${origin}/edit`)
  await page.click('[data-one-line]')
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await page.keyboard.insertText(' one\ntwo')
  t.equal(await page.evaluate(() => document.querySelector<HTMLTextAreaElement>('[data-one-line]')?.value), 'a one two')
  t.strictSame(errors, [], 'the browser complains of nothing')
})
