import t from 'tap'
import { BrowserCookie } from '#features/auth/providers/browser-cookie.ts'
import { ProviderAway } from '#features/auth/providers/failures.ts'
import { OAuth2Provider } from '#features/auth/providers/oauth2.ts'
import { OidcProvider } from '#features/auth/providers/oidc.ts'
import { isLoopbackHost, isSecureAddress } from '#lib/secure-address.ts'
import { TestClock } from '#support/clock.ts'
import { HandMadeProvider } from '#support/identity-providers.ts'

const DANCE = { state: 's', verifier: 'v'.repeat(43), nonce: 'n' }
const COMMON = { name: 'x', callback: 'https://example.org/api/auth/x/callback', patience: 5000 }

/** Returns the reason for which a provider could not be asked, as the log has it. */
async function troubleOf(asked: Promise<unknown>): Promise<string> {
  const failed = await asked.then(
    () => undefined,
    (error: unknown) => error,
  )
  return failed instanceof ProviderAway ? failed.trouble.message : `no trouble: ${failed}`
}

t.test('a provider that never answers is waited for only so long', async (t) => {
  const hand = await HandMadeProvider.start()
  t.teardown(() => hand.close())
  hand.instead.set('/.well-known/openid-configuration', 'hang').set('/token', 'hang').set('/user', 'hang')
  t.match(
    await troubleOf(new OidcProvider({ ...COMMON, patience: 300, setting: hand.oidc }, new TestClock()).begin(DANCE)),
    /timed out|aborted/,
  )
  const github = new OAuth2Provider({ ...COMMON, patience: 300, setting: hand.oauth2 })
  t.match(await troubleOf(github.person(DANCE, { state: 's', code: 'c' })), /timed out|aborted/)
  hand.instead.delete('/.well-known/openid-configuration')
  const google = new OidcProvider({ ...COMMON, patience: 300, setting: hand.oidc }, new TestClock())
  await google.begin(DANCE)
  t.match(await troubleOf(google.person(DANCE, { state: 's', code: 'c' })), /timed out|aborted/)
})

t.test('nothing is asked over plain HTTP but on this machine, whatever a provider says of itself', async (t) => {
  const hand = await HandMadeProvider.start()
  t.teardown(() => hand.close())
  hand.metadata = { token_endpoint: 'http://tokens.example/token' }
  const google = new OidcProvider({ ...COMMON, setting: hand.oidc }, new TestClock())
  await google.begin(DANCE)
  t.match(await troubleOf(google.person(DANCE, { state: 's', code: 'c' })), /not https/)
  hand.metadata = { issuer: 'https://another.example' }
  const other = new OidcProvider({ ...COMMON, setting: hand.oidc }, new TestClock())
  t.match(await troubleOf(other.begin(DANCE)), /issuer/)
})

t.test('what the address of a provider has of its own stays', async (t) => {
  const hand = await HandMadeProvider.start()
  t.teardown(() => hand.close())
  const begin = async (setting: object) => new OAuth2Provider({ ...COMMON, setting: { ...hand.oauth2, ...setting } }).begin(DANCE)
  const own = await begin({ authorize_url: `${hand.address}/authorize?scope=account&tenant=one` })
  t.match(Object.fromEntries(own.searchParams), { scope: 'account', tenant: 'one', state: 's' })
  t.strictSame(own.searchParams.getAll('scope'), ['account'])
  t.equal((await begin({ scope: 'read:user' })).searchParams.get('scope'), 'read:user')
  const google = new OidcProvider({ ...COMMON, setting: { ...hand.oidc, scope: 'openid email' } }, new TestClock())
  t.equal((await google.begin(DANCE)).searchParams.get('scope'), 'openid email')
})

t.test('how this site shows who it is, as the provider will have it', async (t) => {
  const hand = await HandMadeProvider.start()
  t.teardown(() => hand.close())
  const seen: (string | undefined)[] = []
  hand.server.on('request', (request) => {
    if (request.url === '/token') seen.push(request.headers.authorization?.split(' ', 1)[0])
  })
  for (const methods of [undefined, ['client_secret_post'], ['client_secret_post', 'client_secret_basic']]) {
    hand.metadata = methods ? { token_endpoint_auth_methods_supported: methods } : {}
    const google = new OidcProvider({ ...COMMON, setting: hand.oidc }, new TestClock())
    await t.rejects(google.person(DANCE, { state: 's', code: 'c' }), { message: /does not fit/ })
  }
  t.strictSame(seen, ['Basic', undefined, 'Basic'])
})

t.test('the cookie', async (t) => {
  const [secure, plain] = [new BrowserCookie('https://example.org/blog'), new BrowserCookie('http://localhost:3000')]
  t.equal(secure.remove(), '__Host-cms_signin=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure')
  t.equal(secure.read('a=b; __Host-cms_signin=x; c=d'), 'x')
  t.equal(plain.read('cms_signin=x'), 'x')
  for (const header of [undefined, '', 'cms_signin=x', 'x__Host-cms_signin=x', '__Host-cms_signin=x; __Host-cms_signin=y'])
    t.equal(secure.read(header), undefined, String(header))
})

t.test('which addresses nobody on the way can read', async (t) => {
  for (const host of ['127.0.0.1', '127.1.2.3', '::1', '[::1]', 'localhost', 'LOCALHOST', 'a.localhost'])
    t.ok(isLoopbackHost(host), host)
  for (const host of [
    '',
    '0.0.0.0',
    '128.0.0.1',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'notlocalhost',
    '::',
    '10.0.0.1',
  ])
    t.notOk(isLoopbackHost(host), host)
  for (const address of ['https://example.org', 'http://127.0.0.1:3000/x', 'http://[::1]/'])
    t.ok(isSecureAddress(address), address)
  for (const address of ['http://example.org', 'ftp://localhost', '', 'example.org', 'http://127.0.0.1.evil.example/'])
    t.notOk(isSecureAddress(address), address)
})
