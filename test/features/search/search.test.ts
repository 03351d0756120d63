import fc from 'fast-check'
import t, { type Test } from 'tap'
import { type Access, localAccess } from '#core/access/access.ts'
import { keyOf } from '#core/key.ts'
import type { SearchIndex } from '#core/queries/search.ts'
import { Search } from '#features/search/search.ts'
import { TestApp } from '#support/app.ts'
import { longTest } from '#support/long.ts'
import { eachStore, type OpenedStore, openMemory } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const by = localAccess({ name: 'Test', email: 'test@example.org' }).author

const FILES = {
  'content/posts/light.md':
    '---\ntitle: The lighthouse\ntags: [coast]\n---\nA keeper lives here. Fog & <b>wind</b> keep the lamp burning all night.\n',
  'content/posts/fog.md': '---\ntitle: Fog\n---\nFog hides the lighthouse from ships.\n',
  'content/posts/draft.md': '---\ntitle: A lighthouse to come\nstatus: draft\n---\nNobody knows.\n',
  'content/posts/later.md': '---\ntitle: Later lighthouse\ndate: 2026-02-01\n---\nIn a while.\n',
  'content/about.md': '---\ntitle: About us\n---\nWe keep a lighthouse.\n',
  'content/secrets/plan.md': '---\ntitle: Plan\n---\nSell the lighthouse.\n',
}

const TYPES = plainTypes({ posts: { permalink: '/blog/{slug}' }, pages: {} })

const ids = (answer: { body: { data: { type: string; id: string }[] } }) =>
  answer.body.data.map(({ type, id }) => `${type}/${id}`)

t.test('a kept answer is not given any more once the time of a record in it is over', async (t) => {
  const files = { ...FILES, 'content/posts/over.md': '---\ntitle: A lighthouse for a day\nexpires_at: 2026-01-02\n---\n' }
  await eachStore(t, { files, types: TYPES }, async (t, opened) => {
    const api = new TestApp(opened)
    const found = async () => ids(await api.ask('GET /api/cms/search?q=lighthouse', { as: 'read' })).includes('posts/over')
    opened.clock.set('2026-01-01T23:59:59.600Z')
    t.strictSame([await found(), await found()], [true, true])
    const all = async () => (await api.ask('GET /api/cms/search?q=lighthouse&per_page=1&page=9', { as: 'read' })).body.meta.total
    const before = await all()
    opened.clock.set('2026-01-02T00:00:00.100Z')
    t.equal(await found(), false)
    t.equal(await all(), before - 1, 'nor is it counted where it is not shown')
    opened.clock.set('2026-01-01T23:59:59.900Z')
    t.strictSame([await found(), await all()], [true, before])
  })
})

t.test('a kept answer tells nobody of a type that is not there for them', async (t) => {
  const files = { ...FILES, 'content/hush/draft.md': '---\ntitle: Hush\nstatus: draft\n---\n' }
  await eachStore(t, { files, types: TYPES }, async (t, opened) => {
    const api = new TestApp(opened)
    const write = 'content:read,content:write'
    // To make a token is a change, and so is to use it for the first time: after one nothing that was kept is given.
    for (const as of ['read', write]) await api.ask('GET /api/cms/search?q=fog', { as })
    const statuses: number[] = []
    for (const as of [write, 'read', write])
      statuses.push((await api.ask('GET /api/cms/search?q=lighthouse&type=hush', { as })).status)
    t.strictSame(statuses, [200, 404, 200])
  })
})

t.test('what is found over the API, on every store', async (t) => {
  await eachStore(t, { files: FILES, types: TYPES }, async (t, opened) => {
    const api = new TestApp(opened)
    const answer = await api.ask('GET /api/cms/search?q=lighthouse', { as: 'read' })
    t.equal(answer.status, 200)
    t.strictSame(new Set(ids(answer)), new Set(['posts/light', 'posts/fog', 'pages/about', 'secrets/plan']))
    t.equal(ids(answer)[0], 'posts/light', 'a title counts for more than a body')
    t.strictSame(answer.body.meta, {
      total: 4,
      per_page: 15,
      current_page: 1,
      last_page: 1,
      facets: { type: { pages: 1, posts: 2, secrets: 1 } },
    })
    const [first] = answer.body.data
    t.match(first, {
      type: 'posts',
      id: 'light',
      title: 'The lighthouse',
      slug: 'light',
      status: 'published',
      url: '/blog/light',
      excerpt: /^A keeper lives here/,
    })
    t.ok(first.score > 0)
    t.strictSame(Object.keys(first), ['type', 'id', 'title', 'slug', 'status', 'url', 'score', 'excerpt'])

    const marked = await api.ask('GET /api/cms/search?q=fog&type=posts&per_page=1&page=2', { as: 'read' })
    t.strictSame(ids(marked), ['posts/light'])
    t.match(marked.body.data[0].excerpt, /<mark>Fog<\/mark> &amp; /)
    t.notMatch(marked.body.data[0].excerpt, /<b>/)
    t.match(marked.body.meta, { total: 2, per_page: 1, current_page: 2, last_page: 2 })

    const narrowed = await api.ask('GET /api/cms/search?q=lighthouse&type=pages', { as: 'read' })
    t.strictSame(ids(narrowed), ['pages/about'])
    t.strictSame(narrowed.body.meta.facets, { type: { pages: 1, posts: 2, secrets: 1 } }, 'facets count every type')

    const none = await api.ask('GET /api/cms/search?q=submarine', { as: 'read' })
    t.match(none, { status: 200, body: { data: [], meta: { total: 0, last_page: 1, facets: { type: {} } } } })
    t.strictSame(none.body.meta.facets.type, {})
    const past = await api.ask('GET /api/cms/search?q=lighthouse&page=9', { as: 'read' })
    t.match(past, { status: 200, body: { meta: { total: 4, current_page: 9 } } })
    t.strictSame(past.body.data, [])
    t.equal((await api.ask('HEAD /api/cms/search?q=fog', { as: 'read' })).status, 200)
  })
})

t.test('what a token may not see is neither found nor counted', async (t) => {
  await eachStore(t, { files: FILES, types: TYPES }, async (t, opened) => {
    const api = new TestApp(opened)
    const all = await api.ask('GET /api/cms/search?q=lighthouse', { as: 'edit' })
    t.equal(all.body.meta.total, 6)
    t.ok(ids(all).includes('posts/draft'))
    const status = async (status: string) =>
      ids(await api.ask(`GET /api/cms/search?q=lighthouse&status=${status}`, { as: 'edit' })).sort()
    t.strictSame(await status('draft'), ['posts/draft'])
    t.strictSame(await status('scheduled'), ['posts/later'])
    t.strictSame(await status('nothing'), [])
    t.equal((await api.ask('GET /api/cms/search?q=lighthouse&status=draft', { as: 'read' })).body.meta.total, 0)

    const few = await api.ask('GET /api/cms/search?q=lighthouse', { as: 'read', types: ['posts'] })
    t.strictSame(ids(few).sort(), ['posts/fog', 'posts/light'])
    t.strictSame(few.body.meta.facets, { type: { posts: 2 } })
    const one = await api.ask('GET /api/cms/search?q=lighthouse', { as: 'content:read@pages' })
    t.strictSame(ids(one), ['pages/about'])
    const drafts = await api.ask('GET /api/cms/search?q=lighthouse', { as: 'content:read,content:drafts@pages' })
    t.equal(drafts.body.meta.total, 4)

    const asked = (query: string, as: string, types: string[] = []) => api.ask(`GET /api/cms/search?q=x&${query}`, { as, types })
    t.match(await asked('type=secrets', 'read', ['posts']), { status: 404, body: { message: /no content type "secrets"/ } })
    t.match(await asked('type=nothing', 'read'), { status: 404, body: { message: /no content type "nothing"/ } })
    t.match(await asked('type=search', 'read'), { status: 404 })
    t.match(await asked('type=taxonomy', 'admin'), { status: 404 })
    t.match(await asked('type=posts', 'content:read@pages'), { status: 403, body: { message: /content:read for "posts"/ } })
    t.match(await asked('', 'content:write'), { status: 403, body: { message: /content:read/ } })
    t.match(await api.bare('GET /api/cms/search?q=x'), { status: 401 })
  })
})

t.test('parameters are checked', async (t) => {
  const api = new TestApp(await openMemory({ files: FILES, types: TYPES }))
  const ask = (query: string) => api.ask(`GET /api/cms/search${query}`, { as: 'read' })
  t.match(await ask(''), { status: 422, body: { errors: { q: [/required/] } } })
  t.match(await ask('?q='), { status: 422, body: { errors: { q: [/empty/] } } })
  t.match(await ask('?q=+'), { status: 422, body: { errors: { q: [/empty/] } } })
  t.equal((await ask(`?q=${'a'.repeat(256)}`)).status, 200)
  t.equal((await ask(`?q=${encodeURIComponent('😀'.repeat(256))}`)).status, 200, 'characters, not units')
  t.match(await ask(`?q=${'a'.repeat(257)}`), { status: 422, body: { errors: { q: [/at most 256/] } } })
  t.match(await ask('?q=x&page=0&per_page=-1'), { status: 422, body: { errors: { page: [/whole/], per_page: [/whole/] } } })
  t.match(await ask('?q=x&type='), { status: 422, body: { errors: { type: [/empty/] } } })
  t.match(await ask('?q=x&typ=posts'), { status: 400, body: { message: /Did you mean "type"\?/ } })
  t.match(await ask('?q=x&q=y'), { status: 400 })
  t.equal((await ask('?q=x&per_page=5000')).body.meta.per_page, 100)
  t.match(await api.ask('POST /api/cms/search', { as: 'admin', body: {} }), { status: 405, headers: { allow: /GET/ } })
})

t.test('an answer bears a tag, and is not sent again to who has it', async (t) => {
  const opened = await openMemory({ files: FILES, types: TYPES })
  const api = new TestApp(opened)
  const ask = (headers = {}) => api.ask('GET /api/cms/search?q=fog', { as: 'read', headers })
  const first = await ask()
  const etag = first.headers.etag ?? ''
  t.match(etag, /^"[0-9a-f]{40}"$/)
  t.match(await ask({ 'if-none-match': etag }), { status: 304, text: '' })
  await opened.store.write([{ key: keyOf('posts', 'fog'), put: { set: { title: 'Mist' } } }], by)
  const other = await ask({ 'if-none-match': etag })
  t.equal(other.status, 200)
  t.not(other.headers.etag, etag)
})

t.test('an answer that is kept gives way to what is written and to the clock', async (t) => {
  await eachStore(t, { files: FILES, types: TYPES }, async (t, opened) => {
    const asked: number[] = []
    const search = searchOf(opened, counting(opened.search, asked))
    t.teardown(() => search.close())
    await opened.search.ready()
    const reader = accessOf('live')
    const total = async (q: string, access = reader) =>
      JSON.parse(String((await search.answer(access, { q })).body)).meta.total as number
    t.equal(await total('lighthouse'), 4)
    t.equal(await total('lighthouse'), 4)
    t.equal(asked.length, 1, 'the second is served from what was kept')
    t.equal(await total('lighthouse', accessOf('all')), 6, 'who sees more is not served from it')
    t.equal(await total('lighthouse', accessOf('live')), 4)
    t.equal(asked.length, 2, 'who sees the same is')
    await opened.store.write([{ key: keyOf('posts', 'fog'), remove: true }], by)
    await opened.search.ready()
    t.equal(await total('lighthouse'), 3)
    await opened.store.write([{ key: keyOf('notes', 'new'), put: { set: { title: 'Lighthouse' } } }], by)
    await opened.search.ready()
    t.equal(await total('lighthouse'), 4, 'of a type that was not there before, too')
    opened.clock.set('2026-02-02T00:00:00Z')
    t.equal(await total('lighthouse'), 5, 'what has come to be live is found')
  })
})

t.test('an answer that is kept gives way to an index that has come further', async (t) => {
  const opened = await openMemory({ files: FILES, types: TYPES })
  const behind = { total: 0, revision: 1 }
  const index: SearchIndex = {
    find: async () => ({ hits: [], total: behind.total, kinds: new Map(), stems: new Set(), until: Number.POSITIVE_INFINITY }),
    get revision() {
      return behind.revision
    },
    bytes: async () => 0,
    ready: async () => undefined,
    close: async () => undefined,
  }
  const search = searchOf(opened, index)
  t.teardown(() => search.close())
  const total = async () => JSON.parse(String((await search.answer(accessOf('live'), { q: 'fog' })).body)).meta.total
  t.equal(await total(), 0)
  Object.assign(behind, { total: 1, revision: 2 })
  t.equal(await total(), 1)
})

t.test('what goes away between being found and being fetched is left out and not counted', async (t) => {
  const opened = await openMemory({ files: FILES, types: TYPES })
  const inner = opened.search
  const late: SearchIndex = {
    find: async (query) => {
      const found = await inner.find(query)
      await opened.store.write(
        [
          { key: keyOf('posts', 'fog'), remove: true },
          { key: keyOf('posts', 'light'), put: { set: { status: 'draft' } } },
        ],
        by,
      )
      return found
    },
    revision: 0,
    bytes: () => inner.bytes(),
    ready: () => inner.ready(),
    close: () => inner.close(),
  }
  const search = searchOf(opened, late)
  const { body } = await search.answer(accessOf('live'), { q: 'lighthouse' })
  const { data, meta } = JSON.parse(String(body))
  t.strictSame(data.map(({ id }: { id: string }) => id).sort(), ['about', 'plan'])
  t.match(meta, { total: 2, facets: { type: { pages: 1, secrets: 1 } } })
  t.notOk('posts' in meta.facets.type)
})

t.test('a text that is kept is cut without its document, and never shown by a head that is older', async (t) => {
  await eachStore(t, { files: FILES, types: TYPES }, async (t, opened) => {
    let read = 0
    let isOld = false
    const { store } = opened
    const before = await store.head(keyOf('posts', 'fog'))
    const watched = new Proxy(store, {
      get: (from, name: keyof typeof store) => {
        if (name === 'get') read++
        if (name === 'head' && isOld) return async () => before
        const value = from[name]
        return typeof value === 'function' ? value.bind(from) : value
      },
    })
    const search = searchOf({ ...opened, store: watched }, opened.search)
    const excerpts = async (q: string) => (await found(search, q)).map(({ excerpt }) => excerpt)
    await opened.search.ready()
    t.strictSame(await excerpts('ships'), ['Fog hides the lighthouse from <mark>ships</mark>.'])
    t.strictSame(await excerpts('ships hides'), ['Fog <mark>hides</mark> the lighthouse from <mark>ships</mark>.'])
    t.equal(read, 1, 'the second query takes what the first has read')
    isOld = true
    const late: SearchIndex = {
      ...{ revision: 0, bytes: async () => 0, ready: () => opened.search.ready(), close: () => opened.search.close() },
      find: async (query) => {
        const found = await opened.search.find(query)
        await store.write([{ key: keyOf('posts', 'fog'), put: { set: { status: 'draft' }, body: 'Not to be seen.\n' } }], by)
        return found
      },
    }
    t.strictSame(await found(searchOf({ ...opened, store: watched }, late), 'ships'), [])
  })
})

async function found(search: Search, q: string): Promise<{ id: string; excerpt: string }[]> {
  return JSON.parse(String((await search.answer(accessOf('live'), { q })).body)).data
}

t.test('searches are counted by token, beside what else is asked', async (t) => {
  const opened = await openMemory({ files: FILES, types: TYPES })
  const api = new TestApp(opened, { config: { throttle: { search: '2,1', api: '4,1' } } })
  const search = (as = 'read') => api.ask('GET /api/cms/search?q=fog', { as })
  t.match(await search(), { status: 200, headers: { 'ratelimit-limit': 2, 'ratelimit-remaining': 1 } })
  t.equal((await search()).status, 200)
  t.match(await search(), { status: 429, headers: { 'retry-after': '60' }, body: { message: /in a minute\.$/ } })
  t.equal((await api.ask('GET /api/cms/posts?q=fog', { as: 'edit' })).status, 200, 'another token has its own count')
  t.match(await search('edit'), { status: 200, headers: { 'ratelimit-remaining': 0 } }, 'and a list with q is a search')
  t.equal((await api.ask('GET /api/cms/posts?q=fog', { as: 'edit' })).status, 429)
  t.match(await api.ask('GET /api/cms/posts', { as: 'read' }), { status: 200, headers: { 'ratelimit-limit': 4 } })
  t.equal((await api.ask('GET /api/cms/posts', { as: 'read' })).status, 429, 'searches count as requests, too')
  for (let n = 0; n < 2; n++) t.equal((await api.bare('GET /api/cms/search?q=fog')).status, 401)
  t.equal((await api.bare('GET /api/cms/search?q=fog')).status, 429, 'who has no token is counted by address')
  opened.clock.advance(60_000)
  t.equal((await search()).status, 200)
})

t.test('switched off it is not there', async (t) => {
  for (const features of [
    { api: true, search: false },
    { api: false, search: true },
  ]) {
    const api = new TestApp(await openMemory({ files: FILES, types: TYPES }), { config: { features } })
    t.equal((await api.ask('GET /api/cms/search?q=fog')).status, 404)
  }
})

longTest('whatever is asked for is answered, and marks nothing but what it says', async (t) => {
  const opened = await openMemory({ files: FILES, types: TYPES })
  const api = new TestApp(opened, { deps: { log: (error) => t.fail(String(error)) } })
  const fixed = [
    ...[
      'abcdefghij~9',
      '*',
      '**',
      'light*',
      '~',
      '^',
      'a^9999',
      'title:fog',
      'foo:bar',
      '+',
      '-',
      '"',
      '""',
      '" "',
      '-"a b"',
      '+-+-fog',
    ],
    ...[
      '(a+)+$',
      '^(([a-z])+.)+[A-Z]([a-z])+$',
      '.*.*.*=.*',
      "' or 1=1 --",
      "'; drop table documents; --",
      '\\',
      '\\\\x00',
      '$1',
      '%',
    ],
    ...[
      '<script>alert(1)</script>',
      '</mark><img src=x onerror=alert(1)>',
      '&lt;mark&gt;',
      '{{7*7}}',
      '../../etc/passwd',
      'a'.repeat(256),
    ],
    ...[
      '😀'.repeat(256),
      'e\u0301'.repeat(128),
      '\u202e\u200b\ufeff',
      '東'.repeat(256),
      'ก'.repeat(256),
      'ß'.repeat(256),
      'ﷺ'.repeat(256),
    ],
    ...[
      '__proto__',
      'constructor',
      'toString',
      'the',
      'the a of',
      '-fog',
      '"the fog"',
      'fog '.repeat(64).trim(),
      '٣٤٥',
      'İstanbul ıI',
    ],
  ]
  for (const q of fixed) await answered(t, api, q)
  const text = fc.oneof(
    fc.string({ minLength: 1, maxLength: 80, unit: 'grapheme' }),
    fc.string({ minLength: 1, maxLength: 80, unit: 'binary' }),
    fc.array(fc.constantFrom(...'+-"~*^:()[]{}|\\/.?$ fogd“”'), { minLength: 1, maxLength: 60 }).map((all) => all.join('')),
  )
  await fc.assert(
    fc.asyncProperty(text, (q) => answered(t, api, q)),
    { numRuns: 500 - fixed.length },
  )
  for (const bytes of ['%ed%a0%80', '%ff', '%00', '%'])
    t.equal((await api.ask(`GET /api/cms/search?q=${bytes}`, { as: 'read' })).status, 400)
  const search = searchOf(opened, opened.search)
  for (const q of ['\ud800', 'fog\udc00', '\ud83d fog', '\0fog']) {
    t.ok((await search.answer(accessOf('live'), { q })).body.length > 0, 'half a character, from the command line')
  }
})

async function answered(t: Test, api: TestApp, q: string): Promise<void> {
  const { status, body } = await api.ask(`GET /api/cms/search?q=${encodeURIComponent(q)}`, { as: 'read' })
  if (![200, 400, 422].includes(status)) t.fail(`${JSON.stringify(q)} was answered with ${status}`)
  for (const { excerpt } of body.data ?? []) {
    const bare = excerpt.replace(/<mark>[^<>]*<\/mark>/g, '')
    if (/[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/.test(bare)) t.fail(`${JSON.stringify(q)} was answered with ${excerpt}`)
  }
}

function searchOf({ store, types, clock }: OpenedStore, index: SearchIndex): Search {
  return new Search({ store, types, clock, locale: 'en', index: () => index })
}

function accessOf(extent: 'live' | 'all'): Access {
  const may = (scope: string) => extent === 'all' || scope === 'content:read'
  return { ...localAccess(by), may, reach: (scope) => (may(scope) ? 'all' : 'none') }
}

/** An index that notes when it is asked. */
function counting(inner: SearchIndex, asked: number[]): SearchIndex {
  return {
    find: (query) => {
      asked.push(asked.length)
      return inner.find(query)
    },
    get revision() {
      return inner.revision
    },
    bytes: () => inner.bytes(),
    ready: () => inner.ready(),
    close: () => inner.close(),
  }
}

t.test('an excerpt is of the beginning of a very long text, and what is found in it all', async (t) => {
  const lines = '<!-- nothing that is read -->\nA line of words.\n\n'.repeat(8_000)
  const files = { 'content/posts/long.md': `---\ntitle: Long\n---\n${lines}Zebras at the end.\n` }
  await eachStore(t, { files, types: TYPES }, async (t, opened) => {
    const api = new TestApp(opened)
    const { data } = (await api.ask('GET /api/cms/search?q=zebras', { as: 'read' })).body
    t.equal(data.length, 1)
    t.match(data[0].excerpt, /^A line of words\..*…$/)
  })
})
