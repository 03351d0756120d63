import t, { type Test } from 'tap'
import { BUILT_IN_ROLES, type RoleSetting } from '#core/access/roles.ts'
import type { User } from '#features/users/user.ts'
import { type Answered, type AppOptions, TestApp } from '#support/app.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'

const BY = { name: 'Tester', email: 'tester@example.org' }
const ROLES: Readonly<Record<string, RoleSetting>> = {
  reader: { extends: 'admin', allow: [], fields: { posts: ['title'] } },
  boss: { extends: 'admin', allow: ['billing:write@posts'], fields: {} },
}
const FILES = { 'content/posts/a.md': '---\ntitle: A\nauthor: ada\n---\n' }

function each(name: string, body: (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>, options: AppOptions = {}): void {
  t.test(name, (t) =>
    eachStore(t, { files: FILES }, async (t, opened) =>
      body(t, new TestApp(opened, { config: { roles: ROLES }, ...options }), opened),
    ),
  )
}

/** Somebody of this role, named after it. */
function make(app: TestApp, role: string, name = role): Promise<User> {
  return app.features.users.create({ email: `${name}@example.org`, name, role }, BY)
}

/** Asks as somebody who has signed in once. */
async function signedIn(app: TestApp, user: User): Promise<(request: string, body?: object) => Promise<Answered>> {
  const { token } = await app.features.auth.sessions.begin(user, 'password')
  const headers = { authorization: `Bearer ${token}` }
  return (request, body) => app.bare(request, { headers, ...(body && { body }) })
}

async function statusOf(asked: Promise<{ status: number }>): Promise<number> {
  return (await asked).status
}

each('a user as they are shown: nothing of how they sign in', async (t, app, { clock }) => {
  const created = await app.ask('POST /api/users', { body: { email: ' Ada@Example.org ', name: 'Ada', role: 'editor' } })
  const { id } = created.body.data
  const view = {
    ...{ id, email: 'ada@example.org', name: 'Ada', handle: 'ada', role: 'editor', disabled: false },
    created_at: new Date(clock.now()).toISOString(),
  }
  t.match(created, { status: 201, headers: { location: `/api/users/${id}`, 'cache-control': 'no-store' } })
  t.same(created.body, { data: view })
  await app.features.users.setPassword(id, 'scrypt$secret', BY)
  const got = await app.ask(`GET /api/users/${id}`)
  t.same(got.body, { data: view })
  t.match(got, { status: 200, headers: { 'cache-control': 'no-store', etag: /^"[0-9a-f]{40}"$/ } })
  t.equal((await app.ask(`GET /api/users/${id}`, { headers: { 'if-none-match': got.headers.etag ?? '' } })).status, 304)
  const list = await app.ask('GET /api/users')
  t.same(list.body, { data: [view], meta: { total: 1, per_page: 15, current_page: 1, last_page: 1 } })
  for (const { text } of [created, got, list]) t.notMatch(text, /scrypt|secret|token_?version/i)
})

each('a list in parts, by address', async (t, app) => {
  for (const name of ['c', 'a', 'e', 'b', 'd']) await make(app, 'viewer', name)
  const part = await app.ask('GET /api/users?page=2&per_page=2')
  t.same(
    part.body.data.map(({ name }: { name: string }) => name),
    ['c', 'd'],
  )
  t.same(part.body.meta, { total: 5, per_page: 2, current_page: 2, last_page: 3 })
  t.match(await app.ask('GET /api/users?page=9'), { status: 200, body: { data: [], meta: { current_page: 9 } } })
  t.match(await app.ask('GET /api/users?per_page=1000'), { status: 200, body: { meta: { per_page: 100 } } })
  for (const query of ['page=0', 'page=x', 'per_page=-1'])
    t.match(await app.ask(`GET /api/users?${query}`), { status: 422 }, query)
  t.match(await app.ask('GET /api/users?pag=2'), { status: 400, body: { message: /Did you mean "page"/ } })
  t.match(await app.ask('GET /api/users?q=ada'), { status: 400 })
})

each('who makes a user has an invitation sent; a request that comes again makes nothing and sends nothing', async (t, app) => {
  const headers = { 'idempotency-key': 'k1' }
  const body = { email: 'ada@example.org' }
  const [first, again] = [
    await app.ask('POST /api/users', { body, headers }),
    await app.ask('POST /api/users', { body, headers }),
  ]
  t.same([first.status, again.status, again.body], [201, 201, first.body])
  t.match(app.messages, [{ template: 'invitation', to: 'ada@example.org', data: {} }])
  t.equal(app.messages.length, 1)
  t.equal((await app.features.users.list()).length, 1)
  t.equal((await app.features.users.find('ada')).passwordHash, undefined)
})

each(
  'a user whose invitation can not be kept is not made',
  async (t, app) => {
    t.equal((await app.ask('POST /api/users', { body: { email: 'ada@example.org' } })).status, 500)
    t.same(await app.features.users.list(), [])
  },
  {
    send: async () => {
      throw new Error('The disk is full.')
    },
  },
)

each('what is wrong with a new user, or a change of one, is said by field', async (t, app) => {
  const ada = await make(app, 'viewer', 'ada')
  const ask = (body: unknown) => app.ask('POST /api/users', { body })
  t.match(await ask({ email: 'a@b@c', name: '', handle: '?' }), {
    status: 422,
    body: { errors: { email: [/plain address/], name: [/required/], handle: [/small letters/] } },
  })
  t.match(await ask({ email: 'bob@example.org', role: 'edtor' }), {
    status: 422,
    body: { errors: { role: [/Did you mean "editor"/] } },
  })
  t.match(await ask({}), { status: 422, body: { errors: { email: [/required/] } } })
  for (const field of ['password', 'passwordHash', 'token_version', 'id', 'disabled'])
    t.match(await ask({ email: 'bob@example.org', [field]: 'x' }), { status: 422, body: { errors: { [field]: [/no field/] } } })
  for (const email of [7, null, ['bob@example.org'], { address: 'bob@example.org' }]) t.equal((await ask({ email })).status, 422)
  t.match(await ask({ email: 'ADA@example.org' }), { status: 409, body: { message: /address already/ } })
  t.match(await ask({ email: 'bob@example.org', handle: 'ada' }), { status: 409, body: { message: /handle already/ } })
  const change = (body: unknown) => app.ask(`PATCH /api/users/${ada.id}`, { body })
  for (const body of [{ name: '' }, { role: 'nobody' }, { disabled: 'false' }, { email: 'x@example.org' }, { handle: 'x' }, []])
    t.equal((await change(body)).status, 422, JSON.stringify(body))
  t.same(await app.features.users.byId(ada.id), ada)
  for (const id of ['nobody', '..%2fx', '%00', 'A'.repeat(300)]) {
    for (const request of ['GET', 'DELETE']) t.equal((await app.ask(`${request} /api/users/${id}`)).status, 404, id)
    t.equal((await app.ask(`PATCH /api/users/${id}`, { body: { name: 'X' } })).status, 404, id)
  }
})

each('who may read users and who may write them, by role', async (t, app) => {
  const allowed = ['admin', 'owner']
  const target = await make(app, 'viewer', 'target')
  for (const role of BUILT_IN_ROLES) {
    const user = await make(app, role)
    const may = allowed.includes(role)
    const gone = await make(app, 'viewer', `gone-${role}`)
    const ask = await signedIn(app, user)
    const answers = {
      list: await ask('GET /api/users'),
      get: await ask(`GET /api/users/${target.id}`),
      self: await ask(`GET /api/users/${user.id}`),
      create: await ask('POST /api/users', { email: `by-${role}@example.org` }),
      update: await ask(`PATCH /api/users/${target.id}`, { name: role }),
      remove: await ask(`DELETE /api/users/${gone.id}`),
    }
    for (const [what, { status, body }] of Object.entries(answers)) {
      t.equal(status, may ? (what === 'create' ? 201 : 200) : 403, `${role}: ${what}`)
      if (!may) t.match(body, { error: 'Forbidden', message: /users:(?:read|write)/ }, `${role}: ${what}`)
    }
    t.equal((await app.features.users.byId(gone.id)) === undefined, may)
  }
  t.equal((await app.bare('GET /api/users')).status, 401)
})

each('nobody gives a role above their own, nor changes who has one', async (t, app) => {
  for (const asker of ['admin', 'owner'] as const) {
    const ask = await signedIn(app, await make(app, asker))
    for (const [rank, role] of BUILT_IN_ROLES.entries()) {
      const may = rank <= BUILT_IN_ROLES.indexOf(asker)
      const made = await ask('POST /api/users', { email: `${asker}-${role}@example.org`, role })
      t.equal(made.status, may ? 201 : 403, `${asker} makes ${role}`)
      if (!may) t.match(made.body.message, /billing:write/, 'it names the right')
      const other = await make(app, 'viewer', `${asker}-gets-${role}`)
      t.equal((await ask(`PATCH /api/users/${other.id}`, { role })).status, may ? 200 : 403, `${asker} gives ${role}`)
      t.equal((await app.features.users.byId(other.id))?.role, may ? role : 'viewer')
      const held = await make(app, role, `${asker}-held-${role}`)
      for (const body of [{ name: 'X' }, { role: 'viewer' }, { disabled: true }]) {
        const { id } = body.name ? held : await make(app, role, `${asker}-${role}-${Object.keys(body)[0]}`)
        t.equal(
          (await ask(`PATCH /api/users/${id}`, body)).status,
          may ? 200 : 403,
          `${asker} changes ${role}: ${Object.keys(body)}`,
        )
      }
      t.equal((await ask(`DELETE /api/users/${held.id}`)).status, may ? 200 : 403, `${asker} removes ${role}`)
    }
  }
})

each('roles of the configuration are measured by what they may', async (t, app) => {
  const [admin, reader, boss] = [await make(app, 'admin'), await make(app, 'reader'), await make(app, 'boss')]
  const gives = async (user: User, role: string) => {
    const other = await make(app, 'viewer', `${user.role}-${role}`)
    return app.askAs(user, `PATCH /api/users/${other.id}`, { body: { role } })
  }
  t.match(await gives(admin, 'boss'), { status: 403, body: { message: /billing:write@posts/ } }, 'a right for one type counts')
  t.match(await gives(boss, 'boss'), { status: 200 })
  t.match(await gives(boss, 'owner'), { status: 403, body: { message: /billing:write\./ } })
  t.match(await gives(admin, 'reader'), { status: 200 }, 'a role with fewer fields is below')
  t.match(await gives(reader, 'admin'), { status: 403, body: { message: /content:write@posts/ } }, 'and can not give more')
  t.match(await gives(reader, 'reader'), { status: 200 })
  t.match(await gives(reader, 'viewer'), { status: 200 })
})

each('a token gives what it has itself', async (t, app) => {
  const create = (role: string, as: string, types: string[] = []) =>
    app.ask('POST /api/users', { body: { email: `${role}-${as.length}@example.org`, role }, as, types })
  t.match(await create('viewer', 'users:write'), { status: 403, body: { message: /content:read/ } })
  t.match(await create('viewer', 'users:write,content:read'), { status: 201 })
  t.match(await create('editor', 'users:write,content:read'), { status: 403, body: { message: /content:drafts/ } })
  t.match(await create('editor', 'users:write,edit,menus:write'), { status: 201 })
  t.match(await create('owner', 'admin'), { status: 201 })
  t.match(await create('viewer', 'admin', ['posts']), { status: 403 }, 'one for some types has no right for all')
  t.match(await create('viewer', 'users:read'), { status: 403, body: { message: /users:write/ } })
  t.equal((await app.ask('GET /api/users', { as: 'users:write' })).status, 403)
  t.equal((await app.ask('GET /api/users', { as: 'users:read' })).status, 200)
})

each('who may not read users reads none by changing them', async (t, app) => {
  const { id } = await make(app, 'viewer')
  const change = (as: string) => app.ask(`PATCH /api/users/${id}`, { body: { name: 'New' }, as })
  t.match(await change('users:write,content:read'), { status: 403, body: { message: /users:read/ } })
  t.match(await change('users:read,content:read'), { status: 403, body: { message: /users:write/ } })
  t.match(await change('users:read,users:write,content:read'), { status: 200, body: { data: { name: 'New' } } })
})

each('the last owner stays', async (t, app) => {
  const owner = await make(app, 'owner')
  const url = `/api/users/${owner.id}`
  for (const body of [{ role: 'admin' }, { disabled: true }])
    t.match(await app.askAs(owner, `PATCH ${url}`, { body }), {
      status: 409,
      body: { error: 'Conflict', message: /last owner.*somebody else/ },
    })
  t.match(await app.askAs(owner, `DELETE ${url}`), { status: 409 })
  await make(app, 'owner', 'second')
  t.match(await app.askAs(owner, `PATCH ${url}`, { body: { role: 'admin', name: 'Was owner' } }), {
    status: 200,
    body: { data: { role: 'admin', name: 'Was owner' } },
  })
})

each('who is disabled, removed or given another role is out at the next request', async (t, app) => {
  for (const [n, end] of [
    (id: string) => app.ask(`PATCH /api/users/${id}`, { body: { disabled: true } }),
    (id: string) => app.ask(`PATCH /api/users/${id}`, { body: { role: 'editor' } }),
    (id: string) => app.ask(`DELETE /api/users/${id}`),
  ].entries()) {
    const user = await make(app, 'admin', `admin-${n}`)
    const { token } = await app.features.auth.sessions.begin(user, 'link')
    const headers = { authorization: `Bearer ${token}` }
    t.equal((await app.bare('GET /api/users', { headers })).status, 200)
    t.equal(await statusOf(app.ask(`PATCH /api/users/${user.id}`, { body: { name: 'Another' } })), 200)
    t.equal((await app.bare('GET /api/users', { headers })).status, 200, 'another name ends nothing')
    t.equal(await statusOf(end(user.id)), 200)
    t.equal((await app.bare('GET /api/users', { headers })).status, 401)
  }
})

each('what a removed user wrote stays, and keeps its author', async (t, app) => {
  const ada = await make(app, 'author', 'ada')
  t.match(await app.ask(`DELETE /api/users/${ada.id}`), { status: 200, body: { data: { id: ada.id, deleted: true } } })
  t.match(await app.ask('GET /api/cms/posts/a'), { status: 200, body: { data: { author: 'ada' } } })
})

each(
  'where nobody signs in there are no users',
  async (t, app) => {
    t.equal((await app.ask('GET /api/users')).status, 404)
  },
  { config: { features: { api: true, auth: false } } },
)
