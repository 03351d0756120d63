import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { type BrowserPage, startChromium } from '#support/chromium.ts'
import { type PanelGiven, panelOf } from '#support/panel.ts'
import { plainTypes } from '#support/types.ts'

const FILES = {
  'content/posts/a.md': '---\ntitle: Alpha\nstatus: draft\n---\nOne.\n',
  'content/posts/b.md': '---\ntitle: Beta\n---\nTwo.\n',
  'content/posts/c.md': '---\ntitle: Gamma\n---\nThree tides.\n',
  'content/posts/broken.md': '---\ntitle: [\n---\nFour.\n',
  'content/taxonomy/categories/boats.yaml': 'name: Boats\n',
  'content/taxonomy/categories/sea.yaml': 'name: Sea\n',
  'content/taxonomy/categories/tides.yaml': 'name: Tides\n',
  'content/boats/elbe.md': '---\ntitle: Elbe\nfreight: [rye, wood]\n---\nText.\n',
  'content/menus/main.yaml':
    'items:\n  - { id: m1, label: One, url: /one }\n  - { id: m2, label: Two, url: /two }\n  - { id: m3, label: Three, url: /three }\n',
}

const TYPES = plainTypes({ posts: {}, boats: { fields: { freight: { type: 'list', of: { type: 'text' } } } } })

const chromium = await startChromium()
t.teardown(() => chromium.close())

interface OpenedPage {
  readonly page: BrowserPage
  readonly errors: string[]
  readonly origin: string
  goto(path: string): Promise<void>
  /** Puts a cookie of a session into the browser. */
  plant(cookies: Iterable<readonly [string, string]>): Promise<void>
}

/** Opens a browser as Ada, who is signed in. */
async function opened(t: Test, { app, browser }: PanelGiven): Promise<OpenedPage> {
  const origin = await app.app.listen({ port: 0, host: '127.0.0.1' })
  const context = await chromium.newContext({ viewport: { width: 1280, height: 900 } })
  t.teardown(() => context.close())
  const plant = (cookies: Iterable<readonly [string, string]>) =>
    context.addCookies([...cookies].map(([name, value]) => ({ name, value, domain: '127.0.0.1', path: '/' })))
  await plant(browser.cookies)
  const page = await context.newPage()
  const errors: string[] = []
  page.on('console', (message) => {
    if (/error|warning/.test(message.type()) && !/status of (?:401|403)/.test(message.text())) errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(String(error)))
  const goto = async (path: string) => void (await page.goto(`${origin}${path}`))
  return { page, errors, origin, goto, plant }
}

/** Tests pages in a browser, on each store. What the browser complains of fails it. */
function browse(name: string, run: (t: Test, given: PanelGiven & OpenedPage) => Promise<void>): void {
  t.test(name, (t) =>
    panelOf(
      t,
      FILES,
      async (t, given) => {
        const all = await opened(t, given)
        await run(t, { ...given, ...all })
        t.strictSame(all.errors, [], 'the browser complains of nothing')
      },
      { site: { types: TYPES } },
    ),
  )
}

const kept = (page: BrowserPage, words: RegExp) =>
  page.waitForFunction(
    (source) => new RegExp(source).test(document.querySelector('[data-keeping]')?.textContent ?? ''),
    words.source,
    { timeout: 20_000 },
  )

browse('rows are followed, ticked and opened with keys; letters can be off', async (t, { page, goto }) => {
  await goto('/admin/content/posts')
  const here = () => page.evaluate(() => document.querySelector('[data-here]')?.getAttribute('data-row'))
  const ticked = () => page.evaluate(() => document.querySelectorAll('input[name="ids[]"]:checked').length)
  await page.keyboard.press('j')
  const first = await here()
  await page.keyboard.press('j')
  t.not(await here(), first)
  await page.keyboard.press('k')
  t.equal(await here(), first)
  await page.keyboard.press('x')
  t.equal(await ticked(), 1)
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('Shift+X')
  t.equal(await ticked(), 3)
  t.match(await page.textContent('#spoken'), /3 selected/)
  await page.keyboard.press('/')
  await page.keyboard.type('j?')
  t.equal(await page.evaluate(() => (document.activeElement as HTMLInputElement).value), 'j?', 'letters are letters in a field')
  await page.evaluate(() => (document.activeElement as HTMLElement).blur())
  await page.keyboard.press('?')
  t.match(await page.textContent('dialog[open]'), /Select the row/)
  await page.click('dialog[open] input[type=checkbox]')
  await page.keyboard.press('Escape')
  await page.waitForSelector('dialog', { state: 'detached' })
  const before = await here()
  await page.keyboard.press('k')
  t.equal(await here(), before, 'switched off')
  await page.evaluate(() => localStorage.clear())
  await goto('/admin/content/posts')
  await page.keyboard.press('j')
  await page.keyboard.press('e')
  await page.waitForURL(/\/edit$/)
  await goto('/admin/content/posts')
  await page.keyboard.press('c')
  await page.waitForURL(/\/create$/)
})

browse('what is typed is kept, said so once it was, and offered on the next visit', async (t, { page, goto, opened }) => {
  await goto('/admin/content/posts/a/edit')
  await page.waitForSelector('.cm-content')
  await page.click('.cm-content')
  await page.keyboard.press('Control+End')
  await page.keyboard.type('Typed words')
  t.equal((await page.textContent('[data-keeping]'))?.trim(), '', 'nothing is said before the answer')
  await kept(page, /^Kept \d\d:\d\d, not saved yet$/)
  t.equal((await opened.store.get(keyOf('posts', 'a')))?.body, 'One.\n')
  await goto('/admin')
  t.match(await page.innerText('main'), /kept and never saved/)
  await goto('/admin/content/posts/a/edit')
  t.match(await page.innerText('main'), /never saved/)
  await page.click('.notice a')
  t.match(await page.innerText('main'), /Typed words/)
  await page.click('main a.button.primary')
  await page.waitForSelector('.cm-content')
  t.match(await page.innerText('.cm-content'), /Typed words/)
  await page.keyboard.press('Control+s')
  await page.waitForSelector('.toast')
  t.match(await page.innerText('.toast'), /Saved/)
  await page.click('.toast span')
  t.notMatch(await page.evaluate(() => location.search), /done/)
  t.equal((await opened.store.get(keyOf('posts', 'a')))?.body, 'One.\nTyped words\n')
  await goto('/admin/content/posts/a/edit')
  t.notMatch(await page.innerText('main'), /never saved/)
})

browse('a session that is over loses no word', async (t, { page, goto, plant, browser, ada, opened }) => {
  await goto('/admin/content/posts/a/edit')
  await page.waitForSelector('.cm-content')
  await plant([['cms_session', 'over']])
  await page.fill('[name=title]', 'Typed after the end')
  await kept(page, /session is over/)
  await page.keyboard.press('Control+s')
  await page.waitForFunction(() => document.activeElement?.closest('[data-keeping]'))
  t.match(await page.evaluate(() => location.pathname), /\/edit$/, 'nothing leads away from the text')
  browser.plant('cms_session', 'over')
  await browser.signIn(ada.email)
  await plant(browser.cookies)
  await page.evaluate(() => dispatchEvent(new Event('focus')))
  await kept(page, /^Kept/)
  await page.keyboard.press('Control+s')
  await page.waitForSelector('.toast')
  t.match((await opened.store.get(keyOf('posts', 'a')))?.fields, { title: 'Typed after the end' })
})

browse('Ctrl Enter asks before it publishes', async (t, { page, goto, opened }) => {
  await goto('/admin/content/posts/a/edit')
  await page.waitForSelector('.cm-content')
  await page.focus('[name=title]')
  await page.keyboard.press('Control+Enter')
  t.match(await page.innerText('dialog[open]'), /Publish\?[\s\S]*Public at once/)
  await page.keyboard.press('Escape')
  await page.waitForSelector('dialog', { state: 'detached' })
  t.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'title', 'the focus is where it was')
  await page.keyboard.press('Control+Enter')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.toast')
  t.equal((await opened.store.get(keyOf('posts', 'a')))?.fields.status, 'published')
})

browse('Ctrl K jumps to records, places and actions', async (t, { page, goto }) => {
  await goto('/admin')
  await page.keyboard.press('Control+k')
  await page.waitForSelector('.palette [role=option]')
  t.match(await page.innerText('.palette'), /Dashboard[\s\S]*New post/)
  await page.keyboard.type('tides')
  await page.waitForFunction(() => /Gamma/.test(document.querySelector('.palette')?.textContent ?? ''))
  t.equal(
    await page.evaluate(() =>
      document.getElementById(document.activeElement?.getAttribute('aria-activedescendant') ?? '')?.getAttribute('aria-selected'),
    ),
    'true',
  )
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/posts\/c\/edit$/)
})

browse('a menu is nested by keyboard and by mouse, without a reload', async (t, { page, goto, opened }) => {
  await goto('/admin/menus/main/edit')
  await page.evaluate(() => {
    document.body.dataset.loaded = 'once'
  })
  await page.focus('button[value="in:m2"]')
  await page.keyboard.press('Enter')
  await page.waitForSelector('[data-item=m2][data-depth="1"]')
  t.match(await page.textContent('#spoken'), /Two, now first under One/)
  t.match(await page.evaluate(() => (document.activeElement as HTMLButtonElement).value), /:m2$/)
  const box = (selector: string) =>
    page.evaluate((selector) => {
      const { x, y, width, height } = document.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect()
      return { x: x + width / 2, y: y + height / 2 }
    }, selector)
  const [from, to] = [await box('[data-item=m3] [data-grip]'), await box('[data-item=m2] [data-grip]')]
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(from.x + 20, to.y + 6, { steps: 4 })
  await page.mouse.move(from.x + 34, to.y - 12, { steps: 4 })
  await page.mouse.up()
  await page.waitForFunction(() => /Three, now first under One/.test(document.getElementById('spoken')?.textContent ?? ''))
  t.equal(await page.evaluate(() => document.body.dataset.loaded), 'once', 'without a reload')
  await page.keyboard.press('Control+s')
  await page.waitForSelector('.toast')
  const document_ = await opened.store.get(keyOf('menus', 'main'))
  t.match(document_?.fields.items, [{ id: 'm1', children: [{ id: 'm3' }, { id: 'm2' }] }])
})

browse('a term is nested by keyboard and by mouse, and that is undone', async (t, { page, goto, opened }) => {
  const parentOf = async (id: string) => (await opened.store.get(keyOf('taxonomy/categories', id)))?.fields.parent
  await goto('/admin/categories')
  await page.focus('[data-item=tides] [data-way=in]')
  await page.keyboard.press('Enter')
  await page.waitForSelector('[data-item=tides][data-depth="1"]')
  t.equal(await parentOf('tides'), 'sea')
  t.match(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), /^Tides: /, 'the focus stays with it')
  const box = (selector: string) =>
    page.evaluate((selector) => {
      const { x, y, width, height } = document.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect()
      return { x: x + width / 2, y: y + height / 2 }
    }, selector)
  const [from, to] = [await box('[data-item=boats] [data-grip]'), await box('[data-item=tides] [data-grip]')]
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(from.x + 20, to.y + 6, { steps: 4 })
  await page.mouse.move(from.x + 34, to.y + 12, { steps: 4 })
  await page.mouse.up()
  await page.waitForSelector('[data-item=boats][data-depth="1"]')
  await page.waitForFunction(() => /Boats is below Sea now/.test(document.querySelector('#toasts')?.textContent ?? ''))
  t.equal(await parentOf('boats'), 'sea')
  await page.evaluate(() => [...document.querySelectorAll<HTMLElement>('.toast button')].at(-1)?.focus())
  await page.keyboard.press('Enter')
  await page.waitForSelector('[data-item=boats][data-depth="0"]')
  t.equal(await parentOf('boats'), undefined)
})

browse('items of a list are added, moved and dragged in place', async (t, { page, goto, opened }) => {
  await goto('/admin/content/boats/elbe/edit')
  await page.evaluate(() => {
    document.body.dataset.loaded = 'once'
  })
  const values = () =>
    page.evaluate(() =>
      [...document.querySelectorAll<HTMLInputElement>('[data-list=freight] .items input')].map(({ value }) => value),
    )
  await page.focus('button[value="add:freight"]')
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => document.querySelectorAll('[data-list=freight] .items input').length === 3)
  await page.keyboard.type('tar')
  t.strictSame(await values(), ['rye', 'wood', 'tar'], 'the focus is in what was added')
  await page.focus('button[value="up:freight.2"]')
  await page.keyboard.press('Enter')
  await page.waitForFunction(
    () => document.querySelectorAll<HTMLInputElement>('[data-list=freight] .items input')[1]?.value === 'tar',
  )
  t.equal(await page.evaluate(() => (document.activeElement as HTMLButtonElement).value), 'up:freight.1', 'the focus goes along')
  const grip = (n: number) =>
    page.evaluate((n) => {
      const { x, y, width, height } =
        document.querySelectorAll('[data-list=freight] [data-grip]')[n]?.getBoundingClientRect() ?? new DOMRect()
      return { x: x + width / 2, y: y + height / 2 }
    }, n)
  const [from, to] = [await grip(2), await grip(0)]
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(to.x, to.y - 10, { steps: 5 })
  await page.mouse.up()
  await page.waitForFunction(() => document.getElementById('spoken')?.textContent === 'Moved.')
  t.strictSame(await values(), ['wood', 'rye', 'tar'])
  t.equal(await page.evaluate(() => document.body.dataset.loaded), 'once', 'without a reload')
  await page.keyboard.press('Control+s')
  await page.waitForSelector('.toast')
  t.strictSame((await opened.store.get(keyOf('boats', 'elbe')))?.fields.freight, ['wood', 'rye', 'tar'])
})

browse('problems are named, and the dashboard leads to them', async (t, { page, goto }) => {
  await goto('/admin')
  await page.click('a[href="/admin/problems"]')
  await page.waitForURL(/problems$/)
  t.match(await page.innerText('main'), /broken/)
  await goto('/admin/search?q=tides')
  t.match(await page.innerText('main'), /Records[\s\S]*Gamma/)
})
