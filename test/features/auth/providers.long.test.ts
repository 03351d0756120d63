import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { Identities } from '#features/auth/providers/identities.ts'
import { TestApp } from '#support/app.ts'
import { Browser } from '#support/browser.ts'
import { HandMadeProvider, OidcServer } from '#support/identity-providers.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'

const APP = 'https://app.example.org/signed-in'
const LOCAL = { name: 'Test', email: 'test@example.org' }

interface Made {
  app: TestApp
  opened: OpenedStore
  google: OidcServer
  github: HandMadeProvider
}

function each(name: string, body: (t: Test, made: Made) => Promise<void>, registration = false): void {
  t.test(name, (t) =>
    eachStore(t, {}, async (t, opened) => {
      const [google, github] = await Promise.all([OidcServer.start(), HandMadeProvider.start()])
      t.teardown(() => Promise.all([google.close(), github.close()]))
      const providers = { google: google.setting, github: github.oauth2 }
      const app = new TestApp(opened, { config: { auth: { providers, registration, redirects: [APP] } } })
      t.teardown(() => app.app.close())
      await body(t, { app, opened, google, github })
    }),
  )
}

/** A whole sign-in at the real provider; gives what the callback answers. */
async function atGoogle(browser: Browser, google: OidcServer, to = '') {
  const begun = await browser.get(`/api/auth/google/redirect${to && `?to=${encodeURIComponent(to)}`}`)
  return browser.get(await browser.follow(begun.location ?? '', new URL(google.address).host))
}

async function atGithub(browser: Browser, github: HandMadeProvider) {
  const begun = await browser.get('/api/auth/github/redirect')
  const back = new URLSearchParams(github.agree(begun.location ?? ''))
  return browser.get(`/api/auth/github/callback?${back}`)
}

each(
  'OpenID Connect: to the provider and back, with tokens for the account of the verified address',
  async (t, { app, google }) => {
    const ada = await app.features.users.create({ email: 'ada@example.org', role: 'editor' }, LOCAL)
    const browser = new Browser(app)
    const begun = await browser.get('/api/auth/google/redirect')
    t.equal(begun.status, 302)
    const { origin, searchParams } = new URL(begun.location ?? '')
    t.equal(origin, google.address)
    t.match(Object.fromEntries(searchParams), {
      response_type: 'code',
      redirect_uri: 'https://example.org/api/auth/google/callback',
      scope: 'openid email profile',
      code_challenge_method: 'S256',
      code_challenge: /^[\w-]{43}$/,
      state: /^[\w-]{43}$/,
      nonce: /^[\w-]{43}$/,
    })
    const [cookie = ''] = begun.cookies
    t.match(cookie, /^__Host-cms_signin=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
    t.match(begun.headers.get('cache-control'), 'no-store')
    t.equal(begun.headers.get('referrer-policy'), 'no-referrer')
    t.notMatch(begun.location ?? '', cookie.slice(18, 61), 'what the browser keeps is in no address')

    const back = await browser.follow(begun.location ?? '', new URL(google.address).host)
    t.match(back, /^https:\/\/example\.org\/api\/auth\/google\/callback\?/)
    const done = await browser.get(back)
    t.equal(done.status, 200)
    t.match(done.body, { token: /^ey/, token_type: 'Bearer', expires_in: 900, refresh_token: String })
    t.match(done.headers.get('cache-control'), 'no-store')
    t.equal(done.headers.get('referrer-policy'), 'no-referrer')
    t.equal(browser.cookies().size, 0, 'the browser forgets')
    const me = await app.bare('GET /api/auth/me', { headers: { authorization: `Bearer ${done.body.token}` } })
    t.match(me.body.data, { id: ada.id, email: 'ada@example.org', role: 'editor' })

    const again = await browser.get(back, { cookie: cookie.split(';', 1)[0] ?? '' })
    t.match(again, { status: 400, body: { message: /Begin again/ } }, 'a state is good once')
  },
)

each(
  'OAuth 2: the first verified address counts; the account stays linked when the address changes',
  async (t, { app, github }) => {
    const ada = await app.features.users.create({ email: 'ada@example.org' }, LOCAL)
    const begun = await new Browser(app).get('/api/auth/github/redirect')
    t.match(Object.fromEntries(new URL(begun.location ?? '').searchParams), {
      scope: 'user:email',
      code_challenge_method: 'S256',
    })
    const done = await atGithub(new Browser(app), github)
    t.equal(done.status, 200)
    github.emails = [{ email: 'new@example.org', primary: true, verified: true }]
    const later = await atGithub(new Browser(app), github)
    t.equal(later.status, 200)
    const me = await app.bare('GET /api/auth/me', { headers: { authorization: `Bearer ${later.body.token}` } })
    t.equal(me.body.data.id, ada.id)
    github.user = { id: 4712, login: 'other' }
    t.equal((await atGithub(new Browser(app), github)).status, 403, 'another person is not')
    github.emails = [{ email: 'ada@example.org', primary: true, verified: true }]
    t.equal((await atGithub(new Browser(app), github)).status, 200, 'but may have the address now')
  },
)

each(
  'an address that is not verified opens nothing',
  async (t, { app, google, github }) => {
    await app.features.users.create({ email: 'ada@example.org' }, LOCAL)
    for (const email_verified of [false, undefined, 'true' as unknown as boolean]) {
      google.person = {
        sub: `x-${email_verified}`,
        email: 'ada@example.org',
        ...(email_verified !== undefined && { email_verified }),
      }
      const refused = await atGoogle(new Browser(app), google)
      t.match(refused, { status: 403, body: { error: 'Forbidden', message: /no account/ } }, String(email_verified))
    }
    for (const emails of [
      [{ email: 'ada@example.org', primary: true, verified: false }],
      [{ email: 'ada@example.org', primary: false, verified: true }],
      [{ email: 'ada@example.org', primary: true, verified: 'yes' }],
      [{ email: 'ada@example.org, eve@example.org', primary: true, verified: true }],
      { email: 'ada@example.org', primary: true, verified: true },
      [null, 7],
      null,
    ]) {
      github.emails = emails
      t.equal((await atGithub(new Browser(app), github)).status, 403, JSON.stringify(emails))
    }
  },
  true,
)

each('without emails_url a provider vouches for no address: who is known signs in', async (t, { app, opened, github }) => {
  const ada = await app.features.users.create({ email: 'ada@example.org' }, LOCAL)
  t.equal((await atGithub(new Browser(app), github)).status, 200)
  const { emails_url: _, ...bare } = github.oauth2
  const other = new TestApp(opened, { config: { auth: { providers: { github: bare } } } })
  t.teardown(() => other.app.close())
  const begun = await new Browser(other).get('/api/auth/github/redirect')
  t.notOk(new URL(begun.location ?? '').searchParams.has('scope'), 'then nothing more is asked for')
  const done = await atGithub(new Browser(other), github)
  t.equal(done.status, 200)
  const me = await other.bare('GET /api/auth/me', { headers: { authorization: `Bearer ${done.body.token}` } })
  t.equal(me.body.data.id, ada.id)
  github.user = { id: 1 }
  t.equal((await atGithub(new Browser(other), github)).status, 403)
})

each('who has no account gets none, unless anybody may', async (t, { app, google }) => {
  t.match(await atGoogle(new Browser(app), google), { status: 403, body: { message: /no account/ } })
  t.same(await app.features.users.list(), [])
  const to = await atGoogle(new Browser(app), google, APP)
  t.match(to, { status: 302, location: `${APP}?error=no_account` })
})

each(
  'where anybody may have an account, a verified address becomes a viewer',
  async (t, { app, google }) => {
    t.equal((await atGoogle(new Browser(app), google)).status, 200)
    t.match(await app.features.users.list(), [
      { email: 'ada@example.org', name: 'Ada Lovelace', role: 'viewer', handle: 'ada-lovelace' },
    ])
    t.equal((await atGoogle(new Browser(app), google)).status, 200)
    t.equal((await app.features.users.list()).length, 1)
    google.person = {
      sub: 'eve',
      email: 'eve@example.org',
      email_verified: true,
      name: `\u202e Eve\r\nBcc: <x@y.z>${'x'.repeat(200)}`,
    }
    t.equal((await atGoogle(new Browser(app), google)).status, 200)
    const eve = await app.features.users.byEmail('eve@example.org')
    t.match(eve?.name, /^Eve Bcc: x@y\.z x+$/)
    t.equal(eve?.name.length, 100)
  },
  true,
)

each(
  'of many at once, with one new identity, one account comes',
  async (t, { app, opened, github }) => {
    const second = new TestApp(opened, { config: { auth: { providers: { github: github.oauth2 }, registration: true } } })
    t.teardown(() => second.app.close())
    const all = await Promise.all(Array.from({ length: 12 }, (_, n) => atGithub(new Browser(n % 2 ? app : second), github)))
    t.strictSame(
      all.map(({ status }) => status),
      all.map(() => 200),
    )
    const users = await app.features.users.list()
    t.equal(users.length, 1)
    const { items } = await opened.store.browse('.identities', {})
    t.match(
      items.map(({ fields }) => fields),
      [{ provider: 'github', realm: github.address, subject: '4711', user: users[0]?.id }],
    )
    t.equal(items.length, 1)
  },
  true,
)

each(
  'a disabled account is none, linked before or not; one that was removed is linked anew',
  async (t, { app, google, github }) => {
    const boss = await app.features.users.create({ email: 'boss@example.org', role: 'owner' }, LOCAL)
    const ada = await app.features.users.create({ email: 'ada@example.org' }, LOCAL)
    t.equal((await atGoogle(new Browser(app), google)).status, 200)
    await app.features.users.setDisabled(ada.id, true, LOCAL)
    const refused = await atGoogle(new Browser(app), google)
    const unlinked = await atGithub(new Browser(app), github)
    t.match([refused.status, unlinked.status], [403, 403])
    await app.features.users.remove(ada.id, LOCAL)
    t.equal((await atGoogle(new Browser(app), google)).status, 200)
    t.not((await app.features.users.byEmail('ada@example.org'))?.id, ada.id)
    t.equal((await app.features.users.list()).length, 2, boss.id)
  },
  true,
)

each('with `to`: a code for the application, for the one exchange', async (t, { app, google }) => {
  await app.features.users.create({ email: 'ada@example.org' }, LOCAL)
  const done = await atGoogle(new Browser(app), google, APP)
  t.equal(done.status, 302)
  const at = new URL(done.location ?? '')
  t.equal(`${at.origin}${at.pathname}`, APP)
  t.strictSame([...at.searchParams.keys()], ['code'], 'no token is in the address')
  t.equal(done.body, '')
  const body = { code: at.searchParams.get('code') }
  const first = await app.bare('POST /api/auth/exchange', { body })
  t.match(first, { status: 200, body: { token_type: 'Bearer' } })
  t.equal((await app.bare('POST /api/auth/exchange', { body })).status, 401)
})

each('who declines is told so, and nothing else happens', async (t, { app, google }) => {
  google.person = undefined
  t.match(await atGoogle(new Browser(app), google), { status: 403, body: { message: /declined/ } })
  const browser = new Browser(app)
  t.match(await atGoogle(browser, google, APP), { status: 302, location: `${APP}?error=access_denied` })
  t.equal(browser.cookies().size, 0)
})

each('a successful sign-in gives the method of codes back', async (t, { app, google }) => {
  await app.features.users.create({ email: 'ada@example.org' }, LOCAL)
  const told: unknown[] = []
  app.features.auth.attempts.signedIn = async (...of) => void told.push(of)
  await atGoogle(new Browser(app), google)
  t.strictSame(told, [['ada@example.org', 'provider']])
})

each('an identity is of one provider: the same subject of another is somebody else', async (t, { app, opened, github }) => {
  await app.features.users.create({ email: 'ada@example.org' }, LOCAL)
  t.equal((await atGithub(new Browser(app), github)).status, 200)
  const other = await HandMadeProvider.start()
  t.teardown(() => other.close())
  other.emails = []
  const moved = new TestApp(opened, { config: { auth: { providers: { github: other.oauth2, hub: other.oauth2 } } } })
  t.teardown(() => moved.app.close())
  t.equal((await atGithub(new Browser(moved), other)).status, 403, 'also under the same name')
  t.equal((await opened.store.browse('.identities', {})).total, 1)
  t.ok(await opened.store.get(keyOf('.identities', (await opened.store.browse('.identities', {})).items[0]?.key.id ?? '')))
})

each('an identity is linked once, also where a provider says two things at once', async (t, { app, opened }) => {
  for (const name of ['a', 'b', 'c']) await app.features.users.create({ email: `${name}@example.org` }, LOCAL)
  const { registration } = app.features.auth
  const identities = new Identities({ store: opened.store, users: app.features.users, registration })
  const linked = await Promise.all(
    ['a', 'b', 'c', 'a', 'b', 'c'].map((name) =>
      identities.userOf({ name: 'x', realm: 'y' }, { subject: '1', email: `${name}@example.org`, name: undefined }),
    ),
  )
  t.equal(new Set(linked.map(({ id }) => id)).size, 1)
})

t.test('over plain HTTP on this machine: the whole way, both servers listening', async (t) => {
  await eachStore(t, {}, async (t, opened) => {
    const site = await freeAddress()
    const google = await OidcServer.start([`${site}/api/auth/google/callback`])
    t.teardown(() => google.close())
    const app = new TestApp(opened, {
      config: { site: { url: site }, auth: { providers: { google: google.setting }, registration: true } },
    })
    t.teardown(() => app.app.close())
    await app.app.listen({ port: Number(new URL(site).port), host: '127.0.0.1' })
    const browser = new Browser(app, 'none://none')
    const begun = await browser.get(`${site}/api/auth/google/redirect`)
    t.match(begun.cookies[0], /^cms_signin=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/)
    const done = await browser.get(await browser.follow(begun.location ?? '', new URL(google.address).host))
    t.match(done, { status: 200, body: { token: /^ey/ } })
  })
})

/** An address on a port of this machine that was free a moment ago. */
async function freeAddress(): Promise<string> {
  const provider = await HandMadeProvider.start()
  await provider.close()
  return provider.address
}
