import t, { type Test } from 'tap'
import type { Access } from '#core/access/access.ts'
import type { Store } from '#core/store.ts'
import type { SiteEvent } from '#features/events/event.ts'
import { shownTo } from '#features/events/shown.ts'
import type { User } from '#features/users/user.ts'
import { TestApp } from '#support/app.ts'
import { type Form, PANEL_FEATURES, panelOf } from '#support/panel.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'

const BY = { name: 'Tester', email: 'tester@example.org' }
const FEATURES = { api: true, auth: true, teams: true, billing: true, events: true }
const PLANS = [
  { id: 'pro', name: 'Pro', amount: 4950, interval: 'month', trial_days: 0, seats: 9 },
  { id: 'trial', name: 'Try', amount: 100, interval: 'month', trial_days: 14, seats: null },
]
const DAY = 86_400_000

interface Given {
  readonly app: TestApp
  readonly opened: OpenedStore
  /** Takes the events in, and gives those that came since, as somebody may know of them. */
  told(access?: Access): Promise<SiteEvent[]>
}

function given(t: Test, opened: OpenedStore, store: Store = opened.store): Given {
  const config = { features: FEATURES, billing: { plans: PLANS } }
  const app = new TestApp(opened, { config, deps: { store } })
  t.teardown(() => app.close())
  let seen = -1
  return {
    app,
    opened,
    told: async (access) => {
      const { events, log, shown } = app.features.events
      await events.takeNew()
      const parts = await log.after(seen, 1_000)
      if (!access) seen = parts.at(-1)?.n ?? seen
      const kept = parts.flatMap((part) => part.events)
      if (!access) return kept.map(({ event }) => event)
      const found = await Promise.all(kept.map((one) => shownTo(access, one, shown)))
      return found.filter((event) => event !== undefined)
    },
  }
}

const each = (name: string, body: (t: Test, given: Given) => Promise<void>) =>
  t.test(name, (t) => eachStore(t, {}, async (t, opened) => body(t, given(t, opened))))

const words = (events: readonly SiteEvent[]) =>
  events.map(({ type, data, source }) => [type, ...(data.changed ?? []), source].join(' '))

each('each write of a user that answers show makes its event, and no other', async (t, { app, told }) => {
  const { users } = app.features
  const root = await users.create({ email: 'root@example.org', name: 'Root', role: 'owner' }, BY)
  const [created] = await told()
  t.match(created, {
    type: 'user.created',
    data: { type: 'user', id: root.id, version: null, url: null, changed: null },
    actor: { kind: 'local', name: 'Tester' },
    source: 'cli',
  })
  const made = await app.askAs(root, 'POST /api/users', { body: { email: 'ada@example.org', name: 'Ada' } })
  const { id } = made.body.data
  t.match(await told(), [
    { type: 'user.created', data: { id }, actor: { kind: 'user', id: root.id, name: 'Root' }, source: 'api' },
  ])
  await app.askAs(root, `PUT /api/users/${id}`, { body: { name: 'Ada L.', role: 'editor' } })
  await app.askAs(root, `PUT /api/users/${id}`, { body: { name: 'Ada L.' } })
  await users.setPassword(id, 'covert', BY)
  await users.endSessions(id, BY)
  await users.setDisabled(id, true, BY)
  await app.askAs(root, `DELETE /api/users/${id}`)
  const events = await told()
  t.same(words(events), ['user.updated name role api', 'user.updated disabled cli', 'user.deleted api'])
  t.notMatch(JSON.stringify(events), /covert|example\.org|Ada/, 'no value, and no address')
  t.equal(new Set(events.map((event) => event.id)).size, 3)
  const { total } = await app.features.events.log
    .after(-1)
    .then((parts) => ({ total: parts.flatMap((one) => one.events).length }))
  t.equal(total, 5)
  t.same(await told(), [], 'once')
})

t.test('what is done to users in the panel is told as of there, invitations to teams and their withdrawal too', (t) =>
  panelOf(
    t,
    {},
    async (t, { app, browser }) => {
      const { events } = app.features
      await browser.get('/admin/account')
      await events.events.takeNew()
      const begun = await events.log.newest()
      const send = async (address: string, fields: Form) => t.equal((await browser.post(address, fields)).status, 303, address)
      const idOf = async (name: string) => (await app.features.users.byEmail(`${name}@example.org`))?.id
      await send('/admin/users', { email: 'bob@example.org', name: 'Bob', role: 'editor' })
      const bob = `/admin/users/${await idOf('bob')}`
      await send(bob, { _method: 'PUT', name: 'Bobby', role: 'editor' })
      await send(`${bob}/disable`, {})
      await send(bob, { _method: 'DELETE' })
      await send('/admin/account', { _method: 'PUT', name: 'Ada L.' })
      await send('/admin/teams', { name: 'Acme', slug: 'acme' })
      const [team] = (await app.ask('GET /api/teams')).body.data
      for (const end of ['member', 'team']) {
        await send(`/admin/teams/${team.id}/members`, { email: 'cy@example.org', role: 'member' })
        const invited = `/admin/teams/${team.id}/members/${await idOf('cy')}`
        await send(end === 'team' ? `/admin/teams/${team.id}` : invited, { _method: 'DELETE' })
      }
      await events.events.takeNew()
      const told = (await events.log.after(begun, 1_000)).flatMap((part) => part.events.map(({ event }) => event))
      t.same(words(told), [
        ...['user.created panel', 'user.updated name panel', 'user.updated disabled panel', 'user.deleted panel'],
        'user.updated name panel',
        ...['user.created panel', 'user.deleted panel', 'user.created panel', 'user.deleted panel'],
      ])
    },
    { config: { features: { ...PANEL_FEATURES, ...FEATURES, billing: false } } },
  ),
)

each('what is refused, or fails, makes no event', async (t, { app, told, opened }) => {
  const { users } = app.features
  const root = await users.create({ email: 'root@example.org', role: 'owner' }, BY)
  await told()
  await t.rejects(users.create({ email: 'root@example.org', role: 'viewer' }, BY), { message: /address already/ })
  await t.rejects(users.remove(root.id, BY), { message: /last owner/ })
  await t.rejects(users.setRole(root.id, 'viewer', BY), { message: /last owner/ })
  t.equal((await app.askAs(root, 'DELETE /api/users/nobody')).status, 404)
  t.same(await told(), [])
  // Nobody can write the event: so is the user not there.
  const failing: Store['write'] = async (changes, by) => {
    const broken = changes.map((change) =>
      change.key.kind === '.new-events' && 'put' in change ? { ...change, expects: 'none' } : change,
    )
    return opened.store.write(broken, by)
  }
  const store = new Proxy(opened.store, {
    get: (below, name: keyof Store) => {
      const value = name === 'write' ? failing : below[name]
      return typeof value === 'function' ? value.bind(below) : value
    },
  })
  const broken = given(t, opened, store)
  await t.rejects(broken.app.features.users.create({ email: 'eve@example.org', role: 'viewer' }, BY))
  t.equal(await users.byEmail('eve@example.org'), undefined)
  t.same(await told(), [])
})

each('many at once are told once each, those of a user in their order', async (t, { app, told }) => {
  const { users, events } = app.features
  const made = await Promise.all(Array.from({ length: 30 }, (_, n) => users.create({ email: `u${n}@example.org` }, BY)))
  const rename = async ({ id }: User) => {
    await users.update(id, { name: 'B' }, BY)
    await users.remove(id, BY)
  }
  await Promise.all([...made.map(rename), events.events.takeNew(), events.events.tick(), events.events.takeNew()])
  const told90 = await told()
  t.equal(told90.length, 90)
  for (const { id } of made)
    t.same(
      told90.filter(({ data }) => data.id === id).map(({ type }) => type),
      ['user.created', 'user.updated', 'user.deleted'],
    )
})

each('a subscription is told as it goes on, by whom or by the clock', async (t, { app, told, opened }) => {
  const root = await app.features.users.create({ email: 'root@example.org', role: 'owner' }, BY)
  const team = (await app.askAs(root, 'POST /api/teams', { body: { name: 'Acme' } })).body.data.id
  await told()
  t.equal((await app.askAs(root, 'POST /api/billing/checkout', { body: { plan: 'trial', team } })).status, 201)
  const begun = await told()
  t.match(begun, [{ type: 'subscription.created', data: { type: 'subscription', changed: null }, source: 'api' }])
  await app.askAs(root, 'POST /api/billing/cancel', { body: { team } })
  await app.askAs(root, 'POST /api/billing/resume', { body: { team } })
  await app.features.billing.sweep.run()
  t.same(
    words(await told()),
    ['subscription.updated cancel_at_period_end api', 'subscription.updated cancel_at_period_end api'],
    'and not that somebody looked whether something was due',
  )
  opened.clock.advance(15 * DAY)
  await app.features.billing.sweep.run()
  const [active] = await told()
  t.match(active, { type: 'subscription.updated', actor: null, source: 'clock' })
  t.ok(active?.data.changed?.includes('status'))
})

each('only those are told whose rights cover the thing, at that moment', async (t, { app, told }) => {
  const { users, tokens } = app.features
  const roles = ['owner', 'admin', 'editor', 'author', 'contributor', 'viewer'] as const
  const people = await Promise.all(roles.map((role) => users.create({ email: `${role}@example.org`, name: role, role }, BY)))
  const [root, , editor, author] = people as [User, User, User, User]
  const team = (await app.askAs(root, 'POST /api/teams', { body: { name: 'Acme' } })).body.data.id
  await app.askAs(root, `POST /api/teams/${team}/members`, { body: { user: editor.id, role: 'owner' } })
  await app.askAs(root, `POST /api/teams/${team}/members`, { body: { user: author.id } })
  await app.askAs(editor, 'POST /api/billing/checkout', { body: { plan: 'pro', team } })
  await users.setDisabled(people[5]?.id ?? '', true, BY)
  const sorts = async (user: User) => {
    const acting = await users.byId(user.id)
    // Somebody who is signed in: that is who acts for a team.
    const access = { ...(await users.access(acting as User)), id: `user:${user.id}` }
    const events = await told(access as Access)
    return [...new Set(events.map(({ data }) => data.type))].sort()
  }
  const found = Object.fromEntries(await Promise.all(people.map(async (user) => [user.role, await sorts(user)])))
  t.same(found, {
    ...{ owner: ['subscription', 'user'], admin: ['user'], editor: ['subscription'] },
    ...{ author: [], contributor: [], viewer: [] },
  })
  await app.askAs(root, `DELETE /api/teams/${team}/members/${editor.id}`)
  t.same(await sorts(editor), [], 'no more, once the team is not theirs')
  await users.setRole(people[1]?.id ?? '', 'editor', BY)
  t.same(await sorts(people[1] as User), [], 'nor, once the role is another')
  const reads = async (scopes: string) => {
    const { token } = await tokens.create({ name: scopes, scopes: [scopes], expires: 'never' })
    const found = await tokens.verify(token)
    return [...new Set((await told(found)).map(({ data }) => data.type))].sort()
  }
  t.same([await reads('users:read'), await reads('content:read'), await reads('billing:write')], [['user'], [], ['subscription']])
})

t.test('without events nothing is kept of them', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const app = new TestApp(opened, { config: { features: { ...FEATURES, events: false } } })
    t.teardown(() => app.close())
    await app.features.users.create({ email: 'root@example.org', role: 'owner' }, BY)
    t.equal((await opened.store.heads('.new-events', {})).total, 0)
  }),
)

t.test('what a command wrote is told by a server that runs, and by the first that begins', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const { app, told } = given(t, opened)
    await app.features.users.create({ email: 'root@example.org', role: 'owner' }, BY)
    t.same(await app.features.events.due(), [], 'these are not of the clock')
    t.equal((await opened.store.heads('.new-events', {})).total, 0, 'and are in the log by that')
    t.same(words(await told()), ['user.created cli'])
  }),
)
