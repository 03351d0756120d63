import t, { type Test } from 'tap'
import type { AuditEntry } from '#core/audit-log.ts'
import { TestApp } from '#support/app.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const FEATURES = { api: true, auth: true, audit: true, docs: true }
const START = Date.parse('2026-01-15T12:00:00.000Z')
const DAY = 86_400_000

function entry(id: string, over: Partial<AuditEntry> = {}, at = START): AuditEntry {
  return {
    ...{ id, at: new Date(at).toISOString(), actor: { kind: 'user', id: 'ada', name: 'Ada' }, via: 'session:1' },
    ...{ action: 'record.updated', target: { kind: 'record', type: 'posts', id: 'hello', title: 'Hello' }, outcome: 'ok' },
    ...{ changed: ['title', 'body'], request_id: 'r1', ip: '192.0.2.1' },
    ...over,
  }
}

const each = (name: string, body: (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>, config: object = {}) =>
  t.test(name, (t) =>
    eachStore(t, { types: plainTypes({ posts: {}, secret: {} }) }, async (t, opened) => {
      const app = new TestApp(opened, { config: { features: FEATURES, ...config } })
      t.teardown(() => app.close())
      // What the tokens themselves make comes before.
      await app.token('admin')
      await app.token('edit')
      await app.features.audit.take()
      opened.clock.set('2026-01-20T00:00:00.000Z')
      await body(t, app, opened)
    }),
  )

const csv = { accept: 'text/csv' }

each('CSV has a line each, and no cell that a spreadsheet runs', async (t, app, opened) => {
  await opened.audit.append([
    entry('b', { actor: { kind: 'local', id: null, name: '=HYPERLINK("http://x"),\r\nforged,line' } }),
    entry('a', { target: { kind: 'record', type: 'posts', id: '-1+1', title: '@SUM(A1)\n+1' }, count: 3 }),
  ])
  const { status, text, headers } = await app.ask('GET /api/audit?action=record.updated', { headers: csv })
  t.equal(status, 200)
  t.match(headers, { 'content-type': /^text\/csv/, 'content-disposition': /attachment; filename="audit\.csv"/ })
  t.equal(
    text,
    [
      'id,at,actor_kind,actor_id,actor_name,via,action,target_kind,target_type,target_id,target_title,outcome,changed,request_id,ip,count',
      `b,2026-01-15T12:00:00.000Z,local,,"'=HYPERLINK(""http://x""),\r\nforged,line",session:1,record.updated,record,posts,hello,Hello,ok,title body,r1,192.0.2.1,1`,
      `a,2026-01-15T12:00:00.000Z,user,ada,Ada,session:1,record.updated,record,posts,'-1+1,"'@SUM(A1)\n+1",ok,title body,r1,192.0.2.1,3`,
      '',
    ].join('\r\n'),
  )
})

each('an export is whole, or the page that is asked for, and an entry itself', async (t, app, opened) => {
  await opened.audit.append(Array.from({ length: 250 }, (_, n) => entry(`e${String(n).padStart(3, '0')}`, {}, START + n)))
  const lines = (text: string): AuditEntry[] =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  const headers = { accept: 'application/x-ndjson' }
  const all = lines((await app.ask('GET /api/audit?actor=ada', { headers })).text)
  t.strictSame([all.length, all[0]?.id, all.at(-1)?.id], [250, 'e249', 'e000'])
  const page = lines((await app.ask('GET /api/audit?actor=ada&per_page=10&page=2', { headers })).text)
  t.strictSame(
    page.map(({ id }) => id),
    all.slice(10, 20).map(({ id }) => id),
  )
  const made = (await app.ask('GET /api/audit?action=export.made')).body.data
  t.match(made, [
    { target: { kind: 'audit' }, actor: { kind: 'token', name: 'admin' }, ip: '127.0.0.1', request_id: /./ },
    { target: { kind: 'audit' } },
  ])
  t.equal((await app.ask('GET /api/audit', { headers: { accept: 'text/html' } })).status, 406)
  t.equal((await app.ask('GET /api/audit?actor=ada', { headers: { accept: 'text/html, */*' } })).body.data.length, 15)
})

each('filters are checked, and meet', async (t, app, opened) => {
  await opened.audit.append([
    entry('a', {}, START - DAY),
    entry('b', { actor: { kind: 'token', id: 'ci', name: 'ci' } }),
    entry('c', { action: 'user.updated', target: { kind: 'user', type: 'user', id: 'ada', title: 'Ada' } }, START + DAY),
  ])
  const ids = async (query: string) => (await app.ask(`GET /api/audit?${query}`)).body.data.map(({ id }: AuditEntry) => id)
  t.strictSame(await ids('since=2026-01-14&until=2026-01-16&target=posts/hello'), ['b', 'a'])
  t.strictSame(await ids('since=2026-01-15T12:00:00Z&actor=ci'), ['b'])
  t.strictSame(await ids('until=2026-01-15T12:00:00%2B00:00&actor=ada'), ['a'])
  t.strictSame(await ids('target=user/ada'), ['c'])
  t.strictSame(await ids('actor=ada&outcome=refused'), [])
  t.match((await app.ask('GET /api/audit?actor=ada&per_page=1&page=2')).body, {
    data: [{ id: 'a' }],
    meta: { total: 2, per_page: 1, current_page: 2, last_page: 2 },
  })
  for (const query of ['since=yesterday', 'until=2026-13-01', 'outcome=fine', 'page=0', `actor=${'x'.repeat(201)}`])
    t.equal((await app.ask(`GET /api/audit?${query}`)).status, 422, query)
  const unknown = await app.ask('GET /api/audit?actr=ada')
  t.equal(unknown.status, 400)
  t.match(unknown.body.message, /actor/)
  t.equal((await app.ask('POST /api/audit', { body: {} })).status, 405)
})

each('it is for who has audit:read', async (t, app) => {
  t.equal((await app.bare('GET /api/audit')).status, 401)
  t.match((await app.ask('GET /api/audit', { as: 'edit' })).body, { message: /audit:read/ })
  const roles = ['viewer', 'contributor', 'author', 'editor', 'admin', 'owner']
  for (const role of roles) {
    const user = await app.features.users.create({ email: `${role}@example.org`, name: role, role }, BY)
    const { status } = await app.askAs(user, 'GET /api/audit')
    t.equal(status, role === 'admin' || role === 'owner' ? 200 : 403, role)
  }
})

const BY = { name: 'Tester', email: 'tester@example.org' }

each('what does not exist for the reader is neither told nor counted', async (t, app, opened) => {
  const about = (kind: string, type: string) => ({ target: { kind, type, id: 'x', title: 'A title' } })
  await opened.audit.append([
    entry('a', about('record', 'posts')),
    entry('b', about('record', 'secret')),
    entry('c', about('team', 'team')),
    entry('d', about('invoice', 'invoice')),
    entry('e', { target: null, action: 'auth.failed', outcome: 'failed' }),
  ])
  const asked = { as: 'audit:read', types: ['posts'] }
  await app.token('audit:read', ['posts'])
  const { body } = await app.ask('GET /api/audit?until=2026-01-16', asked)
  t.strictSame(
    body.data.map(({ id }: AuditEntry) => id).filter((id: string) => id.length === 1),
    ['e', 'a'],
  )
  t.notMatch(JSON.stringify(body), /secret|team|invoice|A title/)
  t.equal(body.meta.total, body.data.length)
  t.strictSame((await app.ask('GET /api/audit?target=secret', asked)).body.data, [])
  t.strictSame((await app.ask('GET /api/audit?target=record', asked)).body.meta.total, 1)
  t.notMatch((await app.ask('GET /api/audit?until=2026-01-16', { ...asked, headers: csv })).text, /secret|team|invoice|A title/)
  t.strictSame((await app.ask('GET /api/audit?target=secret')).body.meta.total, 1, 'for others it is there')
})

each(
  'what is older than audit.days is removed, by whole days',
  async (t, app, opened) => {
    await opened.audit.append([entry('old', {}, START), entry('kept', {}, Date.parse('2026-01-17T00:00:00.000Z'))])
    await app.features.audit.sweep()
    const { items } = await opened.audit.page({ actor: 'ada' }, {})
    t.strictSame(
      items.map(({ id }) => id),
      ['kept'],
    )
  },
  { audit: { days: 3 } },
)

t.test('switched off there is none', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const app = new TestApp(opened, { config: { features: { api: true, auth: true } } })
    t.teardown(() => app.close())
    t.equal((await app.ask('GET /api/audit')).status, 404)
    await app.features.users.create({ email: 'ben@example.org', name: 'Ben' }, BY)
    t.strictSame((await opened.store.heads('.new-audit', {})).total, 0)
  }),
)
