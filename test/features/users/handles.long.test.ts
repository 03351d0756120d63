import t, { type Test } from 'tap'
import type { RoleSetting } from '#core/access/roles.ts'
import type { AuthSettings } from '#features/auth/auth.ts'
import { TestApp } from '#support/app.ts'
import { eachStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const BY = { name: 'Tester', email: 'tester@example.org' }
const ROLES: Readonly<Record<string, RoleSetting>> = {
  helper: { extends: 'author', allow: ['users:read', 'users:write'], fields: {} },
}
const FILES = {
  'content/posts/live.md': '---\ntitle: A\nauthor: me\nstatus: published\n---\n',
  'content/notes/draft.md': '---\ntitle: B\nauthor: [you, me-2]\nstatus: draft\n---\n',
  'content/media/a.jpg.yaml': 'alt: A\nuploaded_by: maker\n',
}

function each(name: string, body: (t: Test, app: TestApp) => Promise<void>, auth: Partial<AuthSettings> = {}): void {
  t.test(name, (t) =>
    eachStore(t, { files: FILES }, async (t, opened) => {
      const app = new TestApp(opened, { config: { roles: ROLES, auth } })
      t.teardown(() => app.app.close())
      await body(t, app)
    }),
  )
}

each('a handle that is the author of records is not given by who may write their own alone', async (t, app) => {
  const helper = await app.features.users.create({ email: 'helper@example.org', role: 'helper' }, BY)
  const make = (body: object) => app.askAs(helper, 'POST /api/users', { body: { role: 'author', ...body } })
  for (const handle of ['me', 'you', 'me-2', 'maker'])
    t.match(
      await make({ email: `${handle}@evil.example`, handle }),
      { status: 403, body: { message: /author of records.*content:write/ } },
      handle,
    )
  t.match(await make({ email: 'me@evil.example' }), { status: 201, body: { data: { handle: 'me-3' } } }, 'nor made of an address')
  t.match(await make({ email: 'x@evil.example', name: 'You' }), { status: 201, body: { data: { handle: 'you-2' } } }, 'or a name')
  const free = await make({ email: 'free@evil.example', handle: 'me-4' })
  t.match(free, { status: 201, body: { data: { handle: 'me-4' } } }, 'any other is')
  t.same(
    (await app.features.users.list()).map(({ handle }) => handle),
    ['me-4', 'helper', 'me-3', 'you-2'],
  )
})

each('what a removed user wrote is given to nobody', async (t, app) => {
  const helper = await app.features.users.create({ email: 'helper@example.org', role: 'helper' }, BY)
  const gone = await app.features.users.create({ email: 'gone@example.org', role: 'author' }, BY)
  t.equal((await app.askAs(gone, 'POST /api/cms/posts', { body: { title: 'Mine' } })).status, 201)
  await app.features.users.remove(gone.id, BY)
  const again = await app.askAs(helper, 'POST /api/users', { body: { email: 'gone@example.org', role: 'author' } })
  t.match(again, { status: 201, body: { data: { handle: 'gone-2' } } })
})

t.test('what a removed user wrote and removed is given to nobody', (t) =>
  eachStore(t, { history: true, types: plainTypes({ posts: {} }) }, async (t, opened) => {
    const app = new TestApp(opened, { config: { roles: ROLES } })
    t.teardown(() => app.app.close())
    const helper = await app.features.users.create({ email: 'helper@example.org', role: 'helper' }, BY)
    const gone = await app.features.users.create({ email: 'gone@example.org', role: 'author' }, BY)
    await app.askAs(gone, 'POST /api/cms/posts', { body: { title: 'Mine' } })
    t.equal((await app.askAs(gone, 'DELETE /api/cms/posts/mine')).status, 200)
    await app.features.users.remove(gone.id, BY)
    const chosen = { email: 'gone@example.org', role: 'author', handle: 'gone' }
    t.match(await app.askAs(helper, 'POST /api/users', { body: chosen }), { status: 403 })
    const made = await app.askAs(helper, 'POST /api/users', { body: { email: 'gone@example.org', role: 'author' } })
    t.match(made, { status: 201, body: { data: { handle: 'gone-2' } } })
    const admin = await app.features.users.create({ email: 'admin@example.org', role: 'admin' }, BY)
    t.match(await app.askAs(admin, 'POST /api/users', { body: { ...chosen, email: 'a@example.org' } }), { status: 201 })
  }),
)

each('who may write all content gives any handle', async (t, app) => {
  const admin = await app.features.users.create({ email: 'admin@example.org', role: 'admin' }, BY)
  t.match(await app.askAs(admin, 'POST /api/users', { body: { email: 'a@example.org', handle: 'me' } }), { status: 201 })
  t.match(await app.ask('POST /api/users', { body: { email: 'you@example.org' } }), {
    status: 201,
    body: { data: { handle: 'you' } },
  })
  const limited = { body: { email: 'b@example.org', handle: 'me-2' }, as: 'users:write,content:read,content:write' }
  t.match(await app.ask('POST /api/users', { ...limited, as: 'users:write,content:read' }), { status: 403 })
  t.match(await app.ask('POST /api/users', limited), { status: 201 })
  t.equal((await app.features.users.create({ email: 'c@example.org', handle: 'live' }, BY)).handle, 'live')
})

each(
  'who registers gets no handle that is the author of records',
  async (t, app) => {
    t.match(await app.features.auth.registration.admit('me@evil.example'), { handle: 'me-3', role: 'viewer' })
    t.match(await app.features.auth.registration.admit('x@evil.example', 'You'), { handle: 'you-2', role: 'viewer' })
    t.match(await app.features.auth.registration.admit('new@example.org'), { handle: 'new' })
  },
  { registration: true },
)
