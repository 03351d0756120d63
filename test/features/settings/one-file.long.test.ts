import t, { type Test } from 'tap'
import { localAccess } from '#core/access/access.ts'
import { ALL_GROUPS, groupKey } from '#core/settings.ts'
import { TestApp } from '#support/app.ts'
import { publicSite } from '#support/public-site.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'

const features = { api: true, revisions: true, search: true, settings: true }
const settings = { 'shop.margin': { type: 'number' }, 'shop.hours': { type: 'text', public: true } }
const write = { as: 'settings:write' }
const read = { as: 'read' }
const WHOLE = `# All of them.
site:
  tagline: One   # short
  footer: 'Below'

shop: { margin: 12, hours: "9 to 5" }
custom:
  note: PRIVATE
`
const FILES = {
  'content/settings.yaml': WHOLE,
  'content/settings/custom.yaml': 'mine: 1\n',
  'content/index.md': '# Home\n',
}

interface Listed {
  readonly key: string
  readonly value: unknown
}

type Body = (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>

function each(name: string, body: Body, files: Record<string, string> = FILES): void {
  t.test(name, (t) =>
    eachStore(t, { files, history: true, now: '2040-01-15T12:00:00Z' }, async (t, opened) => {
      const app = new TestApp(opened, { config: { features, settings } })
      t.teardown(() => app.close())
      await body(t, app, opened)
    }),
  )
}

const set = (app: TestApp, key: string, value: unknown) => app.ask(`PUT /api/settings/${key}`, { ...write, body: { value } })
const whole = async ({ store }: OpenedStore) => (await store.get(ALL_GROUPS))?.source?.toString()

each('one file may hold all groups, and is written as it is', async (t, app, opened) => {
  const { store, clock } = opened
  t.ok((await store.kinds()).includes('settings'))
  const of = async (key: string) => (await app.ask(`GET /api/settings/${key}`, write)).body.data
  t.match(await of('site.tagline'), { value: 'One', version: (await store.get(ALL_GROUPS))?.version })
  t.match(await of('shop.margin'), { value: 12 })
  t.match(await of('custom.mine'), { value: 1 }, "a group's own file wins")
  t.equal((await app.ask('GET /api/settings/custom.note', write)).status, 404)
  const listed = (await app.ask('GET /api/settings', read)).body.data as { key: string; value: unknown }[]
  t.match(Object.fromEntries(listed.map(({ key, value }) => [key, value])), { 'site.tagline': 'One', 'shop.hours': '9 to 5' })
  t.notOk(listed.some(({ key }) => key === 'shop.margin'))

  clock.advance(60_000)
  t.equal((await set(app, 'site.tagline', 'Two')).status, 200)
  const two = WHOLE.replace('tagline: One ', 'tagline: Two ')
  t.equal(await whole(opened), two, 'the line of the value alone')
  clock.advance(60_000)
  t.equal((await set(app, 'shop.margin', 13)).status, 200)
  t.equal(await whole(opened), two.replace('margin: 12', 'margin: 13'))
  t.equal((await set(app, 'site.description', 'New')).status, 200)
  t.match(await whole(opened), /footer: 'Below'\n {2}description: New\n/)
  t.equal((await app.ask('DELETE /api/settings/site.description', write)).status, 200)
  t.equal(await whole(opened), two.replace('margin: 12', 'margin: 13'))
  t.equal(await store.get(groupKey('site')), undefined, 'there is no other file')
  if (opened.site) t.equal(await store.get(groupKey('shop')), undefined)
  t.equal((await store.problems()).length, 0)

  const { data } = (await app.ask('GET /api/settings/site.tagline/revisions', read)).body
  t.equal(data.length, 2)
  clock.advance(60_000)
  t.equal((await app.ask(`POST /api/settings/site.tagline/rollback/${data[1].ts}`, write)).body.data.value, 'One')
  t.equal(await whole(opened), WHOLE.replace('margin: 12', 'margin: 13'))
  t.match((await app.ask(`GET /api/settings/site.tagline?at=${data[0].ts}`, read)).body.data, { value: 'Two' })
})

each('nothing of it is in another route, or on the site', async (t, app, opened) => {
  await opened.search.ready()
  for (const as of ['read', 'admin'])
    for (const path of ['cms/types', 'cms/pages', 'cms/search?q=private', 'cms/settings', 'cms/pages/settings'])
      t.notMatch((await app.ask(`GET /api/${path}`, { as })).text, /PRIVATE|margin|9 to 5/, `${as}: ${path}`)
  t.notMatch((await app.ask('GET /api/changes', { as: 'read' })).text, /PRIVATE|margin|9 to 5/)
  t.notMatch((await app.ask('GET /api/changes', { as: 'admin' })).text, /PRIVATE|9 to 5/, 'the name alone')
  const { site, html } = publicSite(t, opened, true)
  for (const path of ['/', '/sitemap.xml', '/feed.xml']) t.notMatch(await html(path), /PRIVATE|9 to 5/, path)
  t.equal((await site.page('/settings')).status, 404)
})

each('a page called settings is a page, beside it', async (t, app, { store }) => {
  const made = await app.ask('POST /api/cms/pages', { body: { title: 'Settings' } })
  t.match([made.status, made.body.data.id], [201, 'settings'])
  t.equal((await app.ask('GET /api/settings/site.tagline', read)).body.data.value, 'One')
  t.equal((await app.ask('GET /api/cms/pages/settings/revisions')).body.meta.total, 1)
  t.equal((await app.ask('DELETE /api/cms/pages/settings')).status, 200)
  t.ok(await store.get(ALL_GROUPS))
})

each(
  'one that can not be read is not written, and tells nothing',
  async (t, app, opened) => {
    t.equal((await app.ask('GET /api/settings/site.tagline', write)).status, 422)
    t.equal((await set(app, 'site.tagline', 'x')).status, 422)
    t.equal((await app.ask('GET /api/settings/site.tagline', read)).body.message, 'The file of this setting can not be read.')
    t.same((await app.ask('GET /api/settings', read)).body.data, [])
    t.equal((await opened.store.problems()).length, 1)
  },
  { 'content/settings.yaml': 'site: [PRIVATE\n' },
)

const SPLIT = `# All of them.

# The site itself
site:   # as it is
  # A few words
  tagline: One   # short
  footer: |
    Below

    # no comment

shop: { margin: 12, hours: "9 to 5" }
# Notes
custom:
    note: PRIVATE
# The end
`

each(
  'each group gets a file of its own, with its comments, in one commit',
  async (t, app, opened) => {
    const values = async () => (await app.ask('GET /api/settings', write)).body.data.map(({ key, value }: Listed) => [key, value])
    const before = await values()
    t.same(await app.features.settings.split(localAccess({ name: 'Ada', email: 'ada@example.org' })), {
      groups: ['site', 'shop', 'custom'],
      left: [],
    })
    const text = async (group: string) => (await opened.store.get(groupKey(group)))?.source?.toString()
    t.equal(
      await text('site'),
      '# All of them.\n\n# The site itself\n# as it is\n# A few words\ntagline: One   # short\nfooter: |\n  Below\n\n  # no comment\n',
    )
    t.equal(await text('custom'), '# Notes\nnote: PRIVATE\n# The end\n')
    t.match(await text('shop'), /^margin: 12\nhours: ["']?9 to 5["']?\n$/)
    t.equal(await whole(opened), undefined)
    t.same(await values(), before)
    const { data } = (await app.ask('GET /api/settings/site.tagline/revisions', read)).body
    t.equal(data.length, 1)
    t.same(await app.features.settings.split(localAccess({ name: 'Ada', email: 'ada@example.org' })), { groups: [], left: [] })
  },
  { 'content/settings.yaml': SPLIT },
)

each(
  'the history of a setting goes on where its group gets a file of its own',
  async (t, app, { clock, store }) => {
    const started = clock.now()
    const change = async (value: number) => {
      clock.advance(60_000)
      t.equal((await set(app, 'shop.margin', value)).status, 200)
    }
    const list = async (key = 'shop.margin') => (await app.ask(`GET /api/settings/${key}/revisions`, write)).body.data
    const at = async (ts: string) => (await app.ask(`GET /api/settings/shop.margin?at=${ts}`, write)).body.data.value
    const changes = async () =>
      (await app.ask('GET /api/changes', { as: 'admin' })).body.data
        .map(({ action, id, created_at }: Record<string, string>) => [action, id, created_at])
        .sort()
    await change(13)
    await change(14)
    const [before, told] = [await list(), await changes()]
    t.match(before, [{ action: 'updated', current: true }, { action: 'updated' }, {}])
    clock.advance(60_000)
    await app.features.settings.split(localAccess({ name: 'Ada', email: 'ada@example.org' }))
    t.same(await list(), before, 'a file of its own alone is no revision')
    t.same(await changes(), told, 'and no change')
    t.equal((await list('shop.hours')).length, 1)
    await change(15)
    const [newest, ...older] = await list()
    t.match(newest, { action: 'updated', current: true })
    t.same(
      older,
      before.map((one: object) => ({ ...one, current: false })),
    )
    const values = [15, 14, 13, 12]
    for (const [n, { ts }] of [newest, ...older].entries()) {
      t.equal(await at(ts), values[n])
      t.equal((await app.ask(`GET /api/settings/shop.margin/revisions/${ts}`, write)).body.data.value, values[n])
    }
    t.equal(await at(new Date(started + 150_000).toISOString()), 14)
    t.match((await app.ask(`GET /api/settings/shop.margin/revisions/${newest.ts}/diff`, write)).body.data, {
      against: older[0].ts,
      fields: [{ before: 14, after: 15 }],
    })
    const back = await app.ask(`POST /api/settings/shop.margin/rollback/${older[1].ts}`, write)
    t.match(back, { status: 200, body: { data: { value: 13 } } })
    clock.advance(60_000)
    await store.write([{ key: groupKey('shop'), remove: true }], { name: 'Ada', email: 'ada@example.org' })
    t.match(await list(), [{ action: 'deleted' }, { action: 'rolled_back' }, { ts: newest.ts }, {}, {}, {}])
  },
  { 'content/settings.yaml': SPLIT },
)

each('a group in both files has the history of the one that counted', async (t, app, { clock, store }) => {
  const by = { name: 'Ada', email: 'ada@example.org' }
  const write1 = async (key: typeof ALL_GROUPS, values: object) => {
    clock.advance(60_000)
    await store.write([{ key, put: { set: { ...values } } }], by)
  }
  await write1(groupKey('shop'), { margin: 20 })
  await write1(ALL_GROUPS, { shop: { margin: 30 } })
  clock.advance(60_000)
  await store.write([{ key: groupKey('shop'), remove: true }], by)
  const { data } = (await app.ask('GET /api/settings/shop.margin/revisions', write)).body
  const at = async (ts: string) => (await app.ask(`GET /api/settings/shop.margin?at=${ts}`, write)).body.data.value
  t.same(await Promise.all(data.map(({ ts }: { ts: string }) => at(ts))), [30, 20, 12])
  const { body } = await app.ask('GET /api/changes', { as: 'admin' })
  t.equal(body.data.filter(({ id }: { id: string }) => id === 'shop.margin').length, 1, 'told once')
})

each(
  'what can not be moved without a loss stays',
  async (t, app, opened) => {
    const done = await app.features.settings.split(localAccess({ name: 'Ada', email: 'ada@example.org' }))
    t.same(done, { groups: ['shop'], left: ['site', 'custom', 'Odd', 'con'] })
    t.equal(await whole(opened), 'site: { tagline: One } # a remark\ncustom:\n  note: PRIVATE\nOdd: 1\ncon: { a: 1 }\n')
    t.equal((await app.ask('GET /api/settings/site.tagline', read)).body.data.value, 'One')
    t.equal((await app.ask('GET /api/settings/con.a', write)).status, 404, 'a group that could have no file')
  },
  {
    'content/settings.yaml':
      'site: { tagline: One } # a remark\nshop:\n  margin: 1\ncustom:\n  note: PRIVATE\nOdd: 1\ncon: { a: 1 }\n',
    'content/settings/custom.yaml': 'mine: 1\n',
  },
)
