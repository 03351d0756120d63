import t, { type Test } from 'tap'
import type { User } from '#features/users/user.ts'
import { type Answered, type AppOptions, TestApp } from '#support/app.ts'
import { isLong } from '#support/long.ts'
import { eachStore, type OpenedStore, openNode } from '#support/stores.ts'

const BY = { name: 'Tester', email: 'tester@example.org' }
const FEATURES = { api: true, auth: true, teams: true }
const TYPES = { notes: { team: 'acme', fields: {} } }

type Ask = (request: string, body?: unknown, headers?: Record<string, string>) => Promise<Answered>

interface Site {
  readonly app: TestApp
  readonly opened: OpenedStore
  /** Makes somebody of this role, and asks as them. */
  readonly somebody: (name: string, role?: string) => Promise<{ user: User; ask: Ask }>
}

function siteOf(opened: OpenedStore, options: AppOptions = {}): Site {
  const app = new TestApp(opened, { config: { features: FEATURES }, ...options })
  const somebody: Site['somebody'] = async (name, role = 'author') => {
    const user = await app.features.users.create({ email: `${name}@example.org`, name, role }, BY)
    return { user, ask: await askAs(app, user) }
  }
  return { app, opened, somebody }
}

/** Asks as somebody who signs in once. */
async function askAs(app: TestApp, user: User): Promise<Ask> {
  const { token } = await app.features.auth.sessions.begin(user, 'password')
  return (request, body, headers) =>
    app.bare(request, { headers: { authorization: `Bearer ${token}`, ...headers }, ...(body !== undefined && { body }) })
}

function each(name: string, body: (t: Test, site: Site) => Promise<void>, options: AppOptions = {}): void {
  t.test(name, (t) => eachStore(t, {}, async (t, opened) => body(t, siteOf(opened, options))))
}

/** The statuses of requests made one after the other. */
async function statuses(asked: readonly (() => Promise<Answered>)[]): Promise<number[]> {
  const found: number[] = []
  for (const ask of asked) found.push((await ask()).status)
  return found
}

each('a team is made, listed, changed and removed by who may write teams', async (t, { somebody, opened }) => {
  const { user, ask } = await somebody('root', 'admin')
  const made = await ask('POST /api/teams', { name: ' Acme Ltd ' })
  const { id } = made.body.data
  const now = new Date(opened.clock.now()).toISOString()
  const view = {
    ...{ id, name: 'Acme Ltd', slug: 'acme-ltd', types: [], subscription: null, created_at: now },
    members: [{ user: user.id, name: 'root', role: 'owner', since: now, pending: false }],
  }
  t.match(made, { status: 201, headers: { location: `/api/teams/${id}`, 'cache-control': 'no-store' } })
  t.same(made.body, { data: view })
  const got = await ask(`GET /api/teams/${id}`)
  t.same(got.body, { data: view })
  t.match(got.headers.etag, /^"[0-9a-f]{40}"$/)
  t.equal((await ask(`GET /api/teams/${id}`, undefined, { 'if-none-match': got.headers.etag ?? '' })).status, 304)
  t.equal((await ask('POST /api/teams', { name: 'Acme Ltd' })).body.data.slug, 'acme-ltd-2', 'a slug of a name is numbered')
  t.match(await ask('POST /api/teams', { name: 'X', slug: 'acme-ltd' }), { status: 409, body: { message: /slug already/ } })
  t.match(await ask(`PUT /api/teams/${id}`, { name: 'Acme', slug: 'acme' }), { body: { data: { name: 'Acme', slug: 'acme' } } })
  t.match(await ask(`PUT /api/teams/${id}`, { slug: 'acme-ltd-2' }), { status: 409 })
  const list = await ask('GET /api/teams?per_page=1')
  t.match(list.body, { data: [{ name: 'Acme' }], meta: { total: 2, last_page: 2 } })
  t.match(await ask(`DELETE /api/teams/${id}`), { status: 200, body: { data: { id, deleted: true } } })
  t.match(await ask(`GET /api/teams/${id}`), { status: 404, body: { message: 'The team was not found.' } })
})

each('what is wrong is said by field', async (t, { somebody }) => {
  const { ask } = await somebody('root', 'admin')
  for (const body of [{}, { name: '' }, { name: 'x'.repeat(101) }, { name: 'A', slug: 'Ä b' }, { name: 'A', members: [] }, []])
    t.equal((await ask('POST /api/teams', body)).status, 422, JSON.stringify(body))
  const { id } = (await ask('POST /api/teams', { name: 'Acme' })).body.data
  const user = 'nobody0000000000'
  for (const body of [{}, { user }, { user, email: 'a@b.example' }, { email: 'a@' }, { email: 'a@b.example', role: 'admin' }])
    t.equal((await ask(`POST /api/teams/${id}/members`, body)).status, 422, JSON.stringify(body))
  t.match(await ask(`PUT /api/teams/${id}/members/${user}`, { role: 'owner' }), { status: 404 })
  t.match(await ask(`DELETE /api/teams/${id}/members/${user}`), { status: 404 })
})

each('owners manage members and nothing else; members read, and leave', async (t, { somebody }) => {
  const root = await somebody('root', 'admin')
  const [ada, bob, cy] = [await somebody('ada'), await somebody('bob', 'viewer'), await somebody('cy')]
  const { id } = (await root.ask('POST /api/teams', { name: 'Acme' })).body.data
  const url = `/api/teams/${id}`
  t.equal((await root.ask(`POST ${url}/members`, { user: ada.user.id, role: 'owner' })).status, 201)
  t.match(await ada.ask(`POST ${url}/members`, { email: 'Bob@Example.org' }), {
    status: 201,
    body: { data: { user: bob.user.id, name: 'bob', role: 'member', pending: false } },
  })
  t.equal((await ada.ask(`POST ${url}/members`, { user: bob.user.id })).status, 409)
  t.same(
    await statuses([
      () => ada.ask(`PUT ${url}`, { name: 'X' }),
      () => ada.ask(`DELETE ${url}`),
      () => ada.ask('POST /api/teams', { name: 'X' }),
      () => bob.ask(`GET ${url}`),
      () => bob.ask(`PUT ${url}`, { name: 'X' }),
      () => bob.ask(`POST ${url}/members`, { user: cy.user.id }),
      () => bob.ask(`PUT ${url}/members/${bob.user.id}`, { role: 'owner' }),
      () => bob.ask(`DELETE ${url}/members/${ada.user.id}`),
      () => bob.ask(`DELETE ${url}/members/nobody`),
    ]),
    [403, 403, 403, 200, 403, 403, 403, 403, 403],
  )
  t.match((await bob.ask('GET /api/teams')).body, { data: [{ id }], meta: { total: 1 } })
  t.match((await cy.ask('GET /api/teams')).body, { data: [], meta: { total: 0 } })
  t.match(await ada.ask(`PUT ${url}/members/${bob.user.id}`, { role: 'owner' }), { body: { data: { role: 'owner' } } })
  t.equal((await bob.ask(`DELETE ${url}/members/${ada.user.id}`)).status, 200)
  t.equal((await ada.ask(`GET ${url}`)).status, 404, 'who was removed knows it no more')
  t.equal((await bob.ask(`DELETE ${url}/members/${bob.user.id}`)).status, 200, 'leaving')
  t.match((await root.ask(`GET ${url}`)).body.data.members, [{ user: root.user.id, role: 'owner' }])
})

each('the last owner stays, however they are to go', async (t, { somebody, app }) => {
  const [root, ada] = [await somebody('root', 'admin'), await somebody('ada')]
  const { id } = (await root.ask('POST /api/teams', { name: 'Acme' })).body.data
  const url = `/api/teams/${id}/members`
  await root.ask(`POST ${url}`, { user: ada.user.id })
  await root.ask(`POST ${url}`, { email: 'new@example.org', role: 'owner' })
  const gone = [
    () => root.ask(`DELETE ${url}/${root.user.id}`),
    () => root.ask(`PUT ${url}/${root.user.id}`, { role: 'member' }),
    () => root.ask(`DELETE /api/users/${root.user.id}`),
  ]
  t.same(await statuses(gone), [409, 409, 409], 'neither a member nor who was invited is an owner')
  await root.ask(`PUT ${url}/${ada.user.id}`, { role: 'owner' })
  await app.features.users.setDisabled(ada.user.id, true, BY)
  t.equal((await root.ask(`DELETE ${url}/${root.user.id}`)).status, 409, 'nor one who is disabled')
  await app.features.users.setDisabled(ada.user.id, false, BY)
  t.equal((await root.ask(`DELETE ${url}/${root.user.id}`)).status, 200)
})

each('who is removed from the site is in no team; who is disabled keeps their place', async (t, { somebody, app }) => {
  const [root, ada] = [await somebody('root', 'owner'), await somebody('ada')]
  const { id } = (await root.ask('POST /api/teams', { name: 'Acme' })).body.data
  await root.ask(`POST /api/teams/${id}/members`, { user: ada.user.id })
  await app.features.users.setDisabled(ada.user.id, true, BY)
  t.equal((await ada.ask(`GET /api/teams/${id}`)).status, 401)
  t.equal((await root.ask(`GET /api/teams/${id}`)).body.data.members.length, 2)
  await app.features.users.remove(ada.user.id, BY)
  t.match((await root.ask(`GET /api/teams/${id}`)).body.data.members, [{ user: root.user.id }])
})

each('an address that is nobody’s is invited, once, and pending until the first sign-in', async (t, { somebody, app }) => {
  const [root, ada] = [await somebody('root', 'admin'), await somebody('ada', 'viewer')]
  const { id } = (await root.ask('POST /api/teams', { name: 'Acme' })).body.data
  const url = `/api/teams/${id}/members`
  await root.ask(`POST ${url}`, { user: ada.user.id, role: 'owner' })
  const body = { email: 'new@example.org', role: 'owner' }
  const headers = { 'idempotency-key': 'k1' }
  const [first, again] = [await ada.ask(`POST ${url}`, body, headers), await ada.ask(`POST ${url}`, body, headers)]
  t.match(first, { status: 201, body: { data: { name: 'new', role: 'owner', pending: true } } })
  t.same([again.status, again.body], [201, first.body])
  t.match(app.messages, [{ template: 'invitation', to: 'new@example.org' }])
  t.equal(app.messages.length, 1)
  const user = await app.features.users.find('new@example.org')
  t.match(user, { id: first.body.data.user, role: 'viewer' }, 'an invitation gives no right on the site')
  const ask = await askAs(app, user)
  t.match((await ask(`GET /api/teams/${id}`)).body.data.members[2], { user: user.id, role: 'owner', pending: false })
})

each('an invitation that is withdrawn leaves no account; one that was taken does', async (t, { somebody, app }) => {
  const root = await somebody('root', 'admin')
  const [a, b] = [await root.ask('POST /api/teams', { name: 'A' }), await root.ask('POST /api/teams', { name: 'B' })].map(
    ({ body }) => `/api/teams/${body.data.id}`,
  )
  const invite = async (email: string) => (await root.ask(`POST ${a}/members`, { email })).body.data.user as string
  const [never, taken, shared] = [await invite('x@example.org'), await invite('y@example.org'), await invite('z@example.org')]
  await app.features.auth.sessions.begin((await app.features.users.byId(taken)) as User, 'code')
  await root.ask(`POST ${b}/members`, { user: shared })
  for (const user of [never, taken, shared]) t.equal((await root.ask(`DELETE ${a}/members/${user}`)).status, 200)
  const left = await Promise.all([never, taken, shared].map(async (user) => (await app.features.users.byId(user)) !== undefined))
  t.same(left, [false, true, true])
  const last = await invite('w@example.org')
  t.equal((await root.ask(`DELETE ${a}`)).status, 200)
  t.equal(await app.features.users.byId(last), undefined, 'with the team its invitations end')
})

each('who was invited to one team and never came is no owner that another can be left to', async (t, { somebody }) => {
  const root = await somebody('root', 'admin')
  const [a, b] = [await root.ask('POST /api/teams', { name: 'A' }), await root.ask('POST /api/teams', { name: 'B' })].map(
    ({ body }) => `/api/teams/${body.data.id}/members`,
  )
  const { user } = (await root.ask(`POST ${a}`, { email: 'x@example.org' })).body.data
  t.match((await root.ask(`POST ${b}`, { user, role: 'owner' })).body.data, { user, pending: true })
  t.equal((await root.ask(`DELETE ${b}/${root.user.id}`)).status, 409)
  t.equal((await root.ask(`DELETE ${b}/${user}`)).status, 200)
})

each('one address gets five invitations an hour, whatever it is called', async (t, { somebody, app }) => {
  const [root, ada] = [await somebody('root', 'admin'), await somebody('ada', 'viewer')]
  const { id } = (await root.ask('POST /api/teams', { name: 'Acme' })).body.data
  const url = `/api/teams/${id}/members`
  await root.ask(`POST ${url}`, { user: ada.user.id, role: 'owner' })
  const found: number[] = []
  for (const email of ['x@example.org', 'X@example.org', 'x@EXAMPLE.org', 'x@example.org', 'x@example.org', 'x@Example.org']) {
    const { status, body } = await ada.ask(`POST ${url}`, { email })
    found.push(status)
    if (status === 201) await ada.ask(`DELETE ${url}/${body.data.user}`)
  }
  t.same(found, [201, 201, 201, 201, 201, 429])
  t.equal(app.messages.length, 5)
  t.equal(await app.features.users.byEmail('x@example.org'), undefined)
})

each(
  'an invitation that can not be sent leaves nothing',
  async (t, { somebody, app }) => {
    const root = await somebody('root', 'admin')
    const { id } = (await root.ask('POST /api/teams', { name: 'Acme' })).body.data
    t.equal((await root.ask(`POST /api/teams/${id}/members`, { email: 'new@example.org' })).status, 500)
    t.equal(await app.features.users.byEmail('new@example.org'), undefined)
    t.equal((await root.ask(`GET /api/teams/${id}`)).body.data.members.length, 1)
  },
  {
    config: { features: FEATURES },
    send: async () => {
      throw new Error('The disk is full.')
    },
  },
)

each(
  'a team that owns a type stays, and keeps its slug',
  async (t, { somebody }) => {
    const { ask } = await somebody('root', 'admin')
    const { id } = (await ask('POST /api/teams', { name: 'Acme' })).body.data
    t.same((await ask(`GET /api/teams/${id}`)).body.data.types, ['notes'])
    t.match(await ask(`DELETE /api/teams/${id}`), { status: 409, body: { message: /notes/ } })
    t.equal((await ask(`PUT /api/teams/${id}`, { slug: 'other' })).status, 409)
    t.equal((await ask(`PUT /api/teams/${id}`, { name: 'Other', slug: 'acme' })).status, 200)
  },
  { config: { features: FEATURES, types: TYPES } },
)

each('tokens: one of nobody writes teams and makes none; one of a member is no member', async (t, { somebody, app }) => {
  const [root, ada] = [await somebody('root', 'admin'), await somebody('ada')]
  t.equal((await app.ask('POST /api/teams', { body: { name: 'X' } })).status, 403)
  const { id } = (await root.ask('POST /api/teams', { name: 'Acme' })).body.data
  await root.ask(`POST /api/teams/${id}/members`, { user: ada.user.id, role: 'owner' })
  t.equal((await app.ask(`GET /api/teams/${id}`)).status, 200)
  t.equal((await app.ask(`GET /api/teams/${id}`, { as: 'edit' })).status, 404)
  const { token } = await app.features.tokens.create({ name: 'ci', scopes: ['edit'] }, BY, ada.user.id)
  const headers = { authorization: `Bearer ${token}` }
  t.equal((await app.bare(`GET /api/teams/${id}`, { headers })).status, 404)
  t.equal((await app.bare(`DELETE /api/teams/${id}/members/${ada.user.id}`, { headers })).status, 404)
})

each('of two owners that leave at once, on two nodes, one stays', async (t, { opened, app, somebody }) => {
  const isShared = opened.name === 'postgres'
  const node = isShared ? await openNode(t, opened as OpenedStore & { url: string }) : opened
  const other = siteOf(node).app
  const root = await somebody('root', 'admin')
  for (let round = 0; round < (isLong ? 5 : 1); round++) {
    const [one, two] = [await somebody(`a${round}`), await somebody(`b${round}`)]
    const { id } = (await root.ask('POST /api/teams', { name: 'Acme' })).body.data
    const url = `/api/teams/${id}/members`
    for (const { user } of [one, two]) await root.ask(`POST ${url}`, { user: user.id, role: 'owner' })
    await root.ask(`DELETE ${url}/${root.user.id}`)
    const leave = (on: TestApp, user: User) => on.askAs(user, `DELETE ${url}/${user.id}`)
    const answers = await Promise.all([leave(app, one.user), leave(other, two.user)])
    t.same(answers.map(({ status }) => status).sort(), [200, 409])
    t.equal((await root.ask(`GET /api/teams/${id}`)).body.data.members.length, 1)
  }
})

each('switched off, there are no teams', async (t, { app }) => void t.equal((await app.ask('GET /api/teams')).status, 404), {
  config: { features: { ...FEATURES, teams: false } },
})
