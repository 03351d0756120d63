import t, { type Test } from 'tap'
import type { AuditEntry } from '#core/audit-log.ts'
import type { TestApp } from '#support/app.ts'
import { PANEL_FEATURES, panelOf } from '#support/panel.ts'
import { type Given, PASSWORD, signingIn, tokenIn, wrong } from '#support/signing-in.ts'

const FEATURES = { api: true, auth: true, audit: true, settings: true, webhooks: true, events: true }

const entriesOf = async (app: TestApp, query = ''): Promise<AuditEntry[]> =>
  (await app.ask(`GET /api/audit?per_page=100&${query}`)).body.data

const each = (name: string, body: (t: Test, given: Given) => Promise<void>) =>
  t.test(name, (t) => signingIn(t, body, { config: { features: FEATURES } }))

each('a sign-in is told before it is answered, with its way and its session', async (t, { app, ada, opened, post, message }) => {
  await app.features.users.setPassword(ada.id, await app.features.auth.passwords.hashFor(PASSWORD, ada), {
    ...{ name: 'Test', email: 'test@example.org' },
  })
  const { body, status } = await post('login', { email: 'ada@example.org', password: PASSWORD }, '192.0.2.4')
  t.equal(status, 200)
  opened.clock.advance(1_000)
  await post('otp/send', { email: 'ada@example.org' })
  await post('otp/verify', { email: 'ada@example.org', code: await message() }, '2001:db8::4')
  opened.clock.advance(60_000)
  await post('magic-link', { email: 'ada@example.org' })
  const token = tokenIn(await message())
  await app.bare(`GET /api/auth/magic-link/verify?token=${token}`, { headers: { accept: 'application/json' } })
  const found = await entriesOf(app, 'action=auth.login')
  t.match(
    found.map(({ via, ip }) => [via, ip]),
    [
      [/^link session:[0-9a-f]{12}$/, '127.0.0.1'],
      [/^code session:/, '2001:db8::4'],
      [/^password session:/, '192.0.2.4'],
    ],
  )
  t.match(found[2], { actor: { kind: 'user', id: ada.id, name: 'Ada' }, outcome: 'ok', target: { kind: 'user', id: ada.id } })
  const kept = JSON.stringify(await entriesOf(app))
  for (const secret of [PASSWORD, token, body.token, body.refresh_token, 'ada@example.org']) t.notOk(kept.includes(secret))
})

each('a sign-out is told once, with the session that ended', async (t, { app, ada, opened, post, message }) => {
  const begin = async () => {
    opened.clock.advance(60_000)
    await post('otp/send', { email: 'ada@example.org' })
    return (await post('otp/verify', { email: 'ada@example.org', code: await message() })).body
  }
  const out = (token: string | undefined, body: object = {}, from = '192.0.2.4') =>
    app.bare('POST /api/auth/logout', {
      body,
      from,
      ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    })
  const [first, second, third] = [await begin(), await begin(), await begin()]
  t.equal((await out(first.token)).status, 204)
  t.equal((await out(first.token)).status, 401)
  t.equal((await out(undefined, { refresh_token: second.refresh_token })).status, 204)
  t.equal((await out(undefined, { refresh_token: second.refresh_token })).status, 204, 'it has ended')
  t.equal((await out(undefined, { refresh_token: 'none' })).status, 204)
  t.equal((await out(third.token, { all: true }, '192.0.2.5')).status, 204)
  const found = await entriesOf(app, 'action=auth.logout')
  const sessions = [first, second, third].map(({ refresh_token: refresh }) => `session:${refresh.slice(5, 17)}`)
  t.strictSame(found.map(({ via }) => via).sort(), sessions.sort())
  const target = { kind: 'user', id: ada.id, title: 'Ada' }
  for (const one of found) t.match(one, { actor: { kind: 'user', id: ada.id }, target, outcome: 'ok', ip: /^192\.0\.2\.[45]$/ })
  t.match(await entriesOf(app, 'action=user.updated'), [{ changed: ['sessions'], ip: '192.0.2.5' }])
})

each('a failure is told with whom it was tried for, and not with what was typed', async (t, { app, ada, post, message }) => {
  await post('login', { email: 'ada@example.org', password: 'covert password typed' }, '192.0.2.4')
  await post('login', { email: 'covert@example.org', password: 'covert password typed' }, '192.0.2.5')
  await post('otp/send', { email: 'ada@example.org' })
  await post('otp/verify', { email: 'ada@example.org', code: wrong(await message()) }, '192.0.2.6')
  await app.bare('GET /api/auth/magic-link/verify?token=covert', { headers: { accept: 'application/json' }, from: '192.0.2.7' })
  const found = await entriesOf(app, 'action=auth.failed')
  const told = found.map(({ ip, via, target, outcome, actor }) => [ip, via, target?.id ?? null, outcome, actor.id])
  t.same(
    told.sort(([a], [b]) => String(a).localeCompare(String(b))),
    [
      ['192.0.2.4', 'password', ada.id, 'failed', null],
      ['192.0.2.5', 'password', null, 'failed', null],
      ['192.0.2.6', 'code', ada.id, 'failed', null],
      ['192.0.2.7', 'link', null, 'failed', null],
    ],
  )
  t.notMatch(JSON.stringify(await entriesOf(app)), /covert/)
})

each('a flood of failures is counted, and told at the end of its minute', async (t, { app, opened, post }) => {
  opened.clock.set('2026-01-15T12:00:00.000Z')
  const fail = (from: string) => post('otp/verify', { email: 'nobody@example.org', code: '000000' }, from)
  for (let n = 0; n < 25; n++) await fail('192.0.2.1')
  for (let n = 0; n < 60; n++) await fail(`198.51.100.${n}`)
  t.equal((await entriesOf(app, 'action=auth.failed')).length, 30, 'ten of one, thirty of all')
  opened.clock.advance(60_000)
  await fail('192.0.2.2')
  const found = await entriesOf(app, 'action=auth.failed')
  const sum = found.reduce((sum, { count = 1 }) => sum + count, 0)
  t.equal(sum, 86, 'none is forgotten')
  t.ok(found.length <= 37, `${found.length} entries`)
  t.match(
    found.find(({ ip, count }) => ip === '192.0.2.1' && count),
    { count: 15, request_id: null, outcome: 'failed' },
  )
  t.match(
    found.find(({ count, ip }) => count && ip === null),
    { count: 36, target: null, via: null },
  )
})

each('what is counted when a server ends is told', async (t, { app, opened, post }) => {
  for (let n = 0; n < 12; n++) await post('otp/verify', { email: 'nobody@example.org', code: '000000' }, '192.0.2.1')
  await app.close()
  const { items } = await opened.audit.page({ action: 'auth.failed' }, {})
  t.equal(
    items.reduce((sum, { count = 1 }) => sum + count, 0),
    12,
  )
})

each('what is refused is told: writes, and reading what is private', async (t, { app, ada, opened }) => {
  const as = (request: string, body?: object) => {
    opened.clock.advance(1_000)
    return app.askAs(ada, request, body ? { body } : {})
  }
  const other = await app.features.users.create({ email: 'ben@example.org', name: 'Ben' }, { name: 'T', email: 't@x.org' })
  const asked: (readonly [request: string, body?: object])[] = [
    ['GET /api/users'],
    ['POST /api/users', { email: 'x@example.org' }],
    [`PATCH /api/users/${other.id}`, { role: 'owner' }],
    [`DELETE /api/users/${other.id}`],
    ['GET /api/webhooks'],
    ['PUT /api/settings/site.tagline', { value: 'x' }],
    ['GET /api/audit'],
  ]
  for (const [request, body] of asked) t.equal((await as(request, body)).status, 403, request)
  const found = await entriesOf(app, 'outcome=refused')
  t.same(found.map(({ action, target }) => `${action} ${target?.kind}/${target?.id}`).reverse(), [
    'user.read user/null',
    'user.created user/null',
    `role.changed user/${other.id}`,
    `user.deleted user/${other.id}`,
    'webhook.read webhook/null',
    'settings.updated setting/site.tagline',
    'audit.read audit/null',
  ])
  t.match(found[0], { actor: { kind: 'user', id: ada.id, name: 'Ada' }, via: /^session:/, ip: '127.0.0.1' })
  t.match(await entriesOf(app, 'action=user.deleted&outcome=ok'), [])
})

t.test('the panel is told of as the API is', (t) =>
  panelOf(
    t,
    {},
    async (t, { app, opened, ada, browser, as }) => {
      const { user: editor, browser: other } = await as('editor')
      opened.clock.advance(1_000)
      await browser.get(`/admin/users/${editor.id}/edit`)
      t.match(await browser.post(`/admin/users/${editor.id}`, { _method: 'PUT', name: 'Ed', role: 'author' }), { status: 303 })
      const [role] = await entriesOf(app, 'action=role.changed')
      t.match(role, { actor: { kind: 'user', id: ada.id }, via: /^session:/, target: { id: editor.id }, ip: '127.0.0.1' })
      const login = (await entriesOf(app, `action=auth.login&actor=${ada.id}`))[0]
      t.match(login, { via: `code ${role?.via}`, outcome: 'ok' })
      await other.get('/admin/login')
      await other.post('/admin/login/password', { email: 'ada@example.org', password: 'covert words' })
      t.match(await entriesOf(app, 'action=auth.failed'), [{ via: 'password', target: { id: ada.id }, outcome: 'failed' }])
      t.notMatch(JSON.stringify(await entriesOf(app)), /covert|example\.org/)
      const [mine] = await entriesOf(app, `action=auth.login&actor=${editor.id}`)
      await as('author')
      await browser.get('/admin/account')
      t.match(await browser.post('/admin/logout'), { status: 303 })
      const [left] = await entriesOf(app, 'action=auth.logout')
      t.match(left, { actor: { id: ada.id }, via: role?.via, target: { id: ada.id }, ip: '127.0.0.1' })
      t.not(mine?.via, left?.via)
      for (const secret of browser.cookies.values()) t.notOk(JSON.stringify(await entriesOf(app)).includes(secret))
    },
    { config: { features: { ...PANEL_FEATURES, audit: true } } },
  ),
)
