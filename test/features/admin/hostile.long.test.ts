import t, { type Test } from 'tap'
import type { FieldInput } from '#core/types/fields.ts'
import { formIn } from '#support/page-form.ts'
import { type PanelGiven, panelOf } from '#support/panel.ts'
import { dangersIn, type GotPage, pagesFrom } from '#support/panel-pages.ts'
import { plainTypes } from '#support/types.ts'
import { COMPUTED, HOSTILE_TEXTS, MARK } from './hostile-texts.ts'

const LEAVES = [
  'text',
  'markdown',
  'number',
  'date',
  'datetime',
  'select',
  'reference',
  'media',
  'slug',
  'email',
  'url',
  'color',
] as const

/** A field of each sort; `article` has no rule that would refuse a text in one. */
const FIELDS: Readonly<Record<string, FieldInput>> = {
  ...Object.fromEntries(
    LEAVES.map((type) => [
      `of_${type}`,
      {
        type,
        label: HOSTILE_TEXTS[0] ?? '',
        help: HOSTILE_TEXTS[4] ?? '',
        ...(type === 'select' && { options: ['a', HOSTILE_TEXTS[1] ?? ''] }),
      },
    ]),
  ),
  several: { type: 'media', multiple: true },
  listed: { type: 'list', of: { type: 'text' } },
  grouped: { type: 'object', fields: { first: { type: 'text' }, second: { type: 'markdown' } } },
  rows: { type: 'list', of: { type: 'object', fields: { url: { type: 'media' }, alt: { type: 'text' } } } },
  any: { type: 'json' },
}
const TYPES = plainTypes({
  articles: { label: `Articles ${HOSTILE_TEXTS[1]}`, columns: ['title', 'of_url', 'of_media', 'status'], fields: FIELDS },
})

/** Of how many texts one is typed, and its records and terms opened: the files have them all. `npm run test:hostile -- 10` for more. */
const step = Number(process.argv[2] ?? 20)

/** A record with one text in all its fields, and as a name of one. */
function recordOf(text: string, n: number): string {
  const own = { [`${text} of`]: text, plain: text, deep: { list: [text, { [text]: text }] } }
  const fields = Object.fromEntries(LEAVES.map((type) => [`of_${type}`, text]))
  const grouped = { first: text, second: text, [text]: text }
  const rows = [{ url: text, alt: text, [text]: 1 }]
  const all = {
    ...{ title: text, excerpt: text, author: text, slug: text, tags: [text], categories: [text], cover: text },
    ...{ ...fields, ...own, listed: [text, text], several: [text], grouped, rows, any: { [text]: [text] } },
    status: n % 3 === 0 ? 'draft' : 'published',
  }
  return `---json\n${JSON.stringify(all)}\n---\n${text}\n`
}

/** A media file with one text in all that is said of it. */
function described(text: string): string {
  const said = { title: text, alt: text, caption: text, credit: text, license: text, folder: text }
  return JSON.stringify({ ...said, tags: [text], [text]: text, focal_point: { x: text, y: text } })
}

const FILES = Object.fromEntries([
  ...HOSTILE_TEXTS.flatMap((text, n) => [
    [`content/articles/a${n}.md`, recordOf(text, n)],
    [`content/notes/n${n}.md`, recordOf(text, n)],
    ...(n % step === 0 ? [[`content/media/h${n}.txt.yaml`, described(text)]] : []),
  ]),
  [
    'content/menus/main.yaml',
    `items: ${JSON.stringify(HOSTILE_TEXTS.slice(0, 60).map((text, n) => ({ id: `m${n}aaaaaa`, label: text, url: text })))}\n`,
  ],
  [
    'content/settings/site.yaml',
    `${JSON.stringify(
      Object.fromEntries(
        HOSTILE_TEXTS.flatMap((text, n) => [
          [`s${n}`, text],
          [text, n],
        ]),
      ),
    )}\n`,
  ],
])

const BESIDE = Object.fromEntries(HOSTILE_TEXTS.flatMap((text, n) => (n % step === 0 ? [[`content/media/h${n}.txt`, text]] : [])))

const CONFIG = { site: { name: `A site ${HOSTILE_TEXTS[3]}`, url: 'https://example.org' } }

function check(t: Test, { url, from, status, html, headers }: Omit<GotPage, 'location'>): void {
  if (status >= 500) t.fail(`${url} (from ${from}): ${status}`)
  if (!String(headers['content-type']).startsWith('text/html')) return
  const found = dangersIn(html, MARK)
  if (found.length > 0) t.fail(`${url} (from ${from}): ${found.slice(0, 3).join('\n')}`)
  if (html.includes(COMPUTED)) t.fail(`${url} takes a text for a template`)
}

/** Sends each text in all fields of a form, and looks at the answers. */
async function fill(t: Test, { browser }: PanelGiven, page: string, action: string, texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    const blank = await browser.get(page)
    if (blank.status !== 200) return void t.fail(`${page}: ${blank.status}`)
    const form = formIn(blank.html, action)
    const typed = Object.fromEntries(
      Object.keys(form).map((name) => [
        name,
        KEPT.test(name) ? (form[name] ?? '') : ADDRESS.test(name) ? `${text}@example.org` : text,
      ]),
    )
    const answer = await browser.post(action, { ...typed, do: 'save' })
    check(t, { ...answer, url: action, from: JSON.stringify(text) })
    if (answer.status !== 422) continue
    // Nothing that was typed is lost.
    const again = formIn(answer.html, action)
    for (const [name, value] of Object.entries(typed)) {
      const lines = (one: unknown) => String(one).replaceAll(/[\r\n]/g, '')
      if (!KEPT.test(name) && !NOT_LINES.test(name) && lines(again[name]).trim() !== wellFormed(lines(value)).trim())
        t.equal(lines(again[name]), lines(value), `${action}: ${name}`)
    }
  }
}

/** Fields that are not typed in. */
const KEPT = /^(?:_csrf|_form|_method|base|role|expires)$|\[\]$|\]\[(?:id|depth)\]$/
const ADDRESS = /^email$/
/** Inputs that a browser lets no such text into. */
const NOT_LINES = /date|_at$|published|expire|select|status|parent/

t.test('hostile texts are texts on every page', (t) =>
  panelOf(
    t,
    FILES,
    async (t, given) => {
      const { browser, opened, app } = given
      const texts = HOSTILE_TEXTS.filter((_, n) => n % (opened.name === 'files' ? step : 4 * step) === 0)
      for (const name of ['content/articles', 'content/notes', 'tags', 'categories', 'users', 'tokens'])
        await fill(t, given, name === 'users' ? '/admin/users' : `/admin/${name}/create`, `/admin/${name}`, texts)
      await fill(t, given, '/admin/account', '/admin/account', texts)
      await fill(t, given, '/admin/menus/main/edit', '/admin/menus/main', texts.slice(0, 12))
      await fill(t, given, '/admin/media/h0.txt/edit', '/admin/media/h0.txt', texts.slice(0, 12))
      await fill(t, given, '/admin/settings', '/admin/settings/site', texts.slice(0, 6))
      await app.features.users.update(
        given.ada.id,
        { name: `"' onfocus=${MARK} {{ csrf }} &lt;${MARK}&gt;` },
        { name: 'a', email: 'a@example.org' },
      )
      const every = opened.name === 'files' ? step : 6 * step
      const terms = new Map<string, number>()
      const isLeftOut = (url: string) => {
        const term = /^\/admin\/(?:tags|categories)\/(?!create)[^/?]+/.exec(url)?.[0]
        if (term !== undefined && !terms.has(term)) terms.set(term, terms.size)
        const nth = term === undefined ? Number(/\/[an](\d+)\//.exec(url)?.[1] ?? 0) : (terms.get(term) ?? 0)
        return nth % every !== 0 || /[?&](?:page=[3-9]|sort=.*page=)/.test(url)
      }
      let count = 0
      for await (const page of pagesFrom(browser, ['/admin'], isLeftOut)) {
        check(t, page)
        count++
        if (page.status !== 200 && page.status !== 422) t.fail(`${page.from} leads to ${page.url}: ${page.status}`)
      }
      for (const text of texts) {
        const query = encodeURIComponent(wellFormed(text))
        for (const url of [
          `/admin/content/articles?q=${query}&tag=${query}&status=${query}&sort=${query}&columns=${query}&page=${query}&done=${query}`,
          `/admin/${query}`,
          `/admin/content/${query}`,
          `/admin/content/articles/${query}/edit`,
          `/admin/login?next=${query}`,
          `/admin/search?q=${query}`,
        ])
          check(t, { ...(await browser.get(url)), url, from: 'by hand' })
      }
      t.ok(count > 100, `${count} pages`)
    },
    { site: { types: TYPES, beside: BESIDE }, config: CONFIG },
  ),
)

t.test('what is not escaped is found', async (t) => {
  const found = HOSTILE_TEXTS.filter((text) => dangersIn(`<p title="${text}">${text}</p><a href="${text}">`, MARK).length > 0)
  t.ok(found.length > 60, String(found.length))
})

/** Returns a text as UTF-8 has it: without halves of characters. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString()
}
