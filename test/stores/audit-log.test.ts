import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { AuditEntry, AuditFilter, AuditLog } from '#core/audit-log.ts'
import { FilesAuditLog } from '#stores/files/audit/audit-log.ts'
import { PostgresAuditLog } from '#stores/postgres/audit-log.ts'
import { Database } from '#stores/postgres/database.ts'
import { runsOf } from '#support/long.ts'
import { MemoryAuditLog } from '#support/memory-audit-log.ts'
import { testDatabase } from '#support/postgres.ts'
import { makeSite } from '#support/sites.ts'

/** Opens the same log once more, as another process does. */
type Open = () => Promise<AuditLog>

async function onFiles(t: Test): Promise<Open> {
  const site = makeSite()
  t.teardown(site.remove)
  return async () => new FilesAuditLog({ privateDir: site.path('.cms') })
}

async function onPostgres(t: Test): Promise<Open> {
  const url = await testDatabase(t)
  return async () => {
    const database = await Database.open(url)
    t.teardown(() => database.close())
    return new PostgresAuditLog(database)
  }
}

async function inMemory(): Promise<Open> {
  const log = new MemoryAuditLog()
  return async () => log
}

function everyLog(name: string, body: (t: Test, log: AuditLog, open: Open) => Promise<void>): void {
  t.test(name, async (t) => {
    for (const [store, logs] of Object.entries({ files: onFiles, postgres: onPostgres, memory: inMemory })) {
      await t.test(store, async (t) => {
        const open = await logs(t)
        const log = await open()
        await body(t, log, open)
        await log.close()
      })
    }
  })
}

const DAY = 86_400_000
const START = Date.parse('2026-11-28T10:00:00.000Z')

function entry(id: string, over: Partial<AuditEntry> = {}, at = START): AuditEntry {
  return {
    ...{ id, at: new Date(at).toISOString(), actor: { kind: 'user', id: 'ada', name: 'Ada' }, via: 'session:1' },
    ...{ action: 'record.updated', target: { kind: 'record', type: 'posts', id: 'hello', title: 'Hello' }, outcome: 'ok' },
    ...{ changed: ['title'], request_id: null, ip: '192.0.2.1' },
    ...over,
  }
}

async function listed(entries: AsyncIterable<AuditEntry>): Promise<AuditEntry[]> {
  const all: AuditEntry[] = []
  for await (const one of entries) all.push(one)
  return all
}

const ids = async (log: AuditLog, filter: AuditFilter = {}) => (await log.page(filter, {})).items.map(({ id }) => id)

everyLog('entries are there as they were added, the newest first, for all who have the log open', async (t, log, open) => {
  const other = await open()
  const odd = entry('b', { actor: { kind: 'local', id: null, name: 'A\n{"id":"x"}\r\u2028"\u0000 é' } }, START + 1)
  await Promise.all([log.append([entry('a'), odd]), other.append([entry('d', {}, START - DAY), entry('c', {}, START + 1)])])
  const { items, total } = await log.page({}, {})
  t.equal(total, 4)
  t.strictSame(items, [entry('c', {}, START + 1), odd, entry('a'), entry('d', {}, START - DAY)])
  t.strictSame(await listed(other.all({})), items)
  t.strictSame(
    (await other.page({}, { offset: 1, limit: 2 })).items.map(({ id }) => id),
    ['b', 'a'],
  )
  t.strictSame(await other.page({}, { offset: 9, limit: 2 }), { items: [], total: 4 })
})

everyLog('an entry that is added again is there once, and as it was', async (t, log, open) => {
  await log.append([entry('a'), entry('a', { outcome: 'failed' })])
  await (await open()).append([entry('a', { outcome: 'refused' }), entry('b')])
  t.strictSame((await log.page({}, {})).items, [entry('b'), entry('a')])
  t.equal((await log.page({}, { limit: 0 })).total, 2)
})

everyLog('entries are found by who, what, to what, with what outcome and when', async (t, log) => {
  const role = { kind: 'user', type: 'user', id: 'hello', title: null }
  await log.append([
    entry('a'),
    entry('b', { actor: { kind: 'token', id: 'ci', name: 'ci' } }, START + 1_000),
    entry('c', { action: 'role.changed', target: role, outcome: 'refused' }, START + 2_000),
    entry('d', { action: 'auth.failed', target: null, outcome: 'failed' }, START + 3_000),
  ])
  t.strictSame(await ids(log, { actor: 'ci' }), ['b'])
  t.strictSame(await ids(log, { action: 'role.changed' }), ['c'])
  t.strictSame(await ids(log, { outcome: 'failed' }), ['d'])
  t.strictSame(await ids(log, { target: { of: 'posts', id: 'hello' } }), ['b', 'a'])
  t.strictSame(await ids(log, { target: { of: 'record', id: 'hello' } }), ['b', 'a'])
  t.strictSame(await ids(log, { target: { of: 'user' } }), ['c'])
  t.strictSame(await ids(log, { target: { of: 'posts', id: 'ada' } }), [])
  t.strictSame(await ids(log, { since: START + 1_000, until: START + 3_000 }), ['c', 'b'])
  t.strictSame(await ids(log, { since: START + 5_000 }), [])
  t.strictSame(await ids(log, { actor: 'ada', target: { of: 'posts' } }), ['a'])
})

everyLog('what a reader may not know of is neither found nor counted', async (t, log) => {
  const about = (kind: string, type: string) => ({ target: { kind, type, id: 'x', title: null } })
  await log.append([
    entry('a', about('record', 'posts')),
    entry('b', about('record', 'secret')),
    entry('c', about('team', 'team')),
    entry('d', { target: null }),
    entry('e', about('term', 'secret')),
  ])
  t.strictSame(await ids(log, { without: { kinds: ['team'], types: ['secret'] } }), ['e', 'd', 'a'])
  t.equal((await log.page({ without: { kinds: ['team'], types: ['secret'] } }, { limit: 1 })).total, 3)
  t.strictSame(await log.types(), ['posts', 'secret'])
  t.strictSame(await ids(log, { without: { kinds: [], types: [] } }), ['e', 'd', 'c', 'b', 'a'])
})

everyLog('an entry of a request is shown with where that came from, whichever was told first', async (t, log) => {
  const bare = { ip: null, via: null }
  await log.append([entry('a', { ...bare, request_id: 'r1' }), entry('b', { ...bare, request_id: 'r3' })])
  const night = Date.parse('2026-11-29T00:00:00.000Z')
  await log.note([
    { request: 'r1', at: new Date(START).toISOString(), via: 'token:ci', ip: '192.0.2.9' },
    { request: 'r2', at: new Date(night - 5).toISOString(), via: null, ip: '2001:db8::1' },
    { request: 'r1', at: new Date(START).toISOString(), via: 'token:ci', ip: '192.0.2.9' },
  ])
  await log.append([
    entry('c', { ...bare, request_id: 'r2' }, night + 5),
    entry('d', { via: 'password', request_id: 'r1' }, night + 6),
  ])
  const shown = (await log.page({}, {})).items.map(({ id, via, ip }) => [id, via, ip])
  t.strictSame(shown, [
    ['d', 'password', '192.0.2.1'],
    ['c', null, '2001:db8::1'],
    ['b', null, null],
    ['a', 'token:ci', '192.0.2.9'],
  ])
  t.strictSame(
    (await listed(log.all({ until: night }))).map(({ ip }) => ip),
    [null, '192.0.2.9'],
  )
})

everyLog('old days are removed, with the addresses of their requests', async (t, log) => {
  await log.append([entry('a', {}, START - 2 * DAY), entry('b', {}, START - DAY), entry('c')])
  await log.note([{ request: 'r', at: new Date(START - 2 * DAY).toISOString(), via: null, ip: '192.0.2.9' }])
  await log.sweep(START - DAY)
  t.strictSame(await ids(log), ['c', 'b'])
  await log.append([entry('d', { ip: null, request_id: 'r' }, START - 2 * DAY)])
  t.equal((await log.page({}, {})).items.at(-1)?.ip, null)
  await log.sweep(START + 400 * DAY)
  t.strictSame(await log.page({}, {}), { items: [], total: 0 })
})

const drawn = fc.record({
  id: fc.integer({ min: 0, max: 30 }).map(String),
  at: fc.integer({ min: 0, max: 60 }).map((hours) => START + hours * 3_600_000),
  actor: fc.constantFrom('ada', 'ben', '"', null),
  action: fc.constantFrom('record.updated', 'role.changed'),
  target: fc.constantFrom(null, ['record', 'posts', 'a'], ['record', 'pages', 'ada'], ['user', 'user', 'a']),
})
const asked = fc.record(
  {
    actor: fc.constantFrom('ada', '"'),
    action: fc.constantFrom('role.changed', 'record.updated'),
    target: fc.constantFrom({ of: 'posts' }, { of: 'record', id: 'ada' }, { of: 'user', id: 'a' }),
    since: fc.integer({ min: 0, max: 60 }).map((hours) => START + hours * 3_600_000),
    without: fc.constantFrom({ kinds: ['user'], types: [] }, { kinds: [], types: ['posts'] }),
  },
  { requiredKeys: [] },
)

t.test('any conditions find the same in files, in a database and in memory', async (t) => {
  const logs = await Promise.all([onFiles(t), onPostgres(t), inMemory()].map(async (open) => (await open)()))
  let round = 0
  const property = fc.asyncProperty(
    // Two of one id are one entry, told again.
    fc.uniqueArray(drawn, { maxLength: 12, selector: ({ id, at }) => `${id}.${at}` }),
    fc.array(asked, { minLength: 3, maxLength: 6 }),
    fc.integer({ min: 0, max: 9 }),
    async (made, questions, offset) => {
      round++
      const entries = made.map(({ id, at, actor, action, target }) => {
        const [kind = '', type = '', of = ''] = target ?? []
        const about = target ? { kind, type, id: of, title: null } : null
        return entry(`${round}.${id}.${at}`, { actor: { kind: 'user', id: actor, name: null }, action, target: about }, at)
      })
      for (const log of logs) await log.append([...entries, ...entries.slice(offset)])
      for (const filter of questions) {
        const [files, postgres, model] = await Promise.all(logs.map((log) => log.page(filter, { offset, limit: 5 })))
        t.strictSame(files, model, 'files')
        t.strictSame(postgres, model, 'PostgreSQL')
        t.strictSame(await Promise.all(logs.map((log) => log.types())), Array(3).fill(await logs[2]?.types()))
      }
      return t.passing()
    },
  )
  await fc.assert(property, { numRuns: runsOf(40) })
})

t.test('a line that a crash cut short is no entry, and spoils none', async (t) => {
  const site = makeSite()
  t.teardown(site.remove)
  const file = site.path('.cms/audit/2026-11-28.ndjson')
  const log = new FilesAuditLog({ privateDir: site.path('.cms') })
  await log.append([entry('a')])
  const whole = readFileSync(file)
  const line = JSON.stringify(entry('b'))
  for (const at of [1, 20, line.length - 1, line.length]) {
    writeFileSync(file, whole)
    appendFileSync(file, line.slice(0, at))
    t.strictSame(await ids(new FilesAuditLog({ privateDir: site.path('.cms') })), ['a'])
    await log.append([entry('c')])
    t.strictSame(
      (await ids(log)).filter((id) => id !== 'b'),
      ['c', 'a'],
    )
  }
})

t.test('the files are their owner’s alone, and a disk that refuses them says so', async (t) => {
  const site = makeSite()
  t.teardown(site.remove)
  const log = new FilesAuditLog({ privateDir: site.path('.cms') })
  await log.append([entry('a')])
  t.equal(statSync(site.path('.cms/audit')).mode & 0o777, 0o700)
  t.strictSame(readdirSync(site.path('.cms/audit')), ['2026-11-28.ndjson'])
  t.equal(statSync(site.path('.cms/audit/2026-11-28.ndjson')).mode & 0o777, 0o600)
  const blocked = makeSite({ '.cms/audit': 'a file' })
  t.teardown(blocked.remove)
  await t.rejects(new FilesAuditLog({ privateDir: blocked.path('.cms') }).append([entry('a')]))
})
