import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs, { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { exchanged } from '#features/site/building/out-exchange.ts'
import { OutFolder } from '#features/site/building/out-folder.ts'
import { scratchSite, start } from '#support/cli.ts'
import { program } from '#support/program.ts'
import { makeSite, type TestSite } from '#support/sites.ts'

/** Number of builds of each site that are killed: `npm run test:build -- 50`; undefined for a few. */
const ROUNDS = process.argv[2] === undefined ? undefined : Number(process.argv[2])

type Files = Record<string, string>

/** Returns the files of a folder by the paths at which they can be opened, except those that builds keep for themselves. */
function held(folder: string): Files {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
  const files = names.filter((name) => !name.startsWith('.quire-') && isFile(join(folder, name)))
  return Object.fromEntries(files.sort().map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
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

/**
 * Builds in a process that is killed at the nth step of putting all in place; false where it came to its end. `isAlone`: it can
 * start no other program.
 */
function killed(site: TestSite, files: Files, dieAt: number, isAlone = false): boolean {
  const [command = '', ...words] = program(new URL('fixtures/lander', import.meta.url))
  const input = JSON.stringify({ out: 'public', root: site.root, files, dieAt, isAlone })
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

const OLD = { ...pages(4, 'old'), 'gone/index.html': 'gone', 'same.html': 'same' }
const NEW = { ...pages(5, 'new'), 'same.html': 'same' }
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

/** Tells whether this machine can exchange two folders. */
function canExchange(site: TestSite): boolean {
  const [one, other] = [site.path('one'), site.path('other')]
  for (const path of [one, other]) mkdirSync(path)
  return exchanged(one, other)
}

for (const isAlone of [false, true])
  t.test(`a build that is killed at any step leaves the old site or the new one, whole${isAlone ? ', alone' : ''}`, async (t) => {
    const isStrict = !isAlone && canExchange(scratch(t))
    const either = [OLD, NEW].map((files) => sorted({ ...files, ...THEIRS }))
    let isKilled = true
    for (let step = 1; isKilled; step++) {
      const site = scratch(t)
      build(site, OLD)
      for (const [file, text] of Object.entries(THEIRS)) site.write(`public/${file}`, text)
      isKilled = killed(site, NEW, step, isAlone)
      // Where two folders can't be exchanged there is none between two renamings: whoever opens it next brings that to its end.
      const isBetween = !existsSync(site.path('public'))
      if (isStrict) t.ok(either.includes(sorted(held(site.path('public')))), `step ${step}`)
      OutFolder.open('public', site.root, []).abandon()
      t.ok((isBetween ? either.slice(1) : either).includes(sorted(held(site.path('public')))), `step ${step}, then opened`)
      build(site, NEW)
      t.same(held(site.path('public')), { ...NEW, ...THEIRS })
      t.same(litter(site.root), [], `step ${step}`)
      if (!isKilled) t.ok(step > 2)
    }
  })

t.test('of a large site in which little changes the rest is not touched', async (t) => {
  const many = { ...pages(1010, 'page'), 'gone/index.html': 'gone' }
  const next = { ...pages(1010, 'page'), 'p/0/index.html': 'new', 'p/1/index.html': 'new', 'new/deep/index.html': 'new' }
  const site = scratch(t)
  build(site, many)
  const { ino } = statSync(site.path('public'))
  for (const step of [10, 16]) {
    t.ok(killed(site, next, step))
    t.ok([many, next].map(sorted).includes(sorted(held(site.path('public')))), `step ${step}`)
  }
  build(site, many)
  t.equal(sorted(held(site.path('public'))), sorted(many))
  t.match(build(site, next), { written: 3, unchanged: 1008, removed: 1 })
  t.equal(sorted(held(site.path('public'))), sorted(next))
  t.equal(statSync(site.path('public')).ino, ino, 'the folder stays')
  t.same(litter(site.root), [])
})

t.test("files that can't be switched stay as they were", async (t) => {
  const site = scratch(t)
  build(site, OLD)
  site.write('public/.git/HEAD', 'ref: refs/heads/pages\n')
  const { symlinkSync } = fs
  fs.symlinkSync = (target, path) => {
    if (target === 'new') throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' })
    symlinkSync(target, path)
  }
  syncBuiltinESMExports()
  t.teardown(() => {
    fs.symlinkSync = symlinkSync
    syncBuiltinESMExports()
  })
  t.throws(() => build(site, NEW), { message: /disk is full/ })
  t.same(held(site.path('public')), { ...OLD, '.git/HEAD': 'ref: refs/heads/pages\n' })
  t.same(litter(site.root), [])
})

t.test('one file that changes takes the place of the old one, in the folder that is there', async (t) => {
  const site = scratch(t)
  build(site, OLD)
  const { ino } = statSync(site.path('public'))
  t.match(build(site, { ...OLD, 'same.html': 'other' }), { written: 1, removed: 0 })
  t.match(build(site, { ...OLD, 'same.html': 'other' }), { written: 0, unchanged: 6, removed: 0 })
  t.equal(statSync(site.path('public')).ino, ino)
})

t.test('a folder that holds a repository stays that folder, and changes at one moment, wherever it is killed', async (t) => {
  const head = { '.git/HEAD': 'ref: refs/heads/pages\n' }
  const [old, made] = [
    { 'a.html': 'a', 'deep/gone/index.html': 'gone', 'same.html': 'same' },
    { 'a.html': 'A', 'new/deep/index.html': 'new', 'same.html': 'same' },
  ]
  const either = [old, made].map((files) => sorted({ ...files, ...head }))
  const site = scratch(t)
  build(site, old)
  site.write('public/.git/HEAD', head['.git/HEAD'])
  const { ino } = statSync(site.path('public'))
  const seen = new Set<string>()
  let isKilled = true
  for (let step = 1; isKilled; step++) {
    isKilled = killed(site, made, step)
    const now = sorted(held(site.path('public')))
    seen.add(now)
    t.ok(either.includes(now), `step ${step}`)
    OutFolder.open('public', site.root, []).abandon()
    t.equal(sorted(held(site.path('public'))), now, 'it stays that one when what is left is put right')
    t.same(litter(site.root), [], `step ${step}`)
    t.equal(existsSync(site.path('public/new')), now === either[1])
    t.equal(existsSync(site.path('public/deep')), now === either[0])
    build(site, old)
    t.equal(sorted(held(site.path('public'))), either[0], `step ${step}, and back`)
  }
  t.equal(seen.size, 2)
  t.match(build(site, made), { written: 2, unchanged: 1, removed: 1 })
  t.equal(statSync(site.path('public')).ino, ino)
  t.equal(sorted(held(site.path('public'))), either[1])
  t.same(litter(site.root), [])
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

/** Posts of sites that are built, two to three files each, and the share of them that changes from one build to the next. */
const SITES = [
  { posts: 40, share: 0.6, rounds: ROUNDS ?? 3 },
  { posts: 40, share: 0.01, rounds: ROUNDS ?? 0 },
  { posts: 1300, share: 0.6, rounds: ROUNDS ?? 0 },
  { posts: 1300, share: 0.01, rounds: ROUNDS ?? 0 },
]

for (const { posts, share, rounds } of SITES.filter((one) => one.rounds > 0))
  t.test(`builds of a site of ${posts} posts killed at random moments, ${share * 100} % changed`, async (t) => {
    const root = scratchSite(t, Object.fromEntries(Array.from({ length: posts }, (_, n) => post(n, 'One'))))
    const make = (edition: string, out: string) => {
      for (const [file, text] of Array.from({ length: Math.ceil(posts * share) }, (_, n) => post(n, edition)))
        writeFileSync(join(root, file), text)
      return start(['build', '--out', out], { cwd: root })
    }
    const lists = new Map<string, string>()
    for (const edition of ['One', 'Two']) {
      t.equal((await make(edition, edition).done).code, 0)
      lists.set(edition, sorted(held(join(root, edition))))
    }
    t.equal((await make('One', 'public').done).code, 0)
    const since = performance.now()
    t.equal((await make('Two', 'public').done).code, 0)
    const longest = performance.now() - since
    const editions = [...lists.keys()]
    const ends = { killed: 0, One: 0, Two: 0 }
    for (let round = 0; round < rounds; round++) {
      const running = make(editions[round % 2] ?? '', 'public')
      await Promise.race([pause(Math.random() * longest), running.done])
      if (running.process.kill('SIGKILL')) ends.killed++
      await running.done
      const now = sorted(held(join(root, 'public')))
      const edition = editions.find((one) => lists.get(one) === now)
      if (edition === 'One' || edition === 'Two') ends[edition]++
      else t.fail(`round ${round}: neither the old site nor the new one`)
    }
    t.comment(`${Object.keys(held(join(root, 'public'))).length} files, ${JSON.stringify(ends)}`)
    t.equal((await make('One', 'public').done).code, 0)
    t.equal(sorted(held(join(root, 'public'))), lists.get('One'))
    t.same(litter(root), [])
  })

function post(n: number, edition: string): [file: string, text: string] {
  return [`content/posts/p${n}.md`, `---\ntitle: Post ${n}\ndate: 2020-01-01\n---\n${edition} of its texts.\n`]
}

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
    if (String(to).endsWith('-old')) writeFileSync(at('uploads/late.txt'), 'late')
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
