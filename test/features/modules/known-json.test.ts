import t from 'tap'
import type { Fields, Json } from '#lib/json.ts'
import { appWith } from '#support/modules.ts'
import { eachStore } from '#support/stores.ts'

const FILES = {
  'content/posts/first.md': '---\ntitle: First\nstatus: published\ntags: [a, b]\nseo: { a: { b: 1 } }\n---\nHello.\n',
  'content/posts/second.md': '---\ntitle: Second\nstatus: published\n---\nHello.\n',
}

type Change = (record: Fields & object) => unknown

const shout = { toJSON: () => 'shout' }

/** The things that a module may do with a record before it answers with it. */
const CHANGES: Readonly<Record<string, Change>> = {
  nothing: () => undefined,
  member: (record) => (record.title = 'Changed'),
  added: (record) => (record.more = 1),
  removed: (record) => delete record.title,
  'in a list': (record) => (record.tags as Json[]).push('c'),
  deep: (record) => ((record.seo as { a: { b: number } }).a.b = 2),
  order: (record) => {
    const { id, ...rest } = record
    for (const name of Object.keys(record)) delete record[name]
    Object.assign(record, rest, { id })
  },
  hidden: (record) => Object.defineProperty(record, 'title', { enumerable: false }),
  'its own form': (record) => Object.defineProperty(record, 'toJSON', { value: shout.toJSON }),
  'the form of a list': (record) => Object.assign(record.tags as Json[], shout),
  'another kind': (record) => Object.setPrototypeOf(record, shout),
  prototype: (record) => Object.defineProperty(record, '__proto__', { value: { a: 1 }, enumerable: true }),
}

t.test('a module answers with what it changed, and with nothing of others', async (t) => {
  await eachStore(t, { files: FILES }, async (t, opened) => {
    const said = new Map<string, string>()
    const { app } = appWith(t, opened, [
      {
        permissions: ['records:content:read@posts', 'records:content:drafts@posts'],
        definition: {
          routes(app, { records }) {
            const answered = (way: string, value: unknown) => {
              said.set(way, JSON.stringify(value))
              return value
            }
            for (const [way, change] of Object.entries(CHANGES)) {
              const path = `/api/x/contacts/${way.replaceAll(' ', '-')}`
              app.get(`${path}/one`, async () => {
                const record = await records.get('posts', 'first')
                if (record) change(record)
                return answered(`${path}/one`, { before: undefined, data: record, n: 1, after: () => 1 })
              })
              app.get(`${path}/bare`, async () => {
                const record = await records.get('posts', 'first')
                if (record) change(record)
                return answered(`${path}/bare`, record)
              })
              app.get(`${path}/list`, async () => {
                const list = await records.list('posts', { sort: 'title' })
                change(list.data[0] as Fields)
                return answered(`${path}/list`, list)
              })
              app.get(`${path}/same`, async () => {
                const record = await records.get('posts', 'first')
                const { data } = await records.list('posts', { sort: 'title' })
                if (record) change(record)
                return answered(`${path}/same`, { record, data, twice: [record, record] })
              })
            }
            app.get('/api/x/contacts/reversed', async () => {
              const { data } = await records.list('posts', { sort: 'title' })
              return answered('/api/x/contacts/reversed', { data: [...data].reverse() })
            })
          },
        },
      },
    ])
    const paths = Object.keys(CHANGES).flatMap((way) =>
      ['one', 'bare', 'list', 'same'].map((form) => `/api/x/contacts/${way.replaceAll(' ', '-')}/${form}`),
    )
    // Twice: the second time the bytes are known.
    for (const path of [...paths, ...paths, '/api/x/contacts/reversed']) {
      const answer = await app.ask(`GET ${path}`)
      t.equal(answer.status, 200, path)
      t.equal(answer.text, said.get(path), path)
    }
    const [own, ours] = [await app.ask('GET /api/x/contacts/nothing/bare'), await app.ask('GET /api/cms/posts/first')]
    t.strictSame(own.body, ours.body.data)
  })
})
