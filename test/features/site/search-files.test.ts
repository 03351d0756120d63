import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import t from 'tap'
import { keyOf } from '#core/key.ts'
import { browserModules, lunrModule } from '#features/site/searching/scripts.ts'
import { SearchedPages } from '#features/site/searching/searched-pages.ts'
import { searchFiles } from '#features/site/searching/site-search.ts'
import { wordsOf } from '#features/site/searching/stems.ts'
import { Analyser } from '#fulltext/analysis/analyser.ts'
import { longTest } from '#support/long.ts'
import { publicSite } from '#support/public-site.ts'
import { browserOf } from '#support/site-search.ts'
import { makeSite } from '#support/sites.ts'
import { eachStore } from '#support/stores.ts'

const PAGE = fileURLToPath(new URL('../../../templates/site/assets/search.js', import.meta.url))
const SCRIPTS = fileURLToPath(new URL('../../../templates/site/search/', import.meta.url))

const FILES: Record<string, string> = {
  'content/index.md': '---\ntitle: Welcome\n---\nHello there.\n',
  'content/posts/live.md':
    '---\ntitle: The lighthouse\ntags: [coast]\ndate: 2026-01-01\n---\nA lamp, and [the other](other.md).\n',
  'content/posts/other.md': '---\ntitle: Ships\ndate: 2026-01-02\n---\nIn fog.\n',
  'content/posts/draft.md': '---\ntitle: Zqdraft\ndraft: true\ntags: [zqterm]\n---\nzqdraftword\n',
  'content/posts/later.md': '---\ntitle: Zqlater\ndate: 2027-01-01\n---\nzqlaterword\n',
  'content/posts/over.md': '---\ntitle: Zqover\ndate: 2026-01-01\nexpires_at: 2026-02-01\n---\nzqoverword\n',
  'content/posts/old.md': '---\ntitle: Zqold\nstatus: archived\n---\nzqoldword\n',
  'content/posts/unfound.md': '---\ntitle: Zqunfound\nnoindex: true\n---\nzqunfoundword\n',
  'content/posts/unlisted.md': '---\ntitle: Zqunlisted\nunlisted: true\n---\nzqunlistedword\n',
}

const AUTHOR = { name: 'Ada', email: 'ada@example.org' }

/** The files of a folder, by their paths below it. */
function filesIn(folder: string): Map<string, Buffer> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  const files = names.filter((name) => statSync(join(folder, name)).isFile())
  return new Map(files.map((name) => [name, readFileSync(join(folder, name))]))
}

t.test('a server answers the files of a build, and neither has a word of what is not shown', (t) =>
  eachStore(t, { files: FILES, now: '2026-06-01T00:00:00.000Z' }, async (t, opened) => {
    const { site, folder } = publicSite(t, opened, true)
    await site.build('public')
    const built = filesIn(folder.path('public/search'))
    t.equal([...built.keys()].filter((name) => name.startsWith('pages/')).length, 3)
    for (const [name, body] of built) {
      t.notMatch(String(body), /zq/i, name)
      if (name === 'index.html') continue
      const page = await site.page(`/search/${name}`)
      t.equal(page.status, 200, name)
      t.ok(page.body.equals(body), name)
      t.equal(page.immutable === true, name.startsWith('words/'), 'what is named by its bytes stays')
    }
    for (const path of ['/search/pages/00000.json', '/search/pages/fffff.json', '/search/words/0123456789ab.json'])
      t.equal((await site.page(path)).status, 404, path)
  }),
)

longTest('what is withdrawn is gone from the search of a server and of the next build', (t) =>
  eachStore(t, { files: FILES, now: '2026-06-01T00:00:00.000Z' }, async (t, opened) => {
    const { site, folder } = publicSite(t, opened, true, { memory: { folder: '/nowhere', basis: '' } })
    await site.build('public')
    t.match(String((await site.page('/search/index.json')).body), '"pages":3')
    const before = [...filesIn(folder.path('public/search')).keys()]
    await opened.store.write([{ key: keyOf('posts', 'other'), put: { set: { status: 'draft' } } }], AUTHOR)
    opened.clock.advance(400 * 24 * 60 * 60 * 1000)
    t.match(String((await site.page('/search/index.json')).body), '"pages":3', 'what was scheduled is there')
    await site.build('public')
    const after = filesIn(folder.path('public/search'))
    const all = [...after.values()].map(String).join('\n')
    t.match(all, 'zqlaterword')
    t.notMatch(all, /ships|fog/i)
    t.equal([...after.keys()].filter((name) => name.startsWith('pages/')).length, 3)
    for (const gone of before.filter((name) => !after.has(name))) t.equal((await site.page(`/search/${gone}`)).status, 404, gone)
    for (const [name, body] of after)
      if (name !== 'index.html') t.ok((await site.page(`/search/${name}`)).body.equals(body), name)
  }),
)

/** Pages of words that are often the same, by key. */
const PAGES = fc.array(fc.tuple(fc.nat({ max: 30 }), fc.array(fc.nat({ max: 3_000 }), { maxLength: 400 })), { maxLength: 12 })

t.test('whatever changed before, the same pages make the same files', (t) =>
  fc.assert(
    fc.asyncProperty(fc.array(PAGES, { minLength: 1, maxLength: 4 }), async (steps) => {
      const followed = new SearchedPages()
      let files: unknown
      for (const step of steps) {
        const pages = new Map(step.map(([n, words]) => [`posts/p${n}`, pageOf(n % 7, words)]))
        for (const [key, { id }] of followed.all) if (pages.get(key)?.id !== id) followed.put(key, undefined)
        const free = new Set([...followed.all.values()].map(({ id }) => id))
        const shown = [...pages].filter(([key, { id }]) => followed.get(key) !== undefined || (!free.has(id) && free.add(id)))
        for (const key of [...followed.all.keys()]) if (!shown.some(([one]) => one === key)) followed.put(key, undefined)
        for (const [key, page] of shown) followed.put(key, page)
        files = textOf(await followed.index())
        const fresh = new SearchedPages()
        for (const [key, page] of shown.toReversed()) fresh.put(key, page)
        t.strictSame(files, textOf(await fresh.index()))
      }
    }),
    { numRuns: 60 },
  ),
)

function pageOf(id: number, words: readonly number[]) {
  const levels = new Map(words.map((word) => [madeUp(word), word % 3]))
  return { id, print: '', asked: [], words: [...levels].map(([word, level]) => `${'ABC'[level]}${word}`).join(' ') }
}

function textOf(index: Parameters<typeof searchFiles>[0]): [string, string][] {
  return [...searchFiles(index)].map(([path, { body }]) => [path, String(body)])
}

longTest('a reader of 2,000 pages transfers at most 200 KB, uncompressed', async (t) => {
  const folder = makeSite()
  t.teardown(() => folder.remove())
  for (const name of ['words', 'pages']) mkdirSync(folder.path(name))
  const pages = new SearchedPages()
  const analyser = new Analyser('en')
  let size = 0
  for (let n = 0; n < 2_000; n++) {
    const title = [0, 1, 2].map((at) => often(n * 3 + at)).join(' ')
    const body = Array.from({ length: 700 }, (_, at) => often(n * 700 + at)).join(' ')
    size += body.length
    const { words, text } = wordsOf({ title, tags: [], body: [body] }, analyser)
    pages.put(`posts/p${n}`, { id: n * 131, print: '', asked: [], words })
    const file = JSON.stringify({ title, url: `/posts/p${n}`, excerpt: text.slice(0, 300), text })
    writeFileSync(folder.path(`pages/${(n * 131).toString(16).padStart(5, '0')}.json`), file)
  }
  for (const [path, { body }] of searchFiles(await pages.index())) writeFileSync(folder.path(path.slice('/search/'.length)), body)
  const scripts = [...browserModules(SCRIPTS), ['lunr.js', lunrModule('en')] as const, ['page.js', readFileSync(PAGE)] as const]
  for (const [name, body] of scripts) writeFileSync(folder.path(name), body)
  const scriptBytes = scripts.reduce((sum, [, body]) => sum + body.length, 0)
  t.ok(scriptBytes < 30_000, `${scriptBytes} bytes of scripts`)
  const { shown, fetched } = await browserOf(folder.root)
  t.ok((await shown(`${often(5)} ${often(123_456)}`)).length === 10)
  const bytes = scriptBytes + [...fetched.values()].reduce((sum, one) => sum + one, 0)
  t.ok(bytes < 200_000, `${bytes} bytes`)
  const kept = [...filesIn(folder.root)].reduce((sum, [, body]) => sum + body.length, 0)
  t.ok(kept < size, `${kept} bytes on the disk for ${size} of text`)
})

longTest('one changed record changes its page, and the files of its words alone', (t) =>
  eachStore(t, { files: many(120) }, async (t, opened) => {
    const { site, folder } = publicSite(t, opened, true)
    await site.build('public')
    const before = filesIn(folder.path('public/search'))
    t.ok([...before.keys()].filter((name) => name.startsWith('words/')).length > 3)
    await opened.store.write([{ key: keyOf('posts', 'p7'), put: { body: `${textOfMany(7)} zeppelin\n` } }], AUTHOR)
    const { changes } = await site.build('public')
    t.equal(changes.written.filter((name) => name.startsWith('search/words/')).length, 1)
    t.equal(changes.written.filter((name) => name.startsWith('search/pages/')).length, 1)
  }),
)

function many(count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, n) => {
      const head = `---\ntitle: ${madeUp(n)}\ndate: 2026-01-01\n---\n`
      return [`content/posts/p${n}.md`, `${head}${textOfMany(n)}\n`]
    }),
  )
}

function textOfMany(n: number): string {
  return Array.from({ length: 120 }, (_, at) => madeUp((n * 31 + at * 977) % 4000)).join(' ')
}

/** The nth word of a text in which words are as often as in a language: by Zipf's law. */
function often(n: number): string {
  const random = ((Math.imul(n + 1, 0x9e3779b1) >>> 0) + 1) / 2 ** 32
  return madeUp(Math.floor(Math.exp(random * Math.log(20_000))))
}

/** A word of a language that has as many as there are numbers. */
function madeUp(n: number): string {
  const syllables = ['ka', 'lo', 'mi', 'ru', 'te', 'so', 'na', 'vi', 'pu', 'da', 'he', 'go']
  return [n, Math.floor(n / 12), Math.floor(n / 144), n * 7].map((part) => syllables[part % 12]).join('')
}
