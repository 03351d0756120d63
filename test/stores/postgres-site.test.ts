import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { Unavailable } from '#lib/errors.ts'
import { addressOf } from '#stores/postgres/address.ts'
import { failureOf } from '#stores/postgres/failures.ts'
import { opening, whereaboutsOf } from '#stores/postgres/opening.ts'
import { openPostgresSite, type PostgresSite } from '#stores/postgres/site.ts'
import { TestClock } from '#support/clock.ts'
import { ask, testDatabase } from '#support/postgres.ts'
import { plainTypes } from '#support/types.ts'

const ADA = { name: 'Ada', email: 'ada@example.org' }

async function siteOn(t: Test, more: Partial<PostgresSite> = {}): Promise<PostgresSite> {
  const root = mkdtempSync(join(tmpdir(), 'quire-site-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  return {
    root,
    privateDir: join(root, '.cms'),
    content: 'content',
    url: await testDatabase(t),
    types: plainTypes(),
    clock: new TestClock(),
    watch: false,
    secret: 'x'.repeat(32),
    force: false,
    locale: 'en',
    ...more,
  }
}

t.test('records have the names that their files would have', async (t) => {
  const site = await openPostgresSite(await siteOn(t))
  t.teardown(() => site.close())
  const key = keyOf('posts', '2026~a')
  t.equal(await site.fileOf(key), undefined)
  await site.store.write([{ key, put: { set: { title: 'A' } } }], ADA)
  await site.store.write([{ key: keyOf('.tokens', 'x'), put: { set: { a: 1 } } }], ADA)
  t.equal(await site.fileOf(key), 'content/posts/2026/a.md')
  t.equal(await site.fileOf(keyOf('.tokens', 'x')), undefined, 'what is private has none')
  t.strictSame(await site.files(), ['content/posts/2026/a.md'])
  t.equal(await site.author(), undefined)
  await t.rejects(site.sync({}), { exit: 4, message: /in a database/ })
})

t.test('any number of servers run, and the last one to begin is noted', async (t) => {
  const options = await siteOn(t)
  const [one, other] = [await openPostgresSite(options), await openPostgresSite(options)]
  t.teardown(() => Promise.all([one.close(), other.close()]))
  t.equal(one.server(), undefined)
  const first = one.claim('http://127.0.0.1:0')
  first.moved('http://127.0.0.1:1')
  t.match(other.server(), { pid: process.pid, url: 'http://127.0.0.1:1' })
  const second = other.claim('http://127.0.0.1:2')
  t.match(one.server(), { url: 'http://127.0.0.1:2' })
  second.release()
  first.release()
  t.equal(one.server(), undefined)
  t.equal(readFileSync(join(options.privateDir, '.gitignore'), 'utf8'), '*\n')
})

t.test('what an operator is told of the database', async (t) => {
  const site = await openPostgresSite(await siteOn(t, { clock: { now: () => Date.now() + 5_000 } }))
  t.teardown(() => site.close())
  const findings = new Map((await site.examine()).map((finding) => [finding.name, finding]))
  t.strictSame([...findings.keys()], ['database', 'tables', 'connections', 'clock', 'secret'])
  t.match(
    findings.get('database')?.says,
    /^PostgreSQL \d+\.\S+ at 127\.0\.0\.1:\d+, database \S+, schema test_\w+; it answers in \d+ ms\.$/,
  )
  t.match(findings.get('tables'), {
    state: 'ok',
    says: /^Up to date \(\d+-\S+\); 0 records, 0 private documents, 0 revisions, \d+ MiB\.$/,
  })
  t.match(findings.get('clock'), { state: 'todo', says: /[45]\.\d s ahead of/, hint: /time server/ })
})

t.test('a site that was moved away is not opened', async (t) => {
  const options = await siteOn(t)
  await (await openPostgresSite(options)).close()
  const { schema } = whereaboutsOf(options.url)
  await ask(
    options.url.replace(/\?.*/, ''),
    `update ${schema}.site set moved_to = 'files', moved_at = '2026-01-01T00:00:00.000Z'`,
  )
  await t.rejects(openPostgresSite(options), { exit: 5, message: /moved to files/ })
  const forced = await openPostgresSite({ ...options, force: true })
  await forced.close()
})

t.test('what keeps a database from being opened is said with its place and without its password', async (t) => {
  const address = 'postgresql://ann%40x:s3cr3t@db.example.org/my%20site?schema=blog'
  t.strictSame(whereaboutsOf(address), { server: 'db.example.org:5432', database: 'my site', schema: 'blog', user: 'ann@x' })
  const failing = (error: object) => opening(address, () => Promise.reject(Object.assign(new Error('of the driver'), error)))
  const cases: [object, number, RegExp][] = [
    [{ code: 'ECONNREFUSED' }, 7, /db\.example\.org:5432 can't be reached: nothing listens there/],
    [{ code: 'ENOTFOUND' }, 7, /can't be reached: no such host is known/],
    [{ message: 'timeout exceeded when trying to connect' }, 7, /db\.example\.org:5432 can't be reached\./],
    [{ code: '53300' }, 7, /no connection left/],
    [{ code: '28P01' }, 3, /does not let the user "ann@x" in/],
    [{ code: '3D000' }, 3, /no database "my site" at db\.example\.org:5432/],
    [{ code: '42501' }, 3, /may not make the tables/],
    [{ message: 'The server does not support SSL connections' }, 3, /over TLS/],
    [{ code: 'ENOENT', syscall: 'open', path: '/ca.pem' }, 3, /The file \/ca\.pem can't be read/],
  ]
  for (const [error, exit, message] of cases) {
    await t.rejects(failing(error), { exit, message, hint: String }, JSON.stringify(error))
    t.notMatch(await failing(error).catch(({ message, hint }) => `${message} ${hint}`), 's3cr3t')
  }
  const away = Object.assign(new Unavailable('away'), { cause: { code: 'ECONNREFUSED' } })
  await t.rejects(
    opening(address, () => Promise.reject(away)),
    { exit: 7, message: /nothing listens there/ },
  )
  const readOnly = failureOf({ code: '25006' })
  await t.rejects(
    opening(address, () => Promise.reject(readOnly)),
    { exit: 7, message: /takes no writes/, hint: /primary/ },
  )
  await t.rejects(failing({ code: '42P01' }), { message: 'of the driver' }, 'a bug stays one')
})

t.test('a mistake in what the address says besides leads to no other place, and to no worse connection', async (t) => {
  const of = (query: string) => addressOf(`postgres://ann:s3cr3t@db.example.org/site?${query}`)
  t.throws(() => of('shema=blog'), { exit: 3, message: /"shema="/, hint: /schema=/ })
  t.throws(() => of('sslmod=disable'), { exit: 3, message: /"sslmod="/, hint: /sslmode=/ })
  t.throws(() => of('sslmode=verify'), { exit: 3, message: /sslmode=verify/, hint: /verify-full/ })
  t.match(of('sslmode=require').url, /\?sslmode=verify-full$/, 'what the driver makes of it, without its warning')
  t.match(of('sslmode=no-verify').url, /\?sslmode=no-verify$/)
  t.match(of('uselibpqcompat=true&sslmode=require').url, /sslmode=require$/)
  t.match(of('schema=blog&channel_binding=require&connect_timeout=5&ssl=true'), {
    schema: 'blog',
    url: /\?channel_binding=require&/,
  })
})
