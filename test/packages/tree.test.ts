import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { TREE_LIMITS, treeFiles, treeHash } from '#packages/tree.ts'
import { TakenPaths, treePathFault } from '#packages/tree-path.ts'
import { longTest } from '#support/long.ts'

t.test('the hash of a tree changes with each byte and name, and with nothing else', async (t) => {
  const folder = t.testdir({ 'index.js': 'a', lib: { 'b.js': 'b' } })
  const first = await treeHash(folder)
  t.match(first, /^sha512-[A-Za-z0-9+/]{86}==$/)
  writeFileSync(join(folder, '.DS_Store'), 'x')
  mkdirSync(join(folder, 'node_modules'))
  writeFileSync(join(folder, 'node_modules', 'x.js'), 'x')
  mkdirSync(join(folder, 'empty'))
  t.equal(await treeHash(folder), first, 'what is no part of it does not count')
  t.strictSame(
    (await treeFiles(folder)).map(({ path }) => path),
    ['index.js', 'lib/b.js'],
  )
  writeFileSync(join(folder, 'lib', 'b.js'), 'c')
  const second = await treeHash(folder)
  t.not(second, first)
  t.not(await treeHash(t.testdir({ 'index.js': 'a', lib: { 'c.js': 'b' } })), first)
  t.not(await treeHash(t.testdir({ 'index.jsa': '', lib: { 'b.js': 'b' } })), first)
})

t.test('links and names that not every system takes are refused', async (t) => {
  const folder = t.testdir({ 'index.js': 'a' })
  symlinkSync('/etc', join(folder, 'etc'))
  await t.rejects(treeHash(folder), { message: /link/ })
  await t.rejects(treeHash(t.testdir({ 'a\u0308.js': '' })), { message: /normal form/ })
  await t.rejects(treeHash(t.testdir({ 'A.js': '', 'a.js': '' })), { message: /only in case/ })
})

longTest('over 5,000 files are refused', async (t) => {
  const folder = t.testdir()
  for (let n = 0; n <= TREE_LIMITS.files; n++) writeFileSync(join(folder, `${n}.js`), '')
  await t.rejects(treeFiles(folder), { message: /over 5,000 files/ })
})

t.test('a path is plain, below the root, and one on every system', async (t) => {
  for (const path of ['index.js', 'lib/a b.js', 'README.md', 'wörter/ä.json']) t.equal(treePathFault(path), undefined, path)
  const wrong = ['/etc/passwd', 'C:/x', '../x', 'a/../b', './a', 'a//b', '', 'a\\b', 'a\0b', '.git/hooks/pre-commit', 'a/.env']
  const odd = [
    'con',
    'lib/NUL.txt',
    'a.',
    'a ',
    ' a',
    'a:b',
    'node_modules/x',
    'a\u0308.js',
    'x/'.repeat(12).concat('y'),
    'a\u202eb',
  ]
  for (const path of [...wrong, ...odd, 'x'.repeat(201)]) t.ok(treePathFault(path), path)
  const taken = new TakenPaths()
  t.strictSame(
    ['a/b', 'A/c', 'a/b', 'a', 'a/b/c', 'a/B', 'straße', 'STRASSE'].map((path) => taken.add(path) === undefined),
    [true, false, false, false, false, false, true, false],
  )
})
