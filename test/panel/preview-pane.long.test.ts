import type { AddressInfo } from 'node:net'
import t from 'tap'
import { keyOf } from '#core/key.ts'
import { startChromium } from '#support/chromium.ts'
import { panelOf } from '#support/panel.ts'
import { plainTypes } from '#support/types.ts'

const FILES = {
  'content/posts/hello.md': '---\ntitle: Hello\nstatus: draft\n---\nText.\n',
  'content/pages/wild.md':
    '---\ntitle: Wild\n---\n<p id="said">-</p><script>fetch("/admin").then(() => "read", () => "kept out").then((word) => { document.getElementById("said").textContent = word + " " + self.origin })</script>\n',
}
const SITE = {
  site: { types: plainTypes({ posts: { permalink: '/blog/{slug}' }, pages: { permalink: '/{path}', html: 'trusted' } }) },
}

const chromium = await startChromium()
t.teardown(() => chromium.close())

t.test('a preview beside the form shows what is typed, apart from the panel', (t) =>
  panelOf(
    t,
    FILES,
    async (t, { app, browser, opened }) => {
      await app.app.listen({ host: '127.0.0.1', port: 0 })
      const origin = `http://127.0.0.1:${(app.app.server.address() as AddressInfo).port}`
      const context = await chromium.newContext({ viewport: { width: 1280, height: 900 } })
      t.teardown(() => context.close())
      await context.addCookies([...browser.cookies].map(([name, value]) => ({ name, value, domain: '127.0.0.1', path: '/' })))
      const page = await context.newPage()
      const faults: string[] = []
      page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
      page.on('pageerror', (error) => faults.push(error.message))

      await page.goto(`${origin}/admin/content/posts/hello/edit`)
      await page.fill('[name=title]', 'Typed <i>')
      await page.click('[data-preview]')
      const heading = page.frameLocator('.pane iframe:not(.coming)').locator('h1')
      await heading.filter({ hasText: 'Typed <i>' }).waitFor()
      const before = await page.evaluate(() => history.length)
      await page.fill('[name=title]', 'Typed on')
      await heading.filter({ hasText: 'Typed on' }).waitFor()
      t.equal(await page.evaluate(() => history.length), before, 'Back skips the previews')
      t.equal(await heading.evaluate(() => self.origin), 'null')
      await page.click('.pane button[value=phone]')
      t.equal((await page.locator('.pane iframe').boundingBox())?.width, 390)
      await page.keyboard.press('Escape')
      t.notOk(await page.locator('.pane').isVisible())
      t.ok(
        await page.locator('[data-preview]').evaluate((link: Element) => link === document.activeElement),
        'the focus goes back',
      )
      t.match((await opened.store.get(keyOf('posts', 'hello')))?.fields, { title: 'Hello' })
      t.same(faults, [], 'no policy is broken, and nothing fails')

      await page.goto(`${origin}/admin/content/pages/wild/preview`)
      const said = page.frameLocator('iframe').locator('#said')
      await said.filter({ hasText: 'kept out null' }).waitFor()
      await page.goto(`${origin}/wild`)
      await page.locator('#said').filter({ hasText: 'kept out null' }).waitFor()
      t.pass('a page with scripts of its author can read nothing of the panel')
    },
    SITE,
  ),
)
