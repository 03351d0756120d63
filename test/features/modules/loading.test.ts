import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { loadModules } from '#features/modules/loading/loader.ts'
import { treeHash } from '#packages/tree.ts'

const MANIFEST = 'api: 1\nname: NAME\nversion: 1.2.0\ndescription: A test\npermissions: [store]\n'

/** A site's folder with modules: files by path below `modules/`. */
function siteWith(t: Test, files: Readonly<Record<string, string>>): string {
  const root = t.testdir({})
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, 'modules', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return root
}

function module(
  name: string,
  code = "import { defineModule } from 'quire-cms/module'\nexport default defineModule({ api: 1 })\n",
  more = '',
) {
  return { [`${name}/module.yaml`]: MANIFEST.replace('NAME', name) + more, [`${name}/index.js`]: code }
}

function load(root: string, enabled: readonly string[], patience?: number) {
  const cache = join(root, 'cache')
  return loadModules({ root, enabled, shipped: [], version: '0.1.0', cache, ...(patience !== undefined && { patience }) })
}

t.test('a module is loaded from a copy, and finds the package it imports', async (t) => {
  const code =
    "import { defineModule } from 'quire-cms/module'\nimport { words } from './lib/words.js'\nexport default defineModule({ api: 1, collections: [words] })\n"
  const root = siteWith(t, { ...module('greeter', code), 'greeter/lib/words.js': "export const words = 'greetings'\n" })
  const { on, off } = await load(root, ['greeter'])
  t.strictSame(off, [])
  t.strictSame(
    on.map(({ name, version, permissions, definition }) => [name, version, permissions, definition.collections]),
    [['greeter', '1.2.0', ['store'], ['greetings']]],
  )
  writeFileSync(join(root, 'modules/greeter/lib/words.js'), "export const words = 'others'\n")
  t.strictSame((await load(root, ['greeter'])).on[0]?.definition.collections, ['others'], 'other bytes are loaded anew')
})

t.test('one that can not be loaded is off, and says why; the others are on', async (t) => {
  const never = 'await new Promise(() => setInterval(() => {}, 1e6).unref())\nexport default { api: 1 }\n'
  const root = siteWith(t, {
    ...module('good'),
    ...module('throws', "throw new Error('no such luck')\n"),
    ...module('late', never),
    ...module('plain', 'export default 7\n'),
    ...module('next', 'export default { api: 2 }\n'),
    ...module('odd', 'export default { api: 1, rotues: () => {} }\n'),
    ...module('form', 'export default { api: 1, jobs: { sweep: {} } }\n'),
    ...module('future', undefined, 'cms: ">=7"\n'),
    ...module('twin', undefined, ''),
    'other/module.yaml': MANIFEST.replace('NAME', 'twin'),
    'other/index.js': 'export default { api: 1 }\n',
    ...module('media'),
    ...module('claims'),
    ...module('syntax', 'export default { api: 1, routes(app { } }\n'),
    ...module('needs', "import x from 'lodash'\nexport default { api: 1, x }\n"),
    ...module('older', 'module.exports = require("quire-cms/module")\n'),
    ...module('typed', undefined, 'permisions: [store]\n'),
  })
  writeFileSync(
    join(root, 'modules/claims/module.yaml'),
    MANIFEST.replace('NAME', 'claims').replace('[store]', '[routes:/api/cms/x]'),
  )
  symlinkSync(join(root, 'modules/good'), join(root, 'modules/linked'))
  mkdirSync(join(root, 'modules/within'))
  writeFileSync(join(root, 'modules/within/module.yaml'), MANIFEST.replace('NAME', 'within'))
  symlinkSync('/etc/hostname', join(root, 'modules/within/index.js'))
  const names = [
    'throws',
    'late',
    'plain',
    'next',
    'odd',
    'form',
    'future',
    'other',
    'media',
    'claims',
    'syntax',
    'needs',
    'older',
    'typed',
    'linked',
    'within',
    'gone',
    '../up',
    'good',
  ]
  const { on, off } = await load(root, names, 500)
  t.strictSame(
    on.map(({ name }) => name),
    ['good'],
  )
  const said = Object.fromEntries(off.map(({ name, reason }) => [name, reason]))
  t.match(said, {
    throws: /^no such luck \(index\.js:1\)\.$/,
    late: /more than 0.5 s/,
    plain: /no default export/,
    next: /another major/,
    odd: /no part "rotues" of a module\. Did you mean "routes"\?/,
    form: /function in `run` of "sweep"/,
    future: /runs with Quire >=7/,
    other: /says the name "twin"/,
    media: /one of Quire's own/,
    claims: /Quire's own/,
    syntax: /^It is no JavaScript: Unexpected token/,
    needs: 'It imports "lodash", and a site installs no packages.',
    older: 'It is no ES module (index.js:1).',
    typed: 'There is no key "permisions" (module.yaml:6).',
    linked: /link/,
    within: /link/,
    gone: /no folder modules\/gone/,
    '../up': /no name of a module/,
  })
  t.equal(off.length, names.length - 1)
})

t.test('two that claim one thing: the second is off', async (t) => {
  const code = (name: string) => `export default { api: 1, filters: { shout: (text) => text }, collections: ['${name}'] }\n`
  const root = siteWith(t, { ...module('one', code('b-c')), ...module('one-b', code('c')), ...module('two', code('x')) })
  const { on, off } = await load(root, ['one', 'one-b', 'two'])
  t.strictSame(
    on.map(({ name }) => name),
    ['one'],
  )
  t.match(off, [{ reason: /the kind "\.one-b-c", which is the module "one"'s/ }, { reason: /the filter "shout"/ }])
})

t.test('an entry of the lock binds what it names', async (t) => {
  const root = siteWith(t, { ...module('locked'), ...module('free') })
  const tree = await treeHash(join(root, 'modules/locked'))
  const integrity = `sha512-${'A'.repeat(86)}==`
  const lock = (version: string) => `locked:\n  version: ${version}\n  integrity: ${integrity}\n  tree: ${tree}\n`
  writeFileSync(join(root, 'modules.lock.yaml'), lock('1.2.0'))
  t.equal((await load(root, ['locked', 'free'])).on.length, 2)
  writeFileSync(join(root, 'modules.lock.yaml'), lock('1.1.0'))
  t.match((await load(root, ['locked', 'free'])).off, [{ name: 'locked', reason: /says 1\.1\.0/ }])
  writeFileSync(join(root, 'modules.lock.yaml'), lock('1.2.0'))
  writeFileSync(join(root, 'modules/locked/index.js'), 'export default { api: 1, collections: [] }\n')
  t.match((await load(root, ['locked', 'free'])).off, [{ name: 'locked', reason: /others than those/ }])
  writeFileSync(join(root, 'modules.lock.yaml'), 'locked: 7\n')
  t.equal((await load(root, ['locked', 'free'])).on.length, 0, 'where it can not be read, nothing is known of what it binds')
})

t.test('nothing of what failed stays in the cache', async (t) => {
  const root = siteWith(t, module('good'))
  symlinkSync('/etc/hostname', join(root, 'modules/good/link.js'))
  await load(root, ['good'])
  t.strictSame(
    readdirSync(join(root, 'cache')).filter((name) => name !== 'node_modules' && name !== 'package.json'),
    [],
  )
  t.ok(existsSync(join(root, 'cache/node_modules/quire-cms/module.js')))
  t.match(readFileSync(join(root, 'cache/node_modules/quire-cms/package.json'), 'utf8'), /\.\/module/)
})
