import { get, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import type { MadeEvent } from '#features/events/event.ts'
import { TestApp } from '#support/app.ts'
import { eachStore, type OpenedStore, openNode, openPostgres } from '#support/stores.ts'

const ada = { name: 'Ada', email: 'ada@example.org' }
const put = (id: string, set: Record<string, string>, kind = 'posts'): Change => ({ key: keyOf(kind, id), put: { set } })

/** A server with events, which ends with the test. */
async function served(t: Test, opened: OpenedStore, isShared = false) {
  const api = { cors: { origins: ['https://app.example'] } }
  const app = new TestApp(opened, { config: { features: { events: true, api: true, auth: true }, api }, deps: { isShared } })
  await app.app.listen({ port: 0, host: '127.0.0.1' })
  await app.lives.begin()
  t.teardown(() => app.close())
  const { port } = app.app.server.address() as AddressInfo
  return { app, port }
}

/** A client of the stream: `until` waits for a text and gives all that came. */
async function client(
  port: number,
  token: string,
  { path = '', last, isRead = true }: { path?: string; last?: string; isRead?: boolean } = {},
) {
  const origin = 'https://app.example'
  const headers = { origin, authorization: `Bearer ${token}`, ...(last !== undefined && { 'last-event-id': last }) }
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    get({ port, host: '127.0.0.1', path: `/api/events${path}`, headers }, resolve).on('error', reject),
  )
  let text = ''
  let look = () => {}
  const over = new Promise<void>((resolve) => answer.on('close', resolve))
  const read = (bytes: Buffer) => {
    text += bytes
    look()
  }
  if (isRead) answer.on('data', read)
  const until = (words: string) =>
    new Promise<string>((resolve) => {
      look = () => text.includes(words) && resolve(text)
      look()
    })
  return { answer, until, over, end: () => answer.destroy() }
}

const typesIn = (text: string) => [...text.matchAll(/^event: (.*)$/gm)].map(([, type]) => type)
const dataIn = (text: string) => [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(String(data)))

t.test('a stream sends events as they come, and goes on after the last one', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const { app, port } = await served(t, opened)
    const token = await app.token()
    await opened.store.write([put('before', { title: 'Before', status: 'draft' })], ada)
    const first = await client(port, token)
    t.match(first.answer, { statusCode: 200, headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' } })
    await first.until('retry: ')
    t.equal(first.answer.headers['access-control-allow-origin'], 'https://app.example', 'pages of that origin may read it')
    await opened.store.write([put('a', { title: 'A', status: 'published' })], ada)
    const text = await first.until('record.published')
    first.end()
    const [created] = dataIn(text).filter(({ data }) => data.id === 'a')
    t.match(created, { type: 'record.created', data: { type: 'posts', id: 'a', url: '/posts/a' }, actor: { name: 'Ada' } })
    t.match(text, `id: ${created.id}\n`)
    await opened.store.write([put('tag', { name: 'Tag' }, 'taxonomy/tags'), put('a', { title: 'B' })], ada)
    const again = await client(port, token, { last: created.id, path: '?types=record.*' })
    const rest = await again.until('record.updated')
    t.same(typesIn(rest), ['record.published', 'record.updated'], 'nothing twice, nothing left out, of those asked for')
    again.end()
    const lost = await client(port, token, { last: 'evt_none' })
    t.same(typesIn(await lost.until('reset')), ['reset'])
    lost.end()
    const bad = await app.ask('GET /api/events?types=record.nothing')
    t.match([bad.status, bad.body.errors.types[0]], [422, /record\.published/])
    t.equal((await app.bare('GET /api/events')).status, 401)
  }),
)

t.test('who may not read drafts is told of what is public alone, and of its end with type and id', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const { app, port } = await served(t, opened)
    const reader = await client(port, await app.token('content:read'))
    const other = await client(port, await app.token('content:read', ['pages']))
    await Promise.all([reader.until('retry: '), other.until('retry: ')])
    // Each is taken in before the next: what is not public any more is told as its end alone.
    const step = async (changes: Change[], wait?: string) => {
      await opened.store.write(changes, ada)
      if (wait) await reader.until(wait)
    }
    await step([put('secret', { title: 'Secret', status: 'draft' })])
    await step([put('later', { title: 'Later', status: 'published', published_at: '2031-01-01T00:00:00.000Z' })])
    await step([put('a', { title: 'Public', status: 'published' })], 'record.published')
    await step([put('a', { title: 'Words', status: 'draft' })], 'record.unpublished')
    await step([{ key: keyOf('posts', 'secret'), remove: true }])
    await step([put('site', { tagline: 'x' }, 'settings')])
    await step([put('b', { title: 'Public', status: 'published' })], '"b"')
    await step([{ key: keyOf('posts', 'b'), remove: true }], 'record.deleted')
    await step([put('about', { title: 'About', status: 'published' }, 'pages')])
    await step([put('was', { title: 'Was', status: 'published' })], '"was"')
    await step([{ key: keyOf('posts', 'hush'), from: keyOf('posts', 'was'), put: { set: { status: 'draft' } } }])
    await step([put('hush', { status: 'published', covert: 'x' })], '"hush"')
    const text = await reader.until('"hush"')
    const ends = dataIn(text).filter(({ type }) => type === 'record.unpublished')
    t.same(
      ends.map(({ data }) => data.id),
      ['a', 'was'],
      'under the id by which it was known, once',
    )
    t.same(
      dataIn(text)
        .filter(({ data }) => data.id === 'hush')
        .map(({ type, data }) => [type, data.changed]),
      [['record.published', null]],
    )
    t.notMatch(text, /secret|later|settings|Words/)
    const end = dataIn(text).find(({ type }) => type === 'record.unpublished')
    t.match(end, { data: { type: 'posts', id: 'a', version: null, url: null, changed: null }, actor: null })
    t.same(typesIn(text).slice(0, 3), ['record.created', 'record.published', 'record.unpublished'])
    t.notMatch(await other.until('"about"'), /posts/, 'a token for types is told of no others')
    reader.end()
    other.end()
  }),
)

t.test('what is private is streamed to those who may read it, soon after it was written', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const { app, port } = await served(t, opened)
    const [all, reads, edits] = await Promise.all(
      ['admin', 'users:read', 'edit'].map(async (scopes) => client(port, await app.token(scopes))),
    )
    await Promise.all([all, reads, edits].map((one) => one?.until('retry: ')))
    const { id } = await app.features.users.create({ email: 'eve@example.org', role: 'editor' }, ada)
    const text = await all?.until('user.created')
    t.match(dataIn(text ?? ''), [{ type: 'user.created', data: { type: 'user', id }, source: 'cli' }])
    await reads?.until('user.created')
    await opened.store.write([put('a', { title: 'A', status: 'draft' })], ada)
    t.same(typesIn((await edits?.until('record.created')) ?? ''), ['record.created'])
    for (const one of [all, reads, edits]) one?.end()
  }),
)

t.test('whoever follows hears that changes were lost', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const { app, port } = await served(t, opened)
    const token = await app.token()
    const first = await client(port, token)
    await first.until('retry: ')
    await opened.store.write([put('a', { title: 'A', status: 'draft' })], ada)
    const [created] = dataIn(await first.until('record.created'))
    await app.features.events.events.lost()
    await first.until('event: reset')
    first.end()
    await opened.store.write([put('b', { title: 'B', status: 'draft' })], ada)
    const again = await client(port, token, { last: created.id })
    t.same(typesIn(await again.until('"b"')), ['reset', 'record.created'])
    again.end()
    const later = await client(port, token, { last: dataIn(await again.until('"b"')).at(-1).id })
    await opened.store.write([put('c', { title: 'C', status: 'draft' })], ada)
    t.same(typesIn(await later.until('"c"')), ['record.created'], 'once')
    later.end()
  }),
)

t.test('a stream ends with its token, a token has ten, and a server that ends ends them', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const { app, port } = await served(t, opened)
    const { token, view } = await app.features.tokens.create({ name: 'x', scopes: ['admin'], expires: 'never' })
    const ten = await Promise.all(Array.from({ length: 10 }, () => client(port, token)))
    await Promise.all(ten.map(({ until }) => until('retry: ')))
    const more = await client(port, token)
    t.match(more.answer, { statusCode: 429, headers: { 'retry-after': /^\d+$/ } })
    const mine = await client(port, await app.token())
    await mine.until('retry: ')
    await app.features.tokens.revoke(view.id)
    await opened.store.write([put('a', { title: 'A', status: 'draft' })], ada)
    await Promise.all(ten.map(({ over }) => over))
    await mine.until('record.created')
    const closed = app.app.close()
    await mine.over
    await closed
    t.pass('all have ended')
  }),
)

t.test('streams that wait for one before them on their connection end with it', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const { app, port } = await served(t, opened)
    const token = await app.token()
    const all = connect(port, '127.0.0.1')
    const one = `GET /api/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
    all.write(one.repeat(10))
    const taken = async (count: number) => {
      for (let names = -1; names !== count; ) {
        await setImmediate()
        names = 0
        for await (const { name } of opened.ledger.facts()) if (name.startsWith('events/stream/')) names++
      }
    }
    await taken(10)
    all.destroy()
    await taken(0)
    t.pass('their places are free')
  }),
)

/** Many events of a record that fill some pages each. */
const LARGE = Array.from({ length: 120 }, (_, nth): MadeEvent => {
  const data = {
    type: 'posts',
    id: `p${nth}`,
    version: 'v',
    url: null,
    changed: Array.from({ length: 100 }, () => 'x'.repeat(200)),
  }
  return {
    ...{ name: `${nth}`, kind: 'posts', live: { before: false, after: false } },
    event: { type: 'record.updated', created_at: '2026-01-15T12:00:00.000Z', data, actor: null, source: 'api' },
  }
})

t.test('a client that missed much, and reads slowly, gets all of it in its order', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const { app, port } = await served(t, opened)
    const { log } = app.features.events
    await log.add(await log.state(), { events: LARGE.slice(0, 1) })
    const last = (await log.after(0))[0]?.events[0]?.event.id ?? ''
    await log.add(await log.state(), { events: LARGE.slice(1) })
    const { answer } = await client(port, await app.token(), { last, isRead: false })
    const ids: string[] = []
    let [rest, bytes] = ['', 0]
    // Nothing is kept of it but the ids and the end of a line: the text as it grows would be searched again and again.
    for await (const part of answer) {
      bytes += part.length
      const lines = (rest + part).split('\n')
      rest = (lines.pop() ?? '').slice(0, 400)
      for (const line of lines) if (line.startsWith('data: {"id"')) ids.push(/"id":"(p\d+)"/.exec(line)?.[1] ?? line.slice(0, 80))
      await setImmediate()
      if (ids.length === LARGE.length - 1) break
    }
    t.ok(bytes > 2 * 1024 * 1024)
    t.same(
      ids,
      Array.from({ length: LARGE.length - 1 }, (_, nth) => `p${nth + 1}`),
    )
  }),
)

t.test('an event of a day ago is where a stream goes on, an older one is not known', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const { app, port } = await served(t, opened)
    const token = await app.token()
    const first = await client(port, token)
    await first.until('retry: ')
    await opened.store.write([put('a', { title: 'A', status: 'draft' })], ada)
    const [{ id }] = dataIn(await first.until('record.created'))
    first.end()
    await opened.store.write([put('b', { title: 'B', status: 'draft' })], ada)
    opened.clock.advance(86_400_000 - 1_000)
    const within = await client(port, token, { last: id })
    t.same(typesIn(await within.until('"b"')), ['record.created'])
    within.end()
    opened.clock.advance(2_000)
    const late = await client(port, token, { last: id })
    await late.until('event: reset')
    await opened.store.write([put('c', { title: 'C', status: 'draft' })], ada)
    t.same(typesIn(await late.until('"c"')), ['reset', 'record.created'])
    late.end()
  }),
)

t.test('a comment is sent every 15 seconds, and a stream ends within them with its token', (t) =>
  eachStore(t, {}, async (t, opened) => {
    mock.timers.enable({ apis: ['setInterval'] })
    t.teardown(() => mock.timers.reset())
    const { app, port } = await served(t, opened)
    const { token, view } = await app.features.tokens.create({ name: 'x', scopes: ['admin'], expires: 'never' })
    const stream = await client(port, token)
    t.equal(await stream.until('retry: '), 'retry: 1000\n\n')
    for (let times = 1; times <= 3; times++) {
      mock.timers.tick(14_999)
      await setImmediate()
      mock.timers.tick(1)
      t.equal(await stream.until(`retry: 1000\n\n${':\n\n'.repeat(times)}`), `retry: 1000\n\n${':\n\n'.repeat(times)}`)
    }
    await app.features.tokens.revoke(view.id)
    mock.timers.tick(15_000)
    await stream.over
    t.pass('it ended without an event')
  }),
)

t.test('an event that one node makes is streamed by another', async (t) => {
  const opened = await openPostgres({ watch: true })
  t.teardown(opened.close)
  const one = await served(t, opened, true)
  const other = await served(t, await openNode(t, opened, true), true)
  const token = await one.app.token()
  const streams = await Promise.all([client(one.port, token), client(other.port, token)])
  await Promise.all(streams.map(({ until }) => until('retry: ')))
  await opened.store.write([put('a', { title: 'A', status: 'draft' })], ada)
  await Promise.all(streams.map(({ until }) => until('record.created')))
  await other.app.features.users.create({ email: 'eve@example.org', role: 'viewer' }, ada)
  const [here, there] = await Promise.all(streams.map(({ until }) => until('user.created')))
  t.same(typesIn(here ?? ''), ['record.created', 'user.created'])
  t.equal(here, there, 'the same, in the same order')
  for (const { end } of streams) end()
})
