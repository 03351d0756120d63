import t, { type Test } from 'tap'
import { BUILT_IN_ROLES, type RoleSetting } from '#core/access/roles.ts'
import { keyOf } from '#core/key.ts'
import type { User } from '#features/users/user.ts'
import { type Answered, TestApp } from '#support/app.ts'
import { git } from '#support/git.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'

const DAY = 86_400_000
const BY = { name: 'Tester', email: 'tester@example.org' }
const ROLES: Readonly<Record<string, RoleSetting>> = {
  writer: { extends: 'viewer', allow: ['content:write@posts'], fields: {} },
}
const FILES = {
  'content/posts/mine.md': '---\ntitle: Mine\nauthor: ada\n---\n',
  'content/posts/draft.md': '---\ntitle: Mine too\nauthor: ada\nstatus: draft\n---\n',
  'content/posts/theirs.md': '---\ntitle: Theirs\nauthor: bob\n---\n',
  'content/posts/hidden.md': '---\ntitle: Hidden\nauthor: bob\nstatus: draft\n---\n',
  'content/notes/n.md': '---\ntitle: Note\nauthor: ada\n---\n',
}

type Ask = (request: string, body?: object, headers?: Record<string, string>) => Promise<Answered>

function each(name: string, body: (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>, history = false): void {
  t.test(name, (t) =>
    eachStore(t, { files: FILES, ...(history && { history }) }, async (t, opened) =>
      body(t, new TestApp(opened, { config: { roles: ROLES } }), opened),
    ),
  )
}

function make(app: TestApp, role: string, name = role): Promise<User> {
  return app.features.users.create({ email: `${name}@example.org`, name, role }, BY)
}

function bearing(app: TestApp, token: string): Ask {
  return (request, body, headers = {}) =>
    app.bare(request, { headers: { authorization: `Bearer ${token}`, ...headers }, ...(body && { body }) })
}

/** Asks as somebody who has signed in. */
async function signedIn(app: TestApp, user: User): Promise<Ask> {
  const { token } = await app.features.auth.sessions.begin(user, 'password')
  return bearing(app, token)
}

/** Makes a token as somebody, and gives what asks with it. */
async function owned(app: TestApp, ask: Ask, body: object): Promise<{ ask: Ask; id: string }> {
  const { status, body: answer, text } = await ask('POST /api/tokens', body)
  if (status !== 201) throw new Error(text)
  return { ask: bearing(app, answer.data.token), id: answer.data.id }
}

const names = ({ body }: Answered): string[] => body.data.map(({ name }: { name: string }) => name)

each('a token is made, is shown once, is listed without its secret, and is revoked', async (t, app, { clock, store }) => {
  const ada = await make(app, 'author', 'ada')
  const ask = await signedIn(app, ada)
  const made = await ask('POST /api/tokens', { name: 'laptop', scopes: ['content:read', 'content:write'], expires: '30d' })
  const { token, ...view } = made.body.data
  t.match(made, { status: 201, headers: { location: `/api/tokens/${view.id}`, 'cache-control': 'no-store' } })
  t.match(token, /^cms_[0-9A-Za-z]{46}$/)
  t.same(view, {
    ...{ id: view.id, name: 'laptop', scopes: ['content:read', 'content:write'], types: [] },
    created_at: new Date(clock.now()).toISOString(),
    expires_at: new Date(clock.now() + 30 * DAY).toISOString(),
    ...{ last_used_at: null, configured: false, owner: { id: ada.id, name: 'ada' } },
  })
  const list = await ask('GET /api/tokens')
  t.same(list.body, { data: [view], meta: { total: 1, per_page: 15, current_page: 1, last_page: 1 } })
  t.equal((await ask('GET /api/tokens', undefined, { 'if-none-match': list.headers.etag ?? '' })).status, 304)
  t.notMatch(JSON.stringify((await store.get(keyOf('.tokens', view.id)))?.fields), token)
  t.equal((await bearing(app, token)('GET /api/cms/posts')).status, 200)
  t.same((await ask(`DELETE /api/tokens/${view.id}`)).body, { data: { id: view.id, deleted: true } })
  t.equal((await bearing(app, token)('GET /api/cms/posts')).status, 401)
  t.equal((await ask(`DELETE /api/tokens/${view.id}`)).status, 404)
  t.same((await ask('GET /api/tokens')).body.data, [])
})

each('the end is a length of time, a moment to come, or never', async (t, app, { clock }) => {
  const ask = await signedIn(app, await make(app, 'author'))
  const end = async (name: string, expires?: string) =>
    (await ask('POST /api/tokens', { name, scopes: ['read'], ...(expires && { expires }) })).body.data?.expires_at
  t.equal(Date.parse(await end('a')), clock.now() + 90 * DAY)
  t.equal(Date.parse(await end('b', '12h')), clock.now() + DAY / 2)
  t.equal(await end('c', 'never'), null)
  t.equal(await end('d', '2099-01-01T01:00:00+01:00'), '2099-01-01T00:00:00.000Z')
  for (const expires of ['', '90', '0d', '2001-01-01T00:00:00Z', '2099-01-01', '2099-13-01T00:00:00Z', 'tomorrow', '999999999d'])
    t.match(await ask('POST /api/tokens', { name: 'x', scopes: ['read'], expires }), {
      status: 422,
      body: { errors: { expires: [] } },
    })
  for (const [body, field] of [
    [{ scopes: ['read'] }, 'name'],
    [{ name: 'x' }, 'scopes'],
    [{ name: 'x', scopes: [] }, 'scopes'],
    [{ name: 'x', scopes: ['reed'] }, 'scopes'],
    [{ name: 'x', scopes: ['read@nowhere'] }, 'scopes'],
    [{ name: 'x', scopes: ['read'], types: ['taxonomy'] }, 'types'],
    [{ name: 'x <y>', scopes: ['read'] }, 'name'],
  ] as const)
    t.match(await ask('POST /api/tokens', body), { status: 422, body: { errors: { [field]: [] } } }, JSON.stringify(body))
  t.equal((await ask('POST /api/tokens', { name: 'a', scopes: ['read'] })).status, 409, 'a name of their own that is taken')
})

each('what a role may do with tokens, and with those of others', async (t, app) => {
  const others = await app.features.tokens.create({ name: 'deploy', scopes: ['read'] })
  const mine = new Map<string, string>()
  const allowed: Readonly<Record<string, 'none' | 'own' | 'all'>> = {
    ...{ viewer: 'none', contributor: 'own', author: 'own', editor: 'own', admin: 'all', owner: 'all' },
    writer: 'own',
  }
  for (const role of [...BUILT_IN_ROLES, 'writer']) {
    const ask = await signedIn(app, await make(app, role))
    const made = await ask('POST /api/tokens', { name: 'mine', scopes: ['read'] })
    t.equal(made.status, allowed[role] === 'none' ? 403 : 201, `${role}: made`)
    if (made.status === 201) mine.set(role, made.body.data.id)
  }
  for (const role of [...BUILT_IN_ROLES, 'writer']) {
    const ask = await signedIn(app, await app.features.users.find(`${role}@example.org`))
    const listed = await ask('GET /api/tokens?per_page=100')
    t.equal(listed.status, allowed[role] === 'none' ? 403 : 200, `${role}: listed`)
    if (allowed[role] === 'own') t.strictSame([names(listed), listed.body.meta.total], [['mine'], 1], role)
    if (allowed[role] === 'all') t.ok(names(listed).includes('deploy'), role)
    const theirs = await ask(`DELETE /api/tokens/${mine.get(role === 'author' ? 'editor' : 'author')}`)
    t.equal(
      theirs.status,
      { none: 403, own: 404, all: role === 'admin' ? 200 : 404 }[allowed[role] ?? 'none'],
      `${role}: revoked another's`,
    )
  }
  const admin = await signedIn(app, await app.features.users.find('admin@example.org'))
  t.equal((await admin(`DELETE /api/tokens/${others.view.id}`)).status, 200, 'one of the command line')
})

each('nobody gives a right that they have not', async (t, app) => {
  const refused = async (ask: Ask, body: object, right: string) => {
    const answer = await ask('POST /api/tokens', { name: 'x', ...body })
    t.match(answer, { status: 403, body: { message: right } }, `${JSON.stringify(body)}: ${answer.text}`)
  }
  const author = await signedIn(app, await make(app, 'author'))
  await refused(author, { scopes: ['users:write'] }, 'users:write')
  await refused(author, { scopes: ['edit'] }, 'taxonomy:write')
  await refused(author, { scopes: ['admin@posts'] }, '@posts')
  const admin = await signedIn(app, await make(app, 'admin'))
  await refused(admin, { scopes: ['billing:write'] }, 'billing:write')
  const writer = await signedIn(app, await make(app, 'writer'))
  await refused(writer, { scopes: ['content:write'] }, 'content:write')
  await refused(writer, { scopes: ['content:write'], types: ['posts', 'notes'] }, 'content:write')
  t.equal((await writer('POST /api/tokens', { name: 'x', scopes: ['content:write'], types: ['posts'] })).status, 201)
  t.equal((await writer('POST /api/tokens', { name: 'y', scopes: ['content:write@posts'] })).status, 201)
  // A token is measured in the same way, and one limited to types knows no others.
  const key = await app.features.tokens.create({ name: 'key', scopes: ['content:read', 'users:write'] })
  await refused(bearing(app, key.token), { scopes: ['content:drafts'] }, 'content:drafts')
  t.match((await bearing(app, key.token)('POST /api/tokens', { name: 'z', scopes: ['read'] })).body, { data: { owner: null } })
  const narrow = await app.features.tokens.create({ name: 'narrow', scopes: ['admin'], types: ['posts'] })
  t.equal((await bearing(app, narrow.token)('POST /api/tokens', { name: 'w', scopes: ['read'] })).status, 403)
  t.equal((await bearing(app, narrow.token)('POST /api/tokens', { name: 'w', scopes: ['read@notes'] })).status, 422, 'as none')
  t.equal((await bearing(app, narrow.token)('POST /api/tokens', { name: 'w', scopes: ['read'], types: ['posts'] })).status, 201)
})

each("a token does what its scopes and its owner's role both allow, at that moment", async (t, app, { clock, store }) => {
  const ada = await make(app, 'author', 'ada')
  const session = await signedIn(app, ada)
  const scopes = ['content:read', 'content:drafts', 'content:write', 'content:publish', 'content:delete']
  const { ask } = await owned(app, session, { name: 'laptop', scopes })
  const put = async (id: string) => (await ask(`PUT /api/cms/posts/${id}`, { title: `Of ${clock.now()}` })).status
  t.same([await put('mine'), await put('theirs'), await put('hidden')], [200, 403, 404], 'own stays own')
  t.equal((await ask('GET /api/cms/posts/draft')).status, 200)
  t.equal((await ask('GET /api/cms/posts')).body.meta.total, 3)
  t.equal((await ask('POST /api/cms/posts', { title: 'New' })).body.data.author, 'ada', 'what it makes is theirs')
  const reading = await owned(app, session, { name: 'reader', scopes: ['read'] })
  t.equal((await reading.ask('GET /api/cms/posts/draft')).status, 404)
  t.equal((await reading.ask('PUT /api/cms/posts/mine', { title: 'x' })).status, 403)
  for (const one of [reading.ask, ask]) {
    t.equal((await one('GET /api/tokens')).status, 403, 'a token manages none, not even those of its owner')
    t.equal((await one('POST /api/tokens', { name: 'heir', scopes: ['content:read'], expires: 'never' })).status, 403)
    t.equal((await one(`DELETE /api/tokens/${reading.id}`)).status, 403)
  }
  await app.features.users.setRole(ada.id, 'viewer', BY)
  t.same([await put('mine'), (await ask('GET /api/cms/posts/draft')).status], [403, 404], 'at the next request')
  await app.features.users.setRole(ada.id, 'editor', BY)
  t.same([await put('mine'), await put('theirs'), await put('hidden')], [200, 200, 200])
  await app.features.users.setDisabled(ada.id, true, BY)
  t.equal(await put('mine'), 401)
  await app.features.users.setDisabled(ada.id, false, BY)
  t.equal(await put('mine'), 200)
  await app.features.users.remove(ada.id, BY)
  t.equal(await put('mine'), 401)
  t.same(
    (await store.heads('.tokens', { where: [{ field: 'owner', op: 'eq', value: ada.id, as: 'text' }] })).items,
    [],
    'they end with the account',
  )
})

each('an owner that can not be read is no licence', async (t, app, { store }) => {
  const { ask, id } = await owned(app, await signedIn(app, await make(app, 'admin')), {
    name: 'x',
    scopes: ['read', 'users:read'],
  })
  t.equal((await ask('GET /api/users')).status, 200)
  const key = keyOf('.tokens', id)
  for (const owner of [['x'], 7, 'nobody', '']) {
    await store.write([{ key, put: { set: { owner } } }], BY)
    t.equal((await ask('GET /api/cms/posts')).status, 401, JSON.stringify(owner))
  }
})

each('a repeated request makes no second token, and its secret is kept nowhere', async (t, app, { ledger }) => {
  const kept: unknown[] = []
  const put = ledger.put.bind(ledger)
  ledger.put = (name, value, ttl) => {
    kept.push(value)
    return put(name, value, ttl)
  }
  const ask = await signedIn(app, await make(app, 'author'))
  const request = () => ask('POST /api/tokens', { name: 'ci', scopes: ['read'] }, { 'idempotency-key': 'one' })
  const [first, second] = [await request(), await request()]
  const { token, ...view } = first.body.data
  t.same([second.status, second.body.data], [201, { ...view, token: null }])
  t.ok(kept.length > 0)
  t.notMatch(JSON.stringify(kept), token.slice(4))
  t.equal((await ask('GET /api/tokens')).body.meta.total, 1)
})

each('a list in parts: those of the configuration first', async (t, app) => {
  for (const name of ['c', 'a', 'd', 'b']) await app.features.tokens.create({ name, scopes: ['read'] })
  const admin = await signedIn(app, await make(app, 'admin'))
  t.same(names(await admin('GET /api/tokens?per_page=3')), ['a', 'b', 'c'])
  const second = await admin('GET /api/tokens?per_page=3&page=2')
  t.same([names(second), second.body.meta.total, second.body.meta.last_page], [['d'], 4, 2])
  t.equal((await admin('GET /api/tokens?pag=2')).status, 400)
})

each(
  "a token's commits are its owner's",
  async (t, app, opened) => {
    const ada = await make(app, 'author', 'ada')
    const { ask } = await owned(app, await signedIn(app, ada), { name: 'laptop', scopes: ['content:read', 'content:write'] })
    t.equal((await ask('PUT /api/cms/posts/mine', { title: 'Another' })).status, 200)
    const revisions = (await app.ask('GET /api/cms/posts/mine/revisions')).body.data
    t.match(revisions[0].author, { name: 'ada via laptop', email: new RegExp(`^user\\+${ada.id}@`) })
    if ('site' in opened)
      t.match(git((opened.site as { root: string }).root, ['log', '-1', '--format=%an <%ae>']), /^ada via laptop </)
  },
  true,
)
