import t from 'tap'
import { startChromium } from '#support/chromium.ts'
import { panelOf } from '#support/panel.ts'

const FILES = Object.fromEntries(
  ['a', 'b', 'c'].map((id) => [`content/posts/${id}.md`, `---\ntitle: ${id}\nstatus: draft\n---\nx\n`]),
)

const chromium = await startChromium()
t.teardown(() => chromium.close())

t.test('ticks, drops and titles answer to hand and key', (t) =>
  panelOf(t, FILES, async (t, { app, browser }) => {
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

    await page.goto(`${origin}/admin/content/posts`)
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

    await page.goto(`${origin}/admin/content/posts/a/edit`)
    await page.click('[data-one-line]')
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await page.keyboard.insertText(' one\ntwo')
    t.equal(await page.evaluate(() => document.querySelector<HTMLTextAreaElement>('[data-one-line]')?.value), 'a one two')
    t.strictSame(errors, [], 'the browser complains of nothing')
  }),
)
