import t, { type Test } from 'tap'
import type { TokenResponse } from '#features/auth/sessions/sessions.ts'
import type { User } from '#features/users/user.ts'
import { type AppOptions, TestApp } from '#support/app.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'

const FILES = { 'content/posts/a.md': '# A\n', 'content/posts/d.md': '---\nstatus: draft\n---\n' }
const MINUTE = 60_000
const DAY = 86_400_000
const by = { name: 'Test', email: 'test@example.org' }

interface Given {
  readonly app: TestApp
  readonly opened: OpenedStore
  readonly user: User
  readonly signIn: () => Promise<TokenResponse>
}

function each(name: string, body: (t: Test, given: Given) => Promise<void>, options: AppOptions = {}): void {
  t.test(name, (t) =>
    eachStore(t, { files: FILES }, async (t, opened) => {
      const app = new TestApp(opened, options)
      t.teardown(() => app.app.close())
      const user = await app.features.users.create({ email: 'ada@example.org', role: 'editor' }, by)
      await body(t, { app, opened, user, signIn: () => app.features.auth.sessions.begin(user, 'code') })
    }),
  )
}

const bearing = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const refreshing = (token: string) => ({ body: { refresh_token: token } })

each('who signed in is let in wherever an API token is, with the rights of their role', async (t, { app, user, signIn }) => {
  const { token, expires_in: seconds, token_type: type } = await signIn()
  t.same([seconds, type], [900, 'Bearer'])
  t.equal((await app.bare('GET /api/cms/posts', bearing(token))).body.meta.total, 2, 'an editor sees drafts')
  await app.features.users.setRole(user.id, 'viewer', by)
  t.equal((await app.bare('GET /api/cms/posts', bearing(token))).status, 401, 'a change of role ends sessions')
  const viewer = await app.features.users.byId(user.id)
  const anew = viewer && (await app.features.auth.sessions.begin(viewer, 'code'))
  t.equal((await app.bare('GET /api/cms/posts', bearing(anew?.token ?? ''))).body.meta.total, 1)
  const me = await app.bare('GET /api/auth/me', bearing(anew?.token ?? ''))
  t.match(me.body.data, { id: user.id, email: 'ada@example.org', handle: 'ada', role: 'viewer', has_password: false })
  t.equal(me.headers['cache-control'], 'no-store')
  t.equal((await app.ask('GET /api/auth/me')).status, 403, 'an API token is nobody')
  t.equal((await app.bare('GET /api/auth/me')).status, 401)
  t.equal((await app.bare(`GET /api/auth/me?access_token=${anew?.token}`)).status, 401, 'never taken from an address')
})

each('a token is over after 15 minutes, a session when it was not used for its length', async (t, { app, opened, signIn }) => {
  const { token, refresh_token: refresh } = await signIn()
  opened.clock.advance(15 * MINUTE - 1)
  t.equal((await app.bare('GET /api/auth/me', bearing(token))).status, 200)
  opened.clock.advance(1)
  const over = await app.bare('GET /api/auth/me', bearing(token))
  t.equal(over.status, 401)
  t.match(over.headers['www-authenticate'], /error="invalid_token"/)
  opened.clock.advance(29 * DAY)
  const next = await app.bare('POST /api/auth/refresh', refreshing(refresh))
  t.equal(next.status, 200)
  t.equal((await app.bare('GET /api/auth/me', bearing(next.body.token))).status, 200)
  opened.clock.advance(29 * DAY)
  const third = await app.bare('POST /api/auth/refresh', refreshing(next.body.refresh_token))
  t.equal(third.status, 200, 'each use prolongs it')
  opened.clock.advance(30 * DAY)
  t.equal((await app.bare('POST /api/auth/refresh', refreshing(third.body.refresh_token))).status, 401)
})

each('a refresh token that comes again within 10 seconds is a lost answer; later it ends the session', async (t, given) => {
  const { app, opened, signIn } = given
  const first = await signIn()
  const other = await signIn()
  const [one, two] = await Promise.all([1, 2].map(() => app.bare('POST /api/auth/refresh', refreshing(first.refresh_token))))
  t.same([one?.status, two?.status], [200, 200])
  t.not(one?.body.refresh_token, two?.body.refresh_token)
  opened.clock.advance(10_000)
  t.equal((await app.bare('POST /api/auth/refresh', refreshing(first.refresh_token))).status, 200)
  opened.clock.advance(1)
  t.equal((await app.bare('GET /api/auth/me', bearing(one?.body.token))).status, 200)
  const again = await app.bare('POST /api/auth/refresh', refreshing(first.refresh_token))
  t.equal(again.status, 401)
  for (const { body } of [one, two].flatMap((answer) => answer ?? [])) {
    t.equal((await app.bare('POST /api/auth/refresh', refreshing(body.refresh_token))).status, 401, 'the whole family is over')
    t.equal((await app.bare('GET /api/auth/me', bearing(body.token))).status, 401, 'at the next request')
  }
  t.equal((await app.bare('GET /api/auth/me', bearing(other.token))).status, 200, 'other sessions go on')
  for (const token of ['', 'cmsr_', `cmsr_${'0'.repeat(24)}_${'A'.repeat(43)}`, first.token.slice(0, 200)]) {
    t.equal((await app.bare('POST /api/auth/refresh', refreshing(token))).status, 401, token)
  }
  t.equal((await app.bare('POST /api/auth/refresh', { body: { refresh_token: 1 } })).status, 422)
})

each('two who have one refresh token do not go on side by side', async (t, { app, opened, signIn }) => {
  const { refresh_token: shared } = await signIn()
  const turn = (token: string) => app.bare('POST /api/auth/refresh', refreshing(token))
  const [owner, thief] = [await turn(shared), await turn(shared)]
  t.same([owner.status, thief.status], [200, 200], 'within the grace nobody can tell')
  opened.clock.advance(MINUTE)
  t.equal((await turn(thief.body.refresh_token)).status, 200)
  opened.clock.advance(MINUTE)
  t.equal((await turn(owner.body.refresh_token)).status, 401, 'the second of one turn')
  const many = await signIn()
  const windows = await Promise.all(Array.from({ length: 20 }, () => turn(many.refresh_token)))
  t.same([...new Set(windows.map(({ status }) => status))], [200], 'however many windows there are')
  const more = await Promise.all(Array.from({ length: 40 }, () => turn(many.refresh_token)))
  t.equal(more.filter(({ status }) => status === 200).length, 30, 'one token makes no more than 50 others')
  t.equal((await turn(windows[0]?.body.refresh_token)).status, 200, 'and its session goes on')
})

each('a session that ended stays so, and one that is used ends after half a year', async (t, { app, opened, signIn }) => {
  const [ended, used] = [await signIn(), await signIn()]
  await app.bare('POST /api/auth/logout', refreshing(ended.refresh_token))
  let token = used.refresh_token
  for (let day = 0; day < 180; day += 29) {
    opened.clock.advance(29 * DAY)
    if (day === 0) t.equal((await app.bare('POST /api/auth/refresh', refreshing(ended.refresh_token))).status, 401)
    const { status, body } = await app.bare('POST /api/auth/refresh', refreshing(token))
    t.equal(status, day + 29 <= 180 ? 200 : 401, `after ${day + 29} days`)
    token = body.refresh_token ?? token
  }
})

each('signing out ends the session at the next request, all of them where asked', async (t, { app, signIn }) => {
  const [here, there] = [await signIn(), await signIn()]
  t.equal((await app.bare('GET /api/auth/me', bearing(here.token))).status, 200)
  const out = await app.bare('POST /api/auth/logout', bearing(here.token))
  t.same([out.status, out.text], [204, ''])
  t.equal((await app.bare('GET /api/auth/me', bearing(here.token))).status, 401)
  t.equal((await app.bare('POST /api/auth/refresh', refreshing(here.refresh_token))).status, 401)
  t.equal((await app.bare('POST /api/auth/logout', bearing(here.token))).status, 401)
  t.equal((await app.bare('GET /api/auth/me', bearing(there.token))).status, 200)
  const third = await signIn()
  t.equal((await app.bare('POST /api/auth/logout', refreshing(third.refresh_token))).status, 204, 'by the refresh token alone')
  t.equal((await app.bare('GET /api/auth/me', bearing(third.token))).status, 401)
  t.equal((await app.bare('POST /api/auth/logout', refreshing('cmsr_none'))).status, 204, 'there is nothing to end')
  const fourth = await signIn()
  t.equal((await app.bare('POST /api/auth/logout', { ...bearing(fourth.token), body: { all: true } })).status, 204)
  for (const { token, refresh_token: refresh } of [there, fourth]) {
    t.equal((await app.bare('GET /api/auth/me', bearing(token))).status, 401)
    t.equal((await app.bare('POST /api/auth/refresh', refreshing(refresh))).status, 401)
  }
})

each('a disabled user is out at the next request', async (t, { app, user, signIn }) => {
  await app.features.users.create({ email: 'owner@example.org', role: 'owner' }, by)
  const { token, refresh_token: refresh } = await signIn()
  t.equal((await app.bare('GET /api/cms/posts', bearing(token))).status, 200)
  await app.features.users.setDisabled(user.id, true, by)
  t.equal((await app.bare('GET /api/cms/posts', bearing(token))).status, 401)
  t.equal((await app.bare('POST /api/auth/refresh', refreshing(refresh))).status, 401)
  await app.features.users.setDisabled(user.id, false, by)
  t.equal((await app.bare('GET /api/cms/posts', bearing(token))).status, 401, 'what ended stays ended')
})

each(
  'a code for an application is good once, for a minute',
  async (t, { app, opened, user }) => {
    const { handovers } = app.features.auth
    t.equal(handovers.to(undefined), undefined)
    t.equal(handovers.to('https://app.example.org/in'), 'https://app.example.org/in')
    const others = [
      'https://app.example.org/in/',
      'https://app.example.org/in?x',
      'https://app.example.org',
      '//app.example.org/in',
      '',
    ]
    for (const address of others) t.throws(() => handovers.to(address), { message: /auth\.redirects/ }, address)
    const code = await handovers.give(user, 'provider')
    const answers = await Promise.all(Array.from({ length: 20 }, () => app.bare('POST /api/auth/exchange', { body: { code } })))
    t.same(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 19 }, () => 401)])
    const late = await handovers.give(user, 'provider')
    opened.clock.advance(MINUTE)
    t.equal((await app.bare('POST /api/auth/exchange', { body: { code: late } })).status, 401)
    const disabled = await handovers.give(user, 'provider')
    await app.features.users.endSessions(user.id, by)
    t.equal((await app.bare('POST /api/auth/exchange', { body: { code: disabled } })).status, 401)
  },
  { config: { auth: { redirects: ['https://app.example.org/in'] } } },
)

each('bodies here are small, and answers are kept by nobody', async (t, { app }) => {
  const long = await app.bare('POST /api/auth/refresh', refreshing('x'.repeat(17_000)))
  t.equal(long.status, 413)
  const wrong = await app.bare('POST /api/auth/refresh', refreshing('x'))
  t.equal(wrong.headers['cache-control'], 'no-store')
  t.equal((await app.bare('GET /api/auth/refresh')).status, 405)
})

each(
  'who signs in is counted by address, behind one network for IPv6',
  async (t, { app }) => {
    const from = (remoteAddress: string) =>
      app.app.inject({ method: 'POST', url: '/api/auth/refresh', payload: { refresh_token: 'x' }, remoteAddress })
    t.equal((await from('2001:db8::1')).statusCode, 401)
    const second = await from('2001:db8::2')
    t.match(second.headers, { 'ratelimit-limit': '2', 'ratelimit-remaining': '0' })
    const third = await from('2001:db8:0:0:ffff::3')
    t.equal(third.statusCode, 429)
    t.match(third.headers, { 'retry-after': /^\d+$/, 'ratelimit-remaining': '0' })
    t.equal((await from('2001:db8:0:1::1')).statusCode, 401)
    const claimed = await app.bare('POST /api/auth/refresh', {
      body: { refresh_token: 'x' },
      headers: { 'x-forwarded-for': '2001:db8::1' },
    })
    t.equal(claimed.status, 401, 'X-Forwarded-For is believed of nobody')
  },
  { config: { throttle: { auth: '2,1' } } },
)

t.test('without the feature there is nothing of it', (t) =>
  eachStore(t, { files: FILES }, async (t, opened) => {
    const app = new TestApp(opened, { config: { features: { api: true } } })
    for (const path of ['POST /api/auth/refresh', 'GET /api/auth/me', 'GET /.well-known/jwks.json']) {
      t.equal((await app.bare(path)).status, 404, path)
    }
    await app.app.close()
  }),
)
