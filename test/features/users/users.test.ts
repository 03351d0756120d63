import t, { type Test } from 'tap'
import { Roles } from '../../../src/core/roles.ts'
import { Users } from '../../../src/features/users/users.ts'
import { eachStore, type OpenedStore } from '../../support/stores.ts'

const BY = { name: 'Tester', email: 'tester@example.org' }

function usersOf({ store, clock }: OpenedStore): Users {
  return new Users({ store, clock, roles: new Roles(), siteHost: 'site.example' })
}

function each(name: string, body: (t: Test, users: Users, opened: OpenedStore) => Promise<void>): void {
  t.test(name, (t) => eachStore(t, {}, (t, opened) => body(t, usersOf(opened), opened)))
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
  for (const who of ['ada', 'Ada Lovelace', '', '../x', 'ada@example.org', '@'])
    await t.rejects(users.find(who), { message: /^There is no user/, status: 404 }, who)
  t.equal(await users.byEmail('<ada@xn--bcher-kva.example>'), undefined)
})

each('what is not said of a user is made of the address', async (t, users) => {
  const first = await users.create({ email: 'grace.hopper+news@example.org' }, BY)
  t.match(first, { name: 'grace.hopper', handle: 'grace-hopper', role: 'viewer' })
  const second = await users.create({ email: 'grace@example.org', name: 'Grace Hopper' }, BY)
  t.equal(second.handle, 'grace-hopper-2')
  t.equal((await users.create({ email: 'x@example.org', name: '···' }, BY)).handle, 'user')
  t.same(
    (await users.list()).map(({ email }) => email),
    ['grace.hopper+news@example.org', 'grace@example.org', 'x@example.org'],
  )
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
