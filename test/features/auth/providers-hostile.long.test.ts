import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { AppOptions } from '#support/app.ts'
import { TestApp } from '#support/app.ts'
import { Browser } from '#support/browser.ts'
import { HandMadeProvider, OidcServer } from '#support/identity-providers.ts'
import { eachStore, type OpenedStore, openMemory } from '#support/stores.ts'

const APP = 'https://app.example.org/signed-in?theme=dark'
const LOCAL = { name: 'Test', email: 'test@example.org' }
const MINUTE = 60_000

interface Made {
  app: TestApp
  opened: OpenedStore
  hand: HandMadeProvider
  /** The logged messages. */
  log: string[]
  /** One more node of the same site. */
  node(): TestApp
}

/**
 * A site with an account for ada@example.org and a provider made by hand: as `google` by OpenID Connect, as `github` by OAuth 2.
 */
async function make(t: Test, opened: OpenedStore, options: AppOptions = {}): Promise<Made> {
  const hand = await HandMadeProvider.start()
  t.teardown(() => hand.close())
  const log: string[] = []
  const node = () => {
    const providers = { google: hand.oidc, github: hand.oauth2 }
    const deps = { log: (error: unknown) => void log.push(error instanceof Error ? error.message : String(error)) }
    const app = new TestApp(opened, { ...options, config: { auth: { providers, redirects: [APP] }, ...options.config }, deps })
    t.teardown(() => app.app.close())
    return app
  }
  const app = node()
  await app.features.users.create({ email: 'ada@example.org' }, LOCAL)
  return { app, opened, hand, log, node }
}

function each(name: string, body: (t: Test, made: Made) => Promise<void>): void {
  t.test(name, (t) => eachStore(t, {}, async (t, opened) => body(t, await make(t, opened))))
}

function once(name: string, body: (t: Test, made: Made) => Promise<void>, options: AppOptions = {}): void {
  t.test(name, async (t) => {
    const opened = await openMemory({})
    t.teardown(opened.close)
    await body(t, await make(t, opened, options))
  })
}

/** Begins at a provider, and gives the address that it would send the browser back to. */
async function begin({ hand }: Made, browser: Browser, name = 'google', to = ''): Promise<string> {
  const begun = await browser.get(`/api/auth/${name}/redirect${to && `?to=${encodeURIComponent(to)}`}`)
  return `/api/auth/${name}/callback?${new URLSearchParams(hand.agree(begun.location ?? ''))}`
}

/** One parameter of an address in the place of another. */
function changed(address: string, params: Record<string, string>): string {
  const [path, query] = address.split('?')
  return `${path}?${new URLSearchParams({ ...Object.fromEntries(new URLSearchParams(query)), ...params })}`
}

const paramOf = (address: string, name: string) => new URLSearchParams(address.split('?')[1]).get(name) ?? ''

each('who saw the address that a browser came back with can neither use it nor end it', async (t, made) => {
  const [ada, eve] = [new Browser(made.app), new Browser(made.app)]
  const back = await begin(made, ada)
  const hers = await begin(made, eve)
  t.match(await new Browser(made.app).get(back), { status: 400, cookies: [], body: { message: /not begun in this browser/ } })
  t.equal((await eve.get(back)).status, 400, 'with a cookie of another sign-in')
  const secret = ada.cookies().get('__Host-cms_signin') ?? ''
  const headers = { cookie: `__Host-cms_signin=${secret}; __Host-cms_signin=${secret}` }
  t.equal((await new Browser(made.app).get(back, headers)).status, 400, 'nor with two')
  for (const bad of ['', 'x', secret.slice(1), `${secret}x`])
    t.equal((await new Browser(made.app).get(back, { cookie: `__Host-cms_signin=${bad}` })).status, 400)
  t.equal((await ada.get(hers)).status, 400, 'and nobody is signed in as who began elsewhere')
  t.equal((await ada.get(back)).status, 200)
  t.equal((await eve.get(hers)).status, 200)
})

each('a state is good once, over all nodes, and for ten minutes', async (t, made) => {
  const nodes = [made.app, made.node()] as const
  const browser = new Browser(nodes[0])
  const back = await begin(made, browser)
  const headers = { cookie: [...browser.cookies()].map((pair) => pair.join('=')).join('; ') }
  const all = await Promise.all(Array.from({ length: 20 }, (_, n) => new Browser(nodes[n % 2 ? 0 : 1]).get(back, headers)))
  const others = all.filter(({ status }) => status !== 200)
  t.equal(others.length, 19)
  for (const other of others) t.match(other, { status: 400, body: { message: /not begun/ } }, 'before the provider is asked')
  const late = new Browser(nodes[0])
  const slow = await begin(made, late)
  made.opened.clock.advance(10 * MINUTE)
  t.equal((await late.get(slow)).status, 400)
  const quick = await begin(made, late)
  made.opened.clock.advance(10 * MINUTE - 1)
  t.equal((await late.get(quick)).status, 200)
})

each('what is remembered of a sign-in is of no use to who reads it', async (t, made) => {
  const kept: string[] = []
  const { ledger } = made.opened
  const put = ledger.put.bind(ledger)
  ledger.put = (name, value, ttl) => {
    kept.push(JSON.stringify([name, value]))
    return put(name, value, ttl)
  }
  const browser = new Browser(made.app)
  const back = await begin(made, browser, 'google', APP)
  t.equal(kept.length, 1)
  for (const secret of [paramOf(back, 'state'), browser.cookies().get('__Host-cms_signin') ?? '']) {
    t.equal(secret.length, 43)
    t.notMatch(kept.join(), secret)
  }
})

each('a code of another sign-in is of no use', async (t, made) => {
  for (const name of ['google', 'github']) {
    const [ada, eve] = [new Browser(made.app), new Browser(made.app)]
    const [back, stolen] = [await begin(made, eve, name), await begin(made, ada, name)]
    const injected = changed(back, { code: paramOf(stolen, 'code') })
    t.match(await eve.get(injected), { status: 400, body: { message: /does not fit/ } }, name)
  }
  t.equal((await made.opened.store.browse('.identities', {})).total, 0)
})

each('a state is of one provider, and a code of one issuer', async (t, made) => {
  const browser = new Browser(made.app)
  const back = await begin(made, browser)
  t.match(await browser.get(back.replace('google', 'github')), { status: 400, body: { message: /not begun/ } })
  t.equal((await browser.get(back)).status, 200, 'which ended nothing')
  const forged = await begin(made, browser)
  t.equal((await browser.get(changed(forged, { iss: 'https://evil.example' }))).status, 400)
  t.equal((await browser.get(forged)).status, 400, 'which ended it')
  const named = await begin(made, browser)
  t.equal((await browser.get(changed(named, { iss: made.hand.address }))).status, 200)
})

once('an issuer is told where the provider says that it tells it, and compared where it is known', async (t, made) => {
  const google = await OidcServer.start()
  t.teardown(() => google.close())
  const providers = { google: google.setting, github: { ...made.hand.oauth2, issuer: 'https://github.example' } }
  const app = new TestApp(made.opened, { config: { auth: { providers } } })
  t.teardown(() => app.app.close())
  const browser = new Browser(app)
  const begun = await browser.get('/api/auth/google/redirect')
  const back = new URL(await browser.follow(begun.location ?? '', new URL(google.address).host))
  t.equal(back.searchParams.get('iss'), google.address)
  back.searchParams.delete('iss')
  t.equal((await browser.get(back.href)).status, 400)
  const hub = await begin({ ...made, app }, browser, 'github')
  t.equal((await browser.get(changed(hub, { iss: 'https://evil.example' }))).status, 400)
  const right = await begin({ ...made, app }, browser, 'github')
  t.equal((await browser.get(changed(right, { iss: 'https://github.example' }))).status, 200)
})

once('an ID token that is not for this site, of this provider, of this sign-in, or not signed by its key', async (t, made) => {
  const { hand } = made
  const now = Math.floor(Date.now() / 1000)
  const wrong: Record<string, unknown>[] = [
    { nonce: 'another' },
    { nonce: undefined },
    { aud: 'another' },
    { aud: ['quire', 'another'], azp: 'another' },
    { azp: 'another' },
    { aud: undefined },
    { iss: 'https://evil.example' },
    { iss: undefined },
    { exp: now - 600 },
    { exp: undefined },
    { nbf: now + 600 },
    { sub: undefined },
    { sub: '' },
    { sub: 'x'.repeat(256) },
  ]
  for (const claims of wrong) {
    hand.claims = claims
    const browser = new Browser(made.app)
    t.match(
      await browser.get(await begin(made, browser)),
      { status: 400, body: { error: 'Bad request' } },
      JSON.stringify(claims),
    )
  }
  hand.claims = {}
  for (const signing of ['other key', 'none', 'shared secret'] as const) {
    hand.signing = signing
    const browser = new Browser(made.app)
    t.equal((await browser.get(await begin(made, browser))).status, 400, signing)
  }
  t.equal((await made.opened.store.browse('.identities', {})).total, 0)
  hand.signing = 'right'
  const browser = new Browser(made.app)
  t.equal((await browser.get(await begin(made, browser))).status, 200)
})

once('where nobody asked to be led: 400, and nothing begins', async (t, { app, hand }) => {
  await new Browser(app).get('/api/auth/google/redirect')
  const asked = hand.asked.length
  const near = ['', '/', '#', '&x', '%00', '\\', '@evil.example'].map((end) => (end === '' ? APP.slice(0, -1) : `${APP}${end}`))
  const odd = [
    '//evil.example',
    'javascript:alert(1)',
    APP.toUpperCase(),
    APP.replace('https', 'http'),
    ` ${APP}`,
    `${APP}\n`,
    '/',
    '',
  ]
  const some = fc.oneof(
    fc.constantFrom(...near, ...odd),
    fc.webUrl(),
    fc.string(),
    fc.string().map((end) => `https://app.example.org${end}`),
  )
  await fc.assert(
    fc.asyncProperty(
      some.filter((to) => to !== APP),
      async (to) => {
        const { status, location, cookies } = await new Browser(app).get(
          `/api/auth/google/redirect?${new URLSearchParams({ to })}`,
        )
        return status === 400 && location === undefined && cookies.length === 0
      },
    ),
  )
  t.equal(hand.asked.length, asked)
  const refused = await new Browser(app).get('/api/auth/google/redirect?to=https://evil.example')
  t.match(refused.body.message, /auth\.redirects/)
})

once('the callback leads only to where the redirect was asked to', async (t, made) => {
  const browser = new Browser(made.app)
  const back = await begin(made, browser)
  const done = await browser.get(changed(back, { to: 'https://evil.example', redirect_uri: 'https://evil.example' }))
  t.match(done, { status: 200, location: undefined })
  const led = await browser.get(await begin(made, browser, 'google', APP))
  t.match(led.location, /^https:\/\/app\.example\.org\/signed-in\?theme=dark&code=[\w-]{43}$/)
})

once(
  'no header says where the site is',
  async (t, made) => {
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      forwarded: 'host=evil.example;proto=http',
      origin: 'https://evil.example',
      referer: 'https://evil.example/',
    }
    for (const name of ['google', 'github']) {
      const begun = await new Browser(made.app).get(`/api/auth/${name}/redirect`, headers)
      const uri = new URL(begun.location ?? '').searchParams.get('redirect_uri')
      t.equal(uri, `https://example.org/api/auth/${name}/callback`)
      t.match(begun.cookies[0], /^__Host-.*Secure$/)
    }
  },
  { config: { server: { trust_proxy: 1 } } },
)

once('answers that say nothing, twice, or that something went wrong', async (t, made) => {
  const { app, log } = made
  for (const query of ['', '?state=x', '?code=x', '?error=access_denied', '?state=__proto__&code=x']) {
    t.equal((await new Browser(app).get(`/api/auth/google/callback${query}`)).status, 400, query)
  }
  const browser = new Browser(app)
  const back = await begin(made, browser)
  t.equal((await browser.get(`${back}&code=y`)).status, 400)
  t.equal((await browser.get(back)).status, 200, 'what can not be understood ends nothing')
  const told: [string, number, string][] = [
    ['access_denied', 403, 'access_denied'],
    ['login_required', 403, 'access_denied'],
    ['server_error', 503, 'temporarily_unavailable'],
    ['invalid_scope', 503, 'temporarily_unavailable'],
    ['<script>\r\nx: y', 503, 'temporarily_unavailable'],
  ]
  for (const [error, status, code] of told) {
    const answer = await browser.get(changed(await begin(made, browser), { error }))
    t.equal(answer.status, status, error)
    t.notMatch(JSON.stringify(answer.body), error, 'what the address says is not repeated')
    const led = await browser.get(changed(await begin(made, browser, 'google', APP), { error }))
    t.equal(led.location, `${APP}&error=${code}`)
  }
  t.match(log.join('\n'), /The provider "google": it answered invalid_scope/)
  t.notMatch(log.join(), /script/)
  const noCode = await begin(made, browser)
  t.equal((await browser.get(`/api/auth/google/callback?state=${paramOf(noCode, 'state')}`)).status, 400)
})

each('a provider that is away loses nobody their sign-in', async (t, made) => {
  const { app, hand, log } = made
  const port = Number(new URL(hand.address).port)
  await hand.close()
  const away = await new Browser(app).get('/api/auth/google/redirect')
  t.match(away, { status: 503, cookies: [], body: { error: 'Unavailable', message: /"google" can not sign anybody in/ } })
  t.equal(away.headers.get('retry-after'), '10')
  t.match(log.join('\n'), /The provider "google": .*ECONNREFUSED/)
  t.equal((await new Browser(app).get('/api/auth/github/redirect')).status, 302, 'this one is not asked yet')
  await hand.listen(port)
  const browser = new Browser(app)
  const back = await begin(made, browser)
  await hand.close()
  const waiting = await browser.get(back)
  t.match(waiting, { status: 503, cookies: [] })
  t.equal(waiting.headers.get('retry-after'), '10')
  await hand.listen(port)
  t.equal((await browser.get(back)).status, 200, 'the same address leads on')
  const led = await begin(made, browser, 'google', APP)
  await hand.close()
  t.match(await browser.get(led), { status: 302, location: `${APP}&error=temporarily_unavailable` })
  await hand.listen(port)
  t.equal((await browser.get(led)).status, 400, 'where somebody was told already, it is over')
})

once('what a provider says of itself is kept, and taken as it was while it is away', async (t, made) => {
  const { app, hand, opened } = made
  const port = Number(new URL(hand.address).port)
  const times = () => hand.asked.filter((path) => path.startsWith('/.well-known')).length
  await Promise.all(Array.from({ length: 5 }, () => new Browser(app).get('/api/auth/google/redirect')))
  t.equal(times(), 1)
  opened.clock.advance(60 * MINUTE)
  await new Browser(app).get('/api/auth/google/redirect')
  t.equal(times(), 2)
  opened.clock.advance(60 * MINUTE)
  await hand.close()
  t.equal((await new Browser(app).get('/api/auth/google/redirect')).status, 302)
  await hand.listen(port)
})

once('a provider that is broken: 503 for who signs in, why in the log, and never a secret', async (t, made) => {
  const { hand, log } = made
  const big = JSON.stringify({ id: 1, x: 'x'.repeat(2 ** 20) })
  const broken: [string, string, { status: number; body: string; headers?: Record<string, string> }][] = [
    ['google', '/token', { status: 500, body: '<h1>Oh</h1>', headers: { 'content-type': 'text/html' } }],
    ['google', '/token', { status: 200, body: '{' }],
    ['google', '/token', { status: 401, body: '{"error":"invalid_client"}' }],
    ['google', '/token', { status: 302, body: '', headers: { location: `${hand.address}/user` } }],
    ['google', '/jwks', { status: 500, body: '{}' }],
    ['github', '/token', { status: 200, body: '{"error":"incorrect_client_credentials"}' }],
    ['github', '/user', { status: 500, body: '{}' }],
    ['github', '/user', { status: 302, body: '', headers: { location: `${hand.address}/elsewhere` } }],
    ['github', '/user', { status: 200, body: big }],
    ['github', '/user', { status: 200, body: 'null' }],
    ['github', '/user', { status: 200, body: 'ada@example.org' }],
    ...['{}', '{"id":9007199254740993}', '{"id":1.5}', '{"id":""}', '{"id":{}}', '{"login":"ada"}'].map(
      (body): (typeof broken)[number] => ['github', '/user', { status: 200, body }],
    ),
    ['github', '/emails', { status: 403, body: '{}' }],
  ]
  for (const [name, path, instead] of broken) {
    hand.instead.clear()
    const browser = new Browser(made.app)
    const back = await begin(made, browser, name)
    hand.instead.set(path, instead)
    const before = log.length
    t.equal((await browser.get(back)).status, 503, `${name} ${path} ${instead.status} ${instead.body.slice(0, 40)}`)
    t.match(log[before], new RegExp(`The provider "${name}": .`))
    t.notMatch(log.join(), new RegExp(`${paramOf(back, 'code')}|${paramOf(back, 'state')}|secret of quire|access token|ada@`))
  }
  hand.instead.clear()
  hand.instead.set('/token', { status: 200, body: '{"error":"bad_verification_code"}' })
  const browser = new Browser(made.app)
  t.equal((await browser.get(await begin(made, browser, 'github'))).status, 400)
})

once('providers that are not there', async (t, { app, opened }) => {
  for (const path of [
    '/api/auth/gogle/redirect',
    '/api/auth/gogle/callback?state=x',
    '/api/auth/__proto__/redirect',
    '/api/auth/toString/redirect',
  ])
    t.match(await new Browser(app).get(path), { status: 404, body: { error: 'Not found' } }, path)
  t.equal((await app.bare('POST /api/auth/google/redirect', { body: {} })).status, 405)
  t.equal((await new Browser(app).get('/api/auth/google/redirect?too=x')).status, 400)
  const off = new TestApp(opened, { config: { features: { api: true, auth: false } } })
  t.teardown(() => off.app.close())
  t.equal((await new Browser(off).get('/api/auth/google/redirect')).status, 404)
})

once(
  'who asks too often waits',
  async (t, { app }) => {
    const all: number[] = []
    for (let n = 0; n < 4; n++) all.push((await new Browser(app).get('/api/auth/github/redirect')).status)
    t.same(all, [302, 302, 302, 429])
  },
  { config: { throttle: { auth: '3,1' } } },
)
