import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { TestApp } from '#support/app.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const types = plainTypes({
  posts: {
    permalink: '/blog/{slug}',
    columns: ['title', 'sizes'],
    fields: {
      sizes: { type: 'select', options: ['s', 'm', 'l'], multiple: true, rules: 'max:2', help: 'Two at most.' },
      writers: { type: 'reference', to: 'authors', multiple: true },
      readers: { type: 'list', of: { type: 'reference', to: 'authors' } },
      picture: { type: 'media', accept: ['image'] },
      parts: {
        type: 'list',
        of: {
          type: 'object',
          label: 'Part',
          fields: {
            name: { type: 'text', rules: 'required' },
            count: { type: 'integer', default: 1 },
            maker: { type: 'reference', to: 'authors' },
            links: { type: 'list', of: { type: 'url' } },
          },
        },
      },
      seo: { type: 'object', fields: { title: { type: 'text', rules: 'max:20' }, hidden: { type: 'boolean' } } },
    },
  },
})

const ODD = `---
title: Odd
sizes: s
seo:
  titel: mistyped   # mine
parts:
  - name: Leg
    count: four   # really
    maker: nobody
  - colour: red
---
`
const FILES = {
  'content/posts/a.md': '---\ntitle: A\n---\n',
  'content/posts/odd.md': ODD,
  'content/authors/ada.yaml': 'name: Ada\n',
  'content/authors/bob.yaml': 'name: Bob\n',
  'content/authors/ghost.yaml': 'name: Ghost\nstatus: draft\n',
}

function each(name: string, body: (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>): void {
  t.test(name, (t) => eachStore(t, { files: FILES, types }, (t, opened) => body(t, new TestApp(opened, { config }), opened)))
}

const config = { features: { api: true, revisions: true, search: true, taxonomy: true, auth: true, docs: true } }
const source = async ({ store }: OpenedStore, id: string) => (await store.get(keyOf('posts', id)))?.source?.toString()

each('what a list or an object holds is checked as it is declared', async (t, app, opened) => {
  const body = {
    title: 'New',
    sizes: ['s', 'l'],
    writers: ['ada', 'bob'],
    parts: [{ name: 'Leg', count: 4, maker: 'ada', links: ['https://example.org'] }, { name: 'Top' }],
    seo: { title: 'New', hidden: false },
  }
  const made = await app.ask('POST /api/cms/posts', { body })
  t.equal(made.status, 201, made.text)
  t.match(made.body.data, body)
  t.match(await source(opened, 'new'), /^ {2}- name: Leg$/m)
  const wrong = {
    sizes: ['s', 'xl'],
    writers: 'ada',
    parts: [
      { name: '', links: ['x'] },
      { name: 'A', cuont: 1 },
    ],
    seo: { title: 'x'.repeat(21) },
  }
  const refused = await app.ask('PATCH /api/cms/posts/new', { body: wrong })
  t.equal(refused.status, 422)
  t.same(refused.body.errors, {
    'sizes.1': ['The sizes.1 must be one of s, m, l.'],
    writers: ['The writers must be an array.'],
    'parts.0.name': ['The parts.0.name is required.'],
    'parts.0.links.0': ['The parts.0.links.0 must be a valid URL, or a path of the site such as /about or ./photo.jpg.'],
    'parts.1.cuont': ['The parts.1 has no field "cuont". Did you mean "count"?'],
    'seo.title': ['The seo.title must not be greater than 20 characters.'],
  })
})

each('references within fields lead to records that the writer may see', async (t, app) => {
  const body = {
    writers: ['ada', 'nobody'],
    parts: [
      { name: 'Leg', maker: 'nobody' },
      { name: 'Top', maker: 'ghost' },
    ],
  }
  const { status, body: refused } = await app.ask('PATCH /api/cms/posts/a', { body })
  t.equal(status, 422)
  const none = (path: string, id: string) => [`The selected ${path} is invalid: there is no "${id}" in authors.`]
  t.same(refused.errors, { 'writers.1': none('writers.1', 'nobody'), 'parts.0.maker': none('parts.0.maker', 'nobody') })
  const of = { title: 'B', parts: [{ name: 'Top', maker: 'ghost' }] }
  const hidden = await app.ask('POST /api/cms/posts', { as: 'content:read,content:write', body: of })
  t.same(hidden.body.errors, { 'parts.0.maker': none('parts.0.maker', 'ghost') }, 'a draft is not told of')
})

each('what a file holds is kept, and is in the way of nothing', async (t, app, opened) => {
  const ask = (body: object) => app.ask('PATCH /api/cms/posts/odd', { body })
  const { body } = await app.ask('GET /api/cms/posts/odd')
  const { parts, seo, sizes } = body.data
  t.equal((await ask(body.data)).status, 200, 'a record may be sent back as it was read')
  t.equal(await source(opened, 'odd'), ODD)
  t.equal((await ask({ title: 'Other', sizes, seo })).status, 200)
  const more = [parts[0], { ...parts[1], name: 'Top' }, { name: 'New' }]
  t.equal((await ask({ parts: more, seo: { ...seo, title: 'Odd' } })).status, 200, 'and so may what is within a field')
  t.match(await source(opened, 'odd'), /titel: mistyped {3}# mine[\s\S]*count: four {3}# really/)
  t.equal((await ask({ parts: [{ name: 'First' }, ...more] })).status, 200)
  const refused = await ask({ parts: [{ ...parts[0], count: 'five' }], sizes: ['xl'] })
  t.same(Object.keys(refused.body.errors), ['parts.0.count', 'sizes.0'])
})

each('references in lists are included, and may be sent back', async (t, app) => {
  const lists = { writers: ['ada', 'bob'], readers: ['bob'] }
  t.equal((await app.ask('PATCH /api/cms/posts/a', { body: lists })).status, 200)
  const { body } = await app.ask('GET /api/cms/posts/a?include=writers,readers')
  t.match(body.data, { writers: [{ id: 'ada', name: 'Ada' }, { id: 'bob' }], readers: [{ id: 'bob', name: 'Bob' }] })
  const { version } = body.data
  const again = await app.ask('PATCH /api/cms/posts/a', { body: { writers: body.data.writers, readers: body.data.readers } })
  t.equal(again.body.data.version, version)
  t.equal((await app.ask('GET /api/cms/posts?include=parts')).status, 422)
  t.equal((await app.ask('GET /api/cms/posts?filter[writers]=bob')).body.meta.total, 1)
})

each('the type tells all that is declared', async (t, app) => {
  const { body } = await app.ask('GET /api/cms/types/posts')
  t.same(body.data.columns, ['title', 'sizes'])
  const [sizes, writers, readers, picture, parts, seo] = body.data.fields
  t.same(sizes, {
    ...{ name: 'sizes', label: 'Sizes', help: 'Two at most.', type: 'select', rules: ['max:2'] },
    ...{ options: ['s', 'm', 'l'], multiple: true },
  })
  t.match(writers, { multiple: true, to: 'authors' })
  t.same(readers.of, { label: 'Readers', type: 'reference', rules: [], to: 'authors' })
  t.same(picture.accept, ['image'])
  t.same(parts.of.fields, [
    { name: 'name', label: 'Name', type: 'text', rules: ['required'] },
    { name: 'count', label: 'Count', type: 'integer', rules: [], default: 1 },
    { name: 'maker', label: 'Maker', type: 'reference', rules: [], to: 'authors' },
    { name: 'links', label: 'Links', type: 'list', rules: [], of: { label: 'Links', type: 'url', rules: [] } },
  ])
  t.equal(parts.of.label, 'Part')
  t.equal(seo.fields.length, 2)
  const other = await app.ask('GET /api/cms/types/authors')
  t.same(other.body.data.columns, ['title', 'status', 'published_at'])
})

each('the description of the API is as deep as the declaration', async (t, app) => {
  const { body } = await app.ask('GET /api/openapi.json')
  const { PostsRecord: record, PostsRecordInput: input } = body.components.schemas
  t.same(input.properties.sizes, {
    type: 'array',
    description: 'Sizes. Two at most.',
    items: { type: 'string', description: 'Sizes. Two at most.', enum: ['s', 'm', 'l'] },
    maxItems: 2,
  })
  const { items } = input.properties.parts
  t.match(items, { type: 'object', required: ['name'], additionalProperties: false })
  t.same(items.properties.links.type, ['array', 'null'])
  t.match(items.properties.links.items, { type: 'string', format: 'uri' })
  t.match(record.properties.parts.items.properties.count, { type: ['integer', 'null'] })
  t.match(record.properties.readers.items.anyOf, [{ type: 'string' }, { $ref: '#/components/schemas/Record' }])
})

const DATED = `---
title: Dated
times:
  - 2026-01-05   # winter
  - 2026/7/5
dates:
  - at: 2026-01-05   # a day
    name: One
  - at: someday
  - at: "2026-07-05 10:00"
    more: { at: 2026-01-05T10:00:00+05:00 }
---
`

t.test('times within fields are read as any time, and stay as the file spells them', (t) => {
  const more = { type: 'object', fields: { at: { type: 'datetime' } } } as const
  const fields = {
    times: { type: 'list', of: { type: 'datetime' } },
    dates: { type: 'list', of: { type: 'object', fields: { at: { type: 'datetime' }, name: { type: 'text' }, more } } },
  } as const
  const vienna = plainTypes({ posts: { fields } }, 'Europe/Vienna')
  return eachStore(t, { files: { 'content/posts/dated.md': DATED }, types: vienna }, async (t, opened) => {
    const app = new TestApp(opened)
    const { body } = await app.ask('GET /api/cms/posts/dated')
    const { times, dates } = body.data
    t.same(times, ['2026-01-04T23:00:00.000Z', '2026-07-04T22:00:00.000Z'])
    t.same(dates, [
      { at: '2026-01-04T23:00:00.000Z', name: 'One' },
      { at: 'someday' },
      { at: '2026-07-05T08:00:00.000Z', more: { at: '2026-01-05T05:00:00.000Z' } },
    ])
    t.equal((await app.ask('PATCH /api/cms/posts/dated', { body: { times, dates, title: 'New' } })).status, 200)
    t.equal(await source(opened, 'dated'), DATED.replace('title: Dated', 'title: New'))
    const later = [{ ...dates[0], name: 'Two' }, dates[1], { ...dates[2], at: '2026-07-05T09:00:00Z' }]
    t.equal(
      (await app.ask('PATCH /api/cms/posts/dated', { body: { dates: later } })).body.data?.dates[2].at,
      '2026-07-05T09:00:00.000Z',
    )
    const wanted = DATED.replace('Dated', 'New').replace('One', 'Two').replace('"2026-07-05 10:00"', '"2026-07-05T09:00:00.000Z"')
    t.equal(await source(opened, 'dated'), wanted)
    const day = [{ ...dates[0], at: '2026-02-01T00:00:00+01:00' }]
    t.equal((await app.ask('PATCH /api/cms/posts/dated', { body: { dates: day, times: [times[1], times[0]] } })).status, 200)
    const text = (await source(opened, 'dated')) ?? ''
    t.match(text, /at: 2026-02-01\b/, 'a file that gives a day goes on giving days')
    t.match(text, /times:\n *- 2026\/7\/5.*\n *- 2026-01-05/, 'and what comes to stand elsewhere is spelled as it was')
  })
})
