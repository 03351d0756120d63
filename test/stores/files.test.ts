import { execFileSync, spawn } from 'node:child_process'
import fs, {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import promises from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import { Conflict, Stale, Unavailable } from '#lib/errors.ts'
import { claimServer, readServer } from '#stores/engine/private-folder.ts'
import { FilesLedger } from '#stores/files/ledger/ledger.ts'
import { FilesStore } from '#stores/files/store.ts'
import { replaceIn } from '#support/builtins.ts'
import { TestClock } from '#support/clock.ts'
import { makeSite, type TestSite } from '#support/sites.ts'
import { filesOptions } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

/** Node's own, whatever a test has put in their place. */
const { lstatSync, unlinkSync } = fs
const { open: openFile } = promises

const ada = { name: 'Ada', email: 'ada@example.org' }
const key = (id: string, kind = 'posts') => keyOf(kind, id)
const put = (id: string, set: object, body?: string): Change => ({
  key: key(id),
  put: { set: { ...set }, ...(body !== undefined && { body }) },
})

/** A site and its store, both gone after the test. */
async function opened(
  t: Test,
  files: Record<string, string | Buffer> = {},
  watch = false,
): Promise<{ site: TestSite; store: FilesStore }> {
  const site = makeSite(files)
  const store = await open(t, site, watch)
  t.teardown(() => site.remove())
  return { site, store }
}

async function open(t: Test, site: TestSite, watch = false, fingerprint = 'test'): Promise<FilesStore> {
  const store = await FilesStore.open({ ...filesOptions(site, plainTypes(), new TestClock()), watch, fingerprint })
  t.teardown(() => store.close())
  return store
}

async function ids(store: FilesStore, kind = 'posts'): Promise<string[]> {
  return (await store.heads(kind, {})).items.map((head) => head.key.id)
}

/** Returns the content of a store for all kinds, to compare two with. */
async function all(store: FilesStore): Promise<unknown> {
  const kinds = await store.kinds()
  const lists = await Promise.all(kinds.map(async (kind) => [kind, (await store.heads(kind, {})).items]))
  return [lists, await store.problems()]
}

/** Waits until it is so; the test's own time limit ends what never is. */
async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 2))
}

async function thrownBy(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error) => error,
  )
}

t.test('a list has nothing that its file says no more, seen or not', async (t) => {
  const { site, store } = await opened(t, {
    'content/posts/a.md': '---\ntitle: A\n---\nFor all.\n',
    'content/posts/b.md': '---\ntitle: B\n---\nB.\n',
    'content/posts/c.md': '---\ntitle: C\n---\nC.\n',
  })
  site.write('content/posts/a.md', '---\ntitle: A\nstatus: draft\n---\nFor my eyes only.\n')
  site.write('content/posts/b.md', '---\ntitle: B\n---\nB, again.\n')
  const { items, total } = await store.browse('posts', { live: true })
  t.strictSame([items.map(({ body }) => body), total], [['B, again.\n', 'C.\n'], 2])
})

t.test('what a folder of content holds', async (t) => {
  const { store } = await opened(t, {
    'content/index.md': '# Home',
    'content/pages/about/index.md': '# About',
    'content/settings.yaml': 'a: 1',
    'content/media/photo.jpg.yaml': 'alt: x',
    'content/posts/index.md': '# All',
    'content/posts/x/index.markdown': '# X',
    'content/posts/2026/y.MDX': '# Y',
    'content/posts/z.yml': 'title: Z\nbody: Text',
    'content/posts/_draft.md': '# no',
    'content/posts/.hidden.md': '# no',
    'content/posts/_parts/a.md': '# no',
    'content/posts/notes.txt': 'no',
    [`content/posts/${'e\u0301te'}.md`]: '# NFD',
    'content/taxonomy/tags/news.yaml': 'name: News',
    'content/menus/main.yaml': 'items: []',
    'content/search/a.md': '# no type can have this name',
  })
  t.same(await store.kinds(), ['media', 'menus', 'pages', 'posts', 'settings', 'taxonomy/tags'])
  t.same(await ids(store, 'settings'), ['settings'], 'the file of several groups')
  t.same(await ids(store), ['2026~y', 'index', 'x', 'z', '\u00e9te'])
  t.same(await ids(store, 'pages'), ['about', 'index'])
  t.equal((await store.get(key('z')))?.body, 'Text')
  t.equal((await store.get(key('\u00e9te')))?.fields.title, 'NFD', 'the real path is kept')
  const [changed] = await store.write([put('\u00e9te', { title: 'Changed' })], ada)
  t.equal(changed?.fields.title, 'Changed')
  t.match(await store.problems(), [{ file: 'content/search', severity: 'error' }])
})

t.test('names that are no ids, and two files with one id', async (t) => {
  const { site, store } = await opened(t, {
    'content/posts/good.md': '# Good',
    'content/posts/a:b.md': '# Bad',
    'content/posts/a~b.md': '# Bad',
    'content/posts/con.md': '# Bad',
    'content/posts/twice.md': '# One',
    'content/posts/twice.yaml': 'title: Two',
  })
  site.write(`content/posts/${'line\nbreak'}.md`, '# Bad')
  fs.writeFileSync(
    Buffer.concat([Buffer.from(`${site.path('content/posts')}/`), Buffer.from([0xff, 0xfe]), Buffer.from('.md')]),
    '# Bad',
  )
  await store.reconcile()
  t.same(await ids(store), ['good'])
  const problems = await store.problems('posts')
  t.equal(problems.length, 7)
  t.match(
    problems.find((p) => p.file === 'content/posts/a:b.md'),
    { severity: 'error', hint: /"a-b\.md"/ },
  )
  t.match(
    problems.find((p) => p.file === 'content/posts/con.md'),
    { hint: /"file-con\.md"/ },
  )
  t.match(
    problems.find((p) => p.file === 'content/posts/twice.md'),
    { message: /content\/posts\/twice\.yaml/ },
  )
  t.match(await store.get(key('twice')), { problem: { severity: 'error' }, body: '' })
  t.ok(await thrownBy(store.write([put('twice', { title: 'x' })], ada)))
  rmSync(site.path('content/posts/twice.yaml'))
  await store.reconcile()
  t.equal((await store.get(key('twice')))?.fields.title, 'One', 'when one is gone the other is served')
})

t.test('each name that is no id gets another proposed that no other file has, or gets', async (t) => {
  const { site, store } = await opened(t, {
    'content/posts/a?b.md': '# Bad',
    'content/posts/a:b.md': '# Bad',
    'content/posts/A*b.yaml': 'title: Bad',
    'content/posts/a-b-2.markdown': '# Good',
    'content/posts/x|y/z.md': '# Bad',
    'content/posts/x-y/Z.md': '# Good',
    'content/taxonomy/tags/c|d.yaml': 'name: Bad',
  })
  const hints = async () => (await store.problems()).map(({ file, hint }) => [file, /"(.*)"/.exec(hint ?? '')?.[1]])
  t.same(await hints(), [
    ['content/posts/A*b.yaml', 'A-b.yaml'],
    ['content/posts/a:b.md', 'a-b-3.md'],
    ['content/posts/a?b.md', 'a-b-4.md'],
    ['content/posts/x|y/z.md', 'x-y/z-2.md'],
    ['content/taxonomy/tags/c|d.yaml', 'c-d.yaml'],
  ])
  t.match(await store.misnamed('posts', 'a:b'), { file: 'content/posts/a:b.md', hint: /a-b-3\.md/ })
  t.match(await store.misnamed('posts', 'x|y~z'), { file: 'content/posts/x|y/z.md' })
  t.equal(await store.misnamed('pages', 'a:b'), undefined)
  rmSync(site.path('content/posts/A*b.yaml'))
  site.write('content/posts/a-b.md', '# Good')
  await store.reconcile()
  t.match(await hints(), [['content/posts/a:b.md', 'a-b-3.md'], ['content/posts/a?b.md', 'a-b-4.md'], [], []])
  t.equal(await store.misnamed('posts', 'A*b'), undefined, 'gone')
})

t.test('kinds follow the folders, whoever makes or removes them', async (t) => {
  const { site, store } = await opened(t, { 'content/posts/a.md': '# A' })
  const kindsAfter = async (change: () => unknown) => {
    await change()
    await store.reconcile()
    return store.kinds()
  }
  t.same(await store.kinds(), ['posts'])
  ;(await store.kinds()).push('mine')
  t.same(await kindsAfter(() => site.write('content/taxonomy/tags/news.yaml', 'name: News')), ['posts', 'taxonomy/tags'])
  t.same(await kindsAfter(() => site.write('content/about.md', '# About')), ['pages', 'posts', 'taxonomy/tags'])
  t.same(await kindsAfter(() => rmSync(site.path('content/about.md'))), ['posts', 'taxonomy/tags'])
  t.same(await kindsAfter(() => renameSync(site.path('content/posts'), site.path('content/notes'))), ['notes', 'taxonomy/tags'])
  t.same(await kindsAfter(() => rmSync(site.path('content/taxonomy'), { recursive: true })), ['notes'])
  await store.write([{ key: keyOf('events', 'x'), put: { set: { title: 'X' } } }], ada)
  t.same(await store.kinds(), ['events', 'notes'])
  t.same(await kindsAfter(() => rmSync(site.path('content'), { recursive: true })), [])
})

t.test('links are not followed', async (t) => {
  const outside = makeSite({ 'secret.md': '# Secret', 'deep/sub/secret.md': '# Secret' })
  t.teardown(() => outside.remove())
  const { site, store } = await opened(t, { 'content/posts/a.md': '# A' })
  symlinkSync(outside.path('secret.md'), site.path('content/posts/file.md'))
  symlinkSync(outside.path('deep'), site.path('content/posts/folder'))
  symlinkSync(outside.path('deep'), site.path('content/type'))
  symlinkSync('..', site.path('content/posts/loop'))
  await store.reconcile()
  t.same(await ids(store), ['a'])
  t.same(await store.kinds(), ['posts'])
  const files = (await store.problems()).map((p) => [p.file, p.severity])
  t.same(
    files,
    ['content/posts/file.md', 'content/posts/folder', 'content/posts/loop', 'content/type'].map((f) => [f, 'warning']),
  )
  for (const id of ['file', 'folder~new', 'folder~sub~secret', 'loop~posts~b']) {
    t.ok((await thrownBy(store.write([put(id, { title: 'x' })], ada))) instanceof Conflict, `not written through a link: ${id}`)
    t.equal(await store.get(key(id)), undefined)
  }
  t.equal(readFileSync(outside.path('secret.md'), 'utf8'), '# Secret')
  renameSync(site.path('content/posts/a.md'), site.path('content/a.md'))
  symlinkSync(outside.path('secret.md'), site.path('content/posts/a.md'))
  t.equal(await store.get(key('a')), undefined, 'a file that became a link is gone')
})

t.test(
  'content that became a link out of the site, or into its private folder, is gone, and nothing is written there',
  async (t) => {
    const outside = makeSite({ 'posts/x.md': '# Secret', 'posts/a.md': '# Secret' })
    t.teardown(() => outside.remove())
    const { site, store } = await opened(t, { 'content/posts/a.md': '# A' })
    site.write('.cms/posts/x.md', '# Secret')
    renameSync(site.path('content'), site.path('away'))
    for (const to of [outside.root, '.cms']) {
      symlinkSync(to, site.path('content'))
      await store.reconcile()
      t.same(await store.kinds(), [], to)
      for (const id of ['a', 'x']) t.equal(await store.get(key(id)), undefined, id)
      t.ok((await thrownBy(store.write([put('new', { title: 'x' })], ada))) instanceof Conflict)
      unlinkSync(site.path('content'))
    }
    t.same(readdirSync(outside.path('posts')).sort(), ['a.md', 'x.md'])
    t.same(readdirSync(site.path('.cms/posts')), ['x.md'])
    symlinkSync('away', site.path('content'))
    await store.reconcile()
    t.same(await ids(store), ['a'], 'a link within the site is followed')
    await store.write([put('new', { title: 'x' })], ada)
    t.ok(existsSync(site.path('away/posts/new.md')))
  },
)

t.test('a folder that became a link is gone', async (t) => {
  const outside = makeSite({ 'x.md': '# Secret' })
  t.teardown(() => outside.remove())
  const { site, store } = await opened(t, { 'content/posts/dir/x.md': '# X' })
  renameSync(site.path('content/posts/dir'), site.path('content/posts/_old'))
  symlinkSync(outside.root, site.path('content/posts/dir'))
  t.equal(await store.get(key('dir~x')), undefined)
  t.same(await ids(store), [])
})

t.test('what cannot be opened takes nothing else down', { skip: process.getuid?.() === 0 }, async (t) => {
  const { site, store } = await opened(t, {
    'content/posts/a.md': '# A',
    'content/posts/b.md': '# B',
    'content/posts/c/d.md': '# D',
  })
  chmodSync(site.path('content/posts/b.md'), 0)
  chmodSync(site.path('content/posts/c'), 0)
  await store.reconcile()
  t.same(await ids(store), ['a'])
  t.equal((await store.problems()).length, 2)
  chmodSync(site.path('content/posts/c'), 0o700)
})

t.test('a file over the limit is unreadable, and may be removed', async (t) => {
  const { site, store } = await opened(t, { 'content/posts/big.md': Buffer.alloc(2 * 1024 * 1024 + 1, 'x') })
  t.match(await store.get(key('big')), {
    problem: { severity: 'error', line: 1, column: 1, message: 'The file is larger than 2 MiB.' },
    body: '',
  })
  const { next } = await store.changes(undefined, 10)
  await store.reconcile()
  t.same((await store.changes(next, 10)).changes, [], 'to look at it again is no change')
  t.same(await ids(store), [])
  t.ok(await thrownBy(store.write([put('big', { title: 'x' })], ada)))
  await store.write([{ key: key('big'), remove: true }], ada)
  t.notOk(existsSync(site.path('content/posts/big.md')))
})

t.test("an author's edit made meanwhile is never lost", async (t) => {
  const { site, store } = await opened(t, { 'content/posts/a.md': '---\ntitle: A\nx: 1\n---\nText\n' })
  const before = await store.get(key('a'))
  site.write('content/posts/a.md', '---\ntitle: A\nx: 2\n---\nText, edited\n')
  const stale = { ...put('a', { title: 'B' }), expects: before?.version ?? '' } as Change
  t.ok((await thrownBy(store.write([stale], ada))) instanceof Stale)
  await store.write([put('a', { title: 'B' })], ada)
  t.equal(readFileSync(site.path('content/posts/a.md'), 'utf8'), '---\ntitle: B\nx: 2\n---\nText, edited\n')
  site.write('content/posts/new.md', '# By hand')
  t.ok((await thrownBy(store.write([{ ...put('new', { title: 'x' }), expects: 'absent' } as Change], ada))) instanceof Conflict)
  t.equal((await store.get(key('new')))?.fields.title, 'By hand', 'found by the write')
  site.write('content/posts/a.md', '# Edited again')
  const { source } = (await store.get(key('a'))) ?? {}
  t.equal(source?.toString(), '---\ntitle: B\nx: 2\n---\nText, edited\n', 'what is hot is as it was last looked at')
  rmSync(site.path('content/posts/new.md'))
  await store.reconcile()
  t.same([(await store.get(key('a')))?.fields.title, await store.get(key('new'))], ['Edited again', undefined])
})

t.test('an edit made while a write waits for the disk is kept', async (t) => {
  const { site, store } = await opened(t, { 'content/posts/a.md': '---\ntitle: A\n---\nText\n' })
  const written = store.write([put('a', { title: 'B' })], ada)
  while (!readdirSync(site.path('content/posts')).some((name) => name.endsWith('.tmp'))) await new Promise(setImmediate)
  site.write('content/posts/a.md', '---\ntitle: A\n---\nEdited\n')
  await written
  t.equal(readFileSync(site.path('content/posts/a.md'), 'utf8'), '---\ntitle: B\n---\nEdited\n')
})

t.test('a disk that fails', async (t) => {
  const site = makeSite({ 'content/posts/a.md': '# A\n', 'content/posts/b.md': '# B\n' })
  t.teardown(() => site.remove())
  const failing = (t: Test, module: object, functions: object) => {
    replaceIn(t, module, functions)
    return FilesStore.open(filesOptions(site, plainTypes(), new TestClock()))
  }
  const asBefore = async (store: FilesStore, failed: Promise<unknown>, status: number) => {
    t.match(await thrownBy(failed), { status })
    t.same(readdirSync(site.path('content/posts')).sort(), ['a.md', 'b.md'])
    t.same(
      ['a', 'b'].map((id) => readFileSync(site.path(`content/posts/${id}.md`), 'utf8')),
      ['# A\n', '# B\n'],
    )
    t.same(await all(store), await all(await open(t, site)))
    await store.close()
  }
  const batch: Change[] = [put('new~deep', { title: 'N' }), put('a', { title: 'x' }), { key: key('b'), remove: true }]
  await t.test('while a file is written', async (t) => {
    const full = async (...args: Parameters<typeof openFile>) => {
      const file = await openFile(...args)
      return args[1] === 'wx' && !String(args[0]).includes('deep')
        ? Object.assign(file, { sync: () => Promise.reject(ioError('ENOSPC')) })
        : file
    }
    const store = await failing(t, promises, { open: full })
    await asBefore(store, store.write(batch, ada), 507)
  })
  await t.test('while files are put in place', async (t) => {
    const store = await failing(t, fs, {
      unlinkSync: (path: string) => (path.endsWith('b.md') ? raise(ioError('EROFS')) : unlinkSync(path)),
    })
    await asBefore(store, store.write(batch, ada), 503)
  })
})

function ioError(code: string): Error {
  return Object.assign(new Error(code), { code })
}

function raise(error: Error): never {
  throw error
}

t.test('a write of many files has few of them open at once', async (t) => {
  const site = makeSite({ 'content/posts/a.md': '# A' })
  t.teardown(() => site.remove())
  let [now, most] = [0, 0]
  const open = async (...args: Parameters<typeof openFile>) => {
    most = Math.max(most, ++now)
    const file = await openFile(...args)
    const close = file.close.bind(file)
    return Object.assign(file, { close: () => close().finally(() => now--) })
  }
  replaceIn(t, promises, { open })
  const store = await FilesStore.open(filesOptions(site, plainTypes(), new TestClock()))
  t.teardown(() => store.close())
  const changes = Array.from({ length: 300 }, (_, n) => put(`p${n}`, { title: `P${n}` }))
  t.equal((await store.write(changes, ada)).length, 300)
  t.ok(most > 1 && most <= 64, `at most ${most}`)
})

t.test('a write that fails leaves everything as it was', async (t) => {
  const { site, store } = await opened(t, { 'content/posts/a.md': '# A\n', 'content/posts/b.md/in-the-way.txt': 'x' })
  const batch = [put('a', { title: 'x' }), put('new~deep', { title: 'y' }), put('b', { title: 'z' })]
  t.ok(await thrownBy(store.write(batch, ada)))
  t.equal(readFileSync(site.path('content/posts/a.md'), 'utf8'), '# A\n')
  t.same(readdirSync(site.path('content/posts')).sort(), ['a.md', 'b.md'], 'no temporary file or folder stays')
  t.same(await ids(store), ['a'])
  await store.write(batch.slice(0, 2), ada)
  t.same(await ids(store), ['a', 'new~deep'], 'and the next one is written')
})

t.test('files keep their mode, and those that change nothing their time', { skip: process.platform === 'win32' }, async (t) => {
  const { site, store } = await opened(t, { 'content/posts/a.md': '---\ntitle: A\n---\n' })
  chmodSync(site.path('content/posts/a.md'), 0o640)
  utimesSync(site.path('content/posts/a.md'), 1, 1)
  await store.write([put('a', { title: 'A' })], ada)
  t.equal(statSync(site.path('content/posts/a.md')).mtimeMs, 1000)
  await store.write([put('a', { title: 'B' }), put('b', { title: 'B' })], ada)
  t.equal(statSync(site.path('content/posts/a.md')).mode & 0o777, 0o640)
  await store.write([{ key: key('t', '.tokens'), put: { set: { name: 'x' } } }], ada)
  t.equal(statSync(site.path('.cms/tokens/t.yaml')).mode & 0o777, 0o600)
  t.equal(statSync(site.path('.cms/tokens')).mode & 0o777, 0o700)
  t.equal(statSync(site.path('.cms')).mode & 0o777, 0o700)
  t.equal(readFileSync(site.path('.cms/.gitignore'), 'utf8'), '*\n')
})

t.test('where new and moved records are put', async (t) => {
  const { site, store } = await opened(t, { 'content/posts/x/index.markdown': '# X', 'content/posts/x/photo.jpg': '' })
  await store.write([put('2026~new', { title: 'n' }), { key: key('main', 'menus'), put: { set: { items: [] } } }], ada)
  await store.write(
    [
      { key: key('tag', 'taxonomy/tags'), put: { set: { name: 'Tag' } } },
      { key: key('about', 'pages'), put: { set: { title: 'About' } } },
    ],
    ada,
  )
  await store.write([{ key: key('y~z'), from: key('x'), put: {} }], ada)
  for (const path of [
    'posts/2026/new.md',
    'menus/main.yaml',
    'taxonomy/tags/tag.yaml',
    'pages/about.md',
    'posts/y/z/index.markdown',
  ]) {
    t.ok(existsSync(site.path(`content/${path}`)), path)
  }
  t.equal(store.fileOf(key('y~z')), 'content/posts/y/z/index.markdown')
  site.write('content/pages/index.md', '# Home')
  await store.reconcile()
  await store.write([{ key: key('start', 'pages'), from: key('index', 'pages'), put: {} }], ada)
  t.equal(store.fileOf(key('start', 'pages')), 'content/pages/start.md')
})

t.test('a site that can only be read is read all the same', async (t) => {
  const site = makeSite({ 'content/posts/a.md': '# A\n' })
  t.teardown(() => site.remove())
  const fail = (code: string) => () => {
    throw Object.assign(new Error(code), { code })
  }
  for (const code of ['EROFS', 'EACCES', 'ENOSPC']) {
    replaceIn(t, fs, { mkdirSync: fail(code), writeFileSync: fail(code) })
    const store = await FilesStore.open(filesOptions(site, plainTypes(), new TestClock()))
    t.same(await ids(store), ['a'])
    await t.rejects(store.write([put('b', { title: 'B' })], ada))
    await t.resolves(store.close())
    const ledger = await FilesLedger.open(site.path('.cms/ledger.log'), new TestClock())
    t.equal(await ledger.peek('x'), undefined)
    await t.rejects(ledger.put('x', 1, 1000))
  }
  t.notOk(existsSync(site.path('.cms')), 'and nothing of ours is left in it')
})

t.test('a second process', async (t) => {
  const { site, store } = await opened(t, { 'content/posts/a.md': '# A\n' })
  const other = await open(t, site)
  const many = Array.from({ length: 20 }, (_, i) =>
    [store, other].map((one, who) => one.write([put('a', { [`f${who}_${i}`]: i })], ada)),
  )
  await Promise.all(many.flat())
  const { fields = {} } = (await (await open(t, site)).get(key('a'))) ?? {}
  t.equal(Object.keys(fields).filter((name) => /^f\d/.test(name)).length, 40, 'no write of one is lost to the other')
  const token = key('t', '.tokens')
  await store.write([{ key: token, put: { set: { name: 'x' } } }], ada)
  t.ok(await other.get(token))
  await store.write([{ key: token, remove: true }], ada)
  await until(async () => (await other.get(token)) === undefined)
  const gone = spawn(process.execPath, ['-e', ''])
  await new Promise((resolve) => gone.on('exit', resolve))
  const dead = { ...JSON.parse(claimText(site)), pid: gone.pid }
  writeFileSync(site.path('.cms/write.lock'), JSON.stringify(dead))
  await store.write([put('a', { title: 'after a crash' })], ada)
  t.notOk(existsSync(site.path('.cms/write.lock')), 'the lock of a dead process is taken away')
})

t.test('what a process had begun that was killed as it wrote is taken away by the next', async (t) => {
  const begun = 'content/posts/deep/.quire-0123456789ab.tmp'
  const { site } = await opened(t, { 'content/posts/deep/a.md': '# A\n', [begun]: '# B\n' })
  writeFileSync(site.path('.cms/write.lock'), claimText(site))
  await open(t, site)
  t.ok(existsSync(site.path(begun)), 'it stays while a write is under way')
  const gone = spawn(process.execPath, ['-e', ''])
  await new Promise((resolve) => gone.on('exit', resolve))
  writeFileSync(site.path('.cms/write.lock'), JSON.stringify({ ...JSON.parse(claimText(site)), pid: gone.pid }))
  await open(t, site)
  t.notOk(existsSync(site.path(begun)))
  t.notOk(existsSync(site.path('.cms/write.lock')))
  t.ok(existsSync(site.path('content/posts/deep/a.md')))
})

t.test('a lock that is held', async (t) => {
  const { site, store } = await opened(t, { 'content/posts/a.md': '# A\n' })
  writeFileSync(site.path('.cms/write.lock'), claimText(site))
  const written = store.write([put('a', { title: 'x' })], ada)
  let done = false
  void written.then(() => {
    done = true
  })
  await store.get(key('a'))
  t.notOk(done, 'is waited for')
  rmSync(site.path('.cms/write.lock'))
  await written
})

function claimText(site: TestSite): string {
  const { release } = claimServer(site.path('.cms'), 'http://x', 0)
  const text = readFileSync(site.path('.cms/server.json'), 'utf8')
  release()
  return text
}

t.test('one server a site', async (t) => {
  const { site } = await opened(t)
  const dir = site.path('.cms')
  const { moved, release } = claimServer(dir, 'http://127.0.0.1:0', 0)
  moved('http://127.0.0.1:3000')
  t.match(readServer(dir), { pid: process.pid, url: 'http://127.0.0.1:3000', startedAt: '1970-01-01T00:00:00.000Z' })
  const error = await thrownBy((async () => claimServer(dir, 'http://127.0.0.1:1', 0))())
  t.ok(error instanceof Conflict)
  t.match(String(error), new RegExp(`process ${process.pid} .*http://127\\.0\\.0\\.1:3000`))
  t.match(
    error,
    { hint: new RegExp(`copy of its, remove ${join(dir, 'server.json')}`) },
    'a copy of the folder has the claim, too',
  )
  const crashed = JSON.stringify({ ...readServer(dir), start: 'another process of that pid' })
  writeFileSync(join(dir, 'server.json'), crashed)
  t.equal(readServer(dir), undefined)
  const next = claimServer(dir, 'http://127.0.0.1:2', 0)
  release()
  next.release()
  t.notOk(existsSync(join(dir, 'server.json')))
})

t.test('a server keeps its site where the private folder is removed under it', async (t) => {
  const { site } = await opened(t)
  const dir = site.path('.cms')
  const { renew, release } = claimServer(dir, 'http://127.0.0.1:3000', 0)
  rmSync(dir, { recursive: true })
  renew()
  t.match(readServer(dir), { pid: process.pid, url: 'http://127.0.0.1:3000' })
  t.equal(readFileSync(join(dir, '.gitignore'), 'utf8'), '*\n')
  t.ok((await thrownBy((async () => claimServer(dir, 'http://127.0.0.1:1', 0))())) instanceof Conflict)
  rmSync(join(dir, 'server.json'))
  const other = claimServer(dir, 'http://127.0.0.1:2', 0)
  renew()
  t.match(readServer(dir), { url: 'http://127.0.0.1:2' }, 'what another has is not taken')
  other.release()
  release()
})

t.test('what another process made that is private is found in the same moment', async (t) => {
  const site = makeSite()
  t.teardown(() => site.remove())
  const [one, other] = [await open(t, site), await open(t, site)]
  for (const id of ['first', 'second', 'third']) {
    const key = keyOf('.tokens', id)
    t.equal(await one.get(key), undefined)
    await other.write([{ key, put: { set: { name: id } }, expects: 'absent' }], ada)
    t.equal((await one.get(key))?.fields.name, id)
  }
})

t.test('a snapshot', async (t) => {
  const site = makeSite({
    'content/posts/a.md': '---\ntitle: A\ntags: [Node.js, A name of more than forty characters, at last]\n---\n',
    'content/posts/bad.md': '---\n[',
    'content/posts/c.md': '---\ntitle: C\n---\n',
  })
  t.teardown(() => site.remove())
  for (const name of ['a', 'bad', 'c']) age(site.path(`content/posts/${name}.md`))
  const path = site.path('.cms/cache/heads.ndjson')
  const first = await open(t, site, true)
  const cold = await all(first)
  await first.close()
  t.equal(readFileSync(path, 'utf8').trim().split('\n').length, 1, 'what was changed a moment ago is not trusted')
  for (const _ of [1, 2]) t.same(await all(await open(t, site)), cold)
  await t.test('is used, and only for files that are as they were', async (t) => {
    await settle(site)
    const lines = readFileSync(path, 'utf8')
    writeFileSync(
      path,
      lines.replace('"title":"A"', '"title":"From the snapshot"').replace('"title":"C"', '"title":"From the snapshot"'),
    )
    site.write('content/posts/c.md', '---\ntitle: D\n---\n')
    site.write('content/posts/e.md', '---\ntitle: E\n---\n')
    rmSync(site.path('content/posts/bad.md'))
    const { items } = await (await open(t, site)).heads('posts', {})
    t.same(
      items.map((head) => head.fields.title),
      ['From the snapshot', 'D', 'E'],
    )
    t.same(
      (await (await open(t, site, false, 'other')).heads('posts', {})).items.map((head) => head.fields.title),
      ['A', 'D', 'E'],
      'not under another configuration',
    )
  })
  await t.test('that is broken is none', async (t) => {
    const whole = readFileSync(path, 'utf8')
    const fresh = await all(await open(t, site, false, 'other'))
    for (const broken of [
      '',
      '{',
      whole.slice(0, whole.length / 2),
      whole.replaceAll('"title"', '"titl'),
      whole.replaceAll(/"stamp":"[^"]*"/g, '"stamp":7'),
    ]) {
      writeFileSync(path, broken)
      t.same(await all(await open(t, site)), fresh)
    }
  })
})

/** Makes the files of a site old enough to be told from later states, as time does. */
async function settle(site: TestSite): Promise<void> {
  const path = site.path('.cms/cache/heads.ndjson')
  rmSync(path, { force: true })
  const now = Date.now
  Date.now = () => now() + 10_000
  try {
    const store = await FilesStore.open({ ...filesOptions(site, plainTypes(), new TestClock()), watch: true })
    await store.close()
  } finally {
    Date.now = now
  }
}

function age(path: string): void {
  utimesSync(path, 1_600_000_000, 1_600_000_000)
}

t.test('two edits within one tick of the clock are told apart', async (t) => {
  const { site, store } = await opened(t, { 'content/posts/a.md': '# 0' })
  for (let i = 1; i < 10; i++) {
    writeFileSync(site.path('content/posts/a.md'), `# ${i}`)
    await store.reconcile()
    t.equal((await store.get(key('a')))?.fields.title, `${i}`)
  }
})

t.test('watching', async (t) => {
  const { site, store } = await opened(t, { 'content/posts/a.md': '# A', 'content/posts/b.md': '# B' }, true)
  const title = async (id: string) => (await store.get(key(id)))?.fields.title
  const becomes = async (id: string, wanted: string | undefined) => until(async () => (await title(id)) === wanted)
  const start = await store.changes(undefined, 1)
  site.write('content/posts/a.md', '# A2')
  await becomes('a', 'A2')
  site.write('content/posts/.swap.tmp', '# A3')
  renameSync(site.path('content/posts/.swap.tmp'), site.path('content/posts/a.md'))
  await becomes('a', 'A3')
  site.write('content/posts/new/deep/c.md', '# C')
  await becomes('new~deep~c', 'C')
  site.write('content/posts/new/deep/d.md', '# D')
  await becomes('new~deep~d', 'D')
  site.write('content/others/e.md', '# E')
  await until(async () => (await ids(store, 'others')).length === 1)
  rmSync(site.path('content/posts/new'), { recursive: true })
  await becomes('new~deep~c', undefined)
  renameSync(site.path('content/posts/b.md'), site.path('content/posts/moved.md'))
  await becomes('moved', 'B')
  t.same(await ids(store), ['a', 'moved'])
  const { changes } = await store.changes(start.next, 100)
  t.ok(changes.length >= 8, 'and is in the feed')
  t.match(await store.health(), { ok: true, details: { watching: 'on', documents: 3 } })
})

t.test('a folder that can not be looked at while it is watched keeps nothing else from being followed', async (t) => {
  const site = makeSite({ 'content/posts/a.md': '# A', 'content/others/b.md': '# B' })
  t.teardown(() => site.remove())
  let isShut = false
  const look = (...args: Parameters<typeof lstatSync>) => {
    if (isShut && String(args[0]).includes('posts')) throw ioError('EACCES')
    return lstatSync(...args)
  }
  replaceIn(t, fs, { lstatSync: look })
  const store = await FilesStore.open({ ...filesOptions(site, plainTypes(), new TestClock()), watch: true })
  t.teardown(() => store.close())
  const title = async (kind: string, id: string) => (await store.get(key(id, kind)))?.fields.title
  isShut = true
  site.write('content/posts/a.md', '# A2')
  site.write('content/others/b.md', '# B2')
  await until(async () => (await title('others', 'b')) === 'B2')
  await until(async () => (await store.problems()).length === 1)
  t.match(await store.problems(), [{ file: 'content/posts' }])
  isShut = false
  await store.reconcile()
  t.same([await title('posts', 'a'), await store.problems()], ['A2', []])
})

t.test('what a blocked event loop missed is found', async (t) => {
  const files = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`content/posts/${i % 3}/p${i}.md`, `# ${i}`]))
  const { site, store } = await opened(t, files, true)
  const script = `
    cd ${site.path('content/posts')}
    for i in $(seq 0 3 299); do printf '# changed' > 0/p$i.md; done
    rm 1/*.md; mv 2 moved; mkdir new; for i in $(seq 400); do printf '# new' > new/n$i.md; done`
  execFileSync('sh', ['-c', script])
  await store.reconcile()
  t.same(await all(store), await all(await open(t, site)))
  t.equal((await ids(store)).length, 600)
})

t.test('a ledger in a file', async (t) => {
  const site = makeSite()
  t.teardown(() => site.remove())
  const clock = new TestClock()
  const file = site.path('.cms/ledger.log')
  const ledger = await FilesLedger.open(file, clock)
  const other = await FilesLedger.open(file, clock)
  await Promise.all(Array.from({ length: 100 }, (_, i) => (i % 2 ? ledger : other).add('n', 1, 60_000)))
  t.same([await ledger.peek('n'), await other.peek('n')], [100, 100], 'counts of two processes add up')
  await ledger.put('once', 'x', 60_000)
  const taken = await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 ? ledger : other).take('once')))
  t.same(
    taken.filter((value) => value === 'x'),
    ['x'],
    'and one gets it',
  )
  fs.appendFileSync(file, '{"n":"torn","v":1,"u":99999')
  t.equal(await (await FilesLedger.open(file, clock)).peek('torn'), undefined)
  await ledger.put('after', 1, 60_000)
  t.equal(await (await FilesLedger.open(file, clock)).peek('after'), 1, 'a line after a torn one is whole')
  for (let i = 0; i < 40; i++) await ledger.put('big', 'x'.repeat(20_000), 60_000)
  t.ok(statSync(file).size < 300_000, 'what is over is let go')
  t.same(
    [await other.peek('n'), String(await other.peek('big')).length],
    [100, 20_000],
    'and another process goes on with the new file',
  )
  clock.advance(60_000)
  t.equal(await (await FilesLedger.open(file, clock)).peek('n'), undefined)
})

t.test('what lives in a ledger is not gone through at each write', async (t) => {
  const site = makeSite()
  t.teardown(() => site.remove())
  const ledger = await FilesLedger.open(site.path('.cms/ledger.log'), new TestClock())
  for (let n = 0; n < 20; n++) await ledger.put(`large-${n}`, 'x'.repeat(1_000_000), 60_000)
  const before = process.cpuUsage()
  for (let n = 0; n < 50; n++) await ledger.put('small', n, 60_000)
  const { user, system } = process.cpuUsage(before)
  t.ok(user + system < 700_000, `${(user + system) / 1000} ms for 50 writes`)
})

t.test('a folder that cannot be written to', { skip: process.getuid?.() === 0 }, async (t) => {
  const { site, store } = await opened(t, { 'content/posts/a.md': '# A' })
  chmodSync(site.path('content/posts'), 0o500)
  t.ok((await thrownBy(store.write([put('a', { title: 'x' })], ada))) instanceof Unavailable)
  chmodSync(site.path('content/posts'), 0o700)
  mkdirSync(site.path('content/x'))
})
