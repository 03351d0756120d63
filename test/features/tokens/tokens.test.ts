import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { SCOPES } from '#core/access/access.ts'
import { keyOf } from '#core/key.ts'
import { configuredTokens } from '#features/tokens/configured.ts'
import { hashToken, isToken, makeToken } from '#features/tokens/format.ts'
import { accessOf, expandScopes } from '#features/tokens/rights.ts'
import { Tokens } from '#features/tokens/tokens.ts'
import { TestApp } from '#support/app.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'

const DAY = 86_400_000
const FILES = { 'content/posts/a.md': '# A\n', 'content/posts/d.md': '---\nstatus: draft\n---\n', 'content/notes/n.md': '# N\n' }

function each(name: string, body: (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>): void {
  t.test(name, (t) => eachStore(t, { files: FILES }, (t, opened) => body(t, new TestApp(opened), opened)))
}

const bearing = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

t.test('the form: cms_, 40 random characters, their CRC-32 in base62', async (t) => {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  fc.assert(
    fc.property(fc.array(fc.nat(61), { minLength: 40, maxLength: 40 }), (numbers) => {
      const left = [...numbers]
      const token = makeToken((max) => (max === 62 ? (left.shift() ?? 0) : Number.NaN))
      const secret = numbers.map((n) => digits[n]).join('')
      const sum = [...token.slice(44)].reduce((total, digit) => total * 62 + digits.indexOf(digit), 0)
      return token.length === 50 && token.startsWith(`cms_${secret}`) && sum === crc32(secret) && isToken(token)
    }),
  )
  t.match(
    makeToken((max) => max - 1),
    /^cms_z{40}[0-9A-Za-z]{6}$/,
  )
  const token = makeToken(() => 7)
  t.notOk(isToken(`${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`), 'the checksum counts')
  for (const text of ['', 'cms_', token.slice(1), `${token} `, token.toLowerCase(), token.replace('cms_', 'cmz_')])
    t.notOk(isToken(text), text)
  t.equal(hashToken('a'), createHash('sha256').update('a').digest('hex'))
})

t.test('scopes, presets and what narrows them', async (t) => {
  t.same(expandScopes(['read']), ['content:read'])
  t.same(expandScopes(['admin']), [...SCOPES].sort())
  t.same(expandScopes(['content:write@posts', 'read@notes', 'read@notes']), ['content:read@notes', 'content:write@posts'])
  t.throws(() => expandScopes(['content:raed']), { message: /"content:read"/ })
  for (const scope of ['reed', 'read@', '', 'toString']) t.throws(() => expandScopes([scope]), { message: /scope/ }, scope)
  t.throws(() => expandScopes([]), { message: /scope/ })
  const access = accessOf('x', { name: 'x', email: 'x' }, ['content:read', 'content:write@posts'], ['posts', 'notes'])
  t.ok(access.may('content:read', 'posts') && access.may('content:read', 'notes') && access.may('content:write', 'posts'))
  t.notOk(access.may('content:write', 'notes') || access.may('content:write') || access.may('content:read', 'pages'))
  t.ok(access.sees('posts'))
  t.notOk(access.sees('pages'))
})

each('a token is shown once, kept as a hash, and lives 90 days', async (t, app, opened) => {
  const { tokens } = app.features
  const { token, view } = await tokens.create({ name: 'ci', scopes: ['read'] })
  t.match(view, { name: 'ci', scopes: ['content:read'], types: [], last_used_at: null, configured: false })
  t.equal(Date.parse(view.expires_at ?? ''), opened.clock.now() + 90 * DAY)
  const kept = await opened.store.get(keyOf('.tokens', view.id))
  t.equal(kept?.fields.hash, hashToken(token))
  t.notMatch(JSON.stringify([kept?.fields, await tokens.list()]), token.slice(4))
  t.notMatch(JSON.stringify(await tokens.list()), hashToken(token))
  t.same(await opened.store.kinds(), ['notes', 'posts'], 'no content')
  t.equal((await app.bare('GET /api/cms/posts', bearing(token))).status, 200)
  opened.clock.advance(90 * DAY - 1)
  t.equal((await app.bare('GET /api/cms/posts', bearing(token))).status, 200)
  opened.clock.advance(1)
  t.equal((await app.bare('GET /api/cms/posts', bearing(token))).status, 401)
  const forEver = await tokens.create({ name: 'for ever', scopes: ['read'], expires: 'never' })
  t.equal(forEver.view.expires_at, null)
  opened.clock.advance(10_000 * DAY)
  t.equal((await app.bare('GET /api/cms/posts', bearing(forEver.token))).status, 200)
  await t.rejects(tokens.create({ name: 'ci', scopes: ['read'] }), { message: /called|taken|configuration|there/ })
  for (const name of ['', 'a\nb', 'a <b@c>', 'x'.repeat(101)])
    await t.rejects(tokens.create({ name, scopes: ['read'] }), { message: /name|expiry/ })
  for (const expires of [0, -1, Number.NaN])
    await t.rejects(tokens.create({ name: 'n', scopes: ['read'], expires }), { message: /name|expiry/ })
})

each('a revoked token ends at once, whoever revoked it', async (t, app, { store, ledger, clock }) => {
  const { token, view } = await app.features.tokens.create({ name: 'one', scopes: ['read'] })
  const second = await app.features.tokens.create({ name: 'two', scopes: ['read'] })
  t.equal((await app.bare('GET /api/cms/posts', bearing(token))).status, 200)
  t.equal((await app.bare('GET /api/cms/posts', bearing(second.token))).status, 200)
  t.equal((await app.features.tokens.revoke('one')).id, view.id)
  t.equal((await app.bare('GET /api/cms/posts', bearing(token))).status, 401)
  const elsewhere = new Tokens({ store, ledger, clock, configured: [], siteHost: 'example.org' })
  await elsewhere.revoke(second.view.id)
  t.equal((await app.bare('GET /api/cms/posts', bearing(second.token))).status, 401)
  await t.rejects(app.features.tokens.revoke('one'), { message: /no token/ })
  t.same(await app.features.tokens.list(), [])
})

each('what is no token of ours is never looked up', async (t, app, { store }) => {
  const asked: string[] = []
  const get = store.get.bind(store)
  store.get = (key) => {
    asked.push(key.kind)
    return get(key)
  }
  const bad = makeToken(() => 3).replace(/.$/, (last) => (last === '0' ? '1' : '0'))
  t.match(await app.bare('GET /api/cms/posts', bearing(bad)), { status: 401, headers: { 'www-authenticate': /invalid_token/ } })
  t.same(asked, [])
  t.equal((await app.bare('GET /api/cms/posts', bearing(makeToken(() => 3)))).status, 401)
  t.same(asked, ['.tokens'])
})

each('only a hash equal in all its places opens', async (t, app, { store }) => {
  const token = makeToken(() => 9)
  const hash = hashToken(token)
  // The id is found by the first places of the hash: the rest must count too.
  const key = keyOf('.tokens', hash.slice(0, 12))
  const fields = { name: 'x', hash: `${hash.slice(0, 12)}${'0'.repeat(52)}`, scopes: ['content:read'], types: [], expires: null }
  await store.write([{ key, put: { set: fields } }], { name: 'x', email: 'x@x' })
  t.equal((await app.bare('GET /api/cms/posts', bearing(token))).status, 401)
  await store.write([{ key, put: { set: { hash } } }], { name: 'x', email: 'x@x' })
  t.equal((await app.bare('GET /api/cms/posts', bearing(token))).status, 200)
  await store.write([{ key, put: { set: { expires: 'some day' } } }], { name: 'x', email: 'x@x' })
  t.equal((await app.bare('GET /api/cms/posts', bearing(token))).status, 401, 'an end that can not be read is no licence')
})

each('a token limited to types knows no others', async (t, app) => {
  const as = { as: 'admin', types: ['posts'] }
  t.equal((await app.ask('GET /api/cms/posts/a', as)).status, 200)
  for (const request of ['GET /api/cms/notes', 'GET /api/cms/notes/n', 'GET /api/cms/types/notes', 'DELETE /api/cms/notes/n']) {
    t.match(await app.ask(request, as), { status: 404, body: { error: 'Not found' } }, request)
  }
  t.equal((await app.ask('POST /api/cms/notes', { ...as, body: { title: 'X' } })).status, 404)
  t.equal((await app.ask('GET /api/cms/posts/d', { as: 'read' })).status, 404)
})

each('last use is noted, once an hour', async (t, app, { clock, ledger }) => {
  const { token } = await app.features.tokens.create({ name: 'ci', scopes: ['read'] })
  const puts: Promise<void>[] = []
  const put = ledger.put.bind(ledger)
  ledger.put = (name, value, ttl) => {
    const done = put(name, value, ttl)
    puts.push(done)
    return done
  }
  const used = async () => {
    await Promise.all(puts)
    return (await app.features.tokens.list())[0]?.last_used_at
  }
  const first = new Date(clock.now()).toISOString()
  await app.bare('GET /api/cms/posts', bearing(token))
  clock.advance(3_599_999)
  await app.bare('GET /api/cms/posts', bearing(token))
  t.same([await used(), puts.length], [first, 1])
  clock.advance(1)
  await app.bare('GET /api/cms/posts', bearing(token))
  t.same([await used(), puts.length], [new Date(clock.now()).toISOString(), 2])
  ledger.put = () => Promise.reject(new Error('the disk is full'))
  clock.advance(DAY)
  t.equal((await app.bare('GET /api/cms/posts', bearing(token))).status, 200)
})

t.test('tokens of the configuration: a variable or a hash', async (t) => {
  const token = makeToken(() => 5)
  const settings = [
    { name: 'env', env: 'CI_TOKEN', scopes: ['read'] },
    {
      name: 'hash',
      hash: `sha256:${hashToken('another secret that is long enough')}`,
      scopes: ['edit'],
      types: ['posts'],
      expires_at: '2026-02-01',
    },
  ]
  const at = (index: number) => ({ file: 'cms.config.yaml', line: 7 + index, column: 9 })
  const configured = configuredTokens(settings, { CI_TOKEN: `${token}\n` }, at)
  t.same(configured[0], { name: 'env', hash: hashToken(token), scopes: ['content:read'], types: [], expiresAt: null })
  for (const [env, fault] of [
    [{}, 'is not set'],
    [{ CI_TOKEN: 'short' }, 'holds fewer than 32 characters'],
  ] as const) {
    const message = `api.tokens.0.env names an environment variable that ${fault}.`
    t.throws(() => configuredTokens(settings, env, at), { message, file: 'cms.config.yaml', line: 7, column: 9 })
  }
  const slipped = [{ name: 'ci', env: token, scopes: ['read'] }]
  const said = { message: 'api.tokens.0.env names an environment variable that is not set.' }
  t.throws(() => configuredTokens(slipped, {}, at), said, 'a token that is written where a name should be is not repeated')
  await eachStore(t, { files: FILES }, async (t, opened) => {
    const app = new TestApp(opened, { config: { api: { tokens: settings } }, deps: { env: { CI_TOKEN: token } } })
    t.equal((await app.bare('GET /api/cms/posts', bearing(token))).status, 200)
    const other = bearing('another secret that is long enough')
    t.equal((await app.bare('GET /api/cms/posts/d', other)).status, 200)
    t.equal((await app.bare('GET /api/cms/notes', other)).status, 404)
    t.match(await app.features.tokens.list(), [
      { name: 'env', configured: true },
      { name: 'hash', expires_at: '2026-02-01T00:00:00.000Z' },
    ])
    await t.rejects(app.features.tokens.revoke('env'), { message: /called|taken|configuration|there/ })
    opened.clock.set('2026-02-01T00:00:00.000Z')
    t.equal((await app.bare('GET /api/cms/posts/d', other)).status, 401)
  })
})

each('whose name a change bears', async (t, app, { store }) => {
  const authors: unknown[] = []
  const { token, view } = await app.features.tokens.create({ name: 'ci', scopes: ['admin'] })
  const write = store.write.bind(store)
  store.write = (changes, by) => {
    authors.push(by)
    return write(changes, by)
  }
  const { headers } = await app.bare('PUT /api/cms/posts/a', { ...bearing(token), body: { title: 'B' }, from: '192.0.2.9' })
  const request = { id: headers['x-request-id'], ip: '192.0.2.9', via: `token:${view.id}` }
  t.strictSame(authors, [{ name: 'ci', email: `token+${view.id}@example.org`, request }])
})
