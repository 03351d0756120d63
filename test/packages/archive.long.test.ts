import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { PackageFault } from '#packages/fault.ts'
import { inspect } from '#packages/package.ts'
import { packFolder } from '#packages/packing.ts'
import { packedTree, replaceTree } from '#packages/placing.ts'
import { treeHash } from '#packages/tree.ts'
import { GOOD, HOSTILE, LARGE, MANIFEST, packageOf, pax } from './archives.ts'

t.test('a package is the same bytes for the same files, and holds them', async (t) => {
  const long = `${'ordner-'.repeat(12)}/${'datei-'.repeat(14)}.js`
  const folder = t.testdir({
    'module.yaml': MANIFEST,
    'index.js': 'x',
    'README.md': '# Contacts',
    lib: {},
    '.git': { x: 'y' },
  })
  for (const path of ['lib/wörter.json', 'lib/notes.txt']) writeFileSync(join(folder, path), path)
  const one = await packFolder(folder)
  t.ok(one.equals(await packFolder(folder)))
  t.equal(await packedTree(one), await treeHash(folder))
  t.match(await inspect(one), { manifest: { name: 'contacts' }, readme: '# Contacts', files: 5 })
  writeFileSync(join(folder, '.moduleignore'), '# not for others\n*.txt\nlib/wörter.json\n')
  t.equal((await inspect(await packFolder(folder))).files, 3)
  t.ok(await inspect(packageOf([...GOOD, pax({ path: long, mtime: '1.5' }), { name: 'x', bytes: 'x' }])), 'long names are read')
  t.ok(await inspect(packageOf([{ name: './', type: '5' }, ...GOOD.map((one) => ({ ...one, name: `./${one.name}` }))])))
})

t.test('what has no place in a module is refused, and nothing is left or written outside', async (t) => {
  const base = t.testdir({ modules: {} })
  const modules = join(base, 'modules')
  t.ok(HOSTILE.length >= 40)
  for (const [name, make, says] of HOSTILE) {
    const tgz = make()
    await t.rejects(inspect(tgz), { message: says }, name)
    if (/manifest|main|__proto__/.test(name)) continue
    await t.rejects(
      replaceTree(modules, 'contacts', tgz, async () => {
        t.fail('never committed')
      }),
      { message: says },
    )
    t.strictSame([readdirSync(base), readdirSync(modules)], [['modules'], []], name)
  }
})

t.test('the names of 100,000 entries and zeros without an end are not read to their end', async (t) => {
  for (const [name, make, says] of LARGE) {
    const tgz = make()
    const before = process.cpuUsage()
    await t.rejects(inspect(tgz), { message: says }, name)
    const { user, system } = process.cpuUsage(before)
    t.ok(user + system < 3_000_000, name)
  }
})

t.test('no byte of a package can be changed so that another is read without an error of its own', async (t) => {
  const tgz = packageOf(GOOD)
  const before = await packedTree(tgz)
  t.plan(1)
  for (let at = 0; at < tgz.length; at++) {
    const changed = Buffer.from(tgz)
    changed[at] = (changed[at] ?? 0) ^ 0x20
    try {
      // The header of gzip has bytes that mean nothing.
      if ((await packedTree(changed)) !== before) t.fail(`byte ${at}`)
    } catch (error) {
      if (!(error instanceof PackageFault)) throw error
    }
  }
  t.pass('every byte was tried')
})
