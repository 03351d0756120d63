import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
} from 'node:crypto'
import fc from 'fast-check'
import type { JWK } from 'jose'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { Keys } from '#features/auth/sessions/keys.ts'
import type { User } from '#features/users/user.ts'
import { TestApp } from '#support/app.ts'
import { long } from '#support/long.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'

const MINUTE = 60_000
const by = { name: 'Test', email: 'test@example.org' }

interface Given {
  readonly app: TestApp
  readonly opened: OpenedStore
  readonly user: User
  readonly statusOf: (token: string) => Promise<number>
}

function each(name: string, body: (t: Test, given: Given) => Promise<void>): void {
  t.test(name, (t) =>
    eachStore(t, {}, async (t, opened) => {
      const app = new TestApp(opened)
      t.teardown(() => app.app.close())
      const user = await app.features.users.create({ email: 'ada@example.org', role: 'owner' }, by)
      const statusOf = async (token: string) =>
        (await app.bare('GET /api/cms/types', { headers: { authorization: `Bearer ${token}` } })).status
      await body(t, { app, opened, user, statusOf })
    }),
  )
}

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

function decoded(token: string): { header: Record<string, unknown>; payload: Record<string, unknown> } {
  const [header = '', payload = ''] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString())
  return { header: JSON.parse(header), payload: JSON.parse(payload) }
}

function signed(header: object, payload: object, key: KeyObject): string {
  const text = `${encoded(header)}.${encoded(payload)}`
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`
}

each('a token is what RFC 9068 says, and others can read it by the published keys', async (t, { app, user, opened }) => {
  const { token } = await app.features.auth.sessions.begin(user, 'code')
  const { header, payload } = decoded(token)
  const keys = (await app.bare('GET /.well-known/jwks.json')).body.keys as JWK[]
  const now = Math.floor(opened.clock.now() / 1000)
  t.same(header, { alg: 'EdDSA', typ: 'at+jwt', kid: keys[0]?.kid })
  t.match(payload, { iss: 'https://example.org', aud: 'https://example.org/api', sub: user.id, iat: now, exp: now + 900 })
  t.same(Object.keys(payload).sort(), ['aud', 'exp', 'iat', 'iss', 'jti', 'sub', 'ver'], 'no role, no name, no address')
  t.same(Object.keys(keys[0] ?? {}).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x'], 'nothing private is published')
  const { importJWK, jwtVerify } = await import('jose')
  const read = await jwtVerify(token, await importJWK(keys[0] ?? {}), { currentDate: new Date(opened.clock.now()) })
  t.equal(read.payload.sub, user.id)
})

long(each)('a forged token is refused, whatever it is forged of', async (t, { app, user, opened, statusOf }) => {
  const { token } = await app.features.auth.sessions.begin(user, 'code')
  t.equal(await statusOf(token), 200)
  const { header, payload } = decoded(token)
  const [jwk] = (await app.bare('GET /.well-known/jwks.json')).body.keys as JWK[]
  t.equal((await app.bare('GET /.well-known/jwks.json?x=1')).status, 400, 'it takes no parameters')
  const document = await opened.store.get(keyOf('.keys', String(header.kid)))
  const own = createPrivateKey({ key: document?.fields.private as JsonWebKey, format: 'jwk' })
  const other = generateKeyPairSync('ed25519')
  const pem = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' })
    .export({ type: 'spki', format: 'pem' })
    .toString()
  const hmac = (secret: string | Buffer, head: object) => {
    const text = `${encoded(head)}.${encoded(payload)}`
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
  }
  const without = (name: string) => Object.fromEntries(Object.entries(payload).filter(([key]) => key !== name))
  const now = Math.floor(opened.clock.now() / 1000)
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const rs = `${encoded({ ...header, alg: 'RS256' })}.${encoded(payload)}`
  const forged: Record<string, string> = {
    'alg none': `${encoded({ ...header, alg: 'none' })}.${encoded(payload)}.`,
    'alg none, a signature': `${encoded({ ...header, alg: 'none' })}.${encoded(payload)}.${token.split('.')[2]}`,
    'HS256 with the public key as PEM': hmac(pem, { ...header, alg: 'HS256' }),
    'HS256 with the public key raw': hmac(Buffer.from(jwk?.x ?? '', 'base64url'), { ...header, alg: 'HS256' }),
    'HS256 with nothing': hmac('', { ...header, alg: 'HS256' }),
    RS256: `${rs}.${sign('sha256', Buffer.from(rs), rsa.privateKey).toString('base64url')}`,
    'another key under our name': signed(header, payload, other.privateKey),
    'an unknown key': signed({ ...header, kid: '0123456789abcdef' }, payload, own),
    'no kid': signed({ alg: 'EdDSA', typ: 'at+jwt' }, payload, own),
    'a kid that is a path': signed({ ...header, kid: '../../.keys/x' }, payload, own),
    'a kid that is a number': signed({ ...header, kid: 7 }, payload, own),
    'a key of its own in the header': signed(
      { ...header, kid: undefined, jwk: other.publicKey.export({ format: 'jwk' }) },
      payload,
      other.privateKey,
    ),
    'a key elsewhere': signed({ ...header, jku: 'http://127.0.0.1:1/' }, payload, other.privateKey),
    'typ JWT': signed({ ...header, typ: 'JWT' }, payload, own),
    'no typ': signed({ alg: 'EdDSA', kid: header.kid }, payload, own),
    'an unknown critical header': signed({ ...header, crit: ['x'], x: 1 }, payload, own),
    'another aud': signed(header, { ...payload, aud: 'https://example.com/api' }, own),
    'another iss': signed(header, { ...payload, iss: 'https://example.com' }, own),
    'a far end': signed(header, { ...payload, iat: now - 20 * 60, exp: now + 86_400 }, own),
    'from the future': signed(header, { ...payload, iat: now + 3600, exp: now + 4000 }, own),
    over: signed(header, { ...payload, exp: now }, own),
    'not yet': signed(header, { ...payload, nbf: now + 600 }, own),
    'an end that is a text': signed(header, { ...payload, exp: `${now + 900}` }, own),
    'another user': signed(header, { ...payload, sub: 'somebody' }, own),
    'another session': signed(header, { ...payload, jti: `${'0'.repeat(24)}.x` }, own),
    'another version': signed(header, { ...payload, ver: 99 }, own),
    'a version that is a text': signed(header, { ...payload, ver: String(payload.ver) }, own),
    'no signature': token.split('.').slice(0, 2).join('.'),
    'an empty signature': `${token.split('.').slice(0, 2).join('.')}.`,
    'two tokens': `${token}, ${token}`,
    'a body that is no object': `${encoded(header)}.${encoded('x')}.${token.split('.')[2]}`,
  }
  const values = [['a'], [], {}, null, true, 7, -1, 1.5, '', 'x'.repeat(2000), '\0', [payload.sub], [payload.jti], { a: 1 }]
  for (const name of ['iss', 'aud', 'sub', 'iat', 'exp', 'nbf', 'jti', 'ver']) {
    for (const value of values) {
      const isGood = name === 'nbf' && typeof value === 'number'
      if (!isGood) forged[`${name} ${JSON.stringify(value)}`] = signed(header, { ...payload, [name]: value }, own)
    }
  }
  for (const name of ['iss', 'aud', 'sub', 'iat', 'exp', 'jti', 'ver']) forged[`no ${name}`] = signed(header, without(name), own)
  for (const [name, text] of Object.entries(forged)) t.equal(await statusOf(text), 401, name)
  t.equal(await statusOf(signed(header, payload, own)), 200, 'what is forged of nothing is good')
  await fc.assert(
    fc.asyncProperty(fc.nat(token.length - 1), fc.constantFrom(...'Ab0_-.'), async (place, letter) => {
      const changed = token.slice(0, place) + letter + token.slice(place + 1)
      const isSame = Buffer.from(changed.split('.')[2] ?? '', 'base64url').equals(
        Buffer.from(token.split('.')[2] ?? '', 'base64url'),
      )
      return changed === token || (isSame && place > token.lastIndexOf('.')) || (await statusOf(changed)) === 401
    }),
    { numRuns: 60 },
  )
})

each('a new key signs at once; what the one before signed lives out its time', async (t, { app, user, opened, statusOf }) => {
  const before = await app.features.auth.sessions.begin(user, 'code')
  const id = await app.features.auth.keys.rotate(by)
  const after = await app.features.auth.sessions.begin(user, 'code')
  t.equal(decoded(after.token).header.kid, id)
  t.same([await statusOf(before.token), await statusOf(after.token)], [200, 200])
  const keys = async () => (await app.bare('GET /.well-known/jwks.json')).body.keys.length
  t.equal(await keys(), 2)
  opened.clock.advance(20 * MINUTE)
  const other = new Keys(opened)
  t.equal((await other.published()).length, 1, 'what can have signed nothing that lives is published no more')
  await app.features.auth.keys.rotate(by)
  const held = await opened.store.browse('.keys', {})
  t.equal(held.total, 2, 'and removed when the next one comes')
})

each('a key lives out its time however often another takes its place', async (t, { app, user, opened, statusOf }) => {
  opened.clock.advance(20 * MINUTE)
  const { token } = await app.features.auth.sessions.begin(user, 'code')
  opened.clock.advance(20 * MINUTE)
  const last = await app.features.auth.sessions.begin(user, 'code')
  await app.features.auth.keys.rotate(by)
  opened.clock.advance(MINUTE)
  await app.features.auth.keys.rotate(by)
  t.same([await statusOf(token), await statusOf(last.token)], [401, 200])
  opened.clock.advance(14 * MINUTE)
  t.equal(await statusOf(last.token), 401, 'until it is over')
})

each('a key that is revoked takes with it what it signed, on every node', async (t, { app, user, opened, statusOf }) => {
  const before = await app.features.auth.sessions.begin(user, 'code')
  t.equal(await statusOf(before.token), 200)
  await app.features.auth.keys.rotate(by, true)
  t.equal(await statusOf(before.token), 401)
  const fresh = await app.bare('POST /api/auth/refresh', { body: { refresh_token: before.refresh_token } })
  t.equal(await statusOf(fresh.body.token), 200, 'who may refresh goes on')
  t.equal((await opened.store.browse('.keys', {})).total, 1)
})

each('many that need the first key at once make one', async (t, { app, user, opened }) => {
  await Promise.all(Array.from({ length: 10 }, () => app.features.auth.sessions.begin(user, 'code')))
  t.equal((await opened.store.browse('.keys', {})).total, 1)
})
