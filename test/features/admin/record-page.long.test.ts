import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { type BrowserPage, startChromium } from '#support/chromium.ts'
import { type PanelGiven, panelOf } from '#support/panel.ts'

const POST = `---
title: "Hello"   # a remark
tags: [tides, 'News']
---


First **words**.\r
Two kinds of line ends.\r

| a | b |
|---|---|
| c | d |`

const FILES = { 'content/posts/hello.md': POST }
const KEY = keyOf('posts', 'hello')

const chromium = await startChromium()
t.teardown(() => chromium.close())

/** Opens the page of the post as Ada, who is signed in. */
async function openPost(t: Test, { app, browser }: PanelGiven): Promise<{ page: BrowserPage; errors: string[] }> {
  const origin = await app.app.listen({ port: 0, host: '127.0.0.1' })
  const context = await chromium.newContext({ viewport: { width: 1280, height: 800 } })
  t.teardown(() => context.close())
  await context.addCookies([...browser.cookies].map(([name, value]) => ({ name, value, domain: '127.0.0.1', path: '/' })))
  const page = await context.newPage()
  const errors: string[] = []
  page.on('console', (message) => {
    if (/error|warning/.test(message.type())) errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(String(error)))
  await page.goto(`${origin}/admin/content/posts/hello/edit`)
  await page.waitForSelector('.cm-content')
  return { page, errors }
}

async function save(page: BrowserPage): Promise<void> {
  await page.click('form[data-record] button[name=do]')
  await page.waitForSelector('.toast')
  await page.click('.toast span')
}

t.test('a record is edited in its page: what was not touched keeps its bytes', (t) =>
  panelOf(t, FILES, async (t, given) => {
    const { page, errors } = await openPost(t, given)
    const before = await given.opened.store.get(KEY)
    await save(page)
    t.equal((await given.opened.store.get(KEY))?.version, before?.version, 'sent back as it came, it makes no version')
    await page.click('.cm-content')
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('Control+ArrowRight')
    await page.keyboard.press('Control+End')
    await page.keyboard.type('\n\nEnd 😀')
    await page.keyboard.press('Control+Home')
    await page.keyboard.type('Begin. ')
    await save(page)
    t.equal((await given.opened.store.get(KEY))?.body, `Begin. ${before?.body}\n\nEnd 😀`)
    t.strictSame(errors, [], 'the browser complains of nothing')
  }),
)
