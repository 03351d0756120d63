import fc from 'fast-check'
import t from 'tap'
import { ChangeDelivery } from '#core/feed/change-delivery.ts'
import { type Key, keyOf, keyText } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import { EVENT_TYPES, type SiteEvent } from '#features/events/event.ts'
import { EventLog } from '#features/events/event-log.ts'
import { Events } from '#features/events/events.ts'
import { Conflict, Stale, Unavailable } from '#lib/errors.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'

const ada = { name: 'Ada', email: 'user+u1@example.org' }
const key = (id: string, kind = 'posts') => keyOf(kind, id)
const put = (id: string, set: Record<string, string | null>, kind?: string): Change => ({ key: key(id, kind), put: { set } })

/** The maker of events of a store on one node. */
function node({ store, ledger, types, clock }: OpenedStore) {
  const log = new EventLog({ store, clock })
  const events = new Events({ store, ledger, types, clock, log })
  const delivery = new ChangeDelivery({
    ...{ name: 'events', store, ledger, clock, isShared: false },
    followParts: (changes, after, next) => events.take(changes, after, next),
  })
  return { log, events, delivery, run: () => delivery.run() }
}

/** All events that are kept. */
async function all(log: EventLog): Promise<SiteEvent[]> {
  const events: SiteEvent[] = []
  for (let n = -1; ; ) {
    const parts = await log.after(n)
    const last = parts.at(-1)
    if (!last) return events
    events.push(...parts.flatMap(({ events }) => events.map(({ event }) => event)))
    n = last.n
  }
}

const words = (events: readonly SiteEvent[]) => events.map(({ type, data }) => `${type} ${data.id}`)

t.test('each write makes the events that it is', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const { store } = opened
    const { log, run } = node(opened)
    let seen = 0
    const told = async () => {
      await run()
      const events = (await all(log)).slice(seen)
      seen += events.length
      return events
    }
    t.same(await told(), [])
    const [a] = await store.write([put('a', { title: 'A', status: 'draft' })], ada, { source: 'panel' })
    const [created] = await told()
    t.match(created, {
      type: 'record.created',
      data: { type: 'posts', id: 'a', version: a?.version, url: null, changed: null },
      actor: { kind: 'user', id: 'u1', name: 'Ada' },
      source: 'panel',
    })
    t.match(created?.id, /^evt_[\w-]{24}$/)
    t.notMatch(JSON.stringify(created), /example/, 'no address of anybody')
    await store.write([put('a', { title: 'B' })], ada)
    t.match(await told(), [{ type: 'record.updated', data: { changed: ['title'] } }])
    await store.write([put('a', { status: 'published' })], ada)
    t.match(await told(), [{ type: 'record.published', data: { url: '/posts/a' } }])
    await store.write([{ key: key('b'), from: key('a'), put: {} }], ada)
    t.same(words(await told()), ['record.moved b'])
    await store.write([put('b', { status: 'archived' })], ada)
    t.match(await told(), [{ type: 'record.unpublished', data: { id: 'b', url: null } }])
    await store.write([{ key: key('b'), remove: true }], ada)
    t.same(words(await told()), ['record.deleted b'])
    await store.write([put('b', { title: 'B', status: 'draft' })], ada, { action: 'restored' })
    await store.write([put('c', { title: 'C', status: 'published' })], ada)
    await store.write([put('d', { title: 'D', status: 'published', published_at: '2030-01-01T00:00:00.000Z' })], ada)
    await store.write([put('news', { name: 'News' }, 'taxonomy/tags'), put('site', { tagline: 'x' }, 'settings')], ada)
    await store.write([put('t1', { name: 'T' }, '.tokens')], ada)
    const events = await told()
    t.same(words(events).slice(0, 5), [
      ...['record.restored b', 'record.created c', 'record.published c', 'record.created d', 'record.scheduled d'],
    ])
    t.equal(events[1]?.data.version, events[2]?.data.version, 'created and published are of one version')
    t.same(words(events).slice(5).sort(), ['settings.created site', 'term.created news'], 'and nothing of what is private')
    t.ok(events.every(({ type }) => EVENT_TYPES.includes(type)))
  }),
)

t.test('the clock’s events are made once, also after a downtime and on two nodes', (t) =>
  eachStore(t, { now: '2026-01-15T12:00:00.000Z' }, async (t, opened) => {
    const { store, clock } = opened
    const [one, other] = [node(opened), node(opened)]
    await one.run()
    const times = { published_at: '2026-01-15T12:10:00.000Z', expires_at: '2026-01-15T13:00:00.000Z' }
    await store.write(
      [put('a', { title: 'A', status: 'published', ...times }), put('b', { title: 'B', status: 'draft', ...times })],
      ada,
    )
    await one.run()
    await Promise.all([one.events.tick(), other.events.tick()])
    t.same(words(await all(one.log)).sort(), ['record.created a', 'record.created b', 'record.scheduled a'])
    clock.set('2026-01-18T12:10:01.000Z')
    await Promise.all([one.events.tick(), other.events.tick()])
    await one.events.tick()
    const events = (await all(one.log)).filter(({ source }) => source === 'clock')
    t.same(words(events), ['record.published a', 'record.expired a'])
    t.match(events[0], { created_at: times.published_at, actor: null, data: { type: 'posts', url: '/posts/a' } })
    t.equal(events[1]?.data.url, null)
  }),
)

t.test('what went live just before a write is told before it, and what a write made live is not told by the clock', (t) =>
  eachStore(t, { now: '2026-01-15T12:00:00.000Z' }, async (t, opened) => {
    const { store, clock } = opened
    const { log, events, run } = node(opened)
    await run()
    const at = '2026-01-15T12:10:00.000Z'
    await events.tick()
    await store.write([put('a', { title: 'A', status: 'published', published_at: at })], ada)
    await run()
    clock.set('2026-01-15T12:10:20.000Z')
    await store.write([put('a', { title: 'Edited' })], ada)
    await store.write([put('a', { status: 'draft' })], ada)
    await store.write([put('b', { title: 'B', status: 'published', published_at: '2026-01-15T12:10:19.000Z' })], ada)
    await run()
    clock.set('2026-01-15T12:12:00.000Z')
    await events.tick()
    t.same(words(await all(log)), [
      ...['record.created a', 'record.scheduled a', 'record.published a', 'record.updated a', 'record.unpublished a'],
      ...['record.created b', 'record.published b'],
    ])
  }),
)

t.test('where no server runs, what was written is told first, and what is due after it, once', (t) =>
  eachStore(t, { now: '2026-01-15T12:00:00.000Z' }, async (t, opened) => {
    const { store, clock } = opened
    const [one, other] = [node(opened), node(opened)]
    t.same(await one.events.due(one.run), [], 'begins with what comes from then on')
    const at = '2026-01-15T12:10:00.000Z'
    await store.write([put('a', { title: 'A', status: 'published', published_at: at })], ada)
    await one.events.due(one.run)
    clock.set('2026-01-18T12:00:00.000Z')
    await store.write([put('b', { title: 'B', status: 'draft' })], ada)
    clock.set('2026-01-18T12:01:00.000Z')
    const made = await Promise.all([one.events.due(one.run), other.events.due(other.run)])
    t.match(made.flat(), [{ type: 'record.published', created_at: at, data: { type: 'posts', id: 'a', url: '/posts/a' } }])
    t.same(await one.events.due(one.run), [])
    t.same(words(await all(one.log)), ['record.created a', 'record.scheduled a', 'record.created b', 'record.published a'])
    const isElsewhere = async () => {
      throw new Unavailable('Another node delivers these changes.')
    }
    t.same(await one.events.due(isElsewhere), [])
  }),
)

t.test('what the clock did to a record whose change is not taken yet is told with that', (t) =>
  eachStore(t, { now: '2026-01-15T12:00:00.000Z' }, async (t, opened) => {
    const { store, clock } = opened
    const { log, events, run } = node(opened)
    await run()
    await events.tick()
    const times = { published_at: '2026-01-15T12:00:30.000Z', expires_at: '2026-01-15T12:00:40.000Z' }
    await store.write([put('a', { title: 'A', status: 'published', published_at: '2026-01-15T12:00:30.000Z' })], ada)
    await run()
    clock.set('2026-01-15T12:01:00.000Z')
    await store.write([put('a', { status: 'draft' }), put('b', { title: 'Never public', status: 'published', ...times })], ada)
    clock.set('2026-01-15T12:01:01.000Z')
    t.same(await events.tick(), [])
    await run()
    clock.set('2026-01-15T12:02:00.000Z')
    await events.tick()
    t.same(
      words(await all(log)).filter((word) => word.endsWith('a')),
      [...['record.created a', 'record.scheduled a', 'record.published a', 'record.unpublished a']],
    )
    t.same(
      words(await all(log)).filter((word) => word.endsWith('b')),
      ['record.created b'],
      'and never that it ended',
    )
  }),
)

t.test('a change is told once by who is late with it while others go on', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const { store } = opened
    const [one, late] = [node(opened), node(opened)]
    await one.run()
    const begin = await store.changes(undefined, 0)
    const write = (id: string) => store.write([put(id, { title: id, status: 'draft' })], ada)
    await write('a')
    const first = await store.changes(begin.next, 1)
    await one.run()
    await write('b')
    await one.run()
    await late.events.take(first.changes, begin.next, first.next)
    t.same(words(await all(one.log)), ['record.created a', 'record.created b'])
    await write('c')
    const rest = await store.changes(begin.next, 100)
    await late.events.take(rest.changes, begin.next, rest.next)
    t.same(words(await all(one.log)).slice(2), ['record.created c'], 'only what the other had not told')
    await one.run()
    t.equal((await all(one.log)).length, 3, 'which does not tell it again')
  }),
)

t.test('of two deliveries at work at once each change has one event', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const [one, other] = [node(opened), node(opened)]
    await one.run()
    const named = Array.from({ length: 30 }, (_, nth) => `p${nth}`)
    const isOthers = (error: unknown) => error instanceof Stale || error instanceof Conflict
    const run = ({ run }: typeof one) =>
      run().catch((error: unknown) => {
        if (!isOthers(error)) throw error
      })
    for (const id of named) {
      const written = opened.store.write([put(id, { title: id, status: 'draft' })], ada)
      await Promise.all([run(one), run(other), written.then(() => run(one)), written.then(() => run(other))])
    }
    await one.run()
    t.same(
      words(await all(one.log)),
      named.map((id) => `record.created ${id}`),
    )
  }),
)

t.test('events go after 30 days', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const { log, run } = node(opened)
    await run()
    await opened.store.write([put('a', { title: 'A', status: 'draft' })], ada)
    await run()
    opened.clock.advance(29 * 86_400_000)
    await log.sweep()
    t.same(words(await all(log)), ['record.created a'])
    opened.clock.advance(2 * 86_400_000)
    await log.sweep()
    t.same(await all(log), [])
  }),
)

/** One thing that happens; `crash` loses the cursor of what was delivered, as a process does that is killed before it is kept. */
const STEPS = fc.array(
  fc.record({
    do: fc.constantFrom('write', 'write', 'write', 'remove', 'move', 'deliver', 'crash', 'restart'),
    id: fc.constantFrom('a', 'b', 'c'),
    status: fc.constantFrom('draft', 'published', 'archived'),
  }),
  { minLength: 3, maxLength: 20 },
)

t.test('whatever is written and whoever is killed, the events are the history, per record in order', (t) =>
  eachStore(t, { history: true }, async (t, opened) => {
    const { store, ledger } = opened
    let [maker, nth] = [node(opened), 0]
    await maker.run()
    let seen = (await all(maker.log)).length
    await fc.assert(
      fc.asyncProperty(STEPS, async (steps) => {
        const wanted = new Map<string, string[]>()
        const expect = (of: Key, version: string | undefined) =>
          wanted.set(keyText(of), [...(wanted.get(keyText(of)) ?? []), version ?? 'gone'])
        const round = ++nth
        const name = (id: string) => `${id}${round}`
        for (const { do: action, id, status } of steps) {
          const of = key(name(id))
          const head = await store.head(of)
          if (action === 'write') {
            const [made] = await store.write([put(name(id), { title: `${nth++}`, status })], ada)
            expect(of, made?.version)
          } else if (action === 'remove' && head) {
            await store.write([{ key: of, remove: true }], ada)
            expect(of, undefined)
          } else if (action === 'move' && head && !(await store.head(key(name(`m${id}`))))) {
            const [made] = await store.write([{ key: key(name(`m${id}`)), from: of, put: {} }], ada)
            expect(key(name(`m${id}`)), made?.version)
          } else if (action === 'deliver') await maker.run()
          else if (action === 'crash') {
            const cursor = await ledger.peek('follow/events/cursor')
            await maker.run()
            await ledger.put('follow/events/cursor', cursor ?? '', 86_400_000)
            maker = node(opened)
          } else if (action === 'restart') maker = node(opened)
        }
        await maker.run()
        const events = (await all(maker.log)).slice(seen)
        seen += events.length
        const found = new Map<string, string[]>()
        for (const { type, data } of events) {
          const of = `${data.type}/${data.id}`
          const version = type === 'record.deleted' ? 'gone' : (data.version ?? '')
          // Created and published are of one version.
          if (found.get(of)?.at(-1) !== version) found.set(of, [...(found.get(of) ?? []), version])
        }
        t.equal(new Set(events.map(({ id }) => id)).size, events.length)
        t.strictSame(Object.fromEntries([...found].sort()), Object.fromEntries([...wanted].sort()))
      }),
      { numRuns: 8 },
    )
  }),
)

t.test('the address of a draft is in no event of what was public before', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const { log, run } = node(opened)
    await run()
    await opened.store.write([put('a', { title: 'A', status: 'published' })], ada)
    await opened.store.write([put('a', { slug: 'covert', status: 'draft' })], ada)
    await run()
    t.same(words(await all(log)), ['record.created a', 'record.published a', 'record.unpublished a'])
    t.notMatch(JSON.stringify((await all(log)).map(({ data }) => data.url)), 'covert')
  }),
)
