import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { type BrowserPage, startChromium } from '#support/chromium.ts'
import { isLong } from '#support/long.ts'
import { codeOf, type PanelGiven, panelOf } from '#support/panel.ts'
import { SITE_FILES, SITE_OPTIONS, signedPage } from './panel-site.ts'

const POSTS = '/admin/content/posts'

const chromium = await startChromium()
t.teardown(() => chromium.close())

for (const javaScriptEnabled of isLong ? [true, false] : [true]) {
  t.test(`a day's work in a browser, ${javaScriptEnabled ? 'with' : 'without'} scripts`, (t) =>
    panelOf(
      t,
      SITE_FILES,
      async (t, given) => {
        const stranger = { app: given.app, browser: { cookies: new Map() } as unknown as PanelGiven['browser'] }
        const { page, origin, errors } = await signedPage(t, chromium, stranger, { javaScriptEnabled })
        await workADay(t, given, { page, origin, hasScripts: javaScriptEnabled })
        // A browser calls the status of a page that says what is wrong an error.
        t.strictSame(
          errors.filter((error) => !/status of 409/.test(error)),
          [],
          'the browser complains of nothing',
        )
      },
      SITE_OPTIONS,
    ),
  )
}

async function workADay(
  t: Test,
  { app, opened }: PanelGiven,
  { page, origin, hasScripts }: { page: BrowserPage; origin: string; hasScripts: boolean },
): Promise<void> {
  const { store, clock } = opened
  const at = () => page.evaluate(() => location.pathname + location.search)
  const press = async (button: string, leadsTo: RegExp) => {
    await page.click(button)
    await page.waitForURL(leadsTo)
  }
  // With scripts a record is saved in place.
  const save = (button: string, done: string, words: string) =>
    hasScripts
      ? page.click(button).then(() => page.waitForSelector(`.toast:has-text("${words}")`))
      : press(button, new RegExp(`done=${done}`))
  const fields = async (id: string) => (await store.get(keyOf('posts', id)))?.fields

  // Signs in with a mailed code.
  clock.advance(60_000)
  await page.goto(`${origin}${POSTS}`)
  t.match(await at(), /^\/admin\/login/)
  await page.fill('#f-email', 'ada@example.org')
  await press('button.primary', /\/verify/)
  await page.fill('#f-code', (await codeOf(app)) ?? '')
  await press('button.primary', /\/admin\/content\/posts$/)

  // Creates, edits and publishes.
  await page.goto(`${origin}${POSTS}/create`)
  await page.fill('[name=title]', 'A new tide')
  if (hasScripts) {
    await page.waitForSelector('.cm-content')
    await page.click('.cm-content')
    await page.keyboard.type('Typed **here**.')
  } else await page.fill('[name=body]', 'Typed **here**.')
  await save('button:has-text("Save draft")', 'created', 'Created.')
  t.match(await at(), /\/a-new-tide\/edit/)
  t.match(await store.get(keyOf('posts', 'a-new-tide')), { body: /^Typed \*\*here\*\*\.\n?$/, fields: { status: 'draft' } })
  await page.fill('[name=title]', 'A newer tide')
  await save('button.say:has-text("Publish")', 'published', 'Published.')
  t.match(await fields('a-new-tide'), { title: 'A newer tide', status: 'published' })
  await page.waitForSelector('text=It is public now')

  // Publishes two of a list.
  await page.goto(`${origin}${POSTS}?status=draft&per_page=100`)
  await page.click('input[value="p1"]')
  await page.click('input[value="p5"]')
  await press('.selection button:has-text("Publish")', /done=published/)
  t.match([await fields('p1'), await fields('p5')], [{ status: 'published' }, { status: 'published' }])

  // Merges a term into another.
  await page.goto(`${origin}/admin/tags/t0/delete`)
  await page.focus('[name=replace_with]')
  await page.keyboard.type('Tides')
  await press('button:has-text("Delete this tag")', /done=removed/)
  t.match((await fields('p0'))?.tags, ['tides'])

  // Nests a menu by keyboard.
  await page.goto(`${origin}/admin/menus/main/edit`)
  await page.focus('button[value="in:bbbbbbbb"]')
  await page.keyboard.press('Enter')
  await page.waitForSelector('text=now second under Stories')
  await page.focus('button:has-text("Save menu")')
  await page.keyboard.press('Enter')
  await page.waitForURL(/done=saved/)
  const menu = await store.get(keyOf('menus', 'main'))
  t.match(menu?.fields.items, [{ id: 'aaaaaaaa', children: [{ id: 'dddddddd' }, { id: 'bbbbbbbb' }] }, { id: 'cccccccc' }])

  // Meets an edit of somebody else, and settles it.
  await page.goto(`${origin}${POSTS}/p2/edit`)
  await app.ask('PUT /api/cms/posts/p2', { body: { title: 'Theirs', excerpt: 'Of theirs' } })
  await page.fill('[name=title]', 'Mine')
  await page.click('button.say:has-text("Save")')
  await page.waitForSelector('text=Two edits meet')
  await page.click('label:has-text("Yours")')
  await press('button.primary', /p2\/edit\?done=/)
  t.match(await fields('p2'), { title: 'Mine', excerpt: 'Of theirs' })

  // Signs out.
  await page.goto(`${origin}/admin/account`)
  await press('button:has-text("Sign out"):not(:has-text("everywhere"))', /signed-out/)
  await page.goto(`${origin}${POSTS}`)
  t.match(await at(), /^\/admin\/login/, 'the session is over')
}
