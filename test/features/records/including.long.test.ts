import t from 'tap'
import { jsonLength } from '#lib/json.ts'
import { TestApp } from '#support/app.ts'
import { eachStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const MOST = 8 * 1024 * 1024

const types = plainTypes({
  posts: {
    additional_fields: true,
    fields: { related: { type: 'list', to: 'posts' }, one: { type: 'reference', to: 'posts' }, note: { type: 'text' } },
  },
})

function record(head: string, body = 'x'): string {
  return `---\n${head}\n---\n${body}\n`
}

function many(count: number, idOf: (n: number) => string): string {
  return Array.from({ length: count }, (_, n) => idOf(n)).join(', ')
}

function numbered(count: number, name: string, textOf: (n: number) => string): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`content/posts/${name}${n}.md`, textOf(n)]))
}

interface Item {
  id: string
  body?: string
  note?: string
}

t.test('a file that refers to a record many times gets it as often as a request may refer to it', (t) => {
  const files = {
    'content/posts/a.md': record('title: A', 'a'.repeat(20_000)),
    'content/posts/few.md': record(`related: [${many(10, () => 'a')}]`),
    'content/posts/many.md': record(`related: [${many(1200, () => 'a')}]`),
  }
  return eachStore(t, { files, types }, async (t, opened) => {
    const app = new TestApp(opened)
    const few = await app.ask('GET /api/cms/posts/few?include=related')
    t.same([few.body.meta, few.body.data.related.length, few.body.data.body], [undefined, 10, 'x\n'])
    t.equal(few.body.data.related[9].body.trim().length, 20_000)
    for (const url of ['/api/cms/posts/many?include=related', '/api/cms/posts/many?include=related&fields=id,related,body']) {
      const { body, text, headers } = await app.ask(`GET ${url}`)
      t.ok(text.length <= MOST, `${text.length}`)
      t.same([body.meta, body.data.body, body.data.related.length], [{ omitted: ['body'] }, undefined, 1200])
      t.match(body.data.related[999], { id: 'a', title: 'A', body: undefined })
      t.equal(body.data.related[1000], 'a')
      t.equal((await app.ask(`GET ${url}`, { headers: { 'if-none-match': headers.etag ?? '' } })).status, 304)
    }
    const list = await app.ask('GET /api/cms/posts?include=related&sort=id')
    t.ok(list.text.length <= MOST)
    t.same(list.body.meta.omitted, ['body'])
    t.equal(list.body.data[2].related[0].id, 'a')
    const rest = await app.ask('GET /api/cms/posts/many?include=related&fields=title')
    t.same(rest.body, { data: { title: 'Many' } }, 'what is not answered is not too long')
  })
})

t.test('records that refer to many long ones get them without bodies', (t) => {
  const files = {
    ...numbered(110, 'long', () => record('title: Long', 'b'.repeat(100_000))),
    ...numbered(10, 's', (n) => record(`one: long${n % 2}`)),
    'content/posts/all.md': record(`related: [${many(110, (n) => `long${n}`)}]`),
  }
  return eachStore(t, { files, types }, async (t, opened) => {
    const app = new TestApp(opened)
    const { body } = await app.ask('GET /api/cms/posts/all?include=related')
    t.same([body.meta, body.data.related.length], [{ omitted: ['body'] }, 110])
    t.ok(body.data.related.every(({ id, body }: Item, n: number) => id === `long${n}` && body === undefined))
    const some = await app.ask('GET /api/cms/posts?filter[one][ne]=null&include=one&per_page=10')
    t.same([some.body.data.length, some.body.meta.omitted], [10, undefined])
    t.ok(some.body.data.every(({ one }: { one: Item }) => one.body?.length === 100_001))
  })
})

t.test('what is too long without bodies is left out', (t) => {
  const files = {
    ...numbered(100, 'n', () => record(`note: ${'n'.repeat(90_000)}`)),
    'content/posts/c.md': record(`note: ${'c'.repeat(20_000)}`),
    'content/posts/same.md': record(`one: c\nrelated: [${many(900, () => 'c')}]`),
    'content/posts/all.md': record(`one: c\nrelated: [${many(100, (n) => `n${n}`)}]`),
  }
  return eachStore(t, { files, types }, async (t, opened) => {
    const app = new TestApp(opened)
    const same = await app.ask('GET /api/cms/posts/same?include=one,related')
    t.same([same.body.meta, same.body.data.related], [{ omitted: ['body', 'related'] }, undefined])
    t.equal(same.body.data.one.note.length, 20_000)
    const all = await app.ask('GET /api/cms/posts/all?include=related')
    t.same([all.body.meta, all.body.data.related, all.body.data.one], [{ omitted: ['body', 'related'] }, undefined, 'c'])
    const list = await app.ask('GET /api/cms/posts?per_page=100')
    t.same(list.body.meta.omitted, ['body', 'note'])
    const few = await app.ask('GET /api/cms/posts?per_page=100&fields=id,title')
    t.equal(few.body.meta.omitted, undefined)
  })
})

t.test('a length is that of the JSON', async (t) => {
  for (const value of [[], [[], [1]], {}, { a: 1, b: 'text', c: [{}, 'd', { e: [] }] }, 'a', [['a', 'b'], 'c']])
    t.equal(jsonLength(value), JSON.stringify(value).length, JSON.stringify(value))
})
