import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs, { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { OutFolder } from '#features/site/building/out-folder.ts'
import { scratchSite, start } from '#support/cli.ts'
import { program } from '#support/program.ts'
import { makeSite, type TestSite } from '#support/sites.ts'

/** Number of builds that are killed: `npm run test:build -- 50` for more. */
const ROUNDS = Number(process.argv[2] ?? 6)

type Files = Record<string, string>

/** Returns the files of a folder, except those that builds keep for themselves. */
function held(folder: string): Files {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
  const files = names.filter((name) => name !== '.quire-build' && statSync(join(folder, name)).isFile())
  return Object.fromEntries(files.sort().map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}

/** Returns the files beside the output that no build leaves behind. */
function litter(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.includes('.quire-') && !name.endsWith('.quire-build'),
  )
}

function sorted(files: Files): string {
  return JSON.stringify(files, Object.keys(files).sort())
}

function build(site: TestSite, files: Files): ReturnType<OutFolder['finish']> {
  const folder = OutFolder.open('public', site.root, [])
  for (const [file, text] of Object.entries(files)) folder.put(file, Buffer.from(text))
  return folder.finish()
}

/** Builds in a process that is killed as the nth renaming is about to happen; false where it came to its end. */
function killed(site: TestSite, files: Files, dieAt: number): boolean {
  const [command = '', ...words] = program(new URL('fixtures/lander', import.meta.url))
  const input = JSON.stringify({ out: 'public', root: site.root, files, dieAt })
  const { NODE_OPTIONS, ...env } = process.env
  const { signal, status, stderr } = spawnSync('env', ['-u', 'NODE_OPTIONS', command, ...words], { input, env, encoding: 'utf8' })
  if (signal !== 'SIGKILL' && status !== 0) throw new Error(stderr)
  return signal === 'SIGKILL'
}

function pages(count: number, text: string): Files {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`p/${n}/index.html`, `${text} ${n}`]))
}

function scratch(t: { teardown(end: () => void): unknown }): TestSite {
  const site = makeSite({})
  t.teardown(() => site.remove())
  return site
}

const OLD = { ...pages(12, 'old'), 'gone/index.html': 'gone', 'same.html': 'same' }
const NEW = { ...pages(14, 'new'), 'same.html': 'same' }
const THEIRS = { CNAME: 'example.org', 'p/notes.txt': 'a note', 'other/deep/file': 'theirs' }

t.test('files that no build wrote are never replaced: the build is refused, and nothing written', async (t) => {
  const theirs = {
    '404.html': 'mine',
    'blog/a/index.html': 'mine',
    'feed.xml': 'mine',
    'index.html': 'mine',
    CNAME: 'example.org',
  }
  const pages = { '404.html': '4', 'blog/a/index.html': 'a', 'feed.xml': 'f', 'index.html': 'i', 'new.html': 'n' }
  const site = scratch(t)
  for (const [file, text] of Object.entries(theirs)) site.write(`public/${file}`, text)
  t.throws(() => build(site, pages), {
    exit: 5,
    message: /no build wrote.*: 404\.html, blog\/a\/index\.html, feed\.xml and 1 more\.$/,
    hint: /--out dist/,
  })
  t.same(held(site.path('public')), theirs)
  t.same(litter(site.root), [])
  t.notOk(existsSync(site.path('public/.quire-build')))

  for (const file of Object.keys(pages)) rmSync(site.path(`public/${file}`), { force: true })
  build(site, pages)
  t.same(held(site.path('public')), { ...pages, CNAME: 'example.org' })
  site.write('public/later.html', 'mine')
  t.throws(() => build(site, { ...pages, 'later.html': 'l' }), { message: /: later\.html\.$/ }, 'nor by a later build')
  site.write('public/index.html', 'minified')
  t.match(build(site, pages), { written: 1 }, 'what a build wrote is its own')
  const other = OutFolder.open('public', site.root, [])
  other.put('new/a.html', Buffer.from('one'))
  build(site, { ...pages, 'new/a.html': 'two' })
  t.match(other.finish(), { written: 1 }, 'another build is none of the others')

  const old = scratch(t)
  build(old, pages)
  rmSync(old.path('public/.quire-build'))
  t.match(build(old, pages), { written: 0, unchanged: 5 }, 'pages of a build whose list is lost are its own')
  t.match(build(old, {}), { removed: 5 })
})

t.test('a file that was changed since a build wrote it stays, and is named, when nothing makes it any more', async (t) => {
  const site = scratch(t)
  build(site, { 'a.html': 'a', 'b.html': 'b', 'c.html': 'c', 'd.html': 'd' })
  site.write('public/b.html', 'mine')
  site.write('public/c.html', '')
  for (let round = 0; round < 2; round++) {
    const folder = OutFolder.open('public', site.root, [])
    folder.put('d.html', Buffer.from('d'))
    t.match(folder.finish(), { removed: round === 0 ? 2 : 0 })
    t.match(folder.problems, [{ file: site.path('public/b.html'), severity: 'error', hint: /\.quire-build/ }])
    t.same(held(site.path('public')), { 'b.html': 'mine', 'd.html': 'd' })
  }
  const list = readFileSync(site.path('public/.quire-build'), 'utf8')
  site.write('public/.quire-build', list.replace(/^b\.html.*\n/m, ''))
  t.match(build(site, {}), { removed: 1 })
  t.same(held(site.path('public')), { 'b.html': 'mine' })
  site.write('public/old.html', 'of an earlier version')
  site.write('public/.quire-build', 'old.html\n')
  t.match(build(site, {}), { removed: 1 }, 'a list without prints is believed')
})

t.test('a build that is killed at any step leaves the old site or the new one, whole', async (t) => {
  let isKilled = true
  for (let step = 1; isKilled; step++) {
    const site = scratch(t)
    build(site, OLD)
    for (const [file, text] of Object.entries(THEIRS)) site.write(`public/${file}`, text)
    isKilled = killed(site, NEW, step)
    // Between the two renamings there is no folder: whoever opens it next brings that to its end.
    const isBetween = !existsSync(site.path('public'))
    OutFolder.open('public', site.root, []).abandon()
    const now = JSON.stringify(held(site.path('public')))
    t.ok((isBetween ? [NEW] : [OLD, NEW]).map((files) => sorted({ ...files, ...THEIRS })).includes(now), `step ${step}`)
    build(site, NEW)
    t.same(held(site.path('public')), { ...NEW, ...THEIRS })
    t.same(litter(site.root), [], `step ${step}`)
    if (!isKilled) t.ok(step > 2)
  }
})

t.test(
  'of a large site in which little changes the rest is not touched, and a kill is put right by the next build',
  async (t) => {
    const many = pages(1010, 'page')
    const next = { ...many, 'p/0/index.html': 'new', 'p/1/index.html': 'new', 'p/new/index.html': 'new' }
    const site = scratch(t)
    build(site, many)
    const { ino } = statSync(site.path('public'))
    let isKilled = true
    for (let step = 1; isKilled; step++) {
      isKilled = killed(site, next, step)
      build(site, many)
      t.ok(sorted(held(site.path('public'))) === sorted(many), `step ${step}, and back`)
    }
    build(site, next)
    t.ok(sorted(held(site.path('public'))) === sorted(next))
    t.equal(statSync(site.path('public')).ino, ino, 'the folder stays')
    t.same(litter(site.root), [])
  },
)

t.test('one file that changes takes the place of the old one, in the folder that is there', async (t) => {
  const site = scratch(t)
  build(site, OLD)
  const { ino } = statSync(site.path('public'))
  t.match(build(site, { ...OLD, 'same.html': 'other' }), { written: 1, removed: 0 })
  t.match(build(site, { ...OLD, 'same.html': 'other' }), { written: 0, unchanged: 14, removed: 0 })
  t.equal(statSync(site.path('public')).ino, ino)
})

t.test('a folder that holds a repository stays that folder', async (t) => {
  const site = scratch(t)
  build(site, OLD)
  site.write('public/.git/HEAD', 'ref: refs/heads/pages\n')
  const { ino } = statSync(site.path('public'))
  t.match(build(site, NEW), { written: 14, unchanged: 1, removed: 1 })
  t.equal(statSync(site.path('public')).ino, ino)
  t.same(held(site.path('public')), { ...NEW, '.git/HEAD': 'ref: refs/heads/pages\n' })
})

t.test('what a build under way has made is left to it', async (t) => {
  const site = scratch(t)
  build(site, OLD)
  const other = spawn('sleep', ['60'])
  t.teardown(() => other.kill())
  mkdirSync(site.path(`.public.quire-${other.pid}`))
  writeFileSync(site.path(`.public.quire-${other.pid}/page`), '')
  build(site, NEW)
  t.ok(existsSync(site.path(`.public.quire-${other.pid}/page`)))
  other.kill('SIGKILL')
  await once(other, 'close')
  build(site, NEW)
  t.notOk(existsSync(site.path(`.public.quire-${other.pid}`)))
})

t.test('builds of a site killed at random moments', async (t) => {
  const posts = Array.from({ length: 40 }, (_, n) => [`content/posts/p${n}.md`, `---\ntitle: Post ${n}\n---\nText.\n`])
  const root = scratchSite(t, Object.fromEntries(posts))
  const make = (name: string, out: string) => {
    writeFileSync(join(root, 'cms.config.yaml'), `site: { name: ${name} }\n`)
    return start(['build', '--out', out], { cwd: root })
  }
  const sites = new Map<string, string>()
  let longest = 0
  for (const name of ['One', 'Two']) {
    const since = performance.now()
    t.equal((await make(name, name).done).code, 0)
    longest = Math.max(longest, performance.now() - since)
    sites.set(name, JSON.stringify(held(join(root, name))))
  }
  const names = [...sites.keys()]
  t.equal((await make('One', 'public').done).code, 0)
  let kills = 0
  for (let round = 1; round <= ROUNDS; round++) {
    const running = make(names[round % 2] ?? '', 'public')
    await Promise.race([pause(Math.random() * longest), running.done])
    if (running.process.kill('SIGKILL')) kills++
    await running.done
    const now = JSON.stringify(held(join(root, 'public')))
    t.ok([...sites.values()].includes(now), `round ${round}`)
  }
  t.comment(`${kills} killed`)
  t.equal((await make('One', 'public').done).code, 0)
  t.equal(JSON.stringify(held(join(root, 'public'))), sites.get('One'))
  t.same(litter(root), [])
})

t.test('what others have in the output stays theirs: rights of folders, and what they put there meanwhile', async (t) => {
  const site = scratch(t)
  build(site, pages(3, 'old'))
  const at = (path: string) => join(site.root, 'public', path)
  mkdirSync(at('uploads/empty'), { recursive: true })
  writeFileSync(at('uploads/a.txt'), 'A')
  const modes = { uploads: 0o2775, 'uploads/empty': 0o700, p: 0o777, 'p/1': 0o775 }
  for (const [path, mode] of Object.entries(modes)) chmodSync(at(path), mode)
  const { renameSync } = fs
  fs.renameSync = (from, to) => {
    if (from === at('')) writeFileSync(at('uploads/late.txt'), 'late')
    renameSync(from, to)
  }
  syncBuiltinESMExports()
  t.teardown(() => {
    fs.renameSync = renameSync
    syncBuiltinESMExports()
  })
  build(site, pages(3, 'new'))
  t.same(held(join(site.root, 'public/uploads')), { 'a.txt': 'A', 'late.txt': 'late' })
  t.match(held(at('')), pages(3, 'new'))
  for (const [path, mode] of Object.entries(modes)) t.equal(statSync(at(path)).mode & 0o7777, mode, path)
  t.same(litter(site.root), [])
})

t.test('what others put into a folder that a killed build took aside is kept', async (t) => {
  const site = scratch(t)
  build(site, pages(3, 'old'))
  site.write('public/theirs.txt', 'theirs')
  const aside = '.public.quire-999999999-old'
  fs.cpSync(site.path('public'), site.path(aside), { recursive: true })
  fs.linkSync(site.path('public/theirs.txt'), site.path(`${aside}/linked.txt`))
  fs.linkSync(site.path('public/theirs.txt'), site.path('public/linked.txt'))
  site.write(`${aside}/late/new.txt`, 'late')
  site.write(`${aside}/p/1/index.html`, 'an older page')
  site.write(`${aside}/theirs.txt`, 'changed')
  OutFolder.open('public', site.root, []).abandon()
  t.same(held(site.path('public')), {
    ...pages(3, 'old'),
    'late/new.txt': 'late',
    'linked.txt': 'theirs',
    'theirs.txt': 'theirs',
  })
  t.same(held(site.path(aside)), { 'theirs.txt': 'changed' }, 'two that differ both stay')
  fs.rmSync(site.path(`${aside}/theirs.txt`))
  OutFolder.open('public', site.root, []).abandon()
  t.same(litter(site.root), [])
})
