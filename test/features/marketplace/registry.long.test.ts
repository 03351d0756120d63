import t from 'tap'
import type { AuditEntry } from '#core/audit-log.ts'
import { integrityOf, makeKeys, signerOf } from '#packages/proof.ts'
import { TestApp } from '#support/app.ts'
import { eachStore } from '#support/stores.ts'
import { moduleOf, noise, publicationOf } from './modules.ts'

const CONFIG = { features: { api: true, auth: true, modules: true, events: true, docs: true, audit: true } }
const BASE = '/api/modules'
const PUBLISHER = 'modules:publish'

t.test('a module is published, found, read and downloaded, on each store', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const app = new TestApp(opened, { config: CONFIG })
    const { privateKey, publicKey } = makeKeys()
    const readme = { name: 'README.md', bytes: '# Contacts\n' }
    const large = moduleOf({ tags: ['forms'], author: 'Mara' }, [readme, { name: 'data.bin', bytes: noise(1_500_000) }])
    const body = publicationOf(large, 'contacts', '1.0.0', privateKey)
    const made = await app.ask(`POST ${BASE}`, { as: PUBLISHER, body })
    t.match(made, { status: 201, headers: { location: `${BASE}/contacts` } })
    const integrity = integrityOf(large)
    t.match(made.body.data, { name: 'contacts', version: '1.0.0', versions: ['1.0.0'], integrity, downloads: 0 })
    const one = (await app.bare(`GET ${BASE}/contacts`)).body.data
    t.match(one, { readme: '# Contacts\n', permissions: ['store'], manifest: { main: 'index.js' } })
    t.equal(signerOf({ name: 'contacts', version: '1.0.0', integrity, signature: one.signature }, [publicKey]), publicKey)

    const path = `${BASE}/contacts/1.0.0/download`
    const answer = await app.app.inject({ method: 'GET', url: path, remoteAddress: '192.0.2.1' })
    t.ok(answer.rawPayload.equals(large), 'the same bytes')
    t.match(answer.headers, { 'content-type': 'application/gzip', 'x-content-type-options': 'nosniff' })
    for (const from of ['192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2']) await app.bare(`GET ${path}`, { from })
    await app.bare(`HEAD ${path}`, { from: '192.0.2.9' })
    t.equal((await app.bare(`GET ${BASE}/contacts`)).body.data.downloads, 3, 'once for each address')
    opened.clock.advance(86_400_000)
    await app.bare(`GET ${path}`, { from: '192.0.2.1' })
    t.equal((await app.bare(`GET ${BASE}/contacts`)).body.data.downloads, 4, 'and day')

    const publish = (manifest: object, as = PUBLISHER) => {
      const whole: Record<string, unknown> = { name: 'contacts', version: '1.0.0', ...manifest }
      return app.ask(`POST ${BASE}`, { as, body: publicationOf(moduleOf(whole), String(whole.name), String(whole.version)) })
    }
    t.equal((await publish({ version: '1.10.0' })).body.data.version, '1.10.0')
    t.equal((await publish({ version: '1.9.0' })).body.data.version, '1.9.0')
    await publish({ name: 'tides', description: 'High water', tags: ['maps'] })
    const names = async (query: string) =>
      (await app.bare(`GET ${BASE}${query}`)).body.data.map(({ name, version }: Record<string, string>) => `${name} ${version}`)
    t.strictSame(await names(''), ['contacts 1.10.0', 'tides 1.0.0'])
    t.strictSame(await names('?sort=name&per_page=1&page=2'), ['tides 1.0.0'])
    t.strictSame(await names('?q=WATER%20high'), ['tides 1.0.0'])
    t.strictSame(await names('?tag=Maps'), ['tides 1.0.0'])
    t.strictSame(await names('?q=nothing'), [])
    t.equal((await app.bare(`GET ${BASE}?q=${'x'.repeat(101)}`)).status, 422)
    t.equal((await app.bare(`GET ${BASE}?sort=best`)).status, 422)
    t.equal((await app.bare(`GET ${BASE}?query=x`)).status, 400)
    t.match(await app.bare(`GET ${BASE}/none`), { status: 404, body: { message: /no module "none"/ } })
    for (const odd of ['..%2f..', '__proto__', 'contacts@1.0.0']) t.equal((await app.bare(`GET ${BASE}/${odd}`)).status, 404, odd)
    t.equal((await app.bare(`GET ${BASE}/contacts/9.9.9/download`)).status, 404)
    await app.close()
  }),
)

t.test('a version is never replaced, a name is its owner’s, and none is ours', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const app = new TestApp(opened, { config: CONFIG })
    const post = (as: string, body: unknown, headers = {}) => app.ask(`POST ${BASE}`, { as, body, headers })
    const first = publicationOf(moduleOf())
    await app.token(PUBLISHER)
    const [one, two] = await Promise.all([post(PUBLISHER, first), post(PUBLISHER, first)])
    t.strictSame([one.status, two.status].sort(), [201, 409])
    t.match(await post(PUBLISHER, publicationOf(moduleOf({ description: 'Other' }))), {
      status: 409,
      body: { message: /never replaced/ },
    })
    const other = `${PUBLISHER},content:read`
    t.match(await post(other, publicationOf(moduleOf({ version: '2.0.0' }), 'contacts', '2.0.0')), { status: 403 })
    t.equal((await post('content:read', first)).status, 403, 'the right is needed')
    t.equal((await app.bare(`POST ${BASE}`, { body: first })).status, 401)
    for (const name of ['search', 'admin', 'quire-forms', 'analytics'])
      t.match(await post(PUBLISHER, publicationOf(moduleOf({ name }), name)), {
        status: 422,
        body: { errors: { name: [/Quire's own/] } },
      })
    const key = { 'idempotency-key': 'k1' }
    const next = publicationOf(moduleOf({ version: '1.1.0' }), 'contacts', '1.1.0')
    t.match([await post(PUBLISHER, next, key), await post(PUBLISHER, next, key)], [{ status: 201 }, { status: 201 }])
    t.equal((await post(PUBLISHER, first, key)).status, 422)

    const withdraw = (as: string, version: string) => app.ask(`DELETE ${BASE}/contacts/${version}`, { as })
    t.equal((await withdraw(other, '1.1.0')).status, 403)
    t.equal((await withdraw(PUBLISHER, '3.0.0')).status, 404)
    t.match(await withdraw(PUBLISHER, '1.1.0'), { status: 200, body: { data: { withdrawn: true } } })
    t.match((await app.bare(`GET ${BASE}/contacts`)).body.data, {
      ...{ version: '1.0.0', versions: ['1.0.0'] },
      releases: [
        { version: '1.1.0', withdrawn: true },
        { version: '1.0.0', withdrawn: false },
      ],
    })
    t.equal((await app.bare(`GET ${BASE}/contacts/1.1.0/download`)).status, 200, 'who has it locked still gets it')
    t.equal((await post(PUBLISHER, next)).status, 409, 'its number is not free again')
    await withdraw(PUBLISHER, '1.0.0')
    t.strictSame((await app.bare(`GET ${BASE}`)).body.data, [], 'it is not offered')
    t.match((await app.bare(`GET ${BASE}/contacts`)).body.data, { withdrawn: true, versions: [] })

    const change = (as: string, body: unknown) => app.ask(`PUT ${BASE}/contacts`, { as, body })
    t.match(await change(PUBLISHER, { deprecated: 'Take forms.' }), {
      status: 200,
      body: { data: { deprecated: 'Take forms.' } },
    })
    t.match((await change(PUBLISHER, { deprecated: null })).body.data.deprecated, null)
    t.equal((await change(PUBLISHER, { owner: 'token:nobody' })).status, 422)
    const told = (await app.ask('GET /api/audit?target=module/contacts&outcome=ok&per_page=100')).body.data as AuditEntry[]
    t.strictSame(told.map(({ action, changed }) => [action, changed]).sort(), [
      ['module.published', null],
      ['module.published', ['version', 'versions']],
      ['module.updated', ['deprecated']],
      ['module.updated', ['deprecated']],
      ['module.withdrawn', ['versions']],
      ['module.withdrawn', ['versions']],
    ])
    for (const one of told) t.match(one, { actor: { kind: 'token' }, via: /^token:/, ip: '127.0.0.1' })
    const { data: tokens } = (await app.ask('GET /api/tokens', { as: 'admin' })).body
    const { id } = tokens.find(({ name }: { name: string }) => name === other)
    t.equal((await change(PUBLISHER, { owner: `token:${id}` })).status, 200)
    t.equal((await post(other, publicationOf(moduleOf({ version: '2.0.0' }), 'contacts', '2.0.0'))).status, 201)
    t.equal((await change(PUBLISHER, { deprecated: 'Mine.' })).status, 403, 'it was given away')
    t.equal((await change('admin', { deprecated: 'Does harm.' })).status, 200, 'who looks after accounts may')
    await app.close()
  }),
)

t.test('what is no package, or is not what is said of it, is refused', async (t) =>
  eachStore(t, {}, async (t, opened) => {
    const app = new TestApp(opened, { config: CONFIG })
    const refused = async (change: object, field: string, says: RegExp) => {
      const { status, body } = await app.ask(`POST ${BASE}`, { as: PUBLISHER, body: { ...publicationOf(moduleOf()), ...change } })
      t.match([status, body.errors?.[field]?.[0]], [422, says], JSON.stringify(change).slice(0, 80))
    }
    await refused({ name: 'other' }, 'name', /not what module\.yaml/)
    await refused({ version: '1.0.1' }, 'version', /not what module\.yaml/)
    await refused({ permissions: [] }, 'permissions', /not what module\.yaml/)
    await refused({ package: 'AAAA' }, 'package', /damaged/)
    await refused({ package: '!!!' }, 'package', /base64/)
    await refused({ package: undefined }, 'package', /required/)
    await refused({ signature: 'AAAA' }, 'signature', /Ed25519/)
    await refused({ repository: 'http://example.org/x' }, 'repository', /https/)
    await refused({ colour: 'red' }, 'colour', /./)
    await refused({ package: moduleOf({}, [{ name: '../evil', bytes: 'x' }]).toString('base64') }, 'package', /leads out/)
    const elsewhere = { name: 'far', version: '1.0.0', repository: 'https://example.org/far', permissions: ['store'] }
    t.match(await app.ask(`POST ${BASE}`, { as: PUBLISHER, body: elsewhere }), {
      status: 201,
      body: { data: { integrity: null } },
    })
    t.match(await app.bare(`GET ${BASE}/far/1.0.0/download`), { status: 404, body: { message: /not kept here/ } })
    t.equal((await app.ask(`POST ${BASE}`, { as: PUBLISHER, body: { ...elsewhere, name: '..' } })).status, 422)
    const over = { ...publicationOf(moduleOf()), package: 'A'.repeat(29 * 1024 * 1024) }
    t.equal((await app.ask(`POST ${BASE}`, { as: PUBLISHER, body: over })).status, 413)
    t.equal((await app.bare(`GET ${BASE}`)).body.data.length, 1, 'nothing of them is kept')
    await app.close()
  }),
)

t.test('module.published is told, once for each version', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const app = new TestApp(opened, { config: CONFIG })
    await app.features.events.due()
    for (const version of ['1.0.0', '1.1.0'])
      await app.ask(`POST ${BASE}`, { as: PUBLISHER, body: publicationOf(moduleOf({ version }), 'contacts', version) })
    await app.bare(`GET ${BASE}/contacts/1.0.0/download`)
    await app.features.events.due()
    const parts = await app.features.events.log.after(0)
    t.match(
      parts.flatMap(({ events }) => events).map(({ event }) => [event.type, event.data]),
      [
        ['module.published', { type: 'module', id: 'contacts' }],
        ['module.published', { type: 'module', id: 'contacts', changed: ['version'] }],
      ],
    )
    await app.close()
  }),
)

t.test('switched off, it answers 404', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const app = new TestApp(opened, { config: { features: { api: true, auth: true } } })
    t.equal((await app.bare(`GET ${BASE}`)).status, 404)
    await app.close()
  }),
)
