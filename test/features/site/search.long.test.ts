import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { FORMATS } from '#config/schema/media.ts'
import type { Outline } from '#features/site/outline/outline.ts'
import { MOST_PAGES, unsearchedReason } from '#features/site/searching/place.ts'
import { browserModules, lunrModule } from '#features/site/searching/scripts.ts'
import { wordsOf } from '#features/site/searching/stems.ts'
import { StemsThread } from '#features/site/searching/stems-thread.ts'
import { Site } from '#features/site/site.ts'
import { Analyser } from '#fulltext/analysis/analyser.ts'
import { LUNR_LANGUAGES } from '#fulltext/analysis/language.ts'
import { type Browser, browserOf } from '#support/site-search.ts'
import { makeSite } from '#support/sites.ts'
import { openMemory } from '#support/stores.ts'

const TEMPLATES = fileURLToPath(new URL('../../../templates/site/', import.meta.url))

const FILES: Record<string, string> = {
  'content/index.md': '---\ntitle: Welcome\n---\nHello there.\n',
  'content/posts/light.md': '---\ntitle: The lighthouse\ntags: [coast]\n---\nThe keeper burns a lamp all **night**.\n',
  'content/posts/ship.md': '---\ntitle: Ships\n---\nRunning ships look for the lighthouse in fog.\n',
  'content/posts/draft.md': '---\ntitle: Hidden\ndraft: true\n---\nA submarine nobody knows of.\n',
  'content/posts/later.md': '---\ntitle: Later\ndate: 2026-12-01\n---\nA zeppelin.\n',
  'content/thanks.md': '---\ntitle: Thanks\nnoindex: true\n---\nFor the telescope.\n',
}

/** Loads the scripts that run in a browser for a locale, without an index. */
function scriptsFor(t: Test, locale: string): Promise<Browser> {
  const folder = makeSite()
  t.teardown(() => folder.remove())
  writeFileSync(folder.path('lunr.js'), lunrModule(locale))
  for (const [name, body] of browserModules(join(TEMPLATES, 'search'))) writeFileSync(folder.path(name), body)
  return browserOf(folder.root)
}

async function siteOf(t: Test, files: Record<string, string>, search = true) {
  const folder = makeSite()
  t.teardown(() => folder.remove())
  const opened = await openMemory({ files })
  const names = {
    name: 'A',
    url: 'https://example.org/docs',
    locale: 'en',
    timezone: 'UTC',
    content: 'content',
    templates: 'templates',
  }
  const config = {
    site: names,
    build: { base_url: null, drafts: false, future: false },
    features: { sitemap: true, taxonomy: true, search },
    media: { types: FORMATS },
  }
  const dirs = { root: folder.root, templatesDir: TEMPLATES, ownTemplatesDir: folder.path('templates/site') }
  const site = new Site({ ...opened, ...dirs, config })
  return { site, store: opened.store, read: (path: string) => readFileSync(folder.path(`public/${path}`), 'utf8'), folder }
}

t.test('a browser reads words as the index of the site was made of them', async (t) => {
  const pieces = fc.constantFrom(
    ...[
      'don’t',
      'الكتاب',
      'والمدرسة',
      'bücher',
      'maisons',
      'книгами',
      'talossa',
      'házakban',
      'kitaplar',
      "dog's",
      'l’eau',
      'Straße',
      'ŁÓDŹ',
      'İstanbul',
      'ı',
      'ёлка',
      'чай',
      'й',
      'й',
      'Ὀδυσσεύς',
      'ﬁn',
      'ＡＢＣ',
      'か\u3099',
      'ｶﾞ',
    ],
    ...[
      '東京都',
      '東京タワー',
      'ภาษาไทย',
      '한국어',
      'مُحَمَّد',
      'שָׁלוֹם',
      'running',
      'Häuser',
      'the',
      'und',
      'les',
      '٣٤',
      'a\u00adb',
      'x\u200dy',
      '𠮷野',
      '😀',
    ],
    ...[' ', ' ', '-', "'", '’', '\ud800', '\udc00', '\u0301', '\u0e31', '\0', 'ab'.repeat(50), 'é'.repeat(200)],
  )
  const text = fc.oneof(
    fc.array(fc.oneof(pieces, fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 12 }).map((all) => all.join('')),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
  )
  for (const locale of ['en-GB', 'fr-CA', 'nb', 'ja', 'xx', ...LUNR_LANGUAGES]) {
    const { read } = await scriptsFor(t, locale)
    const analyser = new Analyser(locale)
    fc.assert(
      fc.property(text, (any) => {
        t.strictSame(
          wordsIn(read, any),
          wordsIn((of, take) => analyser.read(of, take), any),
          locale,
        )
      }),
      { numRuns: 30 },
    )
  }
})

function wordsIn(read: Browser['read'], text: string): unknown[] {
  const words: unknown[] = []
  read(text, ({ form, stem }, start, end) => words.push([form, stem, start, end]))
  return words
}

/** All that the folder of a built search says. */
function allOf(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.json$/.test(name))
  return files
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n')
}

t.test('a built site can be searched: what is live, and may be found, and nothing else', async (t) => {
  const { site, folder } = await siteOf(t, FILES)
  const report = await site.build('public')
  t.equal(report.unsearched, undefined)
  t.notMatch(allOf(folder.path('public/search')), /submarin|zeppelin|telescop|hidden/i)
  const { find, shown, pieces } = await browserOf(folder.path('public/search'))
  const titles = async (text: string) => (await shown(text)).map(({ title }) => title)
  t.strictSame(await titles('lighthouse'), ['The lighthouse', 'Ships'], 'a title counts for more')
  t.strictSame(await titles('lighthouse look '), ['Ships', 'The lighthouse'], 'and what has all words comes first')
  t.strictSame(await titles('lighthouse look qqqqq '), ['Ships', 'The lighthouse'])
  t.strictSame(await titles('run'), ['Ships'], 'by its stem')
  t.strictSame(await titles('lightho'), ['The lighthouse', 'Ships'], 'while it is typed')
  t.strictSame(await titles('lihgthouse '), ['The lighthouse', 'Ships'], 'with a mistake')
  t.strictSame(await titles('coast'), ['The lighthouse'], 'by its term')
  t.strictSame(await titles('lighthouse -fog'), ['The lighthouse'])
  t.strictSame(await titles('+fog lamp'), ['Ships'])
  t.strictSame(await titles('"ships fog" night'), ['Ships'])
  for (const nothing of ['the', '-fog', '', '"', '*', '+', 'submarine', 'title:x'])
    t.strictSame(await titles(nothing), [], nothing)
  t.match((await shown('lamp'))[0], { url: '/docs/posts/light', excerpt: 'The keeper burns a lamp all night.' })
  const { stems } = await find('lamps')
  t.strictSame(pieces('A lamp, a <b>', stems), [
    { text: 'A ', marked: false },
    { text: 'lamp', marked: true },
    { text: ', a <b>', marked: false },
  ])
})

t.test('an excerpt is of where the words are, and that of the author where it has them', async (t) => {
  const long = `${'Something else entirely. '.repeat(30)}Then a **lighthouse** by the sea. ${'And more of it. '.repeat(60)}`
  const { site, folder } = await siteOf(t, {
    'content/posts/a.md': `---\ntitle: A\nexcerpt: Of a harbour\n---\n${long}\n`,
  })
  await site.build('public')
  const { shown } = await browserOf(folder.path('public/search'))
  t.match((await shown('lighthouse'))[0]?.excerpt, /^… (?:\S+ ){5,12}Then a lighthouse by the sea\. And .{100,200} …$/)
  t.equal((await shown('harbour'))[0]?.excerpt, 'Of a harbour')
})

t.test('words of scripts without spaces, and from right to left, are found', async (t) => {
  const { site, folder } = await siteOf(t, {
    'content/posts/a.md': '---\ntitle: 東京都の灯台\n---\n海の近くにあります。\n',
    'content/posts/b.md': '---\ntitle: مُحَمَّد\n---\nقرأ الكتاب في البيت.\n',
    'content/posts/c.md': '---\ntitle: שָׁלוֹם\n---\nספר על הים.\n',
    'content/posts/d.md': '---\ntitle: ภาษาไทย\n---\nประภาคาร\n',
  })
  await site.build('public')
  const { shown } = await browserOf(folder.path('public/search'))
  for (const [text, url] of [
    ['東京', 'a'],
    ['京都', 'a'],
    ['灯', 'a'],
    ['近くに', 'a'],
    ['محمد', 'b'],
    ['الكتا', 'b'],
    ['שלום', 'c'],
    ['הים', 'c'],
    ['ประภา', 'd'],
  ])
    t.match(await shown(text ?? ''), [{ url: `/docs/posts/${url}` }], text ?? '')
})

t.test('the index has the words of pages and lists, and of no field or markup that they do not show', async (t) => {
  const { site, read, folder } = await siteOf(t, {
    'content/posts/a.md': [
      '---\ntitle: Alpha\ndescription: A bravoword of it\nnotes: call zqphone\nreview: { deep: [zqdeep] }\n_own: zqown\n---',
      'Seen charlieword. <iframe srcdoc="zqattr">zqframe</iframe> <textarea>zqarea</textarea> <svg><text>zqsvg</text></svg>\n',
      '<!-- zqdone -->\n\nThen deltaword.\n\n<!-- zqopen\n\nzqrest\n',
    ].join('\n'),
    'content/posts/b.mdx': "---\ntitle: Beta\n---\nimport zqimport from './zqfile.js'\n\nEchoword.\n",
  })
  await site.build('public')
  const [page, index] = [read('posts/a/index.html') + read('posts/b/index.html'), allOf(folder.path('public/search'))]
  t.notMatch(page, /zq(?!attr)/, 'no page shows these')
  t.notMatch(index, /zq/)
  for (const stem of ['alpha', 'bravoword', 'charlieword', 'deltaword', 'echoword']) t.match(index, stem)
})

t.test('a record that is written while the index is made is in the next one', async (t) => {
  const { site, store } = await siteOf(t, FILES)
  await site.page('/posts')
  const get = store.get.bind(store)
  store.get = async (key) => {
    const document = await get(key)
    return document && key.id === 'ship' ? { ...document, version: '0'.repeat(40), body: 'A submarine.' } : document
  }
  const all = await servedIndex(site)
  t.match(all, 'lamp')
  t.notMatch(all, /submarin|fog/)
  site.close()
})

/** The words that a site serves for its search. */
async function servedIndex(site: Site): Promise<string> {
  const entry = String((await site.page('/search/index.json')).body)
  const names = (JSON.parse(entry).words as string[]).filter((_, n) => n % 2 === 1)
  const all = await Promise.all(names.map((name) => site.page(`/search/words/${name}.json`)))
  return [entry, ...all.map(({ body }) => String(body))].join('\n')
}

t.test('while the index of many texts is made, others go on', async (t) => {
  const text = 'Some *words* of a [text](https://example.org/a) and **others** beside them.\n\n'.repeat(100)
  const files = Array.from({ length: 30 }, (_, n) => [`content/posts/p${n}.md`, `---\ntitle: P${n}\n---\n${text}`])
  const { site } = await siteOf(t, Object.fromEntries(files))
  await site.page('/posts')
  let turns = 0
  let next = setImmediate(function turn() {
    turns++
    next = setImmediate(turn)
  })
  const { status } = await site.page('/search/index.json')
  clearImmediate(next)
  t.equal(status, 200)
  t.ok(turns >= 4, `${turns}`)
  site.close()
})

t.test('the whole of a long text can be found: it is read in a thread', async (t) => {
  const long = `---\ntitle: Long\n---\n${'A *line* of words.\n\n'.repeat(5_000)}Zebras.\n`
  const { site, folder } = await siteOf(t, { ...FILES, 'content/posts/long.md': long })
  t.equal((await site.build('public')).unsearched, undefined)
  const { shown } = await browserOf(folder.path('public/search'))
  t.match(await shown('zebra'), [{ title: 'Long' }])
  const analyser = new Analyser('en')
  const text = { title: 'Zebras', tags: ['zoo'], body: ['A *short* text.', 'Lions <b>and</b> more.'] }
  const thread = new StemsThread('en')
  t.teardown(() => thread.close())
  t.notOk(thread.read(text) instanceof Promise)
  const longer = { ...text, body: ['Zebra '.repeat(10_000)] }
  const reading = thread.read(longer)
  t.ok(reading instanceof Promise)
  t.strictSame(await reading, wordsOf(longer, analyser))
  const { words, text: beginning } = wordsOf(text, analyser)
  t.strictSame(words.replace(/(^| )./g, '$1'), 'zebra zoo short text lion more')
  t.equal(beginning, 'A short text.', 'an excerpt is of what the page shows')
  await site.close()
})

t.test('whatever is typed into the page is answered at once', async (t) => {
  const { site, folder } = await siteOf(t, FILES)
  await site.build('public')
  const { find } = await browserOf(folder.path('public/search'))
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.array(fc.constantFrom(...'+-"*~^:\\ afogl東ก“”'), { maxLength: 40 }).map((all) => all.join('')),
        fc.constantFrom('a'.repeat(10_000), '東'.repeat(1000), 'abcdefghij~9', '__proto__', 'constructor', '\ud800'),
      ),
      async (text) => (await find(text)).total <= 3,
    ),
    { numRuns: 300 },
  )
})

t.test('the page shows what can be gone through, and is linked from every page', async (t) => {
  const { site, read, folder } = await siteOf(t, FILES)
  await site.build('public')
  const page = read('search/index.html')
  t.match(
    page,
    /<form class="search"[^>]* data-module="\/docs\/search\/search.js" data-none="[^>]* hidden>/,
    'the form is for who has JavaScript',
  )
  t.match(page, /<a href="\/docs\/posts">Posts<\/a> <span class="count">2</)
  t.match(page, /<a href="\/docs\/tags\/coast">coast<\/a> <span class="count">1</)
  t.match(page, /noindex/)
  t.match(read('index.html'), '<a href="/docs/search">Search</a>')
  const script = /src="\/docs(\/assets\/search\.[0-9a-f]{8}\.js)"/.exec(page)?.[1] ?? ''
  t.match(read(script), /import\(form\.dataset\.module\)/)
  t.match(await site.page('/search'), { status: 200, body: readFileSync(folder.path('public/search/index.html')) })
  t.match(await site.page('/search/search.js'), { status: 200, contentType: /javascript/ })
  t.match(await site.page('/search/index.json'), { status: 200, contentType: /json/ })
  t.equal((await site.page('/search/other.js')).status, 404)
})

t.test('what a page of the site says goes before', async (t) => {
  const { site } = await siteOf(t, { ...FILES, 'content/search.md': '---\ntitle: Search party\n---\nWe look for him.\n' })
  t.match(String((await site.page('/search')).body), /Search party<\/h1>/)
})

t.test('switched off there is none of it', async (t) => {
  const { site, read } = await siteOf(t, FILES, false)
  const report = await site.build('public')
  t.equal(report.unsearched, undefined)
  t.throws(() => read('search/index.json'))
  t.notMatch(read('index.html'), /search/i)
  for (const path of ['/search', '/search/index.json', '/search/search.js']) t.equal((await site.page(path)).status, 404)
})

t.test('a very large site has none of it, and the build says so', async (t) => {
  const outline = { records: { size: MOST_PAGES + 1 } } as unknown as Outline
  t.match(unsearchedReason(outline), /^The site has 20,001 pages: over 20,000 can't be searched in a browser\.$/)
  t.equal(unsearchedReason({ records: { size: MOST_PAGES } } as unknown as Outline), undefined)
})
