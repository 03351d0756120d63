import t, { type Test } from 'tap'
import type { AuditEntry } from '#core/audit-log.ts'
import { ChangeDelivery } from '#core/feed/change-delivery.ts'
import { keyOf } from '#core/key.ts'
import type { Changed, Cursor, Store } from '#core/store.ts'
import { contentEntries } from '#features/audit/content-entries.ts'
import { lostEntries } from '#features/audit/lost-entries.ts'
import { TestApp } from '#support/app.ts'
import { eachStore, everyStore, type OpenedStore, openNode, openPostgres } from '#support/stores.ts'
import { hasCome } from './fixtures/entries.ts'

const BY = { name: 'Ada', email: 'ada@example.org' }
const FEATURES = { api: true, auth: true, audit: true }

/** A follower that keeps entries as the feature does, and may be killed between the log and its cursor. */
function follower({ store, ledger, clock, types, audit }: OpenedStore, killed: (part: number) => boolean = () => false) {
  let part = 0
  const followParts = async (changes: readonly Changed[], after: Cursor) => {
    await audit.append(await contentEntries(changes, after, { store, types, clock, originOf: () => undefined }))
    if (killed(part++)) throw new Error('killed')
  }
  return new ChangeDelivery({ name: 'audit', store, ledger, clock, isShared: false, followParts })
}

const put = (store: Store, id: string, title: string) =>
  store.write([{ key: keyOf('posts', id), put: { set: { title } } }], BY, { source: 'api', request: `r-${id}-${title}` })

/** What the site began with is as old as the log. */
const isNew = ({ target }: Pick<AuditEntry, 'target'>) => target?.id !== 'first'

const words = async ({ audit }: OpenedStore) =>
  (await audit.page({}, {})).items
    .filter(isNew)
    .map(({ action, target, request_id }) => `${action} ${target?.id} ${request_id}`)
    .sort()

t.test('what is told again after a crash is there once, with what came since', (t) =>
  everyStore(t, { files: { 'content/posts/first.md': '# First\n' } }, async (t, opened) => {
    const { store } = opened
    const first = follower(opened)
    await first.begin()
    await first.run()
    await first.close()
    await put(store, 'a', 'one')
    await put(store, 'a', 'two')
    const dying = follower(opened, () => true)
    await t.rejects(dying.run(), /killed/)
    await dying.close()
    const before = await words(opened)
    t.equal(before.length, 3, before.join())
    // The same states again, so that they are told apart by more than these.
    await put(store, 'a', 'one')
    await put(store, 'a', 'two')
    const again = follower(opened, (part) => part === 0)
    await t.rejects(again.run(), /killed/)
    await again.close()
    const last = follower(opened)
    await last.run()
    await last.close()
    t.strictSame(
      await words(opened),
      [
        'record.created a r-a-one',
        'record.published a r-a-one',
        ...['record.updated a r-a-two', 'record.updated a r-a-one', 'record.updated a r-a-two'],
      ].sort(),
    )
  }),
)

t.test('where the feed was lost, the history says what was done', (t) =>
  eachStore(t, { history: true, files: { 'content/posts/first.md': '# First\n' } }, async (t, opened) => {
    const { store, types, audit, clock } = opened
    const live = follower(opened)
    await live.begin()
    await live.run()
    await put(store, 'a', 'one')
    await put(store, 'told', 'one')
    await live.run()
    await live.close()
    const before = (await words(opened)).length
    clock.advance(120_000)
    await put(store, 'a', 'two')
    await put(store, 'b', 'new')
    await store.write([{ key: keyOf('posts', 'told'), remove: true }], BY)
    const lost = await lostEntries({ store, types, log: audit })
    t.same(
      lost
        .filter(isNew)
        .map(({ action, target, actor }) => [action, target?.id, actor.name])
        .sort(),
      [
        ['record.created', 'b', 'Ada'],
        ['record.deleted', 'told', 'Ada'],
        ['record.updated', 'a', 'Ada'],
      ],
    )
    await audit.append(lost)
    await audit.append(await lostEntries({ store, types, log: audit }))
    t.equal((await words(opened)).length, before + 3, 'and it is told once')
  }),
)

t.test('of two nodes each tells where its requests came from, and nothing is told twice', async (t) => {
  const opened = await openPostgres({ files: { 'content/posts/first.md': '# First\n' }, watch: true })
  t.teardown(opened.close)
  const nodes = [await onNode(t, opened), await onNode(t, await openNode(t, opened, true))]
  const [one, two] = nodes as [TestApp, TestApp]
  const headers = { authorization: `Bearer ${await one.token()}` }
  for (let n = 0; n < 20; n++) {
    const app = n % 2 ? one : two
    const body = { title: `Post ${n}`, status: 'draft' }
    t.equal((await app.bare('POST /api/cms/posts', { headers, body, from: `192.0.2.${n}` })).status, 201)
  }
  const ask = async () => (await one.ask('GET /api/audit?per_page=100&action=record.created')).body.data
  const isWhole = async () => {
    const found: { ip: string | null }[] = await ask()
    return found.filter(({ ip }) => ip !== null)
  }
  const found = await hasCome(isWhole, 20)
  t.equal(found.length, 20)
  t.equal((await ask()).length, 20)
  t.equal(new Set(found.map(({ ip }) => ip)).size, 20)
})

async function onNode(t: Test, opened: OpenedStore): Promise<TestApp> {
  const app = new TestApp(opened, { config: { features: FEATURES }, deps: { isShared: true } })
  t.teardown(() => app.close())
  await app.lives.begin()
  return app
}

t.test('who is late with a part of the feed tells nothing anew', (t) =>
  everyStore(t, {}, async (t, opened) => {
    const { store, types, clock, audit } = opened
    const { next: begin } = await store.changes(undefined, 9)
    for (const title of ['A', 'B', 'A']) {
      await put(store, 'a', title)
      clock.advance(1)
    }
    const [whole, first] = [await store.changes(begin, 9), await store.changes(begin, 1)]
    const rest = await store.changes(first.next, 9)
    const deps = { store, types, clock, originOf: () => undefined }
    const entries = await contentEntries(whole.changes, begin, deps)
    t.equal(new Set(entries.map(({ id }) => id)).size, 4, 'made, published, and changed twice')
    await audit.append(entries)
    await audit.append(await contentEntries(rest.changes, first.next, deps))
    t.equal((await audit.page({}, {})).total, 4)
  }),
)

t.test('an edit from outside is nobody’s who is known, whatever its words', async (t) => {
  const change: Changed = {
    ...{ key: keyOf('posts', 'a'), removed: false, action: 'external', version: 'a'.repeat(40), at: 1_000 },
    ...{ by: { name: 'Root\u0000', email: 'user+root@example.org' }, is: { version: 'a'.repeat(40) } },
  }
  await eachStore(t, {}, async (t, { store, types, clock }) => {
    const [entry] = await contentEntries([change], '', { store, types, clock, originOf: () => undefined })
    t.match(entry, { actor: { kind: 'local', id: null }, action: 'record.created' })
  })
})
