import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import * as tar from 'tar'
import { keyOf } from '#core/key.ts'
import { openRepository } from '#git/repository.ts'
import { type BackupDeps, backUp } from '#stores/files/backup/backup.ts'
import { restore } from '#stores/files/backup/restore.ts'
import { FilesStore } from '#stores/files/store.ts'
import { TestClock } from '#support/clock.ts'
import { git, makeRepository } from '#support/git.ts'
import { makeSite, type TestSite } from '#support/sites.ts'
import { filesOptions, GIT } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const FILES = {
  'cms.config.yaml': 'site: { name: Mine }\n',
  '.gitignore': '.cms/\npublic/\nnode_modules/\n.env\n',
  '.env': 'SECRET=1\n',
  'content/posts/a.md': '---\ntitle: A\n---\n\nOne.\n',
  'content/posts/b.md': 'Two.\r\n',
  'content/posts/größe.md': 'Three.\n',
  'content/media/photo.bin': Buffer.from([0, 255, 1, 254]),
  'public/index.html': 'built',
  'node_modules/x/index.js': 'theirs',
  '.cms/tokens/one.yaml': 'hash: x\n',
  '.cms/cache/heads.ndjson': 'again',
  '.cms/write.lock.old': '',
  '.cms/server.json': '{}',
}

function scratch(t: Test): string {
  const path = mkdtempSync(join(tmpdir(), 'quire-backup-'))
  t.teardown(() => rmSync(path, { recursive: true, force: true }))
  return path
}

function siteOf(t: Test, files: Readonly<Record<string, string | Buffer>> = FILES): TestSite {
  const site = makeSite(files)
  t.teardown(() => site.remove())
  return site
}

async function partsOf(root: string, wanted: 'auto' | false = 'auto'): Promise<BackupDeps> {
  const found = await openRepository(root, wanted)
  const repository = 'without' in found ? undefined : found
  const [privateDir, out] = [join(root, '.cms'), join(root, 'public')]
  return { root, privateDir, out, repository, clock: new TestClock(), version: '1.2.3' }
}

/** All files and links of a folder but git's, by path: bytes (or where a link leads), and whether it can be run. */
function filesOf(root: string): Record<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(join(root, '.git/')))
  const shown = (path: string) =>
    lstatSync(path).isSymbolicLink()
      ? readlinkSync(path)
      : `${readFileSync(path).toString('base64')} ${(statSync(path).mode & 0o100) !== 0}`
  return Object.fromEntries(entries.sort().map((path) => [path.slice(root.length + 1), shown(path)]))
}

t.test('a round trip: bytes, history, branches, what was staged and what was not, what is private', async (t) => {
  const site = siteOf(t)
  const { root } = site
  makeRepository(site)
  git(root, ['remote', 'add', 'origin', 'https://example.org/site.git'])
  git(root, ['branch', 'other'])
  git(root, ['tag', '-a', '-m', 'first', 'v1'])
  site.write('content/posts/a.md', 'staged\n')
  git(root, ['add', 'content/posts/a.md'])
  site.write('content/posts/a.md', 'staged, then edited\n')
  site.write('content/posts/new.md', 'untracked\n')
  site.write('script.sh', '#!/bin/sh\n')
  chmodSync(site.path('script.sh'), 0o755)
  git(root, ['rm', '-q', 'content/posts/b.md'])
  rmSync(site.path('content/posts/größe.md'))
  chmodSync(site.path('.cms/tokens/one.yaml'), 0o600)
  symlinkSync('posts', site.path('content/notes'))
  symlinkSync('/etc', site.path('content/out'))
  const scratched = scratch(t)
  const [file, again] = [join(scratched, 'site.tar.gz'), join(scratched, 'again')]
  const status = git(root, ['status', '--porcelain=v2', '-z'])

  const done = await backUp(await partsOf(root), file, false)
  t.match(done, { file, history: true, leftOut: ['content/out'] })
  t.equal(statSync(file).mode & 0o777, 0o600, 'for its owner alone')
  t.strictSame(readdirSync(scratched), ['site.tar.gz'], 'nothing beside it')
  t.equal(git(root, ['for-each-ref', 'refs/cms']), '', 'nothing of it is left in the repository')
  t.equal(git(root, ['status', '--porcelain=v2', '-z']), status)
  t.notOk(readdirSync(join(root, '.cms')).some((name) => name.startsWith('backup')))
  t.match(await restore(file, again), { root: again, files: done.files, history: true })

  const wanted = filesOf(root)
  for (const path of Object.keys(wanted)) {
    if (/^(?:public|node_modules|\.cms\/(?:cache|write\.lock|server\.json))|^content\/out/.test(path)) delete wanted[path]
  }
  t.strictSame(filesOf(again), wanted)
  t.equal(statSync(join(again, '.cms')).mode & 0o777, 0o700)
  t.equal(statSync(join(again, '.cms/tokens/one.yaml')).mode & 0o777, 0o600)
  rmSync(site.path('content/out'))
  t.equal(git(again, ['status', '--porcelain=v2', '-z']), git(root, ['status', '--porcelain=v2', '-z']))
  for (const args of [
    ['log', '--all', '--format=%H %an %s'],
    ['branch', '-a'],
    ['tag'],
    ['remote', '-v'],
    ['symbolic-ref', 'HEAD'],
  ]) {
    t.equal(git(again, args), git(root, args), args.join(' '))
  }
  t.equal(git(again, ['for-each-ref', 'refs/cms']), '')
  git(again, ['fsck', '--strict'])

  await t.rejects(backUp(await partsOf(root), file, false), { message: /is there already/, status: 409 })
  await backUp(await partsOf(root), file, true)
  await t.rejects(backUp(await partsOf(root), join(scratched, 'none/site.tar.gz'), false), {
    message: /^There is no /,
    status: 404,
  })
})

t.test('without git, in a folder of a larger repository, on no branch, before the first commit', async (t) => {
  const scratched = scratch(t)
  const file = (name: string) => join(scratched, `${name}.tar.gz`)
  const plain = siteOf(t)
  await backUp(await partsOf(plain.root, false), file('plain'), false)
  t.match(await restore(file('plain'), join(scratched, 'plain')), { history: false })
  t.notOk(existsSync(join(scratched, 'plain/.git')))
  t.equal(readFileSync(join(scratched, 'plain/.env'), 'utf8'), 'SECRET=1\n')

  const large = siteOf(t, { 'www/content/a.md': 'one\n', 'around.txt': 'x\n', 'www2/b.txt': 'y\n' })
  makeRepository(large)
  large.write('www/content/a.md', 'two\n')
  await backUp(await partsOf(large.path('www')), file('large'), false)
  const inside = await restore(file('large'), join(scratched, 'large'))
  t.equal(inside.root, join(scratched, 'large/www/'))
  t.equal(git(join(scratched, 'large'), ['status', '--porcelain']), ' M www/content/a.md')

  git(large.root, ['checkout', '-q', '--detach'])
  await backUp(await partsOf(large.path('www')), file('detached'), false)
  await restore(file('detached'), join(scratched, 'detached'))
  t.throws(() => git(join(scratched, 'detached'), ['symbolic-ref', '-q', 'HEAD']))
  t.equal(git(join(scratched, 'detached'), ['rev-parse', 'HEAD']), git(large.root, ['rev-parse', 'HEAD']))

  const unborn = siteOf(t)
  git(unborn.root, ['init', '-q', '-b', 'begin'])
  await backUp(await partsOf(unborn.root), file('unborn'), false)
  await restore(file('unborn'), join(scratched, 'unborn'))
  t.equal(git(join(scratched, 'unborn'), ['status', '--porcelain']), git(unborn.root, ['status', '--porcelain']))
  t.equal(git(join(scratched, 'unborn'), ['symbolic-ref', 'HEAD']), 'refs/heads/begin')
})

t.test('line endings are converted where it is restored as they were', async (t) => {
  const ways: readonly [Readonly<Record<string, string>>, string | undefined][] = [
    [{ 'core.autocrlf': 'true' }, undefined],
    [{ 'core.autocrlf': 'input' }, undefined],
    [{ 'core.eol': 'crlf' }, '*.md text\n'],
    [{}, '*.md text eol=crlf\n'],
  ]
  for (const [n, [config, attributes]] of ways.entries()) {
    const site = siteOf(t, { '.gitignore': '.cms/\n', 'around.md': 'One\r\n', 'site/content/posts/a.md': 'Two\r\n' })
    const { root } = site
    git(root, ['init', '-q', '-b', 'main'])
    for (const [name, value] of Object.entries(config)) git(root, ['config', name, value])
    if (attributes !== undefined) site.write('.git/info/attributes', attributes)
    git(root, ['add', '-A'])
    git(root, ['commit', '-qm', 'Begin'])
    t.notMatch(git(root, ['ls-files', '--eol']), /i\/crlf/)
    const [file, again] = [join(scratch(t), 'site.tar.gz'), join(scratch(t), 'again')]
    await backUp(await partsOf(site.path('site')), file, false)
    await restore(file, again)
    t.equal(git(again, ['status', '--porcelain']), '', `${n}: nothing is edited`)
    t.equal(readFileSync(join(again, 'site/content/posts/a.md'), 'utf8'), 'Two\r\n')
    t.equal(readFileSync(join(again, 'around.md'), 'utf8'), config['core.autocrlf'] === 'input' ? 'One\n' : 'One\r\n')
  }
})

t.test('beside a store that writes all the time, what is backed up is of one moment', async (t) => {
  const site = siteOf(t)
  makeRepository(site)
  const clock = new TestClock()
  const options = filesOptions(site, plainTypes(), clock)
  const store = await FilesStore.open({ ...options, snapshot: false, git: GIT })
  const scratched = scratch(t)
  let ended = false
  const write = async (id: string) => {
    for (let n = 0; !ended; n++) await store.write([{ key: keyOf('posts', id), put: { set: { count: n } } }], GIT.author)
  }
  const writers = ['a', 'c', 'd', 'e'].map(write)
  t.teardown(() => {
    ended = true
  })
  for (const name of ['one', 'two', 'three']) {
    const file = join(scratched, `${name}.tar.gz`)
    await backUp(await partsOf(site.root), file, false)
    await restore(file, join(scratched, name))
    t.equal(git(join(scratched, name), ['status', '--porcelain']), '', 'the files are those of the last commit')
  }
  ended = true
  await Promise.all(writers)
  await store.close()
  t.equal(git(site.root, ['status', '--porcelain']), '')
})

t.test('what is damaged, or would get out of its folder, is refused, and nothing is left of it', async (t) => {
  const site = siteOf(t)
  makeRepository(site)
  const scratched = scratch(t)
  const good = join(scratched, 'good.tar.gz')
  await backUp(await partsOf(site.root), good, false)
  const bytes = readFileSync(good)
  const folder = join(scratched, 'restored')
  const refused = async (file: string, why: string) => {
    const before = readdirSync(scratched)
    await t.rejects(restore(file, folder), { status: 400, message: /^The file is not a backup that can be restored\./ }, why)
    t.strictSame(readdirSync(scratched), before, `${why}: nothing is left`)
  }
  const bad = join(scratched, 'bad.tar.gz')
  for (const share of [0, 0.3, 0.6, 0.95]) {
    writeFileSync(bad, bytes.subarray(0, Math.floor(bytes.length * share)))
    await refused(bad, `cut at ${share}`)
  }
  for (const share of [0.1, 0.5, 0.9]) {
    const flipped = Buffer.from(bytes)
    const at = Math.floor(bytes.length * share)
    flipped[at] = (flipped[at] ?? 0) ^ 0xff
    writeFileSync(bad, flipped)
    await refused(bad, `another byte at ${share}`)
  }
  writeFileSync(bad, 'no archive at all')
  await refused(bad, 'no archive')

  const unpacked = join(scratched, 'unpacked')
  mkdirSync(unpacked)
  await tar.extract({ file: good, cwd: unpacked })
  const names = readdirSync(unpacked)
  const repack = (change: () => void, more: string[] = [], prefix = '') => {
    change()
    tar.create({ file: bad, cwd: unpacked, gzip: true, sync: true, preservePaths: true, ...(prefix && { prefix }) }, [
      ...names,
      ...more,
    ])
  }
  const manifest = join(unpacked, 'quire-backup.json')
  const text = readFileSync(manifest, 'utf8')
  repack(() => symlinkSync('../../../outside', join(unpacked, 'site/link')))
  await refused(bad, 'a link that leads out')
  repack(() => {
    rmSync(join(unpacked, 'site/link'))
    writeFileSync(join(scratched, 'outside.txt'), 'x')
  }, ['../outside.txt'])
  await refused(bad, 'a path that leads out')
  repack(() => undefined, [join(scratched, 'outside.txt')])
  await refused(bad, 'an absolute path')
  repack(() => {
    mkdirSync(join(unpacked, 'site/.git/hooks'), { recursive: true })
    writeFileSync(join(unpacked, 'site/.git/hooks/post-checkout'), '#!/bin/sh\n')
  })
  await refused(bad, 'a repository of its own')
  rmSync(join(unpacked, 'site/.git'), { recursive: true })
  repack(() => {
    mkdirSync(join(unpacked, 'site/deep'))
    symlinkSync('..', join(unpacked, 'site/deep/up'))
    symlinkSync('deep/up/../..', join(unpacked, 'site/way'))
    const files = JSON.parse(text).files + 2
    writeFileSync(manifest, JSON.stringify({ ...JSON.parse(text), files, private_dir: 'way/private' }))
  })
  await refused(bad, 'a link that leads out by another one')
  for (const path of ['site/deep', 'site/way']) rmSync(join(unpacked, path), { recursive: true })
  repack(() => {
    cpSync(join(unpacked, 'private'), join(unpacked, 'site/.cms'), { recursive: true })
    writeFileSync(manifest, JSON.stringify({ ...JSON.parse(text), files: JSON.parse(text).files + 1 }))
  })
  await refused(bad, 'two private folders')
  rmSync(join(unpacked, 'site/.cms'), { recursive: true })
  const changes: [string, (parsed: { [name: string]: unknown; history: object }) => object][] = [
    ['files that are missing', (parsed) => ({ ...parsed, files: 1000 })],
    ['a later format', (parsed) => ({ ...parsed, format: 2 })],
    ['a private folder elsewhere', (parsed) => ({ ...parsed, private_dir: '../x' })],
    [
      'settings that start a program',
      (parsed) => ({ ...parsed, history: { ...parsed.history, settings: [['core.sshCommand', 'x']] } }),
    ],
    [
      'line endings that git has not',
      (parsed) => ({ ...parsed, history: { ...parsed.history, conversion: { autocrlf: 'x', eol: 'lf', attributes: null } } }),
    ],
  ]
  for (const [why, change] of changes) {
    repack(() => writeFileSync(manifest, JSON.stringify(change(JSON.parse(text)))))
    await refused(bad, why)
  }
  writeFileSync(manifest, text)
  const bundle = readFileSync(join(unpacked, 'history.bundle'))
  repack(() => writeFileSync(join(unpacked, 'history.bundle'), 'broken'))
  await refused(bad, 'a broken history')

  writeFileSync(join(unpacked, 'history.bundle'), bundle)
  repack(() => chmodSync(join(unpacked, 'site/.env'), 0o4755))
  await restore(bad, folder)
  t.equal(statSync(join(folder, '.env')).mode & 0o7777, 0o755, 'nothing runs as its owner')
  rmSync(folder, { recursive: true })

  await t.rejects(restore(join(scratched, 'none.tar.gz'), folder), { message: /^There is no /, status: 404 })
  await t.rejects(restore(good, scratched), { message: /holds something already/, status: 409 }, 'a folder that holds something')
  mkdirSync(folder)
  await restore(good, folder)
  t.equal(git(folder, ['status', '--porcelain']), '')
  t.equal(basename(dirname(folder)), basename(scratched))
})
