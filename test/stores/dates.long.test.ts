import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { localAccess } from '#core/access/access.ts'
import { keyOf } from '#core/key.ts'
import type { Query, Sort } from '#core/queries/query.ts'
import type { Change } from '#core/store.ts'
import { recordParts } from '#features/records/parts.ts'
import { Revisions } from '#features/revisions/revisions.ts'
import type { FilesStore } from '#stores/files/store.ts'
import { commit, openAt, repository, SECOND, save } from '#support/by-hand.ts'
import { TestClock } from '#support/clock.ts'
import { git } from '#support/git.ts'
import { makeSite } from '#support/sites.ts'
import { plainTypes } from '#support/types.ts'

const ada = { name: 'Ada', email: 'ada@example.org' }
const key = (id: string) => keyOf('posts', id)
const put = (id: string, body: string): Change => ({ key: key(id), put: { body } })
const by = (field: string, descending = false): Sort => ({ field, descending, as: 'instant' })
const at = (seconds: number) => new Date((SECOND + seconds) * 1000).toISOString()

async function dates(store: FilesStore, id: string): Promise<unknown[]> {
  const document = await store.get(key(id))
  const { items } = await store.heads('posts', { where: [{ field: 'id', op: 'eq', value: id, as: 'text' }] })
  const [head] = items
  const ofHead = [head?.createdAt, head?.updatedAt]
  const ofDocument = [document?.createdAt, document?.updatedAt]
  return JSON.stringify(ofHead) === JSON.stringify(ofDocument) ? ofDocument : [ofHead, ofDocument]
}

async function ids(store: FilesStore, query: Query): Promise<string[]> {
  return (await store.heads('posts', query)).items.map((head) => head.key.id)
}

t.test('they come once history was read, and not before', async (t) => {
  const site = repository(t)
  save(site, 'content/posts/a.md', 'One\n')
  save(site, 'content/posts/b.md', 'One\n', 'b', SECOND + 10)
  save(site, 'content/posts/a.md', 'Two\n', 'again', SECOND + 20)
  save(site, 'content/posts/own.md', '---\ncreated_at: 2020-01-01\n---\nOne\n', 'own', SECOND + 30)
  site.write('content/posts/new.md', 'not committed\n')
  const store = await openAt(t, site.root)
  const sorted = { sort: [by('updated_at', true)] }
  t.same(await ids(store, sorted), ['a', 'b', 'new', 'own'], 'until then none has a date')
  t.same(await dates(store, 'a'), [undefined, undefined])
  const before = await store.get(key('a'))
  await store.dated()
  t.same(await dates(store, 'a'), [at(0), at(20)])
  t.same(await dates(store, 'b'), [at(10), at(10)])
  t.same(await dates(store, 'own'), ['2020-01-01T00:00:00.000Z', at(30)], 'what front matter says comes first')
  t.same(await dates(store, 'new'), [undefined, undefined], 'what is not committed has none')
  const after = await store.get(key('a'))
  t.same([before?.datedByHistory, after?.datedByHistory, after?.version], [undefined, true, before?.version])
  t.same(await ids(store, sorted), ['own', 'a', 'b', 'new'], 'orders go by them at once')
  t.same(await ids(store, { where: [{ field: 'created_at', op: 'gte', value: at(10), as: 'instant' }] }), ['b'], 'and conditions')
  t.equal(await store.get(key('a')), after, 'the same object while unchanged')
  t.same(String(after?.source), 'Two\n', 'the file stays as it is')
})

t.test('own commits carry them on', async (t) => {
  const site = repository(t)
  save(site, 'content/posts/a.md', 'One\n')
  const store = await openAt(t, site.root)
  await store.dated()
  t.same(await ids(store, { sort: [by('updated_at')] }), ['a'])
  const [written] = await store.write([put('a', 'Two\n')], ada)
  const [revision] = (await store.history(key('a'), {}))?.items ?? []
  t.same(await dates(store, 'a'), [at(0), revision?.at])
  t.equal(written?.updatedAt, revision?.at, 'also in the answer')
  const [made] = await store.write([put('b', 'One\n')], ada)
  t.same([made?.createdAt, made?.updatedAt], await dates(store, 'b'))
  t.ok(made?.createdAt)
  await store.write([{ key: key('c'), from: key('a'), put: {} }], ada)
  t.same((await dates(store, 'c'))[0], at(0), 'a record that is moved keeps when it came to be')
  await store.write([{ key: key('c'), remove: true }], ada)
  await store.write([put('c', 'Back\n')], ada)
  t.same((await dates(store, 'c'))[0], at(0), 'and one that comes back')
  const now = await Promise.all(['b', 'c'].map((id) => dates(store, id)))
  const fresh = await openAt(t, site.root)
  await fresh.dated()
  t.same(await Promise.all(['b', 'c'].map((id) => dates(fresh, id))), now, 'as they are read anew')
  const found = await fresh.history(key('c'), {})
  const then = await fresh.at(key('c'), found?.items.find(({ action }) => action === 'moved')?.number ?? 0)
  t.same([then?.createdAt !== undefined, then?.fields.title], [true, 'C'])
})

t.test('they go on over commits by hand, restarts and other histories', async (t) => {
  const site = repository(t)
  const file = site.path('.cms/cache/dates')
  save(site, 'content/posts/a.md', 'One\n')
  save(site, 'content/posts/b.md', 'One\n', 'b', SECOND + 5)
  const reopened = async () => {
    const store = await openAt(t, site.root)
    await store.dated()
    return store
  }
  const first = await reopened()
  save(site, 'content/posts/a.md', 'Two\n', 'by hand', SECOND + 10)
  await first.reconcile()
  await first.dated()
  t.same(await dates(first, 'a'), [at(0), at(10)])
  await first.close()
  const kept = readFileSync(file, 'utf8')
  t.match(kept, git(site.root, ['rev-parse', 'HEAD']))
  save(site, 'content/posts/b.md', 'Two\n', 'while closed', SECOND + 20)
  // Dates that are not those of history show that the kept ones are gone on with.
  writeFileSync(file, kept.replace(`content/posts/a.md\t${SECOND}000`, `content/posts/a.md\t${SECOND - 9}000`))
  const second = await reopened()
  t.same(
    [await dates(second, 'a'), await dates(second, 'b')],
    [
      [at(-9), at(10)],
      [at(5), at(20)],
    ],
  )
  await second.close()
  for (const broken of [
    kept.slice(0, -9),
    'nonsense\n',
    `${kept}x\n`,
    kept.replace('\t', ' '),
    kept.replace('"schema":1', '"schema":0'),
    '',
  ]) {
    writeFileSync(file, broken)
    const store = await reopened()
    t.same(
      [await dates(store, 'a'), await dates(store, 'b')],
      [
        [at(0), at(10)],
        [at(5), at(20)],
      ],
      'a broken file is as good as none',
    )
    await store.close()
  }
  const third = await reopened()
  git(site.root, ['reset', '-q', '--hard', 'HEAD~2'])
  await third.reconcile()
  await third.dated()
  t.same(
    [await dates(third, 'a'), await dates(third, 'b')],
    [
      [at(0), at(0)],
      [at(5), at(5)],
    ],
    'a history that is another',
  )
  save(site, 'content/posts/b.md', 'Three\n', 'another', SECOND + 40)
  await third.reconcile()
  await third.write([put('a', 'Mine\n')], ada)
  await third.dated()
  t.same((await dates(third, 'b'))[1], at(40), 'a commit of ours after one by hand')
  t.equal((await dates(third, 'a'))[1], (await third.history(key('a'), {}))?.items[0]?.at)
})

t.test('writes while history is being read', async (t) => {
  const site = repository(t)
  for (let n = 0; n < 20; n++) save(site, `content/posts/${n}.md`, 'One\n', 'x', SECOND + n)
  const store = await openAt(t, site.root)
  const read = store.dated()
  await Promise.all([1, 2, 3].map((n) => store.write([put(`${n}`, 'Two\n')], ada)))
  await read
  await store.dated()
  for (const id of ['1', '2', '3'])
    t.same(await dates(store, id), [at(Number(id)), (await store.history(key(id), {}))?.items[0]?.at])
  t.same(await dates(store, '4'), [at(4), at(4)])
})

t.test('renamed and merged by hand', async (t) => {
  const site = repository(t)
  save(site, 'content/posts/a.md', 'One\n')
  git(site.root, ['checkout', '-q', '-b', 'side'])
  save(site, 'content/posts/side.md', 'One\n', 'side', SECOND + 10)
  git(site.root, ['checkout', '-q', 'main'])
  renameSync(site.path('content/posts/a.md'), site.path('content/posts/b.md'))
  commit(site, 'rename', SECOND + 20)
  git(site.root, ['merge', '-q', '--no-edit', 'side'])
  const store = await openAt(t, site.root)
  await store.dated()
  t.same(await dates(store, 'b'), [at(20), at(20)], 'a move by hand says nothing of where from')
  t.same(await dates(store, 'side'), [at(10), at(10)], 'a merge that takes over one side changes nothing')
})

t.test('what a shallow clone does not know is absent', async (t) => {
  const site = repository(t)
  save(site, 'content/posts/a.md', 'One\n')
  save(site, 'content/posts/b.md', 'One\n', 'b', SECOND + 10)
  save(site, 'content/posts/b.md', 'Two\n', 'c', SECOND + 20)
  save(site, 'content/posts/c.md', 'One\n', 'd', SECOND + 30)
  const copy = makeSite()
  t.teardown(copy.remove)
  git(copy.root, ['clone', '-q', '--depth', '3', `file://${site.root}`, 'shallow'])
  const root = copy.path('shallow')
  const store = await openAt(t, root)
  await store.dated()
  t.same(await dates(store, 'a'), [undefined, undefined])
  t.same(await dates(store, 'b'), [undefined, at(20)])
  t.same(await dates(store, 'c'), [at(30), at(30)])
  const then = async (id: string) => {
    const { items } = (await store.history(key(id), {})) ?? { items: [] }
    return Promise.all(items.map(({ number }) => store.at(key(id), number)))
  }
  const stamps = (documents: Awaited<ReturnType<typeof then>>) => documents.map((one) => [one?.createdAt, one?.updatedAt])
  t.same(stamps(await then('a')), [[undefined, undefined]], 'as of a revision, too')
  t.same(stamps(await then('b')), [
    [undefined, at(20)],
    [undefined, undefined],
  ])
  t.same(stamps(await then('c')), [[at(30), at(30)]])
  const rights = localAccess(ada)
  const past = recordParts({ store, types: plainTypes(), clock: new TestClock(), url: 'https://example.org' })
  const revisions = new Revisions(past)
  const { data } = await revisions.list(rights, 'posts', 'b')
  const answers = await Promise.all(data.map(({ ts }) => revisions.one(rights, 'posts', 'b', ts)))
  t.same(
    stamps(answers.map(({ document }) => document)),
    [
      [undefined, at(20)],
      [undefined, undefined],
    ],
    'in what is answered',
  )
  await store.close()
  git(root, ['fetch', '-q', '--unshallow'])
  const whole = await openAt(t, root)
  await whole.dated()
  t.same(await dates(whole, 'a'), [at(0), at(0)], 'and comes with the rest')
})

t.test('a folder of a larger repository', async (t) => {
  const site = repository(t, { 'content/posts/a.md': 'Not ours\n' })
  commit(site, 'other')
  save(site, 'sites/one/content/posts/a.md', 'One\n', 'ours', SECOND + 10)
  const store = await openAt(t, site.path('sites/one'))
  await store.dated()
  t.same(await dates(store, 'a'), [at(10), at(10)])
})
