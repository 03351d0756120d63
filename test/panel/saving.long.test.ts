import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { type BrowserPage, startChromium } from '#support/chromium.ts'
import { type PanelGiven, panelOn } from '#support/panel.ts'
import { openFiles } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'
import { splicesFor } from '../../src/panel/splices.ts'
import { signedPage } from './panel-site.ts'

const POSTS = '/admin/content/posts'
const FILES = {
  ...Object.fromEntries(
    ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => [
      `content/posts/${id}.md`,
      `---\ntitle: ${id}\nstatus: draft\ntags: [sea]\n---\nOne.\n\nTwo.\n`,
    ]),
  ),
  'content/settings/site.yaml': 'tagline: Of the sea\n',
}

const chromium = await startChromium()
const opened = await openFiles({
  files: FILES,
  types: plainTypes({ posts: { fields: { weight: { type: 'number', rules: 'max:5' } } } }),
})
const given = await panelOn(t, opened)
t.teardown(async () => {
  await chromium.close()
  await opened.close()
})

t.test('what was saved is brought into a text that was typed on', async (t) => {
  const merged = (sent: string, saved: string, now: string) =>
    splicesFor({ sent, saved, now })?.reduceRight(
      (text, { from, to, insert }) => text.slice(0, from) + insert + text.slice(to),
      now,
    )
  t.equal(merged('a', 'a\n', 'a and on'), 'a and on\n')
  t.equal(merged('one\n\ntwo\n\nthree', 'one!\n\ntwo\n\nThree', 'one\n\ntwo and on\n\nthree'), 'one!\n\ntwo and on\n\nThree')
  t.equal(merged('one two', 'one three', 'one two'), 'one three')
  t.equal(merged('one two', 'one two', 'typed'), 'typed')
  t.equal(merged('', 'theirs', ''), 'theirs')
  t.equal(merged('one two', 'one three', 'one ten'), undefined, 'where both changed one place, nobody guesses')
  t.equal(splicesFor({ sent: 'one two three', saved: 'One two Three', now: 'one two three' })?.length, 2, 'what is between stays')
})

interface Here extends PanelGiven {
  readonly page: BrowserPage
  goto(path: string): Promise<void>
  /** Goes to a record, and to the end of its text. */
  edit(path: string): Promise<void>
  text(): Promise<string>
  stored(id: string): ReturnType<PanelGiven['opened']['store']['get']>
}

/** Tests a page in a browser; what it complains of fails it, but for what `expected` names. */
function browse(name: string, run: (t: Test, here: Here) => Promise<void>, expected?: RegExp): void {
  t.test(name, async (t) => {
    const { page, origin, errors } = await signedPage(t, chromium, given)
    const goto = async (path: string) => void (await page.goto(`${origin}${path}`))
    const text = async () => (await page.innerText('.cm-content')).trimEnd()
    const edit = async (path: string) => {
      await goto(path)
      await page.waitForSelector('.cm-content')
      await page.click('.cm-content')
      await page.keyboard.press('Control+End')
    }
    await run(t, { ...given, page, goto, edit, text, stored: (id) => opened.store.get(keyOf('posts', id)) })
    t.strictSame(
      errors.filter((error) => !expected?.test(error)),
      [],
      'the browser complains of nothing',
    )
  })
}

/** Holds the answers to what is sent to an address, until it is called. */
async function hold(page: BrowserPage, address: RegExp): Promise<() => Promise<void>> {
  let go = () => {}
  const gate = new Promise<void>((resolve) => {
    go = resolve
  })
  await page.route(address, async (route) => {
    if (route.request().method() === 'POST') await gate
    await route.continue()
  })
  return async () => {
    go()
    await page.waitForSelector('.toast')
  }
}

/** Saves, and waits for the words that say so. */
async function save(page: BrowserPage): Promise<void> {
  await page.evaluate(() => document.querySelector<HTMLElement>('.toast')?.click())
  await page.keyboard.press('Control+s')
  await toast(page, /^Saved/)
}

const toast = (page: BrowserPage, words: RegExp) =>
  page.waitForFunction(
    (source) => new RegExp(source).test(document.querySelector('.toast:last-child')?.textContent ?? ''),
    words.source,
  )
const kept = (page: BrowserPage, words: RegExp) =>
  page.waitForFunction(
    (source) => new RegExp(source).test(document.querySelector('[data-keeping]')?.textContent ?? ''),
    words.source,
  )

browse(
  'what is typed during a save stays, goes on being kept, and is saved by the next one',
  async (t, { page, edit, text, stored }) => {
    await edit(`${POSTS}/a/edit`)
    await page.keyboard.type('Saved.')
    const release = await hold(page, /\/posts\/a$/)
    await page.keyboard.press('Control+s')
    await page.keyboard.type(' Typed on /')
    await release()
    await toast(page, /^Saved\./)
    t.equal((await stored('a'))?.body, 'One.\n\nTwo.\nSaved.\n')
    await page.keyboard.type(' and on')
    t.match(await text(), /Two\.\s+Saved\. Typed on \/ and on$/, 'in its place, with its cursor: no letter is a key of the page')
    t.equal(await page.evaluate(() => document.querySelector('dialog')), null)
    await kept(page, /^Kept/)
    await page.keyboard.press('Control+z')
    t.notMatch(await text(), /and on$/, 'what was typed before is taken back')
    await page.keyboard.press('Control+y')
    await save(page)
    t.equal((await stored('a'))?.body, 'One.\n\nTwo.\nSaved. Typed on / and on\n')
    t.notMatch(await page.innerText('main'), /Kept/)
    t.equal(await page.evaluate(() => location.search), '')
    await page.goto(await page.evaluate(() => location.href))
    t.notMatch(await page.innerText('main'), /never saved/, 'nothing is left to be offered')
  },
)

browse(
  'a save takes over what others changed, buttons and fields, and a second one goes on from there',
  async (t, { page, app, edit, text, stored }) => {
    await edit(`${POSTS}/b/edit`)
    await page.keyboard.type('Mine.')
    await app.ask('PUT /api/cms/posts/b', { body: { body: 'The first one.\n\nTwo.\n', tags: ['sea', 'tides'] } })
    const release = await hold(page, /\/posts\/b$/)
    await page.keyboard.press('Control+s')
    await page.keyboard.type(' More.')
    await release()
    t.match(await text(), /^The first one\.\s+Two\.\s+Mine\. More\.$/)
    t.ok(await page.locator('[name="tags[]"][value=tides]').isVisible())
    t.match(await page.innerText('.desk-says'), /Publish/)
    await page.click('button.say:has-text("Publish")')
    await page.waitForSelector('button.say:has-text("Unpublish")')
    t.match(await stored('b'), {
      body: 'The first one.\n\nTwo.\nMine. More.\n',
      fields: { status: 'published', tags: ['sea', 'tides'] },
    })
    t.equal(
      await page.evaluate(() => document.activeElement?.closest('.desk-says') !== null),
      true,
      'the focus is at the buttons',
    )
  },
)

browse(
  'a page of a proxy takes no words away',
  async (t, { page, edit, text, stored }) => {
    await edit(`${POSTS}/f/edit`)
    await page.keyboard.type('Typed.')
    const address = /\/posts\/f$/
    for (const status of [502, 200]) {
      await page.route(address, (route) =>
        route.fulfill({ status, contentType: 'text/html', body: '<!doctype html><h1>Bad gateway</h1><form></form>' }),
      )
      await page.evaluate(() => document.querySelector<HTMLElement>('.toast')?.click())
      await page.keyboard.press('Control+s')
      await toast(page, new RegExp(`^Not saved: a proxy answered .*${status}`))
      t.match(await text(), /Typed\.$/)
      await page.unroute(address)
    }
    await save(page)
    t.equal((await stored('f'))?.body, 'One.\n\nTwo.\nTyped.\n')
  },
  /502/,
)

browse('a new record becomes one that is there, without leaving its page', async (t, { page, goto, stored }) => {
  await goto(`${POSTS}/create`)
  await page.waitForSelector('.cm-content')
  const length = await page.evaluate(() => history.length)
  await page.click('[name=title]')
  await page.keyboard.type('A new tide')
  const release = await hold(page, /\/posts$/)
  await page.keyboard.press('Control+s')
  await page.keyboard.type(' comes')
  await release()
  t.strictSame(await page.evaluate(() => [location.pathname, history.length]), [`${POSTS}/a-new-tide/edit`, length])
  t.match(await page.evaluate(() => document.title), /A new tide/)
  t.equal(await page.locator('[name=slug]').evaluate((field) => (field as HTMLInputElement).value), 'a-new-tide')
  await kept(page, /^Kept/)
  await save(page)
  t.match((await stored('a-new-tide'))?.fields, { title: 'A new tide comes', status: 'draft' })
  await goto(`${POSTS}/create`)
  t.notMatch(await page.innerText('main'), /never saved/)
})

browse(
  'what is wrong is said in place, and gone once it is mended',
  async (t, { page, edit, text, stored }) => {
    await edit(`${POSTS}/c/edit`)
    await page.keyboard.type('Typed.')
    await page.fill('[name=title]', 'x'.repeat(201))
    await page.fill('[name=weight]', '9')
    await page.keyboard.press('Control+s')
    await page.waitForFunction(() => document.activeElement?.id === 'errors')
    t.match(await page.innerText('.desk-side .error'), /5/)
    t.match(await page.innerText('#f-title-error'), /200/)
    t.equal(await page.evaluate(() => document.querySelectorAll('[aria-invalid]').length), 2)
    await kept(page, /^Kept/)
    t.match(await text(), /Typed\.$/)
    await page.fill('[name=title]', 'Sea')
    await page.fill('[name=weight]', '4')
    await page.keyboard.press('Control+s')
    await page.waitForFunction(() => !document.querySelector('#errors, .error, [aria-invalid]'))
    t.match(await stored('c'), { body: 'One.\n\nTwo.\nTyped.\n', fields: { title: 'Sea', weight: 4 } })
  },
  /status of 422/,
)

browse(
  'without a connection no save leads away from the text',
  async (t, { page, goto, edit, text, stored }) => {
    await edit(`${POSTS}/d/edit`)
    await page.keyboard.type('On a train.')
    await page.context().setOffline(true)
    await page.keyboard.press('Control+s')
    await toast(page, /^Not saved: no connection/)
    t.match(await text(), /On a train\.$/)
    await page.context().setOffline(false)
    await kept(page, /^Kept/)
    await page.keyboard.press('Control+s')
    await toast(page, /^Saved/)
    t.equal((await stored('d'))?.body, 'One.\n\nTwo.\nOn a train.\n')
    await goto('/admin/settings/site/edit')
    await page.fill('[name=tagline]', 'On a train')
    await page.context().setOffline(true)
    await page.keyboard.press('Control+s')
    await toast(page, /^Not sent: no connection/)
    await page.context().setOffline(false)
    await page.keyboard.press('Control+s')
    await toast(page, /^Saved/)
    t.match((await opened.store.get(keyOf('settings', 'site')))?.fields, { tagline: 'On a train' })
  },
  /ERR_INTERNET_DISCONNECTED/,
)

browse(
  'where two edits meet, the page of both is led to: what was typed is kept, and answers are counted once',
  async (t, { page, app, edit, goto }) => {
    await edit(`${POSTS}/e/edit`)
    await page.keyboard.press('Backspace')
    await page.keyboard.type(' and mine.')
    await app.ask('PUT /api/cms/posts/e', { body: { body: 'One.\n\nTwo and theirs.\n' } })
    await page.keyboard.press('Control+s')
    await page.waitForSelector('#conflict')
    const counted = () =>
      page.evaluate(() => {
        const count = document.querySelector('.settled')
        const own = count && getComputedStyle(count, '::before').counterReset
        const tags = [...document.querySelectorAll<HTMLElement>('.clash .tag')]
          .filter((tag) => tag.offsetParent)
          .map((tag) => tag.innerText)
        return { text: count?.textContent?.trim(), isCounted: own !== undefined, tags }
      })
    t.match(await counted(), { text: 'of 1 settled.', tags: ['Pick one'] })
    await page.click('label:has-text("Yours")')
    t.match(await counted(), { text: 'of 1 settled.', tags: ['Settled'] })
    t.equal(await page.textContent('#spoken'), '1 of 1 settled.')
    await goto('/admin')
    t.match(await page.innerText('main'), /kept and never saved/)
  },
  /status of 409/,
)
