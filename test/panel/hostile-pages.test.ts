import t from 'tap'
import { startChromium } from '#support/chromium.ts'
import { panelOf } from '#support/panel.ts'
import { HOSTILE_TEXTS, MARK } from '../features/admin/hostile-texts.ts'
import { SITE_OPTIONS, signedPage } from './panel-site.ts'

/** Of how many texts one is opened. */
const step = Number(process.argv[2] ?? 6)
const TEXTS = HOSTILE_TEXTS.filter((_, n) => n % step === 0)

const FILES = Object.fromEntries([
  ...TEXTS.flatMap((text, n) => {
    const fields = { title: text, excerpt: text, author: text, tags: [text], categories: [text], plain: text, [text]: text }
    const boat = {
      ...fields,
      freight: [text],
      parts: [{ name: text, note: text }],
      owner: { name: text },
      link: text,
      colour: text,
    }
    return [
      [`content/posts/p${n}.md`, `---json\n${JSON.stringify(fields)}\n---\n${text}\n\n- ${text}\n\n| a |\n|---|\n| ${text} |\n`],
      [`content/boats/b${n}.md`, `---json\n${JSON.stringify({ ...boat, home: text, data: { [text]: text } })}\n---\n${text}`],
    ]
  }),
  [
    'content/menus/main.yaml',
    `items: ${JSON.stringify(TEXTS.map((text, n) => ({ id: `m${n}aaaaaa`, label: text, url: text })))}\n`,
  ],
  ['content/settings/site.yaml', `${JSON.stringify(Object.fromEntries(TEXTS.map((text, n) => [`s${n}`, text])))}\n`],
])

const chromium = await startChromium()
t.teardown(() => chromium.close())

t.test('nothing of a hostile text runs in a browser, or asks elsewhere', (t) =>
  panelOf(
    t,
    FILES,
    async (t, given) => {
      if (given.opened.name === 'postgres') return
      const { page, origin, errors } = await signedPage(t, chromium, given)
      const lists = ['', '/content/posts', '/content/boats', '/tags', '/categories', '/menus/main/edit', '/settings', '/users']
      const records = TEXTS.flatMap((_, n) => [`/content/posts/p${n}/edit`, `/content/boats/b${n}/edit`])
      for (const path of [...lists, ...records]) {
        await page.goto(`${origin}/admin${path}`)
        await page.waitForFunction(() => document.readyState === 'complete')
        const ran = await page.evaluate((mark) => mark in globalThis || document.querySelector(mark) !== null, MARK)
        t.notOk(ran, path)
        // A record that can't be read is 422, a picture that leads nowhere 404.
        const others = errors.splice(0).filter((error) => !/status of (?:404|422|400)/.test(error))
        t.strictSame(others, [], `${path}: the browser complains of nothing`)
      }
    },
    SITE_OPTIONS,
  ),
)
