import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { enabledIn, withEnabled } from '#features/marketplace/added/enabled.ts'
import { RegistryClient } from '#features/marketplace/added/registry-client.ts'
import { SiteModules } from '#features/marketplace/added/site-modules.ts'
import { integrityOf, makeKeys, signClaim } from '#packages/proof.ts'
import { HOSTILE, LARGE } from '../../packages/archives.ts'
import { moduleOf } from './modules.ts'

const { privateKey, publicKey } = makeKeys()

/** A registry that says and serves whatever it is told to. */
interface Forged {
  name: string
  version: string
  integrity: string
  signature: string | null
  tgz: Buffer
}

async function forged(t: Test, keys: readonly string[] = [publicKey]) {
  const root = t.testdir({ 'cms.config.yaml': 'site: { name: X }\n', content: {} })
  const told: { now: Forged } = { now: signed(moduleOf()) }
  const server = createServer((request, response) => {
    const { name, version, integrity, signature, tgz } = told.now
    if (request.url?.endsWith('/download')) return void response.end(tgz)
    const release = {
      version,
      cms: '*',
      permissions: [],
      integrity,
      signature,
      repository: null,
      published_at: '',
      withdrawn: false,
    }
    response.end(JSON.stringify({ data: { name, version, versions: [version], integrity, signature, releases: [release] } }))
  })
  // To make the largest packages takes longer than a connection is kept by default.
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const modules = new SiteModules({
    root,
    configFile: 'cms.config.yaml',
    registry: new RegistryClient(url),
    keys,
    version: '0.1.0',
    shipped: ['forms'],
  })
  const add = async (name = 'contacts', version?: string, isDowngrade = false) =>
    modules.apply(await modules.plan(name, version, isDowngrade))
  return { root, told, modules, add, url }
}

function signed(tgz: Buffer, name = 'contacts', version = '1.0.0', key = privateKey): Forged {
  const integrity = integrityOf(tgz)
  return { name, version, integrity, signature: signClaim({ name, version, integrity }, key), tgz }
}

const state = (root: string) => readdirSync(root, { recursive: true }).map(String).sort()

t.test('whatever a registry says, only what is signed is added, and of what is refused nothing is left', async (t) => {
  const { root, told, add } = await forged(t)
  const before = state(root)
  const good = signed(moduleOf())
  const refused = async (forge: Partial<Forged>, says: RegExp) => {
    told.now = { ...good, ...forge }
    await t.rejects(add(), { message: says })
    t.strictSame(state(root), before, String(says))
  }
  const changed = Buffer.from(good.tgz)
  changed[changed.length - 20] = (changed[changed.length - 20] ?? 0) ^ 1
  await refused({ tgz: changed }, /sha512/)
  await refused({ tgz: changed, integrity: integrityOf(changed) }, /not signed by a key/)
  await refused({ signature: null }, /is not signed/)
  await refused({ name: 'contacts-pro' }, /does not answer as a registry/)
  const other = signed(moduleOf({ name: 'tides' }), 'tides')
  await refused({ ...other, name: 'contacts' }, /not signed by a key/)
  const old = signed(moduleOf({ version: '0.9.0' }), 'contacts', '0.9.0')
  await refused({ ...old, version: '1.0.0' }, /not signed by a key/)
  await refused(signed(moduleOf({ name: 'tides' }), 'contacts'), /says that it is tides/)
  await refused(signed(moduleOf({ version: '0.9.0' })), /says that it is contacts 0\.9\.0/)
  await refused(signed(moduleOf(), 'contacts', '1.0.0', makeKeys().privateKey), /not signed by a key/)
  await refused(signed(moduleOf({ cms: '>=99' })), /runs with Quire >=99/)
  await refused(signed(moduleOf({ api: 2 })), /another major/)
  for (const [, make, says] of [...HOSTILE, ...LARGE]) await refused(signed(make()), says)
  told.now = good
  await add()
  t.match(readFileSync(join(root, 'modules.lock.yaml'), 'utf8'), `signer: ${publicKey}`)
})

t.test('an update replaces, an older version is asked for, and the same version has the same bytes', async (t) => {
  const { root, told, modules, add } = await forged(t)
  await add()
  told.now = signed(moduleOf({ version: '2.0.0', permissions: ['mail'] }, [{ name: 'new.js', bytes: 'x' }]), 'contacts', '2.0.0')
  const plan = await modules.plan('contacts')
  t.match(plan, { from: '1.0.0', changes: { added: ['mail'], dropped: ['store'] } })
  await modules.apply(plan)
  t.ok(existsSync(join(root, 'modules/contacts/new.js')))
  const lock = readFileSync(join(root, 'modules.lock.yaml'), 'utf8')
  told.now = signed(moduleOf())
  await t.rejects(add(), { message: /older than 2\.0\.0/, exit: 5 })
  t.equal(readFileSync(join(root, 'modules.lock.yaml'), 'utf8'), lock)
  await add('contacts', '1.0.0', true)
  t.notOk(existsSync(join(root, 'modules/contacts/new.js')), 'nothing of the newer one is left')
  told.now = signed(moduleOf({ description: 'Other' }))
  await t.rejects(add(), { message: /another package of contacts 1\.0\.0/, exit: 6 })
  t.match(await modules.verify(), { checked: 1, problems: [] })
  writeFileSync(join(root, 'modules/contacts/extra.js'), '')
  t.match(await modules.verify(), { problems: [{ name: 'contacts' }] })
  t.match(await modules.list(), [{ name: 'contacts', isEnabled: true, manifest: { version: '1.0.0' } }])
  await modules.remove('contacts')
  t.strictSame(state(join(root, 'modules')), [])
  t.strictSame(await modules.list(), [])
})

t.test('without keys a signature says nothing; a name that leads out is none', async (t) => {
  const { root, told, modules, add } = await forged(t, [])
  told.now = { ...told.now, signature: null }
  await add()
  t.notMatch(readFileSync(join(root, 'modules.lock.yaml'), 'utf8'), /signer/)
  for (const name of ['../x', 'a/b', '.git', '']) await t.rejects(modules.plan(name), { message: /There is no module/ })
  mkdirSync(join(root, 'modules/own'))
  writeFileSync(join(root, 'modules/own/module.yaml'), 'api: 1\nname: own\nversion: 1.0.0\n')
  t.match(
    (await modules.list()).map(({ name, entry }) => [name, entry !== undefined]),
    [
      ['contacts', true],
      ['own', false],
    ],
  )
  await t.rejects(modules.remove('own'), { message: /not added from a registry/ })
  await t.rejects(modules.remove('none'), { message: /no module "none"/ })
})

t.test('a registry that does not answer as one is told of, and no redirect is followed', async (t) => {
  const answers: Record<string, (url: string) => { status: number; body?: string; location?: string }> = {
    page: () => ({ status: 200, body: '<html>' }),
    redirect: (url) => ({ status: 302, location: `${url}/else` }),
    failing: () => ({ status: 500, body: 'x' }),
    list: () => ({ status: 200, body: '[]' }),
    endless: () => ({ status: 200, body: ' '.repeat(5 * 1024 * 1024) }),
  }
  for (const [name, answer] of Object.entries(answers)) {
    let asked = 0
    const server = createServer((_request, response) => {
      asked++
      const { status, body = '', location } = answer(url)
      response.writeHead(status, location ? { location } : {}).end(body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await t.rejects(new RegistryClient(url).search({}), { message: /not reached|as a registry|answered 500/ }, name)
    t.equal(asked, 1, name)
  }
})

t.test('a name is put into the configuration, and no other byte changes', async (t) => {
  const cases: [before: string, after: string][] = [
    ['', 'modules:\n  enabled:\n    - contacts\n'],
    ['site: { name: X } # mine\n', 'site: { name: X } # mine\nmodules:\n  enabled:\n    - contacts\n'],
    [
      'modules:\n  enabled:\n  - tides   # high\nsite: {}\n',
      'modules:\n  enabled:\n  - tides   # high\n  - contacts\nsite: {}\n',
    ],
    ['modules: { enabled: [ tides ] }\n', 'modules: { enabled: [ tides, contacts ] }\n'],
    ['modules:\r\n  enabled: [tides]\r\n', 'modules:\r\n  enabled: [tides, contacts]\r\n'],
    ['modules:\n  registry: https://x.org\n', 'modules:\n  registry: https://x.org\n  enabled:\n    - contacts\n'],
  ]
  for (const [before, after] of cases) {
    t.equal(withEnabled(before, 'contacts', true), after)
    t.equal(withEnabled(after, 'contacts', true), after, 'twice is once')
    t.strictSame(enabledIn(withEnabled(after, 'contacts', false)), enabledIn(before))
  }
})
