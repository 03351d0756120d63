import t from 'tap'
import { formOf } from '#core/files/layout.ts'
import { EditThread } from '#core/format/edit-thread.ts'
import { readDocument } from '#core/format/read.ts'
import { type Key, keyOf, keyText } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import { Conflict, NotFound, Stale } from '#lib/errors.ts'
import { arePrivate } from '#stores/engine/batch.ts'
import type { BatchContext, Draft } from '#stores/engine/drafts.ts'
import { FeedReader } from '#stores/engine/feed-reader.ts'
import { GroupCommit, refused } from '#stores/engine/group-commit.ts'
import { newFile } from '#stores/engine/new-file.ts'
import { Plan } from '#stores/engine/plan.ts'
import { plainTypes } from '#support/types.ts'

const types = plainTypes()
const key = (id: string, kind = 'posts') => keyOf(kind, id)
const put = (id: string, title: string, more: Partial<Change> = {}): Change =>
  ({ key: key(id), put: { set: { title } }, ...more }) as Change
const conflict = { status: 409, message: /./ }

/** A store of some documents, by the texts of their keys, each in the file of this name. */
function planOver(t: { teardown(work: () => Promise<void>): unknown }, files: Readonly<Record<string, string>>): Plan {
  const documents = new Map<string, Draft>()
  for (const [file, text] of Object.entries(files)) {
    const at = key(file.replace(/^posts\/|(?:\/index)?\.md$/g, ''))
    const bytes = Buffer.from(text)
    const head = readDocument(at, types.shape('posts'), bytes, formOf('posts', file), file)
    documents.set(keyText(at), { key: at, file, bytes, head })
  }
  const all = [...documents.values()]
  const isTwin = (one: Key, other: Key) => one.id !== other.id && one.id.toLowerCase() === other.id.toLowerCase()
  const context: BatchContext = {
    document: (key) => documents.get(keyText(key)),
    twins: (key) => all.filter((one) => isTwin(one.key, key)).map((one) => keyText(one.key)),
    holders: (_, { field, value }) => all.filter(({ head }) => head.fields[field] === value).map(({ key }) => key.id),
    fileFor: newFile,
    placed: async (_kind, _file, bytes) => bytes,
    beside: () => undefined,
    given: async () => undefined,
    along: async () => [],
    others: async () => [],
    back: async () => [],
    shape: (kind) => types.shape(kind),
    path: (_, file) => file,
  }
  const editing = new EditThread()
  t.teardown(() => editing.close())
  return new Plan(context, editing)
}

const POSTS = { 'posts/a/index.md': '---\ntitle: A\n---\n', 'posts/b.md': '---\ntitle: B\n---\n' }

t.test('a plan has batches on top of one another, and tells what each did and what all come to', async (t) => {
  const plan = planOver(t, POSTS)
  const [first] = await plan.add([put('a', 'One')])
  const [second] = await plan.add([put('a', 'Two', { expects: first?.after?.head.version ?? '' })])
  t.match([first?.before?.head.fields.title, first?.after?.head.fields.title], ['A', 'One'])
  t.equal(second?.before, first?.after)
  t.equal(plan.current(key('a')), second?.after)
  t.match(plan.total(), [{ before: first?.before, after: second?.after }])
  t.strictSame(await plan.add([put('a', 'Two')]), [], 'what changes no byte has no effect')
  await plan.add([put('new', 'New')])
  await plan.add([{ key: key('new'), remove: true }])
  t.equal(plan.total().length, 1, 'nor has what came and went')
})

t.test('a batch that fails leaves nothing behind', async (t) => {
  const plan = planOver(t, POSTS)
  await t.rejects(plan.add([put('a', 'One'), put('new', 'New'), put('b', 'Two', { expects: 'other' })]), new Stale())
  t.strictSame(plan.total(), [])
  t.equal(plan.current(key('new')), undefined)
  t.equal((await plan.add([put('NEW', 'New')])).length, 1, 'an id of it is in nobody’s way')
})

t.test('a document that is moved keeps the form of its file, and its place is free', async (t) => {
  const plan = planOver(t, POSTS)
  const outcomes = await plan.add([put('c', 'A', { from: key('a') }), put('a', 'Anew')])
  t.match(
    outcomes.map(({ key, from, before, after }) => [key.id, from?.id, before?.file, after?.file]),
    [
      ['c', 'a', undefined, 'posts/c/index.md'],
      ['a', undefined, 'posts/a/index.md', 'posts/a.md'],
    ],
  )
  await t.rejects(plan.add([put('c', 'x', { from: key('b') })]), new Conflict('"c" is taken.'))
  await t.rejects(plan.add([put('d', 'x', { from: key('nowhere') })]), new NotFound())
})

t.test('ids and claims are compared with the store and with what batches made of it', async (t) => {
  const plan = planOver(t, POSTS)
  const unique = [{ field: 'title', value: 'B' }]
  await t.rejects(plan.add([put('B', 'x')]), conflict, 'the store has b')
  await plan.add([put('x', 'X')])
  await t.rejects(plan.add([put('X', 'x')]), conflict, 'a batch made x')
  await t.rejects(plan.add([put('y', 'B', { unique })]), conflict, 'b has it')
  await plan.add([put('b', 'Other', { unique })])
  await plan.add([put('y', 'B', { unique })])
  await t.rejects(plan.add([put('z', 'B', { unique })]), conflict, 'now y has it')
  await plan.add([{ key: key('b'), remove: true }, put('B', 'x')])
})

t.test('a former file is used where it is still one for the key', (t) => {
  t.equal(newFile(key('a'), 'posts/a/index.md', undefined), 'posts/a/index.md')
  t.equal(newFile(key('a'), 'posts/b.md', undefined), 'posts/a.md')
  t.equal(newFile(key('settings', 'pages'), 'settings.yaml', undefined), 'pages/settings.md', 'settings are no record')
  t.equal(newFile(key('t', '.tokens'), 'posts/t.md', undefined), 'tokens/t.yaml')
  t.equal(arePrivate([{ key: key('t', '.tokens'), remove: true }]), true)
  t.throws(() => arePrivate([put('a', 'A'), { key: key('t', '.tokens'), remove: true }]))
  t.end()
})

/** A queue whose groups are committed when they are told to, and the groups it has committed. */
function queueOf(most?: number) {
  const groups: (readonly number[])[] = []
  let begun: (() => void) | undefined
  const go: (() => void)[] = []
  const queue = new GroupCommit<number, string>({
    ...(most !== undefined && { most }),
    isOfOne: (error) => !(error instanceof NotFound),
    commit: async (group) => {
      groups.push(group)
      begun?.()
      await new Promise<void>((done) => go.push(done))
      if (group.includes(0)) throw new Conflict('None of it.')
      if (group.includes(-1)) throw new NotFound('Nothing is there.')
      return group.map((n) => (n < -1 ? refused(new Stale()) : () => `${n}`))
    },
  })
  const next = async () => {
    if (go.length === 0) {
      await new Promise<void>((done) => {
        begun = done
      })
    }
    go.shift()?.()
  }
  return { queue, groups, next }
}

t.test('what comes together, and what comes meanwhile, is committed together', async (t) => {
  const { queue, groups, next } = queueOf(3)
  const first = [queue.add(1), queue.add(2)]
  const begun = next()
  await begun
  const others = [3, 4, 5, 6].map((n) => queue.add(n))
  t.strictSame(await Promise.all(first), ['1', '2'])
  await next()
  await next()
  t.strictSame(await Promise.all(others), ['3', '4', '5', '6'])
  t.strictSame(groups, [[1, 2], [3, 4, 5], [6]])
  await queue.idle()
})

t.test('of a group that fails each is tried alone, where the failure may be that of one', async (t) => {
  const { queue, groups, next } = queueOf()
  const answers = Promise.allSettled([queue.add(1), queue.add(0), queue.add(-2)])
  for (const _ of ['all', 1, 0, -2]) await next()
  t.match(await answers, [{ value: '1' }, { reason: { status: 409 } }, { reason: { message: new Stale().message } }])
  t.strictSame(groups, [[1, 0, -2], [1], [0], [-2]])
  const failed = Promise.allSettled([queue.add(2), queue.add(-1)])
  await next()
  t.match(await failed, [{ reason: { status: 404 } }, { reason: { status: 404 } }])
  t.equal(groups.length, 5)
})

t.test('a cursor whose changes were dropped is answered with a reset, also where that was just now', async (t) => {
  const change = { key: key('a'), removed: true, action: 'deleted' } as const
  let first = 1
  const reader = new FeedReader({
    now: async () => ({ name: 'log', last: { sequence: 3 } }),
    lastOf: (name) => (name === 'log' ? 3 : undefined),
    after: async ({ sequence }) => [1, 2, 3].filter((n) => n > sequence && n >= first).map((n) => ({ sequence: n, change })),
  })
  t.match(await reader.changes('log.1', 9), { changes: [change, change], next: 'log.3', reset: false })
  first = 3
  t.strictSame(await reader.changes('log.1', 9), { changes: [], next: 'log.3', sequence: 3, reset: true })
  t.match(await reader.changes('log.2', 9), { changes: [change], next: 'log.3', reset: false })
  first = 4
  t.strictSame(await reader.changes('log.2', 9), { changes: [], next: 'log.3', sequence: 3, reset: true })
})
