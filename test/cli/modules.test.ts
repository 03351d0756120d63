import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { cms, type Run, scratchSite, start } from '#support/cli.ts'
import { longTest } from '#support/long.ts'

const CONFIG = `# The site of tests.
site: { name: X }
features: { site: false, admin: false }
modules:   # from elsewhere
  registry: REGISTRY
  signing_keys: [ KEY ]
throttle: { api: off, uploads: off }
`

/** A registry that is served, and what commands need to use it. */
async function registry(t: Test) {
  const root = scratchSite(t, {
    'cms.config.yaml': 'site: { name: R }\nthrottle: { api: off, uploads: off }\n',
    'content/a.md': '# A\n',
  })
  const server = start(['serve', '-C', root, '--port', '0'])
  t.teardown(() => {
    server.process.kill('SIGTERM')
    return server.done
  })
  const [, url = ''] = await server.says(/Listening on (http:\/\/\S+)/)
  const token = async (name: string, scope: string) =>
    (await cms(['token:create', '-C', root, '--name', name, '--scope', scope])).stdout.trim()
  return { root, url, token }
}

const filesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .sort()
    : []

const bump = (folder: string, version: string, more = '') => {
  const file = join(folder, 'module.yaml')
  writeFileSync(file, `${readFileSync(file, 'utf8').replace(/^version: .*$/m, `version: ${version}`)}${more}`)
}

t.test(
  'a module is made, published on one site, and added, updated, put back and removed on another',
  { timeout: 120_000 },
  async (t) => {
    const { url, token } = await registry(t)
    const home = scratchSite(t, { 'src/x.txt': '' })
    const env = { HOME: home, CMS_TOKEN: await token('publisher', 'modules:publish') }
    const made = await cms(['module:keygen'], { env })
    const key = made.stdout.trim()
    t.match(key, /^ed25519:[A-Za-z0-9+/]{43}=$/)
    t.equal(statSync(join(home, '.config/quire/module.key')).mode & 0o777, 0o600)
    t.match(await cms(['module:keygen'], { env }), { code: 5, stderr: /already/ })

    const source = join(home, 'src', 'guests')
    t.match(await cms(['module:init', 'guests', '--dir', source], { env }), { code: 0, stderr: /Made the module "guests"/ })
    t.match(await cms(['module:init', 'admin', '--dir', source], { env }), { code: 2, stderr: /Quire's own/ })
    const second = join(home, 'src', '2nd-guests')
    t.match(await cms(['module:init', second, '--json'], { env }), { code: 0, stdout: /"name":"2nd-guests"/ })
    t.match(readFileSync(join(second, 'index.js'), 'utf8'), /greet_2nd_guests:/, 'no two have a filter of one name')
    t.match(await cms(['module:init', `${second}!`], { env }), { code: 2, stderr: /"2nd-guests!" is no name of a module/ })
    const publish = (...args: string[]) => cms(['module:publish', source, '--registry', url, ...args], { env })
    t.match(await publish('--dry-run'), { code: 0, stdout: /^sha512-/, stderr: /guests 0\.1\.0: 4 files.*signed/ })
    t.match(await publish(), { code: 0, stderr: /Published guests 0\.1\.0/ })
    t.match(await publish(), { code: 5, stderr: /never replaced[\s\S]*Count up `version` in module\.yaml/ })
    const anybody = { ...env, CMS_TOKEN: await token('other', 'modules:publish') }
    bump(source, '0.2.0', '  - mail\n')
    t.match(await cms(['module:publish', source, '--registry', url], { env: anybody }), { code: 6, stderr: /somebody else/ })
    t.match(await cms(['module:publish', source, '--registry', url], { env: { HOME: home } }), { code: 6, stderr: /CMS_TOKEN/ })

    const config = CONFIG.replace('REGISTRY', url).replace('KEY', JSON.stringify(key))
    const root = scratchSite(t, { 'cms.config.yaml': config, 'content/a.md': '# A\n' })
    const run = (...args: string[]): Promise<Run> => cms([...args, '-C', root], { env })
    t.match(await run('module:search', 'hello'), { code: 0, stdout: /^guests +0\.1\.0/ })
    t.match(await run('module:search', 'nothing'), { code: 1, stdout: '' })
    t.match(await run('module:info', 'guests'), { code: 0, stdout: /Keep data of its own +store/ })
    t.match(await run('module:info', 'guest'), { code: 4, stderr: /Did you mean guests\?/ })
    t.match(await run('module:add', 'guests'), { code: 2, stderr: /It asks to:[\s\S]*not a sandbox[\s\S]*-y/ })
    t.strictSame(filesIn(join(root, 'modules')), [], 'nothing was done')
    t.match(await run('module:add', 'guests', '-y'), { code: 0, stdout: 'modules/guests\n', stderr: /Signed by ed25519:/ })
    t.strictSame(filesIn(join(root, 'modules')), ['guests/README.md', 'guests/index.js', 'guests/index.ts', 'guests/module.yaml'])
    t.equal(
      readFileSync(join(root, 'cms.config.yaml'), 'utf8'),
      config.replace(/( {2}signing_keys.*\n)/, '$1  enabled:\n    - guests\n'),
      'no other byte of the configuration changed',
    )
    t.match(
      readFileSync(join(root, 'modules.lock.yaml'), 'utf8'),
      /guests:\n {2}version: 0\.1\.0\n {2}integrity: sha512-.*\n {2}signer: ed25519/,
    )
    t.match(await run('module:list'), { code: 0, stdout: /^guests +0\.1\.0 +enabled +locked/ })
    t.match(await run('module:verify'), { code: 0 })
    t.match(await run('module:update'), { code: 0, stdout: '', stderr: /up to date/ })

    t.match(await publish(), { code: 0 })
    t.match(await run('module:update', '-y'), { code: 0, stdout: 'guests 0.1.0 → 0.2.0\n', stderr: /\+ Send email +mail/ })
    t.match(await run('module:add', 'guests@0.1.0', '-y'), { code: 5, stderr: /older than 0\.2\.0/ })
    t.match(await run('module:add', 'guests@0.1.0', '--downgrade', '-y'), { code: 0, stderr: /- Send email/ })
    t.match(await run('module:list', '--json'), { code: 0, stdout: /"version":"0\.1\.0"/ })

    writeFileSync(join(root, 'modules/guests/index.js'), 'export default { api: 1 } //\n')
    t.match(await run('module:verify'), { code: 1, stdout: /not what was added as 0\.1\.0/ })
    t.match(await run('module:add', 'guests@0.1.0', '-y'), { code: 0, stderr: /Put guests 0\.1\.0 in place again/ })
    t.match(await run('module:verify'), { code: 0 }, 'which mends it')
    t.match(await run('module:remove', 'guests'), { code: 2, stderr: /data .*stay/ })
    t.match(await run('module:remove', 'guests', '-y'), { code: 0 })
    t.strictSame(filesIn(join(root, 'modules')), [])
    t.match(readFileSync(join(root, 'cms.config.yaml'), 'utf8'), /enabled: \[\]/)
    t.match(await run('module:remove', 'guests', '-y'), { code: 4 })

    const told = filesIn(join(root, '.cms/audit')).map((file) => readFileSync(join(root, '.cms/audit', file), 'utf8'))
    const deeds = [...told.join('').matchAll(/"action":"module\.(\w+)","target":\{[^}]*"id":"guests"/g)].map(([, deed]) => deed)
    t.strictSame(deeds, ['added', 'updated', 'updated', 'updated', 'removed'], 'the audit log tells of each that was done')

    writeFileSync(
      join(root, 'cms.config.yaml'),
      `${config.trimEnd()}\n`.replace('  signing_keys', '  enabled: [forms]\n  signing_keys'),
    )
    t.match(await run('module:list'), { code: 0, stdout: /^forms +\d\S+ +enabled +comes with Quire\s*$/ })
    mkdirSync(join(root, 'modules/guests'), { recursive: true })
    writeFileSync(join(root, 'modules/guests/module.yaml'), 'api: 1\nname: guests\nversion: 9.0.0\n')
    t.match(await run('module:add', 'guests', '-y'), { code: 5, stderr: /was not added from a registry/ })
    t.match(await run('module:remove', 'guests', '-y'), { code: 5, stderr: /only copy/ })
    t.strictSame(filesIn(join(root, 'modules')), ['guests/module.yaml'])

    const other = scratchSite(t, {
      'cms.config.yaml': config.replace(key, `ed25519:${'A'.repeat(43)}=`),
      'content/a.md': '# A\n',
    })
    t.match(await cms(['module:add', 'guests', '-y', '-C', other], { env }), {
      code: 6,
      stderr: /not signed by a key that is trusted/,
    })
    t.strictSame(filesIn(other), ['cms.config.yaml', 'content/a.md'], 'nothing is left behind')
    const away = scratchSite(t, { 'cms.config.yaml': 'modules: { registry: "http://127.0.0.1:1" }\n', 'content/a.md': '# A\n' })
    t.match(await cms(['module:search', 'x', '-C', away], { env }), { code: 7, stderr: /not reached/ })
    const none = scratchSite(t, { 'content/a.md': '# A\n' })
    t.match(await cms(['module:search', 'x', '-C', none], { env }), { code: 3, stderr: /no registry/ })
  },
)

longTest('a new module has tests that pass, and types that fit without a network', async (t) => {
  const folder = scratchSite(t, {})
  t.match(await cms(['module:init', 'guests', '--dir', folder]), { code: 0 })
  const { devDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  t.equal(devDependencies['quire-cms'], 'file:.quire-cms', 'what npm installs leaves the types where they are')
  t.equal(readlinkSync(join(folder, 'node_modules/quire-cms')), join('..', '.quire-cms'))
  const before = readFileSync(join(folder, 'index.js'), 'utf8')
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', folder], { stdio: 'pipe' })
  t.equal(readFileSync(join(folder, 'index.js'), 'utf8'), before, 'what is loaded is what its source says')
  const { NODE_OPTIONS, NODE_TEST_CONTEXT, ...env } = process.env
  t.match(execFileSync(process.execPath, ['--test'], { cwd: folder, env, encoding: 'utf8' }), /pass 3/)
  writeFileSync(join(folder, 'index.ts'), before.replace('api: 1', 'api: 2'))
  t.throws(() => execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', folder, '--noEmit'], { stdio: 'pipe' }))
})
