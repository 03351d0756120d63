import t, { type Test } from 'tap'
import { localAccess } from '#core/access/access.ts'
import { groupKey } from '#core/settings.ts'
import { PastGroups } from '#features/settings/groups/past-groups.ts'
import { SettingHistories } from '#features/settings/history.ts'
import { TestApp } from '#support/app.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'

const somebody = { name: 'Ada', email: 'ada@example.org' }
const features = { api: true, revisions: true, settings: true }
const settings = {
  'site.secret': { type: 'text', default: 'none' },
  'shop.size': { type: 'integer', rules: 'max:10', public: true },
}
const write = { as: 'settings:write' }
const read = { as: 'read' }
const SITE = '# Ours\ntagline: One\nsecret: PRIVATE\n'

type Body = (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>

function each(name: string, body: Body): void {
  t.test(name, (t) =>
    eachStore(
      t,
      { files: { 'content/settings/site.yaml': SITE }, history: true, now: '2040-01-15T12:00:00Z' },
      async (t, opened) => {
        const app = new TestApp(opened, { config: { features, settings } })
        t.teardown(() => app.close())
        await body(t, app, opened)
      },
    ),
  )
}

async function set(app: TestApp, { clock }: OpenedStore, key: string, value: unknown): Promise<void> {
  clock.advance(60_000)
  await app.ask(`PUT /api/settings/${key}`, { ...write, body: { value } })
}

each('a setting has the revisions in which it became another', async (t, app, opened) => {
  await set(app, opened, 'site.secret', 'PRIVATE two')
  await set(app, opened, 'site.tagline', 'Two')
  await set(app, opened, 'site.secret', 'PRIVATE three')
  opened.clock.advance(60_000)
  await app.ask('DELETE /api/settings/site.tagline', write)
  await set(app, opened, 'site.tagline', 'Three')
  const of = '/api/settings/site.tagline'
  const { body, text, headers } = await app.ask(`GET ${of}/revisions`, read)
  t.notMatch(text, /secret|PRIVATE/)
  t.same(
    body.data.map(({ action, current, changed }: { action: string; current: boolean; changed: string[] }) => [
      action,
      current,
      changed,
    ]),
    [
      ['created', true, ['value']],
      ['deleted', false, ['value']],
      ['updated', false, ['value']],
      ['external', false, ['value']],
    ],
    'those of others in its file are none',
  )
  t.match(body.data[0], { message: 'Set site.tagline', author: { name: /settings:write/ } })
  t.equal(body.meta.total, 4)
  t.equal((await app.ask(`GET ${of}/revisions`, { ...read, headers: { 'if-none-match': headers.etag ?? '' } })).status, 304)
  t.equal((await app.ask(`GET ${of}/revisions?per_page=1&page=2`, read)).body.data[0].action, 'deleted')
  const [three, gone, two, one] = body.data.map(({ ts }: { ts: string }) => ts)
  t.match((await app.ask(`GET ${of}/revisions/${two}`, read)).body.data, { value: 'Two', version: null })
  t.match((await app.ask(`GET ${of}/revisions/${one}`, write)).body.data, { value: 'One', version: /^[0-9a-f]{40}$/ })
  t.equal((await app.ask(`GET ${of}/revisions/${gone}`, read)).status, 404)
  const diff = async (query: string) => (await app.ask(`GET ${of}/revisions/${query}`, read)).body.data
  t.strictSame(await diff(`${two}/diff`), { ts: two, against: one, fields: [{ field: 'value', before: 'One', after: 'Two' }] })
  t.strictSame(await diff(`${one}/diff`), { ts: one, against: null, fields: [{ field: 'value', before: null, after: 'One' }] })
  t.match(await diff(`${three}/diff?against=${two}`), { against: two, fields: [{ before: 'Two', after: 'Three' }] })
  const at = async (time: string, as = read) => (await app.ask(`GET ${of}?at=${time}`, as)).body.data?.value
  t.same([await at(one), await at(two), await at(gone), await at(three)], ['One', 'Two', '', 'Three'])
  t.equal(await at(String(Number(three) - 1)), '', 'between two')
  t.equal(await at('2001-01-01T00:00:00Z'), '', 'before there was any, the default')
  const others = (await app.ask('GET /api/settings/site.secret/revisions', write)).body
  t.equal(others.meta.total, 3)
  for (const { ts } of others.data.slice(0, 2)) {
    t.equal((await app.ask(`GET ${of}/revisions/${ts}`, read)).status, 404, 'one of a private setting is none')
    t.equal((await app.ask(`GET ${of}/revisions/${two}/diff?against=${ts}`, read)).status, 404)
  }
  for (const path of ['revisions', `revisions/${two}`, `revisions/${two}/diff`])
    t.equal((await app.ask(`GET /api/settings/site.secret/${path}`, read)).status, 404, path)
  t.equal((await app.ask(`GET /api/settings/site.secret?at=${two}`, read)).status, 404)
  t.equal((await app.ask(`GET ${of}/revisions/tomorrow`, read)).status, 422)
  t.equal((await app.ask(`GET ${of}?at=tomorrow`, read)).status, 422)
  t.equal((await app.ask(`GET ${of}/revisions/1234567890123`, read)).status, 404)
  t.equal((await app.ask('GET /api/settings/custom.none/revisions', write)).status, 404)
  if (opened.name === 'git') t.equal(await at(body.data[2].commit), 'Two')
})

each('all settings as of a time', async (t, app, opened) => {
  const then = String(opened.clock.now())
  await set(app, opened, 'site.tagline', 'Two')
  await set(app, opened, 'custom.x', 1)
  await set(app, opened, 'site.secret', 'PRIVATE two')
  const drafts = { as: 'content:read,content:drafts' }
  const all = { as: 'content:drafts,settings:write' }
  const values = async (time: string, as: { as: string }) => {
    const { body } = await app.ask(`GET /api/settings?at=${time}`, as)
    return Object.fromEntries(body.data.map(({ key, value }: { key: string; value: unknown }) => [key, value]))
  }
  t.match(await values(then, all), { 'site.tagline': 'One', 'site.secret': 'PRIVATE', 'shop.size': null })
  t.match(await values(String(opened.clock.now()), all), { 'site.tagline': 'Two', 'site.secret': 'PRIVATE two', 'custom.x': 1 })
  const some = await values(then, drafts)
  t.match(some, { 'site.tagline': 'One' })
  t.notMatch(JSON.stringify(some), /PRIVATE|secret|custom/)
  t.equal((await app.ask(`GET /api/settings?at=${then}`, read)).status, 403)
  t.equal((await app.ask('GET /api/settings?at=x', all)).status, 422)
})

each('a rollback gives a setting the value that it had, and no other', async (t, app, opened) => {
  await set(app, opened, 'site.tagline', 'Two')
  await set(app, opened, 'site.secret', 'PRIVATE two')
  const of = '/api/settings/site.tagline'
  const revisions = async () => (await app.ask(`GET ${of}/revisions`, write)).body.data
  const [two, one] = await revisions()
  opened.clock.advance(60_000)
  const headers = { 'idempotency-key': 'back' }
  const back = await app.ask(`POST ${of}/rollback/${one.ts}`, { ...write, headers })
  t.match([back.status, back.body], [200, { data: { value: 'One' }, meta: { rolled_back_to: one.ts, changed: true } }])
  t.equal((await app.ask(`POST ${of}/rollback/${one.ts}`, { ...write, headers })).text, back.text, 'once')
  t.equal((await opened.store.get(groupKey('site')))?.source?.toString(), SITE.replace('PRIVATE', 'PRIVATE two'))
  t.match(await revisions(), [{ action: 'rolled_back', message: `Roll back site.tagline to ${one.created_at}` }, {}, {}])
  t.match((await app.ask(`POST ${of}/rollback/${one.ts}`, write)).body.meta, { changed: false })
  t.equal((await revisions()).length, 3)
  await app.ask(`DELETE ${of}`, write)
  opened.clock.advance(60_000)
  t.equal((await app.ask(`POST ${of}/rollback/${two.ts}`, write)).body.data.value, 'Two')
  const [restored, gone] = await revisions()
  t.match([restored.action, gone.action], ['restored', 'deleted'])
  t.equal((await app.ask(`POST ${of}/rollback/${gone.ts}`, write)).status, 409)
  t.equal((await app.ask(`POST ${of}/rollback/${two.ts}`, read)).status, 403)
  t.equal((await app.ask(`POST /api/settings/site.secret/rollback/${two.ts}`, read)).status, 404)
  const stale = { ...write, headers: { 'if-match': `"${'0'.repeat(40)}-00000000"` } }
  t.equal((await app.ask(`POST ${of}/rollback/${one.ts}`, stale)).status, 412)
  t.equal((await app.ask(`POST ${of}/rollback/${one.ts}`, { ...write, body: { restore_status: true } })).status, 422)
})

each('a value that is not taken any more does not come back', async (t, app, opened) => {
  const { store, clock } = opened
  const by = { name: 'Ada', email: 'ada@example.org' }
  for (const size of [11, 3]) {
    clock.advance(60_000)
    await store.write([{ key: groupKey('shop'), put: { set: { size } } }], by)
  }
  const { data } = (await app.ask('GET /api/settings/shop.size/revisions', read)).body
  const refused = await app.ask(`POST /api/settings/shop.size/rollback/${data[1].ts}`, write)
  t.match([refused.status, refused.body.errors], [422, { value: ['The value must not be greater than 10.'] }])
})

t.test('the revisions of a group are found once, however long its texts are', (t) =>
  eachStore(t, { history: true }, async (t, { store, clock }) => {
    const long = 'x'.repeat(900_000)
    for (const first of ['One', 'Two', 'Three', 'Four']) {
      clock.advance(60_000)
      await store.write([{ key: groupKey('site'), put: { set: { notice: first + long } } }], somebody)
    }
    let read = 0
    const at = store.at.bind(store)
    store.at = (...of) => {
      read++
      return at(...of)
    }
    const past = new PastGroups(new SettingHistories({ store, declared: new Map() }))
    const access = localAccess(somebody)
    const now = { notice: `Four${long}` }
    const { data, meta } = await past.list(access, 'site', {}, now)
    t.equal(meta.total, 4)
    t.same(
      data.map(({ current, changed }) => [current, changed]),
      [true, false, false, false].map((current) => [current, ['notice']]),
    )
    const before = read
    for (let n = 0; n < 3; n++) await past.list(access, 'site', {}, now)
    t.ok(read - before <= 3, `${read - before} were read again`)
    const [, , third] = data
    t.equal((await past.one(access, 'site', String(third?.ts))).values.notice, `Two${long}`)
    const [then, since] = await past.both(access, 'site', String(third?.ts))
    t.same([then.notice, since.notice], [`One${long}`, `Two${long}`])
  }),
)

t.test('where no history is kept, or revisions are switched off, there are none', (t) =>
  eachStore(t, { files: { 'content/settings/site.yaml': SITE } }, async (t, opened) => {
    const app = new TestApp(opened, { config: { features, settings } })
    const off = new TestApp(opened, { config: { features: { api: true, settings: true }, settings } })
    t.teardown(() => Promise.all([app.close(), off.close()]))
    const paths = ['site.tagline/revisions', 'site.tagline?at=2040-01-01T00:00:00Z', '?at=2040-01-01T00:00:00Z']
    for (const path of paths.map((one) => `/api/settings/${one}`.replace('/?', '?'))) {
      if (opened.name === 'files')
        t.match((await app.ask(`GET ${path}`)).body, { error: 'Not found', message: 'Revisions need git.' }, path)
      t.equal((await off.ask(`GET ${path}`, write)).status, 404, path)
    }
  }),
)
