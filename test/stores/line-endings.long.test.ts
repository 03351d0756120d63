import { appendFileSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import { FilesStore } from '#stores/files/store.ts'
import { TestClock } from '#support/clock.ts'
import { git, isSound, makeRepository, statusOf } from '#support/git.ts'
import { makeSite, type TestSite } from '#support/sites.ts'
import { filesOptions, GIT } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'
import { crash } from './wreckage.ts'

const grace = { name: 'Grace', email: 'grace@example.org' }
const key = (id: string) => keyOf('posts', id)
const put = (id: string, title: string): Change => ({ key: key(id), put: { set: { title } } })
const post = (title: string) => `---\ntitle: ${title}\n---\nText.\n`
const crlf = (text: string) => text.replaceAll('\n', '\r\n')

/** The ways in which git comes to check out CRLF. */
const WAYS: Readonly<Record<string, { readonly config?: Readonly<Record<string, string>>; readonly attributes?: string }>> = {
  'core.autocrlf': { config: { 'core.autocrlf': 'true' } },
  'eol=crlf': { attributes: '*.md text eol=crlf\n' },
  'text=auto and core.eol': { config: { 'core.eol': 'crlf' }, attributes: '* text=auto\n' },
  'a macro': { attributes: '[attr]windows text eol=crlf\n/content/** windows\n' },
}

interface Opened {
  readonly site: TestSite
  readonly store: FilesStore
  readonly text: (path: string) => string
}

async function opened(t: Test, site: TestSite): Promise<Opened> {
  const options = { ...filesOptions(site, plainTypes(), new TestClock(Date.now())), snapshot: false }
  const store = await FilesStore.open({ ...options, git: GIT })
  t.teardown(async () => {
    await store.close()
    site.remove()
  })
  return { site, store, text: (path) => readFileSync(site.path(path), 'utf8') }
}

/** A site whose files git has checked out in one of these ways. */
async function checkedOut(t: Test, way: string): Promise<Opened> {
  const { config = {}, attributes } = WAYS[way] ?? {}
  const files = Object.fromEntries(['a', 'b', 'c'].map((id) => [`content/posts/${id}.md`, post(id)]))
  const site = makeSite({ ...files, ...(attributes !== undefined && { '.gitattributes': attributes }) })
  makeRepository(site)
  for (const [name, value] of Object.entries(config)) git(site.root, ['config', name, value])
  for (const path of Object.keys(files)) rmSync(site.path(path))
  git(site.root, ['checkout', '-q', '--', 'content'])
  return opened(t, site)
}

/** A clone of what the site has synced, by another author: their pushes come with its next sync. */
async function cloned(t: Test, { site, store }: Pick<Opened, 'site' | 'store'>): Promise<TestSite> {
  const bare = makeSite()
  const others = makeSite()
  t.teardown(() => {
    bare.remove()
    others.remove()
  })
  git(bare.root, ['init', '-q', '--bare', '-b', 'main'])
  git(site.root, ['remote', 'add', 'origin', bare.root])
  await store.sync({ by: grace, byHand: true })
  rmSync(others.root, { recursive: true })
  git(tmpdir(), ['clone', '-q', bare.root, others.root])
  return others
}

/** Says that all is committed with LF, nothing else is different, and the files are as git would check them out. */
function isAsGitHasIt(t: Test, { site }: Opened, name: string): void {
  t.same(statusOf(site), [], `${name}: all is committed`)
  const lines = git(site.root, ['ls-files', '--eol', 'content']).split('\n')
  t.same(
    lines.filter((line) => !/^i\/lf +w\/crlf /.test(line)),
    [],
    `${name}: LF in git, CRLF on the disk`,
  )
  const before = git(site.root, ['ls-files', '-s'])
  git(site.root, ['add', '--renormalize', '.'])
  t.equal(git(site.root, ['ls-files', '-s']), before, `${name}: git would keep the same`)
}

for (const way of Object.keys(WAYS)) {
  t.test(`each kind of write keeps what git keeps, and writes what it checks out: ${way}`, async (t) => {
    const one = await checkedOut(t, way)
    const { site, store, text } = one
    const [first] = (await store.history(key('a'), {}))?.items ?? []
    await store.write([put('a', 'Saved')], grace)
    t.equal(text('content/posts/a.md'), crlf(post('Saved')))
    isAsGitHasIt(t, one, 'a save')

    const made = { key: key('new'), put: { set: { title: 'New' }, body: 'One.\n\nTwo.\n' } }
    const [created] = await store.write([made], grace)
    t.match(text('content/posts/new.md'), /^---\r\ntitle: New\r\n---\r\n/)
    t.equal(created?.version, (await store.get(key('new')))?.version, 'the version is that of the file')
    t.equal(created?.body, 'One.\n\nTwo.\n')
    isAsGitHasIt(t, one, 'a new record')

    await store.write([{ key: key('moved'), from: key('b'), put: {} }], grace)
    isAsGitHasIt(t, one, 'a move')
    t.equal(git(site.root, ['show', '--format=', '--name-status', '-M', 'HEAD']).split('\t')[0], 'R100', 'git sees a rename')

    const then = await store.at(key('a'), first?.number ?? 0)
    await store.write([{ key: key('a'), put: { source: then?.source ?? Buffer.alloc(0) } }], grace)
    t.equal(text('content/posts/a.md'), crlf(post('a')))
    isAsGitHasIt(t, one, 'a rollback')

    await store.write([{ key: key('c'), remove: true }], grace)
    const last = (await store.history(key('c'), {}))?.items.at(-1)
    const was = await store.at(key('c'), last?.number ?? 0)
    await store.write([{ key: key('c'), put: { source: was?.source ?? Buffer.alloc(0), file: was?.file ?? '' } }], grace)
    t.equal(text('content/posts/c.md'), crlf(post('c')))
    isAsGitHasIt(t, one, 'a restoration')

    site.write('content/posts/a.md', crlf(post('By hand')))
    await store.write([put('a', 'After it')], grace)
    t.match(git(site.root, ['log', '-1', '--format=%s', 'HEAD~1']), /^Keep local edit/)
    t.equal(
      git(site.root, ['diff', '--stat', 'HEAD~2', 'HEAD~1', '--', 'content/posts/a.md']).includes('2 +-'),
      true,
      'one line of it',
    )
    isAsGitHasIt(t, one, 'an edit of an author')
    await store.write([put('both', 'One'), put('twins', 'Two')], grace)
    await Promise.all([store.write([put('both', 'Three')], grace), store.write([{ key: key('x'), put: { body: 'X\n' } }], grace)])
    isAsGitHasIt(t, one, 'several at once')
    t.ok(isSound(site))
  })

  t.test(`the newest revision is what there is: ${way}`, async (t) => {
    const { site, store } = await checkedOut(t, way)
    const newest = async () => {
      const [revision] = (await store.history(key('a'), {}))?.items ?? []
      const then = revision && (await store.at(key('a'), revision.number))
      return { version: revision?.version, source: then?.source?.toString(), at: then?.version }
    }
    const now = async () => {
      const document = await store.get(key('a'))
      return { version: document?.version, source: document?.source?.toString(), at: document?.version }
    }
    t.same(await newest(), await now(), 'of a record that was never saved')
    const past = await store.past('posts', { at: { instant: Date.now() + 1000 } })
    t.equal(past?.heads.find(({ head }) => head.key.id === 'a')?.head.version, (await now()).version, 'in a list of the past')
    await store.write([put('a', 'Two')], grace)
    t.same(await newest(), await now(), 'and of one that was')
    site.write('content/posts/a.md', post('Two'))
    await store.reconcile()
    t.same(statusOf(site), [])
    t.same(await newest(), await now(), 'and where the file has LF')
    site.write('content/posts/a.md', crlf(post('Edited')))
    await store.reconcile()
    t.not((await newest()).version, (await now()).version, 'not where it was edited')
  })

  t.test(`a sync takes what comes, and keeps what was edited: ${way}`, async (t) => {
    const one = await checkedOut(t, way)
    const { site, store, text } = one
    const others = await cloned(t, one)
    others.write('content/posts/a.md', post('From afar'))
    others.write('content/posts/new.md', post('New'))
    rmSync(others.path('content/posts/b.md'))
    git(others.root, ['add', '-A'])
    git(others.root, ['commit', '-qm', 'Afar'])
    git(others.root, ['push', '-q'])
    const synced = await store.sync({ by: grace, byHand: true })
    t.equal(synced?.pulled, 1)
    t.equal(text('content/posts/a.md'), crlf(post('From afar')))
    t.equal(text('content/posts/new.md'), crlf(post('New')))
    t.equal(await store.get(key('b')), undefined)
    isAsGitHasIt(t, one, 'what came')
    others.write('content/posts/a.md', post('Again'))
    git(others.root, ['commit', '-qam', 'Again'])
    git(others.root, ['push', '-q'])
    site.write('content/posts/a.md', crlf(post('Edited')))
    await t.rejects(store.sync({ by: grace, byHand: true }), /edits in no commit yet/)
    t.equal(text('content/posts/a.md'), crlf(post('Edited')))
  })
}

t.test('what a crash cut short is finished with the line endings of a checkout', async (t) => {
  for (const way of ['core.autocrlf', 'eol=crlf']) {
    const { site, store } = await checkedOut(t, way)
    await store.close()
    crash(site, { at: 'files', writes: [[put('a', 'New'), put('new', 'New')]] })
    const again = await opened(t, site)
    t.equal(again.text('content/posts/a.md'), crlf(post('New')))
    t.match(again.text('content/posts/new.md'), /title: New\r\n/)
    isAsGitHasIt(t, again, way)
  }
})

t.test('files with CRLF are committed as git adds them where it checks out LF', async (t) => {
  for (const [config, attributes] of [
    ['input', ''],
    ['false', '* text=auto\n'],
  ] as const) {
    const site = makeSite({
      'content/posts/a.md': crlf(post('A')),
      'content/posts/b.md': crlf(post('B')),
      '.gitattributes': attributes,
    })
    git(site.root, ['init', '-q', '-b', 'main'])
    git(site.root, ['config', 'core.autocrlf', config])
    git(site.root, ['add', '-A'])
    git(site.root, ['commit', '-qm', 'Begin'])
    const { store, text } = await opened(t, site)
    const [newest] = (await store.history(key('a'), {}))?.items ?? []
    t.equal(newest?.version, (await store.get(key('a')))?.version, 'the newest revision is what there is')
    await store.write([put('a', 'Two')], grace)
    t.equal(text('content/posts/a.md'), crlf(post('Two')), 'the file keeps what it has')
    await store.write([{ key: key('moved'), from: key('b'), put: {} }], grace)
    await store.write([{ key: key('sent'), put: { body: 'One\n' } }], grace)
    t.same(statusOf(site), [])
    t.notMatch(git(site.root, ['ls-files', '--eol']), /i\/(?:crlf|mixed)/)
    t.same(git(site.root, ['log', '--format=%s']).split('\n').at(-2), 'Update posts/a', 'no edit was found')
  }
})

t.test('without a conversion, line endings are a part of the bytes', async (t) => {
  const site = makeSite({ 'content/posts/a.md': post('A') })
  makeRepository(site)
  const { store, text } = await opened(t, site)
  site.write('content/posts/a.md', crlf(post('A')))
  t.same(statusOf(site), [' M content/posts/a.md'])
  await store.write([put('a', 'Two')], grace)
  t.equal(text('content/posts/a.md'), crlf(post('Two')))
  t.match(git(site.root, ['log', '-1', '--format=%s', 'HEAD~1']), /^Keep local edit/, 'git calls it an edit')
  t.same(statusOf(site), [])
  t.match(git(site.root, ['ls-files', '--eol', 'content']), /^i\/crlf +w\/crlf/)
})

t.test('settings and attributes that change while a site is open count at once', async (t) => {
  const site = makeSite({ 'content/posts/a.md': post('A') })
  makeRepository(site)
  const { store, text } = await opened(t, site)
  await store.write([put('one', 'One')], grace)
  t.notMatch(text('content/posts/one.md'), '\r')
  git(site.root, ['config', 'core.autocrlf', 'true'])
  await store.write([put('two', 'Two')], grace)
  t.match(text('content/posts/two.md'), /\r\n/)
  site.write('content/.gitattributes', '*.md eol=lf\n')
  await store.write([put('three', 'Three')], grace)
  t.notMatch(text('content/posts/three.md'), '\r')
})

t.test('attributes that come with a sync count for the files that come with them', async (t) => {
  const site = makeSite({ 'content/posts/a.md': post('A') })
  makeRepository(site)
  const { store, text } = await opened(t, site)
  const others = await cloned(t, { site, store })
  others.write('.gitattributes', '*.md text eol=crlf\n')
  others.write('content/posts/a.md', post('Two'))
  git(others.root, ['add', '-A'])
  git(others.root, ['commit', '-qm', 'Afar'])
  git(others.root, ['push', '-q'])
  await store.sync({ by: grace, byHand: true })
  t.equal(text('content/posts/a.md'), crlf(post('Two')))
  t.same(statusOf(site), [])
})

t.test('who changed a record by hand is known from its commit', async (t) => {
  const { site, store } = await checkedOut(t, 'eol=crlf')
  const { next } = await store.changes(undefined, 100)
  site.write('content/posts/a.md', crlf(post('By Ada')))
  git(site.root, ['commit', '-qam', 'By hand'])
  await store.reconcile()
  const { changes } = await store.changes(next, 100)
  t.match(
    changes.find((change) => change.key.id === 'a'),
    { by: { name: 'Ada' } },
  )
})

t.test('a change is told without its author while git can not say how lines end', async (t) => {
  const { site, store } = await checkedOut(t, 'eol=crlf')
  const { next } = await store.changes(undefined, 100)
  site.write('content/posts/a.md', crlf(post('By Ada')))
  git(site.root, ['commit', '-qam', 'By hand'])
  site.write('content/posts/a.md', crlf(post('By nobody yet')))
  await store.reconcile()
  const told = async () => (await store.changes(next, 100)).changes.filter((change) => change.key.id === 'a')
  const before = await told()
  t.match(before, [{ action: 'external', by: undefined }])
  appendFileSync(site.path('.git/config'), '[core')
  t.strictSame(await told(), before)
})
