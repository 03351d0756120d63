import { deepStrictEqual, ok } from 'node:assert'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { SyncOptions } from '#core/backend.ts'
import { keyOf } from '#core/key.ts'
import { Conflict, Unavailable } from '#lib/errors.ts'
import { Swap } from '#lib/files/swap.ts'
import { FilesStore } from '#stores/files/store.ts'
import { SyncLoop } from '#stores/files/sync/sync-loop.ts'
import { TestClock } from '#support/clock.ts'
import { git, isSound, makeRepository, statusOf } from '#support/git.ts'
import { makeSite, type TestSite } from '#support/sites.ts'
import { filesOptions, GIT } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const FILE = 'content/posts/a.md'
const BODY = 'One.\n\nTwo.\n\nThree.\n'
const post = (fields: Record<string, string>, body = BODY) =>
  `---\n${Object.entries({ title: 'A', excerpt: 'short', rating: '1', ...fields })
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')}---\n\n${body}`
const BY = { name: 'Bea', email: 'bea@example.org' }

interface Copy {
  site: TestSite
  store: FilesStore
  text(path?: string): string
  head(): string
  /** Writes a file and commits it, as an author does. */
  commit(text: string | undefined, path?: string): void
  sync(options?: SyncOptions): Promise<NonNullable<Awaited<ReturnType<FilesStore['sync']>>>>
}

interface Pair {
  bare: string
  clock: TestClock
  ours: Copy
  theirs: Copy
  /** Returns the commit of the remote's branch. */
  tip(branch?: string): string
  shown(path?: string): string
}

async function copyOf(t: Test, site: TestSite, clock: TestClock, settings = {}): Promise<Copy> {
  const options = filesOptions(site, plainTypes(), clock)
  const store = await FilesStore.open({ ...options, snapshot: false, git: { ...GIT, ...settings } })
  t.teardown(async () => {
    await store.close()
    site.remove()
  })
  return {
    site,
    store,
    text: (path = FILE) => readFileSync(site.path(path), 'utf8'),
    head: () => git(site.root, ['rev-parse', 'HEAD']),
    commit: (text, path = FILE) => {
      if (text === undefined) rmSync(site.path(path))
      else site.write(path, text)
      git(site.root, ['add', '-A'])
      git(site.root, ['commit', '-q', '-m', `Change ${path}`])
    },
    sync: async (options = {}) => {
      const synced = await store.sync({ by: BY, byHand: true, ...options })
      if (!synced) throw new Error('No history is kept.')
      return synced
    },
  }
}

function folder(t: Test): string {
  const path = mkdtempSync(join(tmpdir(), 'quire-remote-'))
  t.teardown(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** A repository, a remote it was pushed to, and a second clone of that. */
async function pair(t: Test, files: Record<string, string | Buffer> = { [FILE]: post({}) }, settings = {}): Promise<Pair> {
  const clock = new TestClock(Date.now())
  const bare = folder(t)
  git(bare, ['init', '-q', '--bare', '-b', 'main'])
  const [one, other] = [makeSite(files), makeSite()]
  makeRepository(one)
  git(one.root, ['remote', 'add', 'origin', bare])
  git(one.root, ['push', '-q', 'origin', 'main'])
  rmSync(other.root, { recursive: true })
  git(tmpdir(), ['clone', '-q', bare, other.root])
  const [ours, theirs] = [await copyOf(t, one, clock, settings), await copyOf(t, other, clock, settings)]
  const tip = (branch = 'main') => git(bare, ['rev-parse', `refs/heads/${branch}`])
  return { bare, clock, ours, theirs, tip, shown: (path = FILE) => `${git(bare, ['show', `main:${path}`])}\n` }
}

/** Both sides commit; theirs is on the remote. */
async function diverge({ ours, theirs }: Pair, mine: string | undefined, others: string | undefined, path = FILE): Promise<void> {
  theirs.commit(others, path)
  await theirs.sync()
  ours.commit(mine, path)
}

const refused = async <Kind extends Conflict | Unavailable>(
  t: Test,
  work: Promise<unknown>,
  kind: new (...args: never[]) => Kind,
  message: RegExp,
): Promise<Kind> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  t.type(error, kind)
  t.match(error, { message })
  return error as Kind
}

t.test('nothing to do, ahead, behind, a branch that the remote does not have yet', async (t) => {
  const both = await pair(t)
  const { ours, theirs, tip } = both
  const before = ours.head()
  t.match(await ours.sync(), { remote: 'origin', branch: 'main', pulled: 0, pushed: 0, merged: [], unpushed: 0, held: false })
  t.equal(ours.head(), before)
  ours.commit(post({ rating: '2' }))
  t.match(await ours.sync({ push: false }), { pushed: 0, unpushed: 1 })
  t.equal(tip(), before)
  t.match(await ours.sync(), { pulled: 0, pushed: 1, unpushed: 0 })
  t.equal(tip(), ours.head())
  t.match(await theirs.sync(), { pulled: 1, pushed: 0 })
  t.equal(theirs.head(), ours.head(), 'fast-forward: no commit is made')
  t.equal(theirs.text(), post({ rating: '2' }))
  t.strictSame(statusOf(theirs.site), [])
  t.match(await theirs.store.get(keyOf('posts', 'a')), { fields: { rating: 2 } }, 'the store knows')
  git(ours.site.root, ['branch', '-m', 'renamed'])
  t.match(await ours.sync(), { branch: 'renamed', pushed: 2 })
  t.equal(tip('renamed'), ours.head())
  t.throws(() => git(ours.site.root, ['config', 'branch.renamed.remote']), "the author's configuration is left alone")
})

t.test('different fields and paragraphs of one record: both sides stay', async (t) => {
  const both = await pair(t)
  const { ours, theirs, tip, shown } = both
  const mine = post({ rating: '2 # of five' }, 'One!\n\nTwo.\n\nThree.\n')
  await diverge(both, mine, post({ excerpt: 'longer' }, 'One.\n\nTwo?\n\nThree.\n'))
  const [here, there] = [ours.head(), tip()]
  const synced = await ours.sync()
  t.match(synced, { pulled: 1, pushed: 2, merged: [FILE], chosen: [], unpushed: 0 })
  const merged = post({ excerpt: 'longer', rating: '2 # of five' }, 'One!\n\nTwo?\n\nThree.\n')
  t.equal(ours.text(), merged)
  t.equal(shown(), merged)
  t.strictSame(statusOf(ours.site), [])
  t.equal(git(ours.site.root, ['log', '-1', '--format=%P']), `${here} ${there}`, 'ours is the first parent')
  t.equal(git(ours.site.root, ['log', '-1', '--format=%an <%ae> %cn']), 'Bea <bea@example.org> Quire')
  const message = git(ours.site.root, ['log', '-1', '--format=%B'])
  t.match(message, /^Merge main of origin\n\n[\s\S]*- content\/posts\/a\.md\n\nCms-Rev: \d{13}\nCms-Action: updated\n/)
  t.throws(() => git(ours.site.root, ['rev-parse', '--verify', '-q', 'refs/cms/merge']), 'nothing waits any more')
  await theirs.sync()
  t.equal(theirs.text(), merged)
  t.ok(isSound(ours.site))
})

t.test('terms that the other side added keep the names that it gave them', async (t) => {
  const both = await pair(t, { [FILE]: post({ tags: '[x, "Old One"]' }) })
  const { ours } = both
  await diverge(both, post({ tags: '[x, "Old One"] # mine', rating: '2' }), post({ tags: '[X, "Old One", Node.js, "C#"]' }))
  await ours.sync()
  t.equal(ours.text(), post({ tags: '[x, "Old One", Node.js, C#] # mine', rating: '2' }))
})

t.test('the same key added at two places, which git would take for a clean merge, does not break the record', async (t) => {
  const long = { one: '1', two: '2', three: '3', four: '4', five: '5', six: '6' }
  const base = post(long)
  const both = await pair(t, { [FILE]: base, 'content/posts/b.md': base })
  const { ours, theirs } = both
  theirs.commit(base.replace('title: A\n', 'title: A\nadded: same\n'), 'content/posts/b.md')
  await diverge(both, base.replace('six: 6\n', 'six: 6\nadded: mine\n'), base.replace('title: A\n', 'title: A\nadded: theirs\n'))
  ours.commit(base.replace('six: 6\n', 'six: 6\nadded: same\n'), 'content/posts/b.md')
  const error = await refused(t, ours.sync(), Conflict, /content\/posts\/a\.md/)
  t.match(error.conflict, {
    conflicts: [{ file: FILE, fields: ['added'], ours: { added: 'mine' }, theirs: { added: 'theirs' } }],
  })
  await ours.sync({ prefer: 'theirs' })
  t.strictSame(await ours.store.problems(), [])
  t.match(await ours.store.get(keyOf('posts', 'a')), { fields: { added: 'theirs' } })
  t.match(await ours.store.get(keyOf('posts', 'b')), { fields: { added: 'same' } })
})

t.test('lines that do not touch never publish what a side hides, or both do', async (t) => {
  const cases: Record<string, [base: string, ours: string, theirs: string, merged: object]> = {
    twice: ['draft: true\nx: 1\nstatus: draft', 'draft: true\nx: 1', 'x: 1\nstatus: draft', { status: 'draft' }],
    'by-two-words': ['draft: true\nx: 1\npublished: false', 'x: 1\npublished: false', 'draft: true\nx: 1', { status: 'draft' }],
    later: [
      'publishDate: 2099-01-01\nx: 1\npubDate: 2099-01-01',
      'x: 1\npubDate: 2099-01-01',
      'publishDate: 2099-01-01\nx: 1',
      { published_at: '2099-01-01T00:00:00.000Z' },
    ],
    hidden: ['x: 1\ny: 2', 'draft: true\nx: 1\ny: 2', 'x: 1\ny: 2\nstatus: published', { status: 'draft' }],
    withheld: [
      'published: true\nx: 1',
      'published: false\nx: 1',
      'published: true\nx: 1\nstatus: published',
      { status: 'draft' },
    ],
    moved: [
      'x: 1\ny: 2\ndate: 2020-01-01',
      'x: 1\ny: 2\ndate: 2099-01-01',
      'published_at: 2020-01-01\nx: 1\ny: 2\ndate: 2020-01-01',
      { published_at: '2099-01-01T00:00:00.000Z' },
    ],
    ended: [
      'x: 1\ny: 2\nexpires_at: 2001-01-01\nz: 3\nexpiryDate: 2001-01-01',
      'x: 1\ny: 2\nz: 3\nexpiryDate: 2001-01-01',
      'x: 1\ny: 2\nexpires_at: 2001-01-01\nz: 3',
      { expires_at: '2001-01-01T00:00:00.000Z' },
    ],
    both: ['x: 1\ny: 2\nz: 3', 'x: 5\ny: 2\nz: 3', 'x: 1\ny: 2\nz: 6', { x: 5, z: 6, status: 'published' }],
  }
  for (const swapped of [false, true]) {
    const file = (id: string) => `content/posts/${id}.md`
    const text = (head: string) => `---\n${head}\n---\nText.\n`
    const both = await pair(t, Object.fromEntries(Object.entries(cases).map(([id, [base]]) => [file(id), text(base)])))
    const { ours, theirs } = both
    for (const [id, [, mine, others]] of Object.entries(cases)) {
      ours.commit(text(swapped ? others : mine), file(id))
      theirs.commit(text(swapped ? mine : others), file(id))
    }
    await theirs.sync()
    await ours.sync()
    for (const [id, [, , , merged]] of Object.entries(cases))
      t.match((await ours.store.get(keyOf('posts', id)))?.fields, merged, `${id}${swapped ? ', the other way round' : ''}`)
  }
})

t.test('nor where a side moved the file', async (t) => {
  const text = (head: string) => `---\n${head}\n---\n${'A line of the text.\n'.repeat(9)}`
  const base = text('draft: true\nx: 1\nstatus: draft')
  for (const movedHere of [true, false]) {
    const { ours, theirs } = await pair(t, { [FILE]: base, 'content/posts/other.md': base })
    const [mover, other] = movedHere ? [ours, theirs] : [theirs, ours]
    git(mover.site.root, ['mv', FILE, 'content/posts/b.md'])
    mover.commit(text('draft: true\nx: 1'), 'content/posts/b.md')
    other.commit(text('x: 1\nstatus: draft'))
    await theirs.sync()
    await ours.sync()
    t.equal(existsSync(ours.site.path(FILE)), false)
    t.match((await ours.store.get(keyOf('posts', 'b')))?.fields, { status: 'draft' }, movedHere ? 'moved here' : 'moved there')
  }
})

t.test('what overlaps is reported with both sides, nothing is changed or pushed, and a person decides', async (t) => {
  for (const prefer of ['ours', 'theirs'] as const) {
    const both = await pair(t)
    const { ours, tip } = both
    const mine = post({ title: 'Mine', rating: '2' }, 'One mine.\n\nTwo.\n\nThree mine.\n')
    await diverge(both, mine, post({ title: 'Theirs', excerpt: 'theirs' }, 'One theirs.\n\nTwo theirs.\n\nThree.\n'))
    const [here, there] = [ours.head(), tip()]
    const error = await refused(t, ours.sync(), Conflict, /the same was changed in content\/posts\/a\.md/)
    t.equal(error.exit, 5)
    t.match(error.hint, /--prefer ours/)
    const conflict = {
      file: FILE,
      type: 'posts',
      id: 'a',
      fields: ['title', 'body'],
      ours: { title: 'Mine' },
      theirs: { title: 'Theirs' },
      base: { title: 'A', body: BODY },
    }
    t.match(error.conflict, { conflicts: [conflict] })
    t.strictSame([ours.head(), tip(), ours.text(), statusOf(ours.site)], [here, there, mine, []])
    t.match((await ours.store.health()).details.remote, { ahead: 1, behind: 1, conflicts: 1, error: String, push: 'off' })
    t.ok((await ours.store.health()).ok, 'conflicts do not make the store unready')

    t.match(await ours.sync({ prefer }), { merged: [], chosen: [FILE], pushed: 2 })
    const title = { ours: 'Mine', theirs: 'Theirs' }[prefer]
    const decided = post(
      { title, excerpt: 'theirs', rating: '2' },
      `One ${{ ours: 'mine', theirs: 'theirs' }[prefer]}.\n\nTwo theirs.\n\nThree mine.\n`,
    )
    t.equal(ours.text(), decided, 'only what overlapped is decided; all else stays of both')
    t.equal(tip(), ours.head())
    t.match(git(ours.site.root, ['log', '-1', '--format=%B']), new RegExp(`${prefer} taken:\n- content/posts/a\\.md`))
    t.equal(git(ours.site.root, ['show', `${here}:${FILE}`]), mine.trimEnd(), 'both sides stay in the history')
    t.match((await ours.store.health()).details.remote, { ahead: 0, behind: 0, conflicts: 0, error: null })
  }
})

t.test('in the file of all settings each setting is merged by itself', async (t) => {
  const path = 'content/settings.yaml'
  const text = (site: string, x: number) => `# Ours\nsite:\n${site}custom:\n  x: ${x}\n`
  const both = await pair(t, { [path]: text('  tagline: a\n  footer: b\n  gone: c\n', 1) })
  await diverge(
    both,
    text('  tagline: a2\n  footer: b\n  gone: c\n', 1),
    text('  tagline: a\n  footer: b2\n  added: d\n', 1),
    path,
  )
  t.match(await both.ours.sync(), { merged: [path] })
  t.equal(both.ours.text(path), text('  tagline: a2\n  footer: b2\n  added: d\n', 1))

  for (const prefer of ['ours', 'theirs'] as const) {
    const pairs = await pair(t, { [path]: text('  tagline: a\n  footer: b\n', 1) })
    await diverge(pairs, text('  tagline: a2\n  footer: b\n', 2), text('  tagline: a\n  footer: b2\n', 3), path)
    const error = await refused(t, pairs.ours.sync(), Conflict, /settings\.yaml/)
    t.match(error.conflict, { conflicts: [{ fields: ['custom.x'], ours: { 'custom.x': 2 }, theirs: { 'custom.x': 3 } }] })
    await pairs.ours.sync({ prefer })
    t.equal(pairs.ours.text(path), text('  tagline: a2\n  footer: b2\n', prefer === 'ours' ? 2 : 3), prefer)
  }
})

t.test('deleted here and edited there, files that are no records, comments of both', async (t) => {
  const other = 'templates/site/a.liquid'
  const commented = (words: string) => post({}).replace('title: A\n', `title: A # ${words}\n`)
  const files = { [FILE]: post({}), 'content/posts/b.md': commented('base'), [other]: 'one\n' }
  const decided: string[][] = []
  for (const prefer of ['ours', 'theirs'] as const) {
    const both = await pair(t, files)
    const { ours, theirs } = both
    theirs.commit('theirs\n', other)
    theirs.commit(commented('theirs').replace('rating: 1', 'rating: 3'), 'content/posts/b.md')
    await diverge(both, undefined, post({ rating: '2' }))
    ours.commit('ours\n', other)
    ours.commit(commented('ours').replace('excerpt: short', 'excerpt: mine'), 'content/posts/b.md')
    const error = await refused(t, ours.sync(), Conflict, /in 3 files/)
    t.match(error.conflict, {
      conflicts: [
        { file: FILE, type: 'posts', id: 'a', fields: [], ours: null, theirs: post({ rating: '2' }), base: post({}) },
        { file: 'content/posts/b.md', fields: ['comments'] },
        { file: other, type: null, id: null, fields: [], ours: 'ours\n', theirs: 'theirs\n', base: 'one\n' },
      ],
    })
    t.ok(!existsSync(ours.site.path(FILE)))
    await ours.sync({ prefer })
    t.equal(existsSync(ours.site.path(FILE)), prefer === 'theirs')
    const head = ours.text('content/posts/b.md')
    t.match(head, new RegExp(`# ${prefer}\nexcerpt: mine\nrating: 3\n`))
    decided.push([ours.text(other)])
  }
  t.strictSame(decided, [['ours\n'], ['theirs\n']])
})

t.test('branches that were merged into each other: what was hidden again since stays hidden', async (t) => {
  const both = await pair(t, { [FILE]: post({ draft: 'true', title: 'one' }) })
  const { ours, theirs, bare } = both
  const [here, there] = [ours.site.root, theirs.site.root]
  ours.commit(post({ draft: 'true', title: 'two' }))
  git(here, ['push', '-q', bare, 'main:mine'])
  theirs.commit(post({ draft: 'false', title: 'one' }))
  git(there, ['push', '-q', bare, 'main:others'])
  git(here, ['pull', '-q', '--no-rebase', '--no-edit', bare, 'others'])
  git(there, ['pull', '-q', '--no-rebase', '--no-edit', bare, 'mine'])
  t.equal(ours.text(), post({ draft: 'false', title: 'two' }))
  theirs.commit(post({ draft: 'true', title: 'one' }))
  await theirs.store.reconcile()
  await theirs.sync()
  ours.commit(post({ draft: 'false', title: 'two' }, BODY.replace('Three', 'Four')))
  await ours.store.reconcile()
  git(here, ['fetch', '-q', 'origin'])
  t.equal(git(here, ['merge-base', '--all', 'HEAD', 'origin/main']).split('\n').length, 2)
  await ours.sync()
  t.equal(ours.text(), post({ draft: 'true', title: 'one' }, BODY.replace('Three', 'Four')))
})

t.test("an author's uncommitted edits in the way: named, and nothing is touched; others stay as they are", async (t) => {
  const both = await pair(t, { [FILE]: post({}), 'content/posts/b.md': post({}) })
  const { ours, theirs, tip } = both
  theirs.commit(post({ rating: '3' }), 'content/posts/b.md')
  await diverge(both, post({ rating: '2' }), post({ excerpt: 'theirs' }))
  ours.site.write(FILE, post({ rating: '2', title: 'unsaved' }))
  const [here, there] = [ours.head(), tip()]
  const error = await refused(t, ours.sync(), Conflict, /content\/posts\/a\.md/)
  t.notOk(ours.text('content/posts/b.md').includes('3'))
  t.strictSame([ours.head(), tip(), statusOf(ours.site)], [here, there, [` M ${FILE}`]])
  t.match(error.hint, /Commit/)
  ours.site.write(FILE, post({ rating: '2' }))
  ours.site.write('content/posts/draft.md', 'mine')
  ours.site.write('content/posts/staged.md', 'mine')
  git(ours.site.root, ['add', 'content/posts/staged.md'])
  await ours.sync()
  t.strictSame(statusOf(ours.site), ['A  content/posts/staged.md', '?? content/posts/draft.md'])
  t.equal(ours.text(), post({ rating: '2', excerpt: 'theirs' }))
})

t.test('links and files of which git keeps other bytes: an edit stays, and all that came is put in place', async (t) => {
  const { ours, theirs, tip } = await pair(t, {
    [FILE]: post({}),
    '.gitattributes': '*.txt ident\n',
    'n.txt': 'one\n',
    'gone.txt': '$Id$\n',
  })
  const point = (to: string) => {
    rmSync(theirs.site.path('link'), { force: true })
    symlinkSync(to, theirs.site.path('link'))
  }
  const push = (text: string, path: string) => {
    theirs.commit(text, path)
    git(theirs.site.root, ['push', '-q', 'origin', 'main'])
  }
  point('one')
  push('two\n', 'n.txt')
  await ours.sync()
  t.same([ours.text('n.txt'), readlinkSync(ours.site.path('link')), statusOf(ours.site)], ['two\n', 'one', []])
  point('two')
  rmSync(theirs.site.path('gone.txt'))
  push('three\n', 'n.txt')
  push('theirs\n', 'new.txt')
  const head = ours.head()
  const holds = async (path: string) => {
    await refused(t, ours.sync(), Conflict, new RegExp(path))
    t.equal(ours.head(), head)
  }
  ours.site.write('n.txt', 'mine\n')
  await holds('n.txt')
  t.equal(ours.text('n.txt'), 'mine\n', 'an edit in no commit')
  git(ours.site.root, ['checkout', '-q', '--', 'n.txt'])
  ours.site.write('new.txt', 'mine\n')
  await holds('new.txt')
  t.equal(ours.text('new.txt'), 'mine\n', 'a file in no commit')
  rmSync(ours.site.path('new.txt'))
  rmSync(ours.site.path('link'))
  symlinkSync('mine', ours.site.path('link'))
  await holds('link')
  t.equal(readlinkSync(ours.site.path('link')), 'mine', 'a link in no commit')
  git(ours.site.root, ['checkout', '-q', '--', 'link'])
  ours.site.write('gone.txt', 'mine\n')
  await holds('gone.txt')
  t.equal(ours.text('gone.txt'), 'mine\n', 'an edit of what they removed')
  git(ours.site.root, ['checkout', '-q', '--', 'gone.txt'])
  await ours.sync()
  t.same([ours.head(), statusOf(ours.site)], [tip(), []])
  t.same([ours.text('n.txt'), ours.text('new.txt'), readlinkSync(ours.site.path('link'))], ['three\n', 'theirs\n', 'two'])
  t.notOk(existsSync(ours.site.path('gone.txt')))
})

t.test('a push that comes too late is merged and tried again; one that is refused leaves all as it was', async (t) => {
  const both = await pair(t)
  const { ours, theirs, bare, tip, clock } = both
  ours.commit(post({ rating: '2' }))
  theirs.commit(post({ excerpt: 'theirs' }))
  // Between our fetch and our push theirs comes in: the remote takes a commit in its own hook, once.
  const late = theirs.head()
  git(theirs.site.root, ['push', '-q', 'origin', 'main:refs/late/one'])
  mkdirSync(join(bare, 'hooks'), { recursive: true })
  const hook = join(bare, 'hooks/pre-receive')
  const script = `#!/bin/sh\n[ -e late ] && exit 0\n: > late\nunset GIT_QUARANTINE_PATH\ngit update-ref refs/heads/main ${late}\n`
  writeFileSync(hook, script)
  chmodSync(hook, 0o755)
  const synced = await ours.sync()
  t.match(synced, { pulled: 1, pushed: 2, merged: [FILE] })
  t.equal(tip(), ours.head())
  t.equal(ours.text(), post({ rating: '2', excerpt: 'theirs' }))
  clock.advance(1000)

  writeFileSync(hook, '#!/bin/sh\necho "not on a Friday" >&2\nexit 1\n')
  ours.commit(post({ rating: '4', excerpt: 'theirs' }))
  const [here, there] = [ours.head(), tip()]
  const error = await refused(t, ours.sync(), Unavailable, /does not take the push: pre-receive hook declined/)
  t.equal(error.exit, 7)
  t.strictSame([ours.head(), tip(), statusOf(ours.site)], [here, there, []])
  t.match((await ours.store.health()).details.remote, { ahead: 1, behind: 0, error: /hook declined/ })
  t.ok(isSound(ours.site))
})

t.test('a sync beside a server that writes all the time comes to an end', async (t) => {
  const both = await pair(t)
  const { ours, shown } = both
  both.theirs.commit(post({ title: 'Theirs' }), 'content/posts/other.md')
  await both.theirs.sync()
  let isDone = false
  const writing = (async () => {
    for (let n = 0; !isDone; n++)
      await ours.store.write([{ key: keyOf('posts', `w${n % 20}`), put: { set: { title: `Title ${n}` } } }], BY)
  })()
  const synced = await ours.sync().finally(() => {
    isDone = true
  })
  await writing
  t.ok(synced.pulled > 0)
  t.match(shown('content/posts/other.md'), /Theirs/)
})

t.test('states of the repository that nothing can be done in, each with a clear answer', async (t) => {
  const both = await pair(t)
  const { ours, tip, bare } = both
  const { root } = ours.site
  ours.commit(post({ rating: '2' }))
  const before = tip()
  git(root, ['checkout', '-q', '--detach'])
  await refused(t, ours.sync(), Unavailable, /detached/)
  git(root, ['switch', '-q', 'main'])
  writeFileSync(join(root, '.git/MERGE_HEAD'), `${before}\n`)
  await refused(t, ours.sync(), Unavailable, /A merge is in progress/)
  rmSync(join(root, '.git/MERGE_HEAD'))
  git(root, ['remote', 'rename', 'origin', 'elsewhere'])
  t.match((await refused(t, ours.sync(), Unavailable, /no remote named origin/)).hint, /git remote add origin/)
  t.equal((await ours.store.health()).details.remote, undefined)
  git(root, ['remote', 'add', 'origin', join(bare, 'nowhere')])
  const gone = await refused(
    t,
    ours.sync(),
    Unavailable,
    /The remote origin can't be reached: .*does not appear to be a git repository/,
  )
  t.equal(gone.exit, 7)
  t.equal(tip(), before)
  // A password whose slash was not encoded is one, too.
  for (const user of ['bea:secret-word', 'bea:hidden/secret-word']) {
    git(root, ['remote', 'set-url', 'origin', `https://${user}@127.0.0.1:1/site.git?token=hidden`])
    const closed = await refused(t, ours.sync(), Unavailable, /127\.0\.0\.1/)
    t.notMatch(`${closed.message} ${closed.hint} ${closed.stack}`, /secret-word|hidden|bea:/)
    t.notMatch(readFileSync(join(root, '.cms/sync.json'), 'utf8'), /secret-word|hidden/)
  }
  git(root, ['remote', 'set-url', 'origin', bare])
  t.match(await ours.sync(), { pushed: 1 })
})

t.test('an unborn branch, a remote that is empty, histories that have nothing in common, a shallow clone', async (t) => {
  const both = await pair(t)
  const { bare, clock, ours, theirs, tip } = both
  const empty = await copyOf(t, begun(bare), clock)
  const unborn = await refused(t, empty.sync(), Conflict, /main has no commit yet, and origin has some/)
  t.match(unborn.hint, /git pull origin main/)
  empty.commit('mine', 'content/posts/own.md')
  await refused(t, empty.sync(), Conflict, /no commit in common/)

  const blank = folder(t)
  git(blank, ['init', '-q', '--bare', '-b', 'main'])
  const first = await copyOf(t, begun(blank), clock)
  t.match(await first.sync(), { pulled: 0, pushed: 0 })
  first.commit('mine', 'content/posts/own.md')
  t.match(await first.sync(), { pushed: 1 })
  t.equal(git(blank, ['rev-parse', 'main']), first.head())

  for (const rating of ['2', '3', '4']) ours.commit(post({ rating }))
  await ours.sync()
  const shallow = makeSite()
  rmSync(shallow.root, { recursive: true })
  git(tmpdir(), ['clone', '-q', '--depth', '1', `file://${bare}`, shallow.root])
  const part = await copyOf(t, shallow, clock)
  part.commit(post({ rating: '4', excerpt: 'part' }))
  await theirs.sync()
  theirs.commit(post({ rating: '5' }))
  await theirs.sync()
  t.match(await part.sync(), { pulled: 1, pushed: 2 })
  t.equal(part.text(), post({ rating: '5', excerpt: 'part' }))
  t.equal(tip(), part.head())
})

function begun(remote: string): TestSite {
  const site = makeSite()
  git(site.root, ['init', '-q', '-b', 'main'])
  git(site.root, ['remote', 'add', 'origin', remote])
  return site
}

t.test('a site in a folder of a larger repository', async (t) => {
  const both = await pair(t, { 'www/content/posts/a.md': post({}), 'other.txt': 'one\n' })
  const { ours, clock } = both
  await diverge(both, post({ rating: '2' }), post({ excerpt: 'theirs' }), 'www/content/posts/a.md')
  const site = { ...ours.site, root: ours.site.path('www'), remove: () => undefined }
  const inside = await copyOf(t, site, clock)
  t.match(await inside.sync(), { merged: [FILE], pushed: 2 })
  t.equal(ours.text('www/content/posts/a.md'), post({ rating: '2', excerpt: 'theirs' }))
})

t.test('pushing that is held goes on when a person syncs, and not before', async (t) => {
  const both = await pair(t)
  const { ours, tip, clock } = both
  ours.site.write(FILE, post({ title: 'unsaved' }))
  await ours.store.write([{ key: keyOf('posts', 'a'), put: { set: { rating: 5 } } }], BY)
  t.match(git(ours.site.root, ['log', '--format=%s']), /^[^\n]*\nKeep local edit of content\/posts\/a\.md/)
  t.match((await ours.store.health()).details.remote, { push: 'held' })
  const before = tip()
  t.match(await ours.store.sync({}), { pushed: 0, unpushed: 2, held: true })
  t.equal(tip(), before)
  const again = await copyOf(t, { ...ours.site, remove: () => undefined }, clock)
  t.match((await again.store.health()).details.remote, { push: 'held' }, 'over restarts')
  t.match(await again.sync({ push: false }), { held: true })
  t.match(await again.sync(), { pushed: 2, held: false })
  t.match((await again.store.health()).details.remote, { push: 'off', ahead: 0 })
  t.match(await ours.store.sync({}), { held: false }, 'another process has cleared it')
})

t.test('pulling and pushing by itself: at its times, each as configured, less often while it fails', async (t) => {
  const clock = new TestClock(0)
  const asked: string[] = []
  let fails = false
  const sync = async ({ pull, push }: SyncOptions) => {
    asked.push(`${clock.now() / 1000}${pull ? ' pull' : ''}${push ? ' push' : ''}`)
    if (fails) throw new Unavailable('gone')
  }
  const loop = new SyncLoop({ clock, sync }, { pull: 60_000, push: 30_000 })
  const until = async (seconds: number) => {
    while (loop.due <= seconds * 1000) {
      clock.advance(loop.due - clock.now())
      await loop.step()
    }
  }
  await loop.step()
  await until(120)
  t.strictSame(asked.splice(0), ['30 push', '60 pull push', '90 push', '120 pull push'])
  fails = true
  await until(3000)
  const times = asked.map((one) => Number(one.split(' ')[0]))
  const waits = times.slice(1).map((time, i) => time - (times[i] ?? 0))
  t.ok(Math.max(...waits) <= 600 && waits.at(-1) === 600, `it waits longer and longer, up to ten minutes: ${waits}`)
  t.ok(times.length < 12)
  fails = false
  asked.length = 0
  await until(clock.now() / 1000 + 700)
  t.ok(asked.length > 2, 'and is itself again when it works')
  await loop.close()
  clock.advance(10_000_000)
  asked.length = 0
  await loop.step()
  t.strictSame(asked, [], 'closed')
})

t.test('a served site pulls and pushes; what only a person can decide does not stop it', async (t) => {
  const both = await pair(t)
  const { ours, theirs, tip } = both
  await diverge(both, post({ rating: '2' }), post({ excerpt: 'theirs' }))
  await refused(t, ours.sync({ pull: false, byHand: false }), Unavailable, /origin has 1 commit that is not here/)
  t.match(await ours.sync({ push: false, byHand: false }), { pulled: 1, unpushed: 2 })
  t.not(tip(), ours.head())
  t.match(await ours.sync({ pull: false, byHand: false }), { pushed: 2 })
  t.equal(tip(), ours.head())
  // Two at once wait for each other.
  ours.commit(post({ rating: '3', excerpt: 'theirs' }))
  const all = await Promise.all([ours.sync(), ours.sync(), theirs.sync()])
  t.equal(all[0].pushed + all[1].pushed, 1)
})

t.test('edits of different fields and paragraphs, whatever they are, come through a sync together', async (t) => {
  const names = ['title', 'excerpt', 'rating', 'note'] as const
  const value = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.integer(),
    fc.boolean(),
    fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 }),
  )
  const edits = fc.record({ split: fc.subarray([...names]), values: fc.tuple(value, value, value, value), paragraph: fc.nat(2) })
  const both = await pair(t, { [FILE]: post({ note: '"x"' }) })
  const { ours, theirs } = both
  const key = keyOf('posts', 'a')
  let runs = 0
  await fc.assert(
    fc.asyncProperty(edits, async ({ split, values, paragraph }) => {
      const set = Object.fromEntries(names.map((name, i) => [name, name === 'title' ? `t ${values[i]}` : (values[i] ?? null)]))
      const pick = (mine: boolean) =>
        Object.fromEntries(Object.entries(set).filter(([name]) => split.includes(name as 'title') === mine))
      const before = (await ours.store.get(key))?.body.trimEnd().split('\n\n') ?? []
      const words = [fc.hash(`${runs++} mine`), fc.hash(`${runs} theirs`)].map(String)
      const bodyWith = (at: number, word = '') => `${before.map((text, i) => (i === at ? word : text)).join('\n\n')}\n`
      await ours.store.write([{ key, put: { set: pick(true), body: bodyWith(paragraph, words[0]) } }], BY)
      await theirs.store.write([{ key, put: { set: pick(false), body: bodyWith((paragraph + 1) % 3, words[1]) } }], BY)
      for (const copy of [ours, theirs, ours]) await copy.sync()
      both.clock.advance(1000)
      const [mine, others] = [await ours.store.get(key), await theirs.store.get(key)]
      deepStrictEqual(mine?.source, others?.source)
      ok(words.every((word) => mine?.body.includes(word)))
      for (const [name, wanted] of Object.entries(set)) {
        const isEmpty = Array.isArray(wanted) && wanted.length === 0
        if (!isEmpty) deepStrictEqual(mine?.fields[name], wanted, name)
      }
    }),
    { numRuns: 4, endOnFailure: true },
  )
  t.pass('held')
})

t.test('a record that comes with a merge comes before its files, and goes after them', async (t) => {
  const { ours, theirs } = await pair(t)
  const files = ['a.png', 'index.md', 'z.png'].map((name) => `content/posts/new/${name}`)
  const prepare = Swap.prepare
  t.teardown(() => {
    Swap.prepare = prepare
  })
  let names: string[] = []
  Swap.prepare = (replacements) => {
    names = replacements.map(({ real }) => real.slice(real.lastIndexOf('/') + 1))
    return prepare.call(Swap, replacements)
  }
  for (const path of files) theirs.site.write(path, 'x')
  theirs.commit(post({ draft: 'true' }), files[1])
  await theirs.sync()
  await ours.sync()
  deepStrictEqual(names, ['index.md', 'a.png', 'z.png'])
  for (const path of files) rmSync(theirs.site.path(path))
  theirs.commit(post({ excerpt: 'none' }))
  await theirs.sync()
  await ours.sync()
  deepStrictEqual(names, ['a.md', 'a.png', 'z.png', 'index.md'])
})

const DRAFT = { 'content/posts/t0/index.md': post({ draft: 'true' }), 'content/posts/t0/old.png': 'old', [FILE]: post({}) }

t.test('a picture that comes to a folder which was moved here, or there, follows its record', async (t) => {
  for (const mover of ['ours', 'theirs'] as const) {
    const both = await pair(t, { ...DRAFT, 'content/posts/t0/sub/index.md': post({}) })
    const [here, there] = mover === 'ours' ? [both.ours, both.theirs] : [both.theirs, both.ours]
    for (const name of ['neu.png', 'deep/neu.png', 'sub/own.png', 'old.png', 'notes.zip']) {
      there.site.write(`content/posts/t0/${name}`, `new ${name}`)
    }
    there.commit(post({ rating: '2' }))
    await here.store.write([{ key: keyOf('posts', 'moved'), from: keyOf('posts', 't0'), put: {} }], BY)
    await both.theirs.sync()
    t.match(await both.ours.sync(), { merged: [], chosen: [] })
    for (const name of ['neu.png', 'deep/neu.png', 'old.png']) {
      t.equal(both.ours.text(`content/posts/moved/${name}`), `new ${name}`)
      t.notOk(existsSync(both.ours.site.path(`content/posts/t0/${name}`)), name)
    }
    t.equal(both.ours.text('content/posts/t0/sub/own.png'), 'new sub/own.png', 'a record within stays, with its own')
    t.match(
      git(both.ours.site.root, ['log', '-1', '--format=%B']),
      /Files that followed their records:\n- content.posts.moved.deep.neu.png/,
    )
    t.strictSame(statusOf(both.ours.site), [])
  }
})

t.test('a picture that comes to a folder whose record is gone, or where the other has such a file, is a conflict', async (t) => {
  for (const prefer of ['ours', 'theirs'] as const) {
    const both = await pair(t, DRAFT)
    const { ours, theirs } = both
    const file = 'content/posts/t0/neu.png'
    theirs.commit('new', file)
    await theirs.sync()
    await ours.store.write([{ key: keyOf('posts', 't0'), remove: true }], BY)
    const error = await refused(t, ours.sync(), Conflict, /content.posts.t0.neu.png/)
    t.strictSame(error.conflict, {
      conflicts: [{ file, type: null, id: null, fields: [], ours: null, theirs: 'new', base: null }],
    })
    t.match(await ours.sync({ prefer }), { chosen: [file] })
    t.equal(existsSync(ours.site.path(file)), prefer === 'theirs')
    t.strictSame(statusOf(ours.site), [])
  }
  const both = await pair(t, DRAFT)
  const { ours, theirs } = both
  theirs.commit('new', 'content/posts/t0/neu.png')
  await theirs.sync()
  ours.commit('other', 'content/posts/moved/neu.png')
  rmSync(ours.site.path('content/posts/t0'), { recursive: true })
  ours.site.write('content/posts/moved/old.png', 'old')
  ours.commit(post({ draft: 'true' }), 'content/posts/moved/index.md')
  await refused(t, ours.sync(), Conflict, /content.posts.t0.neu.png/)
})

t.test('a picture of the name of an upload whose bytes are in no commit is a conflict', async (t) => {
  const [file, bytes] = ['content/media/big.txt', 'the upload']
  const sidecar = `alt: Big\nchecksum: sha256:${createHash('sha256').update(bytes).digest('hex')}\n`
  for (const prefer of ['ours', 'theirs'] as const) {
    const both = await pair(t)
    const { ours, theirs } = both
    theirs.commit('another', file)
    await theirs.sync()
    ours.commit(sidecar, `${file}.yaml`)
    const error = await refused(t, ours.sync(), Conflict, /content.media.big.txt/)
    t.match(error.conflict, { conflicts: [{ file, ours: null, theirs: 'another', base: null }] })
    t.match(await ours.sync({ prefer }), { chosen: [file] })
    t.strictSame(
      [existsSync(ours.site.path(file)), existsSync(ours.site.path(`${file}.yaml`))],
      [prefer === 'theirs', prefer === 'ours'],
    )
  }
  const same = await pair(t)
  same.theirs.commit(bytes, file)
  await same.theirs.sync()
  same.ours.commit(sidecar, `${file}.yaml`)
  t.match(await same.ours.sync(), { pulled: 1, chosen: [] })
})

t.test('a picture that is in no commit keeps its record where it is', async (t) => {
  const both = await pair(t, { ...DRAFT, 'content/posts/t0/sub/index.md': post({}), '.gitignore': 'raw*\n' })
  const { ours, theirs } = both
  await theirs.store.write([{ key: keyOf('posts', 'moved'), from: keyOf('posts', 't0'), put: {} }], BY)
  await theirs.sync()
  ours.site.write('content/posts/t0/sub/own.png', 'of the record within')
  ours.site.write('content/posts/t0/notes.zip', 'of no kind that is served')
  for (const name of ['neu.png', 'raw.png']) {
    ours.site.write(`content/posts/t0/${name}`, 'new')
    const error = await refused(t, ours.sync(), Conflict, /move or remove the record of content.posts.t0/)
    t.strictSame(error.conflict, { paths: [`content/posts/t0/${name}`] })
    t.ok(existsSync(ours.site.path('content/posts/t0/index.md')))
    rmSync(ours.site.path(`content/posts/t0/${name}`))
  }
  t.match(await ours.sync(), { pulled: 1 })
})
