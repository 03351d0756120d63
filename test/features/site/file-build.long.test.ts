import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import type { SiteFile, SiteFiles } from '#core/files/site-files.ts'
import { Unavailable } from '#lib/errors.ts'
import { publicSite } from '#support/public-site.ts'
import { eachStore, type OpenedStore, openFiles } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const page = (title: string, more = '', body = '![](cat.jpg)') => `---\ntitle: ${title}\n${more}---\n${body}\n`
const LARGE = randomBytes(700_000)

const FILES = {
  'content/index.md': page('Home'),
  'content/posts/trip/index.md': page('Trip', 'slug: journey\n'),
  'content/posts/plain.md': page('Plain'),
  'content/posts/draft/index.md': page('Draft', 'draft: true\n'),
  'content/posts/deep.md': page('Deep', 'permalink: /deep/er\n'),
  'content/posts/page.md': page('Page', 'permalink: /page.html\n'),
}

const BESIDE = {
  'content/cat.jpg': 'cat at home',
  'content/posts/trip/cat.jpg': LARGE,
  'content/posts/trip/pics/a b é.png': 'picture',
  'content/posts/trip/code.zip': 'not served',
  'content/posts/cat.jpg': 'cat of the type',
  'content/posts/draft/cat.jpg': 'secret',
  'content/media/2026/x.jpg': 'a medium',
  'content/posts/journey/cat.jpg': 'lost: the address is that of the trip’s',
  'static/cat.jpg': 'lost to the one beside the home page',
  'static/posts/plain': 'lost to a page',
  'static/posts/journey/index.html': 'lost to a page',
  'static/posts/more/x.txt': 'static',
  'static/robots.txt': 'User-agent: mine',
  'static/404.html': 'lost to what Quire makes',
  'static/deep': 'lost: a page is behind it',
  'static/deep-2/empty.txt': '',
  'static/page.html/x.txt': 'lost: behind a page',
  'static/api/x.txt': 'lost to Quire',
}

const OUT: Readonly<Record<string, string | Buffer>> = {
  'cat.jpg': 'cat at home',
  'posts/journey/cat.jpg': LARGE,
  'posts/journey/pics/a b é.png': 'picture',
  'posts/cat.jpg': 'cat of the type',
  'posts/more/x.txt': 'static',
  'deep-2/empty.txt': '',
  'robots.txt': 'User-agent: mine',
}

const LOST = [
  'content/posts/journey/cat.jpg',
  'static/404.html',
  'static/api/x.txt',
  'static/cat.jpg',
  'static/deep',
  'static/page.html/x.txt',
  'static/posts/journey/index.html',
  'static/posts/plain',
]

function siteOn(t: Test, opened: OpenedStore, siteFiles: SiteFiles = opened.siteFiles) {
  const memory = { folder: join(opened.site?.root ?? '/nowhere', '.cms/cache'), basis: '' }
  return publicSite(t, { store: opened.store, types: opened.types, clock: opened.clock }, false, {
    siteFiles,
    ...(opened.site && { root: opened.site.root, memory }),
  })
}

function filesIn(folder: string): Map<string, Buffer> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(folder, name)).isFile())
  return new Map(names.sort().map((name) => [name, readFileSync(join(folder, name))]))
}

const OURS = /\.html$|\.xml$|\.md$|(?:^|\/)feed\.json$|^assets\/|^llms\.txt$|^\.quire-build$/

t.test('a build has the files that a server answers, at the same paths', (t) =>
  eachStore(t, { files: FILES, beside: BESIDE, types: plainTypes(), now: '2026-01-15T00:00:00Z' }, async (t, opened) => {
    const { site, folder } = siteOn(t, opened)
    const out = folder.path('public')
    for (const baseUrl of ['https://example.org', 'https://example.org/repo/below']) {
      const report = await site.build(out, { baseUrl })
      t.equal(report.files, Object.keys(OUT).length)
      const lost = report.problems.filter(({ message }) => message.startsWith('The address of this file'))
      t.same(lost.map(({ file }) => file).sort(), LOST)
      t.ok(lost.every(({ severity }) => severity === 'warning'))
      const built = filesIn(out)
      for (const [path, bytes] of Object.entries(OUT)) t.ok(built.get(path)?.equals(Buffer.from(bytes)), path)
      t.same([...built.keys()].filter((path) => !OURS.test(path)).sort(), Object.keys(OUT).sort(), 'and no others')
      const base = new URL(baseUrl).pathname.replace(/\/$/, '')
      t.match(String(built.get('posts/journey/index.html')), `src="${base}/posts/journey/cat.jpg"`)
    }
    for (const [path, bytes] of Object.entries(OUT)) {
      const answer = await site.answer(encodeURI(`/${path}`))
      t.ok('open' in answer && (await buffer((await answer.open()) as Readable)).equals(Buffer.from(bytes)), path)
    }
    t.same(
      (await site.remarks())
        .map(({ file }) => file)
        .filter((file) => LOST.includes(file))
        .sort(),
      LOST,
      'check names them, too',
    )
    const drafts = await site.build(out, { drafts: true })
    t.equal(drafts.files, report(OUT) + 1)
    t.equal(String(filesIn(out).get('posts/draft/cat.jpg')), 'secret')
  }),
)

function report(files: object): number {
  return Object.keys(files).length
}

t.test('what changed is copied, what is gone is removed, and nothing else is touched', async (t) => {
  const opened = await openFiles({ files: FILES, beside: BESIDE, types: plainTypes(), now: '2100-01-15T00:00:00Z' })
  t.teardown(() => opened.close())
  const { site: folder } = opened
  const { site } = siteOn(t, opened)
  const out = folder.path('public')
  const build = async () => {
    const { written, unchanged, removed, problems } = await site.build(out)
    return { written, unchanged, removed, errors: problems.filter(({ severity }) => severity === 'error').length }
  }
  const first = await build()
  const all = first.written
  t.match(await build(), { written: 0, unchanged: all, removed: 0, errors: 0 })
  folder.write('public/mine.jpg', 'of somebody else')
  folder.write('content/posts/cat.jpg', 'cat of another sort')
  folder.write('content/posts/new.jpg', 'new')
  rmSync(folder.path('static/posts/more/x.txt'))
  t.match(await build(), { written: 2, unchanged: all - 2, removed: 1, errors: 0 })
  t.equal(readFileSync(join(out, 'posts/cat.jpg'), 'utf8'), 'cat of another sort')
  t.equal(readFileSync(join(out, 'posts/new.jpg'), 'utf8'), 'new')
  t.equal(existsSync(join(out, 'posts/more')), false)
  t.equal(readFileSync(join(out, 'mine.jpg'), 'utf8'), 'of somebody else')
  // The same bytes in another file: found by comparing.
  const trip = folder.path('content/posts/trip/cat.jpg')
  writeFileSync(`${trip}.tmp`, LARGE)
  renameSync(`${trip}.tmp`, trip)
  t.match(await build(), { written: 0, unchanged: all, removed: 0, errors: 0 })
  const other = Buffer.from(LARGE)
  other[600_000] = (other[600_000] ?? 0) ^ 1
  writeFileSync(trip, other)
  writeFileSync(join(out, 'cat.jpg'), 'cat at HOME')
  t.match(
    await build(),
    { written: 2, unchanged: all - 2, removed: 0, errors: 0 },
    'as large as before, and a copy that was changed',
  )
  t.ok(readFileSync(join(out, 'posts/journey/cat.jpg')).equals(other))
  t.equal(readFileSync(join(out, 'cat.jpg'), 'utf8'), 'cat at home')
  rmSync(folder.path('content/cat.jpg'))
  rmSync(folder.path('static/cat.jpg'))
  writeFileSync(join(out, 'cat.jpg'), 'edited')
  t.match(await build(), { removed: 0, errors: 1 }, 'a copy that somebody changed is not removed')
  rmSync(join(out, 'cat.jpg'))
  folder.write('content/posts/trip/index.md', page('Trip', 'slug: journey\ndraft: true\n'))
  await opened.store.reconcile()
  t.match(await build(), { errors: 0 })
  t.equal(existsSync(join(out, 'posts/journey/pics')), false, 'files follow their record')
  t.equal(
    String(readFileSync(join(out, 'posts/journey/cat.jpg'))),
    BESIDE['content/posts/journey/cat.jpg'],
    'another has the address now',
  )
  mkdirSync(join(out, 'posts/other.jpg'))
  folder.write('content/posts/other.jpg', 'x')
  t.match(await build(), { errors: 1 }, 'a folder is in its place')
})

t.test('a file that changes while it is copied is copied as it is then, or not at all', async (t) => {
  const opened = await openFiles({ files: FILES, beside: BESIDE, types: plainTypes(), now: '2100-01-15T00:00:00Z' })
  t.teardown(() => opened.close())
  const { site: folder, siteFiles } = opened
  let times = 1
  const shaky: SiteFiles = {
    find: (area, path) => siteFiles.find(area, path),
    isTaken: (area, path) => siteFiles.isTaken(area, path),
    list: (area, part) => siteFiles.list(area, part),
    recordFolders: (folders) => siteFiles.recordFolders(folders),
    open: async (file: SiteFile) => {
      if (file.path === 'posts/trip/cat.jpg' && times-- > 0) {
        folder.write('content/posts/trip/cat.jpg', randomBytes(700_000))
        throw new Unavailable('The file was changed while it was read.')
      }
      return siteFiles.open(file)
    },
  }
  const { site } = siteOn(t, opened, shaky)
  const out = folder.path('public')
  await site.build(out)
  t.ok(readFileSync(join(out, 'posts/journey/cat.jpg')).equals(readFileSync(folder.path('content/posts/trip/cat.jpg'))))
  times = 100
  folder.write('content/posts/trip/cat.jpg', 'x')
  const before = filesIn(out)
  await t.rejects(site.build(out), { message: 'The file was changed while it was read.' })
  t.same(filesIn(out), before, 'the site stays as it was')
})

t.test('a file that may not be read is named, and keeps no other from being copied', async (t) => {
  const opened = await openFiles({ files: FILES, beside: BESIDE, types: plainTypes(), now: '2100-01-15T00:00:00Z' })
  t.teardown(() => opened.close())
  const { site: folder, siteFiles } = opened
  const closed: SiteFiles = {
    find: (area, path) => siteFiles.find(area, path),
    isTaken: (area, path) => siteFiles.isTaken(area, path),
    list: (area, part) => siteFiles.list(area, part),
    recordFolders: (folders) => siteFiles.recordFolders(folders),
    open: async (file) => (file.path === 'posts/trip/cat.jpg' ? undefined : siteFiles.open(file)),
  }
  const { site } = siteOn(t, opened, closed)
  const { problems } = await site.build(folder.path('public'))
  const [problem, ...others] = problems.filter(({ severity }) => severity === 'error')
  t.match(problem, {
    file: /posts\/journey\/cat.jpg$/,
    message: "The file can't be written: what it is copied of may not be read.",
  })
  t.same(others, [])
  t.notOk(existsSync(folder.path('public/posts/journey/cat.jpg')))
  t.ok(existsSync(folder.path('public/posts/cat.jpg')))
})
