import t, { type Test } from 'tap'
import type { User } from '#features/users/user.ts'
import { TestApp } from '#support/app.ts'
import { openNode, openPostgres } from '#support/stores.ts'

const by = { name: 'Test', email: 'test@example.org' }
const REDIRECT = 'https://app.example.org/in'
const MINUTE = 60_000

interface Given {
  readonly one: TestApp
  readonly two: TestApp
  readonly user: User
  readonly advance: (ms: number) => void
}

/** Two nodes of one site, each with a connection of its own to the database. */
function nodes(name: string, body: (t: Test, given: Given) => Promise<void>): void {
  t.test(name, async (t) => {
    const opened = await openPostgres({ files: { 'content/posts/a.md': '# A\n' } })
    t.teardown(() => opened.close())
    const options = { config: { auth: { redirects: [REDIRECT] } } }
    const one = new TestApp(opened, options)
    const two = new TestApp(await openNode(t, opened), options)
    t.teardown(() => Promise.all([one.app.close(), two.app.close()]))
    const user = await one.features.users.create({ email: 'ada@example.org', role: 'editor' }, by)
    await body(t, { one, two, user, advance: (ms) => opened.clock.advance(ms) })
  })
}

const bearing = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const me = async (node: TestApp, token: string) => (await node.bare('GET /api/auth/me', bearing(token))).status

/** Asks until the answer is another; true where that takes less than a second. */
async function endsWithinASecond(node: TestApp, token: string): Promise<boolean> {
  const begun = performance.now()
  while ((await me(node, token)) === 200) if (performance.now() - begun > 1000) return false
  return true
}

nodes('what one node signs the other lets in at once, also with a key it has not seen', async (t, { one, two, user }) => {
  const first = await one.features.auth.sessions.begin(user, 'code')
  t.equal(await me(two, first.token), 200)
  await one.features.auth.keys.rotate(by)
  const second = await one.features.auth.sessions.begin(user, 'code')
  t.same([await me(two, first.token), await me(two, second.token)], [200, 200])
  const both = await Promise.all([one, two].map((node) => node.bare('GET /.well-known/jwks.json')))
  t.same(both[0]?.body, both[1]?.body)
})

nodes('signing out, another role, and being disabled reach the other node within a second', async (t, { one, two, user }) => {
  const ends: readonly ((node: TestApp, token: string) => Promise<unknown>)[] = [
    (node, token) => node.bare('POST /api/auth/logout', bearing(token)),
    (node) => node.features.users.setRole(user.id, 'viewer', by),
    (node, token) => node.bare('POST /api/auth/logout', { ...bearing(token), body: { all: true } }),
    (node) => node.features.users.setDisabled(user.id, true, by),
  ]
  for (const end of ends) {
    const now = await one.features.users.byId(user.id)
    const { token } = await one.features.auth.sessions.begin(now ?? user, 'code')
    t.same([await me(one, token), await me(two, token)], [200, 200])
    await end(one, token)
    t.equal(await me(one, token), 401, 'at the next request where it was done')
    t.ok(await endsWithinASecond(two, token))
  }
  const { token } = await one.features.auth.sessions.begin(
    (await one.features.users.setDisabled(user.id, false, by)) ?? user,
    'code',
  )
  t.equal(await me(two, token), 200)
  await one.features.auth.keys.rotate(by, true)
  t.ok(await endsWithinASecond(two, token), 'a key that is revoked')
})

nodes('a code for an application is good once, whichever node is asked', async (t, { one, two, user }) => {
  const code = await one.features.auth.handovers.give(user, 'provider')
  const asked = Array.from({ length: 30 }, (_, n) => (n % 2 ? one : two).bare('POST /api/auth/exchange', { body: { code } }))
  const statuses = (await Promise.all(asked)).map(({ status }) => status)
  t.equal(statuses.filter((status) => status === 200).length, 1)
  t.equal(statuses.filter((status) => status === 401).length, 29)
})

nodes('a refresh token that was used on one node ends the session on the other', async (t, { one, two, user, advance }) => {
  const { refresh_token } = await one.features.auth.sessions.begin(user, 'code')
  const next = await one.bare('POST /api/auth/refresh', { body: { refresh_token } })
  t.equal(next.status, 200)
  advance(MINUTE)
  t.equal((await two.bare('POST /api/auth/refresh', { body: { refresh_token } })).status, 401)
  t.equal((await one.bare('POST /api/auth/refresh', { body: { refresh_token: next.body.refresh_token } })).status, 401)
})

nodes('a code by mail is good once, whichever node is asked', async (t, { one, two }) => {
  t.equal((await one.bare('POST /api/auth/otp/send', { body: { email: 'ada@example.org' } })).status, 202)
  const composed = await two.features.auth.composers.code(
    one.messages[0] ?? { template: 'code', to: 'ada@example.org', data: {} },
  )
  const body = { email: 'ada@example.org', code: composed?.shown }
  const asked = Array.from({ length: 100 }, (_, n) => (n % 2 ? one : two).bare('POST /api/auth/otp/verify', { body }))
  const statuses = (await Promise.all(asked)).map(({ status }) => status)
  t.equal(statuses.filter((status) => status === 200).length, 1)
})
