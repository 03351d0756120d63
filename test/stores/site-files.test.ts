import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { SiteArea, SiteFile, SiteFiles } from '#core/files/site-files.ts'
import type { ByteRange } from '#core/media/blobs.ts'
import { compareText } from '#lib/text/compare.ts'
import { FilesSiteFiles } from '#stores/files/beside/site-files.ts'
import { PostgresBlobs } from '#stores/postgres/blobs.ts'
import { Database } from '#stores/postgres/database.ts'
import { PostgresSiteFiles } from '#stores/postgres/site-files.ts'
import { TestClock } from '#support/clock.ts'
import { MemorySiteFiles } from '#support/memory-site-files.ts'
import { testDatabase } from '#support/postgres.ts'
import { makeSite, type TestSite } from '#support/sites.ts'

type Files = Readonly<Record<string, Buffer>>

function onFiles(t: Test, files: Readonly<Record<string, string | Buffer>>): { siteFiles: SiteFiles; site: TestSite } {
  const site = makeSite(files)
  t.teardown(site.remove)
  const folders = { root: site.root, content: 'content', privateDir: site.path('.cms') }
  return { siteFiles: new FilesSiteFiles(folders, new TestClock('2100-01-01T00:00:00Z')), site }
}

async function onPostgres(t: Test, files: Files): Promise<SiteFiles> {
  const database = await Database.open(await testDatabase(t))
  t.teardown(() => database.close())
  const blobs = new PostgresBlobs(database, new TestClock())
  const siteFiles = new PostgresSiteFiles(database, blobs)
  const placed = Object.entries(files).map(async ([whole, bytes]) => {
    const slash = whole.indexOf('/')
    const stored = await blobs.put(pieces(bytes), 10_000_000)
    return { area: whole.slice(0, slash) as SiteArea, path: whole.slice(slash + 1), ...stored }
  })
  await siteFiles.put(await Promise.all(placed))
  return siteFiles
}

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

function everyStore(name: string, files: Files, body: (t: Test, files: SiteFiles) => Promise<void>): void {
  t.test(name, async (t) => {
    await t.test('files', async (t) => body(t, onFiles(t, files).siteFiles))
    await t.test('postgres', async (t) => body(t, await onPostgres(t, files)))
    await t.test('memory', async (t) => body(t, new MemorySiteFiles(files)))
  })
}

async function read(files: SiteFiles, file: SiteFile | undefined, range?: ByteRange): Promise<Buffer | undefined> {
  const stream = file && (await files.open(file, range))
  return stream && buffer(stream)
}

const LARGE = randomBytes(700_001)

const CAT = Buffer.from('cat')
const SOME = {
  'content/cat.jpg': CAT,
  'content/posts/trip/cat.jpg': Buffer.from('a cat on a trip'),
  'content/posts/trip-2/a b.jpg': Buffer.from('x'),
  'content/posts/trip.jpg': Buffer.from(''),
  'content/posts/été/plage.jpg': Buffer.from('sea'),
  'content/media/2026/photo.jpg': LARGE,
  'static/robots.md': Buffer.from('a file as others here'),
  'static/img/logo.svg': Buffer.from('<svg/>'),
}

everyStore('a file is found by its path, with its size and its bytes', SOME, async (t, files) => {
  for (const [whole, bytes] of Object.entries(SOME)) {
    const slash = whole.indexOf('/')
    const [area, path] = [whole.slice(0, slash) as SiteArea, whole.slice(slash + 1)]
    const file = await files.find(area, path)
    t.match(file, { area, path, size: bytes.length })
    t.ok((await read(files, file))?.equals(bytes), path)
    t.equal((await files.find(area, path))?.version, file?.version, 'the version stays')
  }
  t.not((await files.find('content', 'cat.jpg'))?.version, (await files.find('content', 'posts/trip/cat.jpg'))?.version)
})

const ODD = { 'content/media/100%_a.jpg': CAT, 'content/media/Été.jpg': CAT }

everyStore('a path is taken in whatever case', { ...SOME, ...ODD }, async (t, files) => {
  for (const path of ['cat.jpg', 'CAT.jpg', 'Posts/Trip/cat.JPG', 'posts/ÉTÉ/plage.jpg', 'Media/100%_A.jpg', 'media/été.jpg'])
    t.equal(await files.isTaken('content', path), true, path)
  for (const path of [
    'cat2.jpg',
    'posts/cat.jpg',
    'posts/trip/cat.jpg/x',
    'media/100xxa.jpg',
    'media/100%a.jpg',
    'media/ete.jpg',
  ])
    t.equal(await files.isTaken('content', path), false, path)
  t.equal(await files.isTaken('static', 'cat.jpg'), false)
})

everyStore('any part of the bytes comes back', SOME, async (t, files) => {
  const file = await files.find('content', 'media/2026/photo.jpg')
  const at = fc.integer({ min: 0, max: LARGE.length + 10 })
  const property = fc.asyncProperty(at, fc.option(at, { nil: undefined }), async (start, end) => {
    const bytes = await read(files, file, end === undefined ? { start } : { start, end })
    assert.ok(bytes?.equals(LARGE.subarray(start, end === undefined ? undefined : Math.max(start, end))), `${start}–${end}`)
  })
  await t.resolves(
    fc.assert(property, {
      numRuns: 20,
      examples: [
        [0, 0],
        [5, 2],
        [LARGE.length, undefined],
      ],
    }),
  )
})

const NEVER = [
  ...[
    '',
    '/',
    '.',
    '..',
    '../cat.jpg',
    'posts/../cat.jpg',
    '/cat.jpg',
    'cat.jpg/',
    'posts//trip/cat.jpg',
    './cat.jpg',
    'posts',
    'posts/trip',
  ],
  ...[
    'Cat.jpg',
    'cat.JPG',
    'posts/Trip/cat.jpg',
    'POSTS/trip/cat.jpg',
    'cat.jpg\u0000',
    'cat.jpg\n',
    'cat.jpg.',
    'cat.jpg ',
    'posts\\trip\\cat.jpg',
  ],
  ...[
    'posts/e\u0301te\u0301/plage.jpg',
    'cat.jpg/x',
    'missing/cat.jpg',
    `${'x'.repeat(300)}.jpg`,
    'con.jpg',
    'cat.jpg::$DATA',
    'é.jpg',
  ],
]

everyStore('what no file is called finds none', SOME, async (t, files) => {
  for (const path of NEVER) t.equal(await files.find('content', path), undefined, JSON.stringify(path))
  t.equal(await files.find('static', 'cat.jpg'), undefined, 'in its own area alone')
})

everyStore('files are listed in the order of their paths, in parts of any size', SOME, async (t, files) => {
  for (const area of ['content', 'static'] as const) {
    const all = Object.keys(SOME)
      .filter((path) => path.startsWith(`${area}/`))
      .map((path) => path.slice(area.length + 1))
      .sort(compareText)
    for (const limit of [1, 2, 3, 100]) {
      const listed: string[] = []
      for (let after = ''; ; after = listed.at(-1) ?? '') {
        const part = await files.list(area, { after, limit })
        t.ok(part.length <= limit)
        for (const file of part) t.same(await files.find(area, file.path), file)
        if (part.length === 0) break
        listed.push(...part.map(({ path }) => path))
      }
      t.same(listed, all)
    }
  }
  const below = await files.list('content', { below: 'posts/trip', limit: 100 })
  t.same(
    below.map(({ path }) => path),
    ['posts/trip/cat.jpg'],
  )
  t.same(await files.list('content', { below: 'posts/trip', after: 'posts/trip/cat.jpg', limit: 100 }), [])
  t.same(await files.list('content', { below: 'nothing', limit: 100 }), [])
  t.same(await files.list('content', { below: '../content', limit: 100 }), [])
  t.same(await files.list('content', { below: 'cat.jpg', limit: 100 }), [])
})

t.test('in files', async (t) => {
  const names = async (files: SiteFiles, area: SiteArea = 'content') =>
    (await files.list(area, { limit: 1000 })).map(({ path }) => path)

  await t.test('documents, hidden names, other repositories and what is private are none', async (t) => {
    const { siteFiles, site } = onFiles(t, {
      'content/a.jpg': 'x',
      'content/a.md': 'x',
      'content/media/a.jpg.yaml': 'x',
      'content/_drafts/a.jpg': 'x',
      'content/.git/a.jpg': 'x',
      'content/posts/.hidden.jpg': 'x',
      'content/posts/con.jpg': 'x',
      'content/posts/a~b.jpg': 'x',
      'content/module/.git': 'gitdir: elsewhere',
      'content/module/a.jpg': 'x',
      'content/module/below/a.jpg': 'x',
    })
    t.same(await names(siteFiles), ['a.jpg'])
    for (const path of ['module/a.jpg', 'module/below/a.jpg', '_drafts/a.jpg', 'a.md', 'posts/a~b.jpg']) {
      t.equal(await siteFiles.find('content', path), undefined, path)
    }
    const folders = { root: site.root, content: 'content', privateDir: site.path('content/posts') }
    site.write('content/posts/token.jpg', 'secret')
    const within = new FilesSiteFiles(folders, new TestClock())
    t.same(await names(within), ['a.jpg'])
    t.equal(await within.find('content', 'posts/token.jpg'), undefined)
  })

  await t.test('no link is followed, of a file or of a folder', async (t) => {
    const { siteFiles, site } = onFiles(t, { 'content/posts/a.jpg': 'x', 'secret/b.jpg': 'secret' })
    symlinkSync(site.path('secret/b.jpg'), site.path('content/posts/b.jpg'))
    symlinkSync('a.jpg', site.path('content/posts/c.jpg'))
    symlinkSync(site.path('secret'), site.path('content/posts/secret'))
    symlinkSync(site.path('secret'), site.path('static'))
    t.same(await names(siteFiles), ['posts/a.jpg'])
    t.same(await names(siteFiles, 'static'), [])
    for (const path of ['posts/b.jpg', 'posts/c.jpg', 'posts/secret/b.jpg'])
      t.equal(await siteFiles.find('content', path), undefined)
    t.equal(await siteFiles.find('static', 'b.jpg'), undefined)
  })

  await t.test('a folder of content that is a link is followed within the site alone', async (t) => {
    const { siteFiles, site } = onFiles(t, { 'content/posts/a.jpg': 'x', 'releases/1/posts/a.jpg': 'one' })
    const outside = makeSite({ 'posts/a.jpg': 'secret' })
    t.teardown(() => outside.remove())
    for (const [to, found] of [
      [outside.root, []],
      ['.cms', []],
      ['releases/1', ['posts/a.jpg']],
    ] as const) {
      site.write('.cms/posts/a.jpg', 'secret')
      rmSync(site.path('content'), { recursive: true })
      symlinkSync(to, site.path('content'))
      t.same(await names(siteFiles), found, to)
      t.equal((await siteFiles.find('content', 'posts/a.jpg')) !== undefined, found.length > 0, to)
    }
  })

  await t.test('a name that macOS wrote is found by its composed form', async (t) => {
    const { siteFiles } = onFiles(t, { 'content/posts/e\u0301te\u0301/plage\u0301.jpg': 'sea' })
    t.same(await names(siteFiles), ['posts/été/plagé.jpg'])
    t.equal(String(await read(siteFiles, await siteFiles.find('content', 'posts/été/plagé.jpg'))), 'sea')
  })

  await t.test('another version has another name, and is not read as the one before', async (t) => {
    const { siteFiles, site } = onFiles(t, { 'content/a.jpg': 'one' })
    const before = await siteFiles.find('content', 'a.jpg')
    site.write('content/b.jpg', 'two')
    renameSync(site.path('content/b.jpg'), site.path('content/a.jpg'))
    t.equal(await read(siteFiles, before), undefined)
    const after = await siteFiles.find('content', 'a.jpg')
    t.not(after?.version, before?.version)
    t.equal(String(await read(siteFiles, after)), 'two')
    rmSync(site.path('content/a.jpg'))
    t.equal(await read(siteFiles, after), undefined)
    mkdirSync(site.path('content/a.jpg'))
    t.equal(await siteFiles.find('content', 'a.jpg'), undefined)
  })

  await t.test('a file that was written just now has no version that would last', async (t) => {
    const { site } = onFiles(t, { 'content/a.jpg': 'one' })
    const clock = new TestClock(new Date().toISOString())
    const siteFiles = new FilesSiteFiles({ root: site.root, content: 'content', privateDir: site.path('.cms') }, clock)
    const file = await siteFiles.find('content', 'a.jpg')
    clock.advance(500)
    t.not((await siteFiles.find('content', 'a.jpg'))?.version, file?.version)
    t.equal(String(await read(siteFiles, file)), 'one', 'it can be read all the same')
    clock.advance(10_000)
    t.equal((await siteFiles.find('content', 'a.jpg'))?.version, (await siteFiles.find('content', 'a.jpg'))?.version)
  })

  await t.test('one with a date that is to come has a version that lasts', async (t) => {
    const { site } = onFiles(t, { 'content/a.jpg': 'a' })
    utimesSync(site.path('content/a.jpg'), new Date('2190-01-01'), new Date('2190-01-01'))
    const folders = { root: site.root, content: 'content', privateDir: site.path('.cms') }
    const clock = new TestClock('2100-01-01T00:00:00Z')
    const siteFiles = new FilesSiteFiles(folders, clock)
    const file = await siteFiles.find('content', 'a.jpg')
    clock.advance(10)
    t.equal((await siteFiles.find('content', 'a.jpg'))?.version, file?.version)
    site.write('content/a.jpg', 'b')
    t.not((await siteFiles.find('content', 'a.jpg'))?.version, file?.version)
  })

  await t.test('what is written to while it is read ends in an error', async (t) => {
    const { siteFiles, site } = onFiles(t, { 'content/a.jpg': LARGE })
    const changes: [string, () => void][] = [
      ['written over', () => writeFileSync(site.path('content/a.jpg'), randomBytes(LARGE.length))],
      ['cut', () => truncateSync(site.path('content/a.jpg'), 100_000)],
    ]
    for (const [name, change] of changes) {
      site.write('content/a.jpg', LARGE)
      const file = await siteFiles.find('content', 'a.jpg')
      const stream = file && (await siteFiles.open(file))
      let length = 0
      const reading = (async () => {
        for await (const piece of stream ?? []) {
          if (length === 0) change()
          length += (piece as Buffer).length
        }
      })()
      await t.rejects(reading, { message: 'The file was changed while it was read.' }, name)
      t.ok(length < LARGE.length)
    }
  })

  await t.test('a file that is replaced whole is read on as it was', async (t) => {
    const { siteFiles, site } = onFiles(t, { 'content/a.jpg': LARGE, 'content/b.jpg': 'other' })
    const file = await siteFiles.find('content', 'a.jpg')
    const stream = file && (await siteFiles.open(file))
    renameSync(site.path('content/b.jpg'), site.path('content/a.jpg'))
    t.ok(stream && (await buffer(stream)).equals(LARGE))
  })

  await t.test('a stream that nobody reads gives its file back', { skip: !existsSync('/proc/self/fd') }, async (t) => {
    const { readdirSync } = await import('node:fs')
    const { siteFiles } = onFiles(t, { 'content/a.jpg': LARGE })
    const file = await siteFiles.find('content', 'a.jpg')
    const before = readdirSync('/proc/self/fd').length
    for (let n = 0; n < 20; n++) {
      const stream = file && (await siteFiles.open(file))
      await new Promise((resolve) => stream?.destroy().once('close', resolve))
    }
    t.ok(readdirSync('/proc/self/fd').length <= before + 2)
  })
})

/** Does work as a user whom permissions bind: root is bound by none. */
async function bound(work: () => Promise<void>): Promise<void> {
  const isRoot = process.geteuid?.() === 0
  if (isRoot) process.seteuid?.(65_534)
  try {
    await work()
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
}

t.test('what may not be entered or read is not there, and takes nothing else down', async (t) => {
  const files = ['content/lost+found/a.jpg', 'content/open/a.jpg', 'content/open/b.jpg', 'static/closed/a/b.txt', 'static/c.txt']
  const { siteFiles, site } = onFiles(t, Object.fromEntries(files.map((path) => [path, path])))
  chmodSync(site.root, 0o755)
  const modes: Record<string, number> = { 'content/lost+found': 0, 'static/closed': 0o444, 'content/open/b.jpg': 0 }
  for (const [path, mode] of Object.entries(modes)) chmodSync(site.path(path), mode)
  t.teardown(() => chmodSync(site.path('static/closed'), 0o755))
  const folders = { root: site.root, content: 'content', privateDir: site.path('.cms') }
  const told = new FilesSiteFiles(folders, new TestClock(), (error) => {
    throw error
  })
  await bound(async () => {
    const all = await Promise.all([siteFiles.list('content', { limit: 9 }), siteFiles.list('static', { limit: 9 })])
    t.same(
      all.flat().map(({ path }) => path),
      ['open/a.jpg', 'open/b.jpg', 'c.txt'],
    )
    t.same(await siteFiles.list('content', { below: 'lost+found', limit: 9 }), [])
    for (const path of ['closed', 'closed/a', 'closed/a/b.txt', 'closed/none.txt'])
      t.equal(await siteFiles.find('static', path), undefined, path)
    t.equal(await siteFiles.find('content', 'lost+found/a.jpg'), undefined)
    t.equal(await read(siteFiles, await siteFiles.find('content', 'open/b.jpg')), undefined)
    t.equal((await read(siteFiles, await siteFiles.find('content', 'open/a.jpg')))?.toString(), 'content/open/a.jpg')
    await t.rejects(told.list('static', { limit: 9 }), { code: 'EACCES' }, 'unless it is to be told')
  })
})
