import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { readLock, writeLock } from '#packages/lock.ts'
import { packedTree, removeTree, replaceTree, settleTrees } from '#packages/placing.ts'
import { integrityOf } from '#packages/proof.ts'
import { treeHash } from '#packages/tree.ts'
import { isLong, longTest } from '#support/long.ts'
import { program } from '#support/program.ts'
import { GOOD, packageOf } from './archives.ts'

const FIRST = packageOf([...GOOD, { name: 'lib/a.js', bytes: 'first' }])
const SECOND = packageOf([...GOOD, { name: 'lib/a.js', bytes: 'second' }, { name: 'lib/b.js', bytes: 'new' }])

t.test('a tree is put in place whole, replaced and taken away', async (t) => {
  const modules = join(t.testdir(), 'modules')
  let tree = ''
  await replaceTree(modules, 'contacts', FIRST, async (hash) => {
    tree = hash
  })
  t.equal(tree, await packedTree(FIRST))
  t.equal(await treeHash(join(modules, 'contacts')), tree)
  await t.rejects(
    replaceTree(modules, 'contacts', SECOND, () => Promise.reject(new Error('no lock'))),
    { message: 'no lock' },
  )
  t.equal(await treeHash(join(modules, 'contacts')), tree, 'what is not committed is taken back')
  await replaceTree(modules, 'contacts', SECOND, async () => undefined)
  t.equal(readFileSync(join(modules, 'contacts/lib/a.js'), 'utf8'), 'second')
  await t.rejects(removeTree(modules, 'contacts', () => Promise.reject(new Error('no lock'))))
  t.ok(await treeHash(join(modules, 'contacts')))
  await removeTree(modules, 'contacts', async () => undefined)
  t.strictSame(readdirSync(modules), [])
})

t.test('two at once come one after the other', async (t) => {
  const modules = join(t.testdir(), 'modules')
  mkdirSync(modules)
  const put = (tgz: Buffer) => replaceTree(modules, 'contacts', tgz, async () => undefined)
  await Promise.all([put(FIRST), put(SECOND), put(FIRST), put(SECOND)])
  t.ok([await packedTree(FIRST), await packedTree(SECOND)].includes(await treeHash(join(modules, 'contacts'))))
  t.strictSame(readdirSync(modules), ['contacts'])
})

/** The calls before each of which a process is killed: in the short form those that change what is meant. */
const CALLS = isLong ? 'rename,mkdir,rm,open' : 'rename'

async function killAtEachStep(t: Test, deed: 'add' | 'remove', before?: Buffer): Promise<void> {
  const folder = t.testdir({ 'two.tgz': SECOND })
  const seen = new Set<string>()
  for (let step = 0, isDone = false; !isDone; step++) {
    const root = join(folder, `site-${step}`)
    await prepare(root, before)
    const [node = '', ...script] = program(new URL('placing', import.meta.url))
    const args = [...script, root, join(folder, 'two.tgz'), String(step), deed, CALLS]
    const { stdout, signal, stderr } = spawnSync(node, args, { encoding: 'utf8' })
    isDone = stdout === 'done'
    if (!isDone && signal !== 'SIGKILL') throw new Error(`It ended by itself: ${stderr}`)
    const lock = readLock(readFileSync(join(root, 'modules.lock.yaml'), 'utf8'))
    await settleTrees(join(root, 'modules'), lock)
    const meant = lock.get('contacts')?.tree
    t.strictSame(readdirSync(join(root, 'modules')), meant === undefined ? [] : ['contacts'], `${step}: nothing is left`)
    if (meant !== undefined) t.equal(await treeHash(join(root, 'modules/contacts')), meant, `${step}: it is whole`)
    seen.add(meant ?? 'none')
    rmSync(root, { recursive: true })
  }
  const after = deed === 'add' ? await packedTree(SECOND) : 'none'
  t.strictSame(seen, new Set([before ? await packedTree(before) : 'none', after]), 'both ends were seen')
}

t.test('killed at any step of an update, it is done or never was', (t) => killAtEachStep(t, 'add', FIRST))
longTest('killed at any step of an addition, it is done or never was', (t) => killAtEachStep(t, 'add'))
longTest('killed at any step of a removal, it is done or never was', (t) => killAtEachStep(t, 'remove', FIRST))

async function prepare(root: string, before: Buffer | undefined): Promise<void> {
  mkdirSync(join(root, 'modules'), { recursive: true })
  const lock = new Map()
  if (before) {
    await replaceTree(join(root, 'modules'), 'contacts', before, async (tree) => {
      lock.set('contacts', { version: '1.0.0', integrity: integrityOf(before), tree })
    })
  }
  writeFileSync(join(root, 'modules.lock.yaml'), writeLock(lock))
}
