import t from 'tap'
import { type Access, localAccess } from '#core/access/access.ts'
import { keyOf } from '#core/key.ts'
import type { Change, Store } from '#core/store.ts'
import { Histories } from '#features/records/histories.ts'
import { ChangeList } from '#features/revisions/changes/change-list.ts'
import { TestApp } from '#support/app.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const NOW = '2040-01-15T12:00:00.000Z'
const MINUTE = 60_000
const ada = { name: 'Ada', email: 'ada@example.org' }
const types = plainTypes({ posts: { taxonomies: ['tags'] }, notes: { taxonomies: [] } })
const put = (id: string, set: object, kind = 'posts'): Change => ({ key: keyOf(kind, id), put: { set: { ...set } } })
const number = (n: number) => String(n).padStart(2, '0')

/** Who may read all, and who may read what is public alone. */
async function readersOf(app: TestApp): Promise<Record<string, Access>> {
  const { token } = await app.features.tokens.create({ name: 'r', scopes: ['read'], types: [], expires: 'never' })
  const access = await app.features.tokens.verify(token)
  if (!access) throw new Error('The token is not known.')
  return { all: localAccess(ada), public: access }
}

/** Records of all sorts: public, drafts, withdrawn, removed, of one commit, and some that the clock began and ended since. */
async function fill({ store, clock }: OpenedStore): Promise<void> {
  const write = async (changes: readonly Change[]) => {
    clock.advance(MINUTE)
    await store.write(changes, ada)
  }
  const soon = (minutes: number) => new Date(clock.now() + minutes * MINUTE).toISOString()
  await write([
    put('timed', { title: 'T', status: 'published', published_at: soon(6) }),
    put('short', { title: 'S', status: 'published', published_at: soon(-5), expires_at: soon(4) }),
    put('late', { title: 'L', status: 'published', published_at: soon(40) }),
  ])
  await write(
    Array.from({ length: 9 }, (_, n) => put(`p${number(n)}`, { title: 'P', status: n % 2 === 0 ? 'published' : 'draft' })),
  )
  await write([put('news', { name: 'News' }, 'taxonomy/tags'), put('n', { title: 'N', status: 'published' }, 'notes')])
  for (const n of [0, 2]) await write([put(`p${number(n)}`, { status: 'draft' })])
  for (const n of [0, 2]) await write([put(`p${number(n)}`, { title: 'Hidden now' })])
  await write([{ key: keyOf('posts', 'p04'), remove: true }])
  await write([put('p06', { title: 'Newest' })])
  clock.advance(10 * MINUTE)
}

interface Most {
  readonly changes: number
  readonly revisions: number
  readonly events?: number
}

function listOf({ types, store, ...opened }: OpenedStore, most?: Most): ChangeList {
  const { clock, ledger } = opened
  return new ChangeList({
    ...{ store, types, clock, ledger, others: [], histories: new Histories({ store, clock }) },
    ...(most && { most }),
  })
}

/** All that a list tells by window, each walked page by page. */
async function windowsOf(list: ChangeList, access: Access, params: Record<string, string> = {}): Promise<string[][]> {
  const windows: string[][] = []
  for (let after: string | undefined, n = 0; n === 0 || after !== undefined; n++) {
    if (n > 100) throw new Error('The list has no end.')
    const told: string[] = []
    let next: string | undefined
    for (let page = 1, last = 1; page <= last; page++) {
      const asked = { ...params, page: String(page), per_page: '4', ...(after !== undefined && { after }) }
      const { data, meta } = await list.list(access, asked)
      told.push(...data.map(({ action, type, id, created_at }) => `${created_at} ${action} ${type}/${id}`))
      last = meta.last_page
      next = meta.next
    }
    windows.push(told)
    after = next
  }
  return windows
}

t.test('a long list of changes is told window by window: each once, and nothing else', (t) =>
  eachStore(t, { types, history: true, now: NOW }, async (t, opened) => {
    await fill(opened)
    const app = new TestApp(opened, { config: { features: { api: true, revisions: true, taxonomy: true } } })
    t.teardown(() => app.close())
    const since = new Date(opened.clock.now() - 13 * MINUTE).toISOString()
    for (const [name, access] of Object.entries(await readersOf(app))) {
      const whole = listOf(opened)
      for (const params of [{}, { since }, { type: 'posts' }, { author: 'Ada', type: 'tag' }] as Record<string, string>[]) {
        const [all = [], ...more] = await windowsOf(whole, access, params)
        t.same(more, [], 'a list that is short is one window')
        for (const changes of [1, 3, 7]) {
          for (const revisions of [1, 1000]) {
            const list = listOf(opened, { changes, revisions })
            const windows = await windowsOf(list, access, params)
            t.same(windows.flat().sort(), all.toSorted(), `${name}, ${JSON.stringify(params)}, ${changes} and ${revisions}`)
            const times = windows.map((one) => one.map((text) => text.slice(0, NOW.length)))
            t.same(
              times,
              times.map((one) => one.toSorted().reverse()),
              'each the newest first',
            )
            list.close()
          }
        }
      }
      whole.close()
    }
  }),
)

t.test('however much the clock did in one instant, each is told once', (t) =>
  eachStore(t, { types, history: true, now: NOW }, async (t, opened) => {
    const { store, clock } = opened
    const at = (minutes: number) => new Date(clock.now() + minutes * MINUTE).toISOString()
    const [soon, then, later] = [at(5), at(6), at(7)]
    const begins = (id: string, published_at: string, kind?: string) =>
      put(id, { title: 'B', status: 'published', published_at }, kind)
    await store.write(
      [
        ...Array.from({ length: 7 }, (_, n) => begins(`b${number(n)}`, then)),
        ...Array.from({ length: 4 }, (_, n) => begins(`n${number(n)}`, then, 'notes')),
        ...Array.from({ length: 5 }, (_, n) =>
          put(`e${number(n)}`, { title: 'E', status: 'published', published_at: at(-5), expires_at: then }),
        ),
        begins('first', soon),
        ...[1, 2, 3].map((n) => begins(`last${n}`, later)),
      ],
      ada,
    )
    clock.advance(6 * MINUTE)
    await store.write([put('b03', { title: 'Since' }), put('x', { title: 'X', status: 'published' })], ada)
    clock.advance(10 * MINUTE)
    await store.write([put('y', { title: 'Y', status: 'published' })], ada)
    const app = new TestApp(opened, { config: { features: { api: true, revisions: true } } })
    t.teardown(() => app.close())
    for (const [name, access] of Object.entries(await readersOf(app))) {
      const [all = []] = await windowsOf(listOf(opened), access)
      t.ok(all.length >= 20)
      for (const changes of [1, 2, 100]) {
        for (const revisions of [1, 3, 1000]) {
          for (const events of [2, 3, 100]) {
            const list = listOf(opened, { changes, revisions, events })
            const windows = await windowsOf(list, access)
            t.same(windows.flat().sort(), all.toSorted(), `${name}, ${changes}, ${revisions} and ${events}`)
            list.close()
          }
        }
      }
    }
  }),
)

t.test('what the clock did is looked at as far as an answer may read, and no further', (t) =>
  eachStore(t, { types, history: true, now: NOW }, async (t, opened) => {
    const { store, clock } = opened
    const published_at = new Date(clock.now() + MINUTE).toISOString()
    const begun = Array.from({ length: 30 }, (_, n) => put(`q${number(n)}`, { title: 'Q', status: 'published', published_at }))
    await store.write(begun, ada)
    clock.advance(2 * MINUTE)
    const latest = Array.from({ length: 3 }, (_, n) => put(`z${n}`, { title: 'Z', status: 'published' }))
    await store.write(latest, ada)
    const history = store.history.bind(store)
    let histories = 0
    Object.assign(store, {
      history: (...args: Parameters<Store['history']>) => {
        histories++
        return history(...args)
      },
    })
    const list = listOf(opened, { changes: 4, revisions: 6 })
    t.teardown(() => list.close())
    await list.list(localAccess(ada), {})
    t.ok(histories <= 8, `${histories} histories`)
    t.equal((await windowsOf(list, localAccess(ada))).flat().length, 33)
  }),
)

t.test('an answer looks at so many changes and no more', (t) =>
  eachStore(t, { types, history: true, now: NOW }, async (t, opened) => {
    const all = Array.from({ length: 60 }, (_, n) => put(`q${number(n)}`, { title: 'Q', status: 'draft' }))
    await opened.store.write(all, ada)
    const counts = { latest: 0, heads: 0, histories: 0 }
    const { store } = opened
    const [latest, heads, history] = [store.latest.bind(store), store.heads.bind(store), store.history.bind(store)]
    Object.assign(store, {
      latest: async (...args: Parameters<Store['latest']>) => {
        const found = await latest(...args)
        counts.latest += found?.length ?? 0
        return found
      },
      heads: async (...args: Parameters<Store['heads']>) => {
        const found = await heads(...args)
        counts.heads += found.items.length
        return found
      },
      history: (...args: Parameters<Store['history']>) => {
        counts.histories += 1
        return history(...args)
      },
    })
    const app = new TestApp(opened, { config: { features: { api: true, revisions: true } } })
    t.teardown(() => app.close())
    const { public: reader } = await readersOf(app)
    const list = listOf(opened, { changes: 20, revisions: 5 })
    t.teardown(() => list.close())
    const first = await list.list(reader as Access, {})
    t.match(first, { data: [], meta: { total: 0, next: String } }, 'drafts are not told of, and there is more to look at')
    t.ok(counts.latest <= 20 && counts.heads <= 20, JSON.stringify(counts))
    t.ok(counts.histories <= 6, `${counts.histories} histories`)
    t.notMatch(Buffer.from(first.meta.next ?? '', 'base64url').toString('latin1'), /^0+\d|2040/, 'where it is, is not said')
    const other = await app.ask('GET /api/changes?after=xyz')
    t.match(other, { status: 422, body: { errors: { after: [/meta\.next/] } } })
    for (const after of ['', 'A'.repeat(74), `${first.meta.next}A`]) t.rejects(list.list(reader as Access, { after }))
    const { body } = await app.ask(`GET /api/changes?after=${first.meta.next}`, { as: 'edit' })
    t.equal(body.meta.total, 55, 'any node goes on where one ended')
  }),
)
