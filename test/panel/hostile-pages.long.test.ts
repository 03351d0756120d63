import t from 'tap'
import { startChromium } from '#support/chromium.ts'
import { panelOf } from '#support/panel.ts'
import { HOSTILE_TEXTS, MARK } from '../features/admin/hostile-texts.ts'
import { pixels } from '../media/pictures.ts'
import { SITE_OPTIONS, signedPage } from './panel-site.ts'

/** Of how many texts one is opened. */
const step = Number(process.argv[2] ?? 12)
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
      [`content/media/h${n}.png.yaml`, JSON.stringify({ ...fields, alt: text, caption: text, credit: text, folder: text })],
      [`content/boats/b${n}.md`, `---json\n${JSON.stringify({ ...boat, home: text, data: { [text]: text } })}\n---\n${text}`],
    ]
  }),
  [
    'content/menus/main.yaml',
    `items: ${JSON.stringify(TEXTS.map((text, n) => ({ id: `m${n}aaaaaa`, label: text, url: text })))}\n`,
  ],
  ['content/settings/site.yaml', `${JSON.stringify(Object.fromEntries(TEXTS.map((text, n) => [`s${n}`, text])))}\n`],
])

const PNG = await pixels().png().toBuffer()
const BESIDE = Object.fromEntries(TEXTS.map((_, n) => [`content/media/h${n}.png`, PNG]))

/** A picture of elsewhere is shown where the site shows it. */
const PICTURE = new RegExp(`^asked https://${MARK}\\.example/a\\.png$|ERR_NAME_NOT_RESOLVED`)

const chromium = await startChromium()
t.teardown(() => chromium.close())

t.test('nothing of a hostile text runs in the panel, in previews and on the site', (t) =>
  panelOf(
    t,
    FILES,
    async (t, given) => {
      if (given.opened.name === 'postgres') return
      const { page, origin, errors } = await signedPage(t, chromium, given)
      const look = async (path: string, isAllowed: RegExp) => {
        await page.goto(`${origin}${path}`)
        await page.waitForFunction(() => document.readyState === 'complete')
        const ran = await page.evaluate((mark) => mark in globalThis || document.querySelector(mark) !== null, MARK)
        t.notOk(ran, path)
        t.equal(page.url(), `${origin}${path}`, `${path} leads nowhere else`)
        t.strictSame(
          errors.splice(0).filter((error) => !isAllowed.test(error)),
          [],
          `${path}: the browser complains of nothing`,
        )
      }
      const lists = [
        '',
        '/content/posts',
        '/content/boats',
        '/tags',
        '/categories',
        '/menus/main/edit',
        '/settings',
        '/users',
        '/media',
      ]
      const edited = TEXTS.flatMap((_, n) => [`/content/posts/p${n}/edit`, `/content/boats/b${n}/edit`, `/media/h${n}.png/edit`])
      // A record that can't be read is 422, a picture that leads nowhere 404.
      for (const path of [...lists, ...edited]) await look(`/admin${path}`, /status of (?:404|422|400)/)
      const shown = TEXTS.flatMap((_, n) => [`/admin/preview/posts/p${n}`, `/posts/p${n}`])
      for (const path of ['/', ...shown]) await look(path, new RegExp(`status of (?:404|422)|${PICTURE.source}`))
    },
    { site: { ...SITE_OPTIONS.site, beside: BESIDE } },
  ),
)
