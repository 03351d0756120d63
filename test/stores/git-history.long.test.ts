import { renameSync, rmSync } from 'node:fs'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { versionOf } from '#core/format/version.ts'
import type { Revision } from '#core/history/revision.ts'
import { type Key, keyOf } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import { Objects } from '#git/objects/objects.ts'
import { openRepository } from '#git/repository.ts'
import { History } from '#stores/files/history/history.ts'
import { NumberWalk } from '#stores/files/history/numbers.ts'
import type { FilesStore } from '#stores/files/store.ts'
import { commit, openAt, repository, SECOND, save } from '#support/by-hand.ts'
import { git } from '#support/git.ts'
import { makeSite } from '#support/sites.ts'

const ada = { name: 'Ada', email: 'ada@example.org' }
const key = (id: string, kind = 'posts') => keyOf(kind, id)
const put = (id: string, body: string): Change => ({ key: key(id), put: { body } })

async function revisions(store: FilesStore, id: string, kind = 'posts'): Promise<Revision[]> {
  return (await store.history(key(id, kind), {}))?.items ?? []
}

async function told(store: FilesStore, id: string): Promise<unknown[]> {
  return (await revisions(store, id)).map(({ number, action, message }) => [number, action, message])
}

t.test('numbers', async (t) => {
  const second = fc.integer({ min: SECOND, max: SECOND + 2 })
  const number = fc.option(fc.integer({ min: SECOND * 1000, max: SECOND * 1000 + 3000 }), { nil: undefined })
  const revision = fc.record({ number, seconds: fc.oneof({ weight: 9, arbitrary: second }, { weight: 1, arbitrary: fc.nat() }) })
  const numbersOf = (all: { number: number | undefined; seconds: number }[]) => {
    const walk = new NumberWalk()
    return all.map((one) => walk.next(one))
  }
  fc.assert(
    fc.property(fc.array(revision), fc.array(revision), (before, after) => {
      const numbers = numbersOf([...before, ...after])
      t.equal(new Set(numbers).size, numbers.length, 'each once')
      t.ok(numbers.every((one) => /^\d{13}$/.test(String(one))))
      t.same(numbers.slice(0, before.length), numbersOf(before), 'what comes later changes none')
    }),
  )
  const distinct = fc.uniqueArray(fc.integer({ min: SECOND * 1000, max: SECOND * 1000 + 9000 }))
  fc.assert(
    fc.property(distinct, (numbers) => {
      t.same(numbersOf(numbers.map((one) => ({ number: one, seconds: 5 }))), numbers, 'those that commits bear are taken')
    }),
  )
  t.same(numbersOf([{ number: undefined, seconds: 0 }]), [1_000_000_000_000])
  t.same(
    numbersOf([
      { number: 9_999_999_999_999, seconds: 0 },
      { number: 9_999_999_999_999, seconds: 0 },
    ]),
    [9_999_999_999_999, 1e12],
  )
  t.same(numbersOf([{ number: 1, seconds: SECOND }]), [SECOND * 1000], 'one that is none is not taken')
})

t.test('commits by hand', async (t) => {
  const site = repository(t)
  const first = save(site, 'content/posts/a.md', 'One\n', 'First')
  save(site, 'content/posts/a.md', 'Two\n', 'Second\n\nat length\n')
  save(site, 'content/posts/a.md', 'Three\n', 'Third', SECOND + 1)
  const store = await openAt(t, site.root)
  t.same(
    await told(store, 'a'),
    [
      [(SECOND + 1) * 1000, 'external', 'Third'],
      [SECOND * 1000 + 1, 'external', 'Second\n\nat length'],
      [SECOND * 1000, 'external', 'First'],
    ],
    'each has a number of its own, also in one second',
  )
  const [, , last] = await revisions(store, 'a')
  t.match(last, { by: ada, commit: first, at: '2023-11-14T22:13:20.000Z' })
  t.equal((await store.at(key('a'), SECOND * 1000))?.body, 'One\n')
  save(site, 'content/posts/a.md', 'Four\n', 'By hand again', SECOND + 1)
  await store.reconcile()
  t.same((await told(store, 'a'))[0], [(SECOND + 1) * 1000 + 1, 'external', 'By hand again'], 'seen at once')
})

t.test('what a message makes believe', async (t) => {
  const site = repository(t)
  save(site, 'content/posts/a.md', 'One\n', 'Title\n\nCms-Rev: 1600000000000\nCms-Action: created\n\nText after it')
  save(site, 'content/posts/a.md', 'Two\n', 'Title\n\nCms-Rev: 16\nCms-Action: destroyed\nCms-From: posts/x', SECOND + 1)
  save(site, 'content/posts/a.md', 'Three\n', 'Title\n\nCms-Rev: 1700000000000\nCms-Action: deleted', SECOND + 2)
  save(site, 'content/posts/a.md', 'Four\n', 'Title\n\nCms-Rev: 1700000000000\nCms-Action: created', SECOND + 3)
  const store = await openAt(t, site.root)
  t.same(
    (await told(store, 'a')).map((one) => (one as unknown[]).slice(0, 2)),
    [
      [SECOND * 1000 + 2, 'updated'],
      [SECOND * 1000 + 1, 'updated'],
      [(SECOND + 1) * 1000, 'external'],
      [SECOND * 1000, 'external'],
    ],
    'no trailer in the middle, none that is none, no number twice, no action that was not done',
  )
  t.match((await told(store, 'a')).at(-1), [Number, String, /Cms-Rev: 1600000000000/])
})

t.test('two hundred updates of one record in one second', async (t) => {
  const site = repository(t, { 'content/posts/other.md': 'x\n' })
  commit(site, 'Begin')
  // Its clock stands still.
  const store = await openAt(t, site.root)
  await Promise.all(Array.from({ length: 200 }, (_, n) => store.write([put('a', `Text ${n}\n`)], ada)))
  const all = await revisions(store, 'a')
  const numbers = all.map(({ number }) => number)
  t.equal(new Set(numbers).size, 200, 'each has a number of its own')
  t.same(
    numbers,
    [...numbers].sort((a, b) => b - a),
    'in order',
  )
  t.ok((numbers[0] ?? 0) - (numbers.at(-1) ?? 0) < 1000)
  t.equal((await store.at(key('a'), numbers[100] ?? 0))?.body, 'Text 99\n')
  const copy = makeSite()
  t.teardown(copy.remove)
  git(copy.root, ['clone', '-q', '--depth', '150', `file://${site.root}`, 'shallow'])
  const shallow = await revisions(await openAt(t, copy.path('shallow')), 'a')
  t.same(
    shallow.map(({ number }) => number),
    numbers.slice(0, 150),
    'the same in a shallow clone',
  )
})

t.test('copies of a history', async (t) => {
  const site = repository(t, { 'content/posts/other.md': 'x\n' })
  commit(site, 'Begin')
  const store = await openAt(t, site.root)
  for (let n = 0; n < 6; n++) await store.write([put('a', `${n}\n`)], ada)
  const numbers = async (from: FilesStore) => (await revisions(from, 'a')).map(({ number }) => number)
  const all = await numbers(store)
  t.equal(new Set(all).size, 6)
  await store.close()
  t.same(await numbers(await openAt(t, site.root)), all, 'opened again')
  const copy = makeSite()
  t.teardown(copy.remove)
  git(copy.root, ['clone', '-q', site.root, 'whole'])
  t.same(await numbers(await openAt(t, copy.path('whole'))), all, 'a clone')
  git(copy.root, ['clone', '-q', '--depth', '3', `file://${site.root}`, 'shallow'])
  const shallow = await openAt(t, copy.path('shallow'))
  t.same(await numbers(shallow), all.slice(0, 3), 'a shallow clone has the last of them')
  t.same(
    (await revisions(shallow, 'a')).map(({ action }) => action),
    ['updated', 'updated', 'updated'],
    'and nothing new in its oldest commit',
  )
  git(site.root, ['checkout', '-q', '-b', 'side', 'HEAD~3'])
  save(site, 'content/posts/other.md', 'y\n', 'On the side')
  git(site.root, ['rebase', '-q', 'side', 'main'])
  t.same(await numbers(await openAt(t, site.root)), all, 'a rebase')
  const twice = await revisions(await openAt(t, site.root), 'a')
  git(site.root, ['revert', '--no-edit', 'HEAD'])
  git(site.root, ['cherry-pick', twice[0]?.commit ?? ''])
  const after = await numbers(await openAt(t, site.root))
  t.equal(new Set(after).size, 8, 'a commit picked again has a number of its own')
  t.same(after.slice(2), all)
})

const LINES = ['1', '2', '3', '4', '5', '6', '7', '8', '9']
const text = (first: string, last: string) => `${[first, ...LINES, last].join('\n')}\n`

t.test('a merge', async (t) => {
  const site = repository(t)
  save(site, 'content/posts/a.md', text('x', 'y'), 'Begin')
  git(site.root, ['checkout', '-q', '-b', 'side'])
  save(site, 'content/posts/a.md', text('x', 'side'), 'On the side')
  save(site, 'content/posts/b.md', 'b\n', 'Another on the side')
  git(site.root, ['checkout', '-q', 'main'])
  save(site, 'content/posts/a.md', text('main', 'y'), 'On main')
  const store = await openAt(t, site.root)
  const before = await told(store, 'a')
  git(site.root, ['merge', '-q', '--no-edit', '-m', 'Both', 'side'], { GIT_AUTHOR_DATE: `@${SECOND} +0000` })
  await store.reconcile()
  const after = await told(store, 'a')
  t.same(
    after.map((one) => (one as unknown[])[2]),
    ['Both', 'On the side', 'On main', 'Begin'],
    'what the record differs in from both sides is a revision; the first parent comes first',
  )
  t.same(after.slice(-2), before, 'and keeps its numbers')
  t.equal(new Set(after.map((one) => (one as unknown[])[0])).size, 4)
  t.same(await told(await openAt(t, site.root), 'a'), after, 'read anew, the same')
  t.equal((await store.at(key('a'), (await revisions(store, 'a'))[0]?.number ?? 0))?.body, text('main', 'side'))
  t.same(
    (await told(store, 'b')).map((one) => (one as unknown[])[2]),
    ['Another on the side'],
    'where it takes over one side it is none',
  )
})

t.test('what a merge leaves out', async (t) => {
  const site = repository(t)
  save(site, 'content/posts/a.md', 'One\n', 'Begin')
  git(site.root, ['checkout', '-q', '-b', 'side'])
  save(site, 'content/posts/a.md', 'Side\n', 'On the side')
  git(site.root, ['checkout', '-q', 'main'])
  git(site.root, ['merge', '-q', '--no-edit', '-s', 'ours', 'side'])
  const store = await openAt(t, site.root)
  t.same(
    (await revisions(store, 'a')).map(({ message }) => message),
    ["Merge branch 'side'", 'On the side', 'Begin'],
    'an edit that was not taken over is a revision still, and so is what came after it',
  )
  const [newest] = await revisions(store, 'a')
  t.equal(newest?.version, (await store.get(key('a')))?.version, 'the newest is what the record is now')
})

t.test('names', async (t) => {
  const site = repository(t)
  const names = ["a b,+&'!@().md", 'é.md', 'x/[deep]-not.md', '日本/記事.mdx', '-dash.md', '(top)x.yaml']
  for (const name of names) site.write(`content/posts/${name}`, name.endsWith('yaml') ? 'title: T\n' : 'One\n')
  site.write('content/posts/e\u0301e.md', 'One\n')
  commit(site, 'Begin')
  const store = await openAt(t, site.root)
  for (const id of ["a b,+&'!@()", 'é', '日本~記事', '-dash', '(top)x', '\u00e9e']) {
    const [only, ...others] = await revisions(store, id)
    t.same(others, [], id)
    t.equal((await store.at(key(id), only?.number ?? 0))?.version, (await store.get(key(id)))?.version, id)
  }
})

t.test('made, removed and made again by hand', async (t) => {
  const site = repository(t)
  save(site, 'content/posts/a.mdx', 'One\n', 'Made')
  rmSync(site.path('content/posts/a.mdx'))
  commit(site, 'Removed', SECOND + 1)
  const store = await openAt(t, site.root)
  const messages = async () => (await told(store, 'a')).map((one) => (one as unknown[])[2])
  t.same(await messages(), ['Removed', 'Made'], 'it is found wherever it was')
  t.equal((await store.at(key('a'), SECOND * 1000))?.body, 'One\n')
  save(site, 'content/posts/a.mdx', 'Two\n', 'Again', SECOND + 2)
  await store.reconcile()
  t.same(await messages(), ['Again', 'Removed', 'Made'])
  site.write('content/about.md', 'About\n')
  commit(site, 'A page', SECOND + 3)
  rmSync(site.path('content/about.md'))
  commit(site, 'No page', SECOND + 4)
  t.same(
    (await revisions(store, 'about', 'pages')).map(({ message }) => message),
    ['No page', 'A page'],
    'pages live in two folders',
  )
  site.write('content/posts/b.md', 'not committed\n')
  await store.reconcile()
  t.same(await revisions(store, 'b'), [])
})

t.test('moves', async (t) => {
  const site = repository(t)
  const move = (from: string, to: string, message: string, seconds: number) => {
    renameSync(site.path(`content/posts/${from}`), site.path(`content/posts/${to}`))
    commit(site, message, seconds)
  }
  save(site, 'content/posts/a.md', 'One\n', 'Made')
  move('a.md', 'b.md', `Move\n\nCms-Rev: ${SECOND + 1}000\nCms-Action: moved\nCms-From: posts/a`, SECOND + 1)
  save(site, 'content/posts/b.md', 'Two\n', 'Changed', SECOND + 2)
  move('b.md', 'c.md', 'By hand', SECOND + 3)
  move('c.md', 'd.md', `Move\n\nCms-Rev: ${SECOND + 4}000\nCms-From: posts/elsewhere`, SECOND + 4)
  const store = await openAt(t, site.root)
  const of = async (id: string) => (await revisions(store, id)).map(({ message, action }) => `${message}: ${action}`)
  t.same(await of('b'), ['By hand: external', 'Changed: external', 'Move: moved', 'Made: external'])
  t.same(await of('a'), ['Move: moved', 'Made: external'])
  t.same(await of('c'), ['Move: deleted', 'By hand: external'], 'a move by hand says nothing of where from')
  t.same(await of('d'), ['Move: moved'], 'and one that the commit does not bear out is not followed')
  t.equal((await store.at(key('b'), SECOND * 1000))?.body, 'One\n')
})

t.test('where a repository is, and of what kind', async (t) => {
  const check = async (t: Test, store: FilesStore) => {
    const [made] = await store.write([put('a', 'Two\n')], ada)
    const [second, first] = await revisions(store, 'a')
    t.match([second?.action, first?.action], ['updated', 'external'])
    t.equal(second?.version, made?.version, 'a version is that of the bytes')
    t.equal((await store.at(key('a'), first?.number ?? 0))?.body, 'One\n')
    t.equal((await store.at(key('a'), first?.number ?? 0))?.version, first?.version)
  }
  await t.test('of SHA-256', async (t) => {
    const site = repository(t, { 'content/posts/a.md': 'One\n' }, 'sha256')
    commit(site, 'Begin')
    await check(t, await openAt(t, site.root))
    const again = await revisions(await openAt(t, site.root), 'a')
    t.same(
      again.map(({ version }) => version),
      ['Two\n', 'One\n'].map((text) => versionOf(Buffer.from(text))),
      'also read anew',
    )
    t.match(again[0]?.commit, /^[0-9a-f]{64}$/)
  })
  await t.test('a linked working tree', async (t) => {
    const site = repository(t, { 'content/posts/a.md': 'One\n' })
    commit(site, 'Begin')
    git(site.root, ['worktree', 'add', '-q', `${site.root}-linked`, '-b', 'linked'])
    t.teardown(() => rmSync(`${site.root}-linked`, { recursive: true, force: true }))
    await check(t, await openAt(t, `${site.root}-linked`))
    t.same((await revisions(await openAt(t, site.root), 'a')).length, 1, 'the other is where it was')
  })
  await t.test('a folder of a larger one', async (t) => {
    const site = repository(t, { 'sites/one/content/posts/a.md': 'One\n', 'content/posts/a.md': 'Not ours\n' })
    commit(site, 'Begin')
    await check(t, await openAt(t, site.path('sites/one')))
  })
  await t.test('a folder whose name would mean something to git', async (t) => {
    for (const folder of [':', ':(top)one', '*', '[one]']) {
      const site = repository(t, { [`${folder}/content/posts/a.md`]: 'One\n', 'one/content/posts/a.md': 'Not ours\n' })
      commit(site, 'Begin')
      save(site, 'one/content/posts/a.md', 'Not ours either\n')
      const store = await openAt(t, site.path(folder))
      await check(t, store)
      await store.dated()
      t.equal((await store.get(key('a')))?.createdAt, new Date(SECOND * 1000).toISOString())
    }
  })
  await t.test('a partial clone whose remote is out of reach', async (t) => {
    for (const filter of ['blob:none', 'tree:0']) {
      const site = repository(t, { 'content/posts/a.md': 'One\n' })
      commit(site, 'Begin')
      save(site, 'content/posts/a.md', 'Two\n')
      git(site.root, ['config', 'uploadpack.allowFilter', 'true'])
      const clone = `${site.root}-partial`
      t.teardown(() => rmSync(clone, { recursive: true, force: true }))
      git(site.root, ['clone', '-q', `--filter=${filter}`, `file://${site.root}`, clone])
      renameSync(site.root, `${site.root}-away`)
      const store = await openAt(t, clone)
      await store.write([put('a', 'Three\n')], ada)
      const past = async () => Promise.all((await revisions(store, 'a')).map(({ number }) => store.at(key('a'), number)))
      const said = { status: 503, exit: 7, message: /partial clone.*out of reach/, hint: /git fetch --refetch/ }
      await t.rejects(past(), said, filter)
      await store.write([put('b', 'New\n')], ada)
      t.equal((await store.get(key('a')))?.body, 'Three\n', 'all else goes on')
      renameSync(`${site.root}-away`, site.root)
      t.match(await past(), [{ body: 'Three\n' }, { body: 'Two\n' }, { body: 'One\n' }], 'so it does once the remote is there')
    }
  })
  await t.test('without a commit', async (t) => {
    const site = repository(t, { 'content/posts/a.md': 'One\n' })
    const store = await openAt(t, site.root)
    t.same(await store.history(key('a'), {}), { items: [], total: 0 })
    t.equal(await store.at(key('a'), SECOND * 1000), undefined)
    await store.dated()
    t.equal((await store.get(key('a')))?.updatedAt, undefined)
    commit(site, 'First')
    t.same((await told(store, 'a')).length, 1)
  })
  await t.test('on a branch that stands for another', async (t) => {
    const site = repository(t, { 'content/posts/a.md': 'One\n' })
    commit(site, 'Begin')
    git(site.root, ['branch', 'trunk'])
    git(site.root, ['symbolic-ref', 'refs/heads/main', 'refs/heads/trunk'])
    await check(t, await openAt(t, site.root))
    t.equal(git(site.root, ['log', '-1', '--format=%s', 'trunk']), 'Update posts/a')
    t.equal(git(site.root, ['status', '--porcelain']), '')
  })
  await t.test('of an author who has logs follow renames', async (t) => {
    const site = repository(t, { 'content/posts/a.md': 'One\n' })
    commit(site, 'Begin')
    git(site.root, ['config', 'log.follow', 'true'])
    await check(t, await openAt(t, site.root))
  })
  await t.test('with a detached HEAD', async (t) => {
    const site = repository(t)
    save(site, 'content/posts/a.md', 'One\n')
    save(site, 'content/posts/a.md', 'Two\n')
    const store = await openAt(t, site.root)
    t.equal((await revisions(store, 'a')).length, 2)
    git(site.root, ['checkout', '-q', 'HEAD~1'])
    await store.reconcile()
    t.equal((await revisions(store, 'a')).length, 1, 'reads go on, from where HEAD is')
    git(site.root, ['checkout', '-q', 'main'])
    t.equal((await revisions(store, 'a')).length, 2)
  })
})

t.test('what is kept stays true', async (t) => {
  const site = repository(t)
  save(site, 'content/posts/a.md', 'One\n', 'a1')
  save(site, 'content/posts/b.md', 'One\n', 'b1')
  const store = await openAt(t, site.root)
  const messages = async (id: string) => (await told(store, id)).map((one) => (one as unknown[])[2])
  const both = async () => [await messages('a'), await messages('b')]
  t.same(await both(), [['a1'], ['b1']])
  await store.write([put('a', 'Two\n')], ada, { message: 'a2' })
  save(site, 'content/posts/b.md', 'Two\n', 'b2')
  await store.reconcile()
  t.same(
    await both(),
    [
      ['a2', 'a1'],
      ['b2', 'b1'],
    ],
    'commits of ours and by hand',
  )
  const both2 = await Promise.all(Array.from({ length: 30 }, () => messages('a')))
  t.ok(both2.every((one) => one.length === 2))
  await store.write([{ key: key('c'), from: key('a'), put: {} }], ada, { message: 'move' })
  t.same(await messages('c'), ['move', 'a2', 'a1'])
  t.same(await messages('a'), ['move', 'a2', 'a1'])
  git(site.root, ['reset', '-q', '--hard', 'HEAD~2'])
  await store.reconcile()
  t.same(await both(), [['a2', 'a1'], ['b1']], 'a history that is another')
  t.same(await messages('c'), [])
  const fresh = await openAt(t, site.root)
  t.same(await revisions(fresh, 'a'), await revisions(store, 'a'))
  t.same(await messages('b'), ['b1'])
  save(site, 'content/posts/b.md', 'Three\n', 'b3')
  await store.write([put('a', 'Between\n')], ada)
  t.same(await messages('b'), ['b3', 'b1'], 'a commit of ours on top of one by hand')
  const asked = [1, 2, 3, 4, 5].map(async (n) => {
    await store.write([put('a', `${n} more\n`)], ada)
    return (await revisions(store, 'a')).length
  })
  const lengths = await Promise.all(asked)
  t.ok(
    lengths.every((length) => length >= 3),
    'who wrote finds it',
  )
  t.same(await revisions(await openAt(t, site.root), 'a'), await revisions(store, 'a'), 'carried on as it would be read')
})

t.test('a commit while a history is being read', async (t) => {
  const site = repository(t)
  save(site, 'content/posts/a.md', 'One\n', 'a1')
  const old = save(site, 'content/posts/b.md', 'One\n', 'b1')
  const repositoryAt = await openRepository(site.root, true)
  if ('without' in repositoryAt) throw new Error('There is a repository.')
  const objects = new Objects(site.root)
  t.teardown(() => objects.close())
  const places = {
    present: ({ id }: { id: string }) => `content/posts/${id}.md`,
    candidates: () => [],
    keyAt: (path: string) => key(path.slice('content/posts/'.length, -'.md'.length)),
  }
  const files = {
    version: async (_: Key, __: string, blob: string) => blob,
    bytes: async (_: Key, __: string, bytes: Buffer) => bytes,
  }
  const history = new History({ repository: repositoryAt, objects, content: 'content', places, files })
  const count = async (id: string) => (await history.list(key(id), {})).total
  t.equal(await count('b'), 1)
  const asked = count('a')
  await new Promise((resolve) => setImmediate(resolve))
  // Nothing that git says is heard before this is done.
  const tip = save(site, 'content/posts/a.md', 'Two\n', 'a2')
  const edits = [{ path: 'content/posts/a.md', key: key('a'), blob: git(site.root, ['rev-parse', 'HEAD:content/posts/a.md']) }]
  const made = {
    commit: tip,
    number: (SECOND + 1) * 1000,
    action: 'updated' as const,
    by: ada,
    message: 'a2',
    from: undefined,
    edits,
  }
  history.committed([made], old, tip)
  t.equal(await asked, 1, 'who asked before has what there was')
  t.equal(await count('a'), 2, 'and who asks after it has it too')
})
