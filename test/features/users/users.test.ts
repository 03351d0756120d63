import t, { type Test } from 'tap'
import { Roles } from '#core/access/roles.ts'
import { keyOf } from '#core/key.ts'
import type { Store } from '#core/store.ts'
import { Users } from '#features/users/users.ts'
import { eachStore, type OpenedStore, openFiles, openFolder, openNode, openPostgres } from '#support/stores.ts'

const BY = { name: 'Tester', email: 'tester@example.org' }
const SITE_HOST = 'site.example'
const ROLES = { translator: { extends: 'author', allow: ['content:write@posts'], fields: { posts: ['title'] } } }

function usersOn(store: Store, { types, clock }: OpenedStore): Users {
  return new Users({ store, types, clock, roles: new Roles(ROLES), siteHost: SITE_HOST })
}

function each(name: string, body: (t: Test, users: Users, opened: OpenedStore) => Promise<void>): void {
  t.test(name, (t) => eachStore(t, {}, (t, opened) => body(t, usersOn(opened.store, opened), opened)))
}

/** Runs `body` with the users of one site on two servers of it, or on a server and a command. */
function onTwo(name: string, body: (t: Test, one: Users, other: Users) => Promise<void>): void {
  t.test(`${name}: files`, async (t) => {
    const opened = await openFiles({})
    const store = await openFolder(opened.site, opened.types, opened.clock)
    t.teardown(() => store.close().then(opened.close))
    await body(t, usersOn(opened.store, opened), usersOn(store, opened))
  })
  t.test(`${name}: PostgreSQL`, async (t) => {
    const opened = await openPostgres({})
    t.teardown(opened.close)
    const { store } = await openNode(t, opened)
    await body(t, usersOn(opened.store, opened), usersOn(store, opened))
  })
}

/** Counts the promises that succeeded, and collects the errors of the others. */
async function outcomes(all: readonly Promise<unknown>[]): Promise<{ done: number; refused: number[] }> {
  const settled = await Promise.allSettled(all)
  const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason.status ?? one.reason] : []))
  return { done: settled.length - refused.length, refused: [...new Set(refused)] }
}

each('a user is found by id, address and handle, and by nothing else', async (t, users, { clock }) => {
  const ada = await users.create({ email: ' Ada@Bücher.Example', name: 'Ada Lovelace' }, BY)
  t.match(ada, {
    email: 'ada@xn--bcher-kva.example',
    name: 'Ada Lovelace',
    handle: 'ada-lovelace',
    role: 'viewer',
    disabled: false,
  })
  t.match(ada.id, /^[a-z0-9]{16}$/)
  t.equal(ada.createdAt, new Date(clock.now()).toISOString())
  t.equal(ada.passwordHash, undefined)
  t.same(await users.byId(ada.id), ada)
  t.same(await users.byEmail('ADA@bücher.example'), ada)
  for (const who of [ada.id, 'ada@BÜCHER.example', 'ada-lovelace']) t.same(await users.find(who), ada, who)
  for (const who of ['ada', 'Ada Lovelace', 'ADA-LOVELACE', '', '../x', 'ada@example.org', '@'])
    await t.rejects(users.find(who), { message: /^There is no user/, status: 404 }, who)
  t.equal(await users.byEmail('<ada@xn--bcher-kva.example>'), undefined)
})

each('what is not said of a user is made of the address', async (t, users) => {
  const first = await users.create({ email: 'grace.hopper+news@example.org' }, BY)
  t.match(first, { name: 'grace.hopper', handle: 'grace-hopper', role: 'viewer' })
  const second = await users.create({ email: 'grace@example.org', name: 'Grace Hopper' }, BY)
  t.equal(second.handle, 'grace-hopper-2')
  t.equal((await users.create({ email: 'x@example.org', name: '***' }, BY)).handle, 'user')
  const long = await users.create({ email: 'y@example.org', name: 'x'.repeat(100) }, BY)
  t.equal(long.handle, 'x'.repeat(90))
  t.same(
    (await users.list()).map(({ email }) => email),
    ['grace.hopper+news@example.org', 'grace@example.org', 'x@example.org', 'y@example.org'],
  )
  const { items, total } = await users.page({ offset: 1, limit: 2 })
  t.same([items.map(({ handle }) => handle), total], [['grace-hopper-2', 'user'], 4])
})

each('all that is wrong with a new user is said at once', async (t, users) => {
  const wrong = { email: 'Ada <ada@example.org>', name: 'A\nB', role: 'edtor', handle: 'A b' }
  const said = {
    email: [/one plain address/],
    name: [/control character/],
    role: [/Did you mean "editor"\?/],
    handle: [/small letters/],
  }
  await t.rejects(users.create(wrong, BY), { message: /address/, status: 422, errors: said })
  for (const name of ['', ' ', 'a<b', 'x'.repeat(101), 'a\u2028b', 'a\ud800'])
    await t.rejects(
      users.create({ email: 'ada@example.org', name }, BY),
      { message: /name/, status: 422 },
      `${name.length} characters`,
    )
  for (const handle of ['', '-a', 'A', 'a b', 'a~b', '../a', 'x'.repeat(101)])
    await t.rejects(users.create({ email: 'ada@example.org', handle }, BY), { message: /handle/, status: 422 }, handle)
  t.same(await users.list(), [])
  t.equal((await users.create({ email: 'ada@example.org', role: 'translator' }, BY)).role, 'translator')
})

each('an address and a handle are one user’s', async (t, users) => {
  await users.create({ email: 'ada@example.org', handle: 'ada' }, BY)
  await t.rejects(users.create({ email: 'ADA@example.org' }, BY), { message: /this address already/, status: 409 })
  await t.rejects(users.create({ email: 'other@example.org', handle: 'ada' }, BY), {
    message: /this handle already/,
    status: 409,
  })
  t.equal((await users.list()).length, 1)
})

onTwo('of twenty who take one address at once, one has it', async (t, one, other) => {
  await Promise.all([one.list(), other.list()])
  const all = Array.from({ length: 20 }, (_, n) =>
    (n % 2 ? one : other).create({ email: 'Ada@example.org', name: `Ada ${n}` }, BY),
  )
  t.same(await outcomes(all), { done: 1, refused: [409] })
  t.equal((await one.list()).length, 1)
  t.same(await one.list(), await other.list())
})

onTwo('of twenty with one name at once, each has a handle of their own', async (t, one, other) => {
  const all = Array.from({ length: 20 }, (_, n) => (n % 2 ? one : other).create({ email: `a${n}@example.org`, name: 'Ada' }, BY))
  t.same(await outcomes(all), { done: 20, refused: [] })
  // A list has what another process made within 50 ms.
  let handles: string[] = []
  while (handles.length < 20) handles = (await one.list()).map(({ handle }) => handle)
  t.equal(new Set(handles).size, 20)
  t.ok(handles.includes('ada') && handles.includes('ada-20'))
})

each(
  'another role, being disabled and another password end what they are signed in with; another name does not',
  async (t, users) => {
    const ada = await users.create({ email: 'ada@example.org', name: 'Ada' }, BY)
    const version = async () => (await users.byId(ada.id))?.tokenVersion
    t.equal(await version(), 1)
    t.match(await users.update(ada.id, { name: ' Ada L. ' }, BY), { name: 'Ada L.', tokenVersion: 1 })
    t.match(await users.setRole(ada.id, 'editor', BY), { role: 'editor', tokenVersion: 2 })
    t.match(await users.setRole(ada.id, 'editor', BY), { role: 'editor', tokenVersion: 2 }, 'the same role changes nothing')
    t.match(await users.setDisabled(ada.id, true, BY), { disabled: true, tokenVersion: 3 })
    t.match(await users.setDisabled(ada.id, false, BY), { disabled: false, tokenVersion: 4 })
    t.match(await users.setPassword(ada.id, 'hash-1', BY), { passwordHash: 'hash-1', tokenVersion: 5 })
    t.match(await users.rehash(ada.id, 'hash-1', 'hash-2', BY), { passwordHash: 'hash-2', tokenVersion: 5 })
    t.match(
      await users.rehash(ada.id, 'hash-1', 'hash-3', BY),
      { passwordHash: 'hash-2', tokenVersion: 5 },
      'they have another by now',
    )
    t.match(await users.setPassword(ada.id, undefined, BY), { passwordHash: undefined, tokenVersion: 6 })
    t.match(await users.endSessions(ada.id, BY), { tokenVersion: 7 })
    t.match(await users.byId(ada.id), {
      name: 'Ada L.',
      role: 'editor',
      disabled: false,
      passwordHash: undefined,
      tokenVersion: 7,
    })
    t.equal((await users.byId(ada.id))?.passwordHash, undefined)
    await t.rejects(users.setRole(ada.id, 'edtor', BY), { message: /Did you mean "editor"/, status: 422 })
    await t.rejects(users.setRole('nobody', 'editor', BY), { message: /not found/, status: 404 })
  },
)

onTwo('of changes at once none is lost', async (t, one, other) => {
  const { id } = await one.create({ email: 'ada@example.org' }, BY)
  await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? one : other).endSessions(id, BY)))
  t.equal((await one.byId(id))?.tokenVersion, 21)
})

each('the last owner stays', async (t, users) => {
  const ada = await users.create({ email: 'ada@example.org', role: 'owner' }, BY)
  const bob = await users.create({ email: 'bob@example.org', role: 'owner' }, BY)
  const last = { message: /last owner.*somebody else/, status: 409 }
  await users.setDisabled(bob.id, true, BY)
  await t.rejects(users.setRole(ada.id, 'admin', BY), last, 'a disabled one does not count')
  await t.rejects(users.setDisabled(ada.id, true, BY), last)
  await t.rejects(users.remove(ada.id, BY), last)
  t.same(await users.byId(ada.id), ada)
  t.match(await users.update(ada.id, { name: 'Ada', disabled: false, role: 'owner' }, BY), { role: 'owner', tokenVersion: 1 })
  await users.setDisabled(bob.id, false, BY)
  await users.remove(ada.id, BY)
  t.equal(await users.byId(ada.id), undefined)
  await t.rejects(users.remove(ada.id, BY), { message: /not found/, status: 404 })
  await t.rejects(users.remove(bob.id, BY), last)
})

onTwo('of all owners who go at once, one stays', async (t, one, other) => {
  const owners = []
  for (const n of Array(6).keys()) owners.push(await one.create({ email: `o${n}@example.org`, role: 'owner' }, BY))
  const ways = [
    (users: Users, id: string) => users.setRole(id, 'editor', BY),
    (users: Users, id: string) => users.setDisabled(id, true, BY),
    (users: Users, id: string) => users.remove(id, BY),
  ]
  const going = owners.map(({ id }, n) => ways[n % 3]?.(n % 2 ? one : other, id) ?? Promise.resolve())
  t.same(await outcomes(going), { done: 5, refused: [409] })
  const left = async () => (await other.list()).filter(({ role, disabled }) => role === 'owner' && !disabled).length
  // What one did the other knows a moment later.
  while ((await left()) > 1) await new Promise(setImmediate)
  t.equal(await left(), 1)
})

onTwo('what one changes the other knows within a second', async (t, one, other) => {
  const ada = await one.create({ email: 'ada@example.org' }, BY)
  t.same(await other.byId(ada.id), ada)
  await one.setDisabled(ada.id, true, BY)
  const end = performance.now() + 1000
  while (!(await other.byEmail('ada@example.org'))?.disabled && performance.now() < end) await new Promise(setImmediate)
  t.equal((await other.byId(ada.id))?.disabled, true)
})

each('a user’s rights are those of their role, and none while they are disabled', async (t, users) => {
  const ada = await users.create({ email: 'ada@example.org', name: 'Ada', role: 'editor' }, BY)
  const access = await users.access(ada)
  t.match(access, { id: `user:${ada.id}`, handle: 'ada', author: { name: 'Ada', email: `user+${ada.id}@${SITE_HOST}` } })
  t.ok(access.may('content:publish', 'posts'))
  t.equal(await users.access((await users.byId(ada.id)) ?? ada), access, 'the same object as long as nothing changed')
  const off = await users.access(await users.setDisabled(ada.id, true, BY))
  t.notOk(off.may('content:read', 'posts') || off.reach('content:drafts', 'posts') !== 'none')
  const translator = await users.access(await users.update(ada.id, { disabled: false, role: 'translator', name: 'A' }, BY))
  t.equal(translator.author.name, 'A')
  t.same([...(translator.writable('posts') ?? [])], ['title'])
})

each('a user that was written by hand lets nobody in by mistake', async (t, users, { store }) => {
  const ada = await users.create({ email: 'ada@example.org', role: 'editor' }, BY)
  const key = keyOf('.users', ada.id)
  await store.write([{ key, put: { set: { disabled: 'no' } } }], BY)
  t.match(await users.byId(ada.id), { disabled: true })
  await store.write([{ key, put: { set: { disabled: false, role: null, token_version: 'x' } } }], BY)
  t.match(await users.byId(ada.id), { disabled: false, role: '', tokenVersion: 0 })
  t.notOk((await users.access((await users.byId(ada.id)) ?? ada)).may('content:read', 'posts'))
  await store.write([{ key, put: { set: { email: 7 } } }], BY)
  t.equal(await users.byId(ada.id), undefined)
})
