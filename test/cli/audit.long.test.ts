import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { AuditEntry } from '#core/audit-log.ts'
import { cms, scratchSite, start, until } from '#support/cli.ts'
import { testDatabase } from '#support/postgres.ts'

const CONFIG = 'site: { name: X }\ntypes: { posts: {} }\nfeatures: { events: true }\n'

/** Milliseconds that a killed server may keep others from making entries, where there may be several. */
const LEASE_MS = 20_000

interface Place {
  readonly cwd: string
  readonly env: Record<string, string>
}

/** A site in files, in a repository, and one in a database. */
const PLACES: Readonly<Record<string, (t: Test) => Promise<Place>>> = {
  files: async (t) => {
    const cwd = scratchSite(t, { 'cms.config.yaml': CONFIG, 'content/posts/a.md': '# A\n' })
    const git = (...args: string[]) => execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@x.org', ...args], { cwd })
    git('init', '-q')
    git('add', '-A')
    git('commit', '-qm', 'First')
    return { cwd, env: {} }
  },
  PostgreSQL: async (t) => {
    const url = await testDatabase(t)
    const config = `${CONFIG}storage: { driver: postgres, url: "${url}" }\n`
    return { cwd: scratchSite(t, { 'cms.config.yaml': config }), env: { CMS_SECRET: 'x'.repeat(32) } }
  },
}

/** Starts a server, whose log is asked with a token. */
async function serve(t: Test, place: Place, token: string) {
  const server = start(['serve', '--port', '0'], place)
  t.teardown(() => server.process.kill('SIGKILL'))
  const [, url = ''] = await server.says(/Listening on (http:\S+)/)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const entries = async (query: string): Promise<AuditEntry[]> => {
    const answer = await fetch(`${url}/api/audit?${query}`, { headers: { ...headers, accept: 'application/x-ndjson' } })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(text)
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  }
  const create = (title: string) =>
    fetch(`${url}/api/cms/posts`, { method: 'POST', headers, body: JSON.stringify({ title, status: 'draft' }) })
  const stop = async (signal: NodeJS.Signals) => {
    server.process.kill(signal)
    await server.done
  }
  return { entries, create, stop }
}

for (const [name, open] of Object.entries(PLACES)) {
  t.test(`commands are told as done at the machine: ${name}`, { timeout: 120_000 }, async (t) => {
    const place = await open(t)
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await cms(args, place)
      t.equal(code, 0, stderr)
      return stdout.trim()
    }
    const user = await run('user:create', '--email', 'ada@example.org', '--name', 'Ada', '--role', 'owner')
    const other = await run('user:create', '--email', 'ben@example.org', '--name', 'Ben', '--role', 'author')
    await run('user:role', other, 'editor')
    const token = await run('token:create', '--name', 'all', '--scope', 'admin')
    await run('token:create', '--name', 'ci', '--scope', 'read')
    await run('token:revoke', 'ci')
    await run('key:rotate')
    await run('backup')
    const { entries } = await serve(t, place, token)
    const found = (await entries('until=2999-01-01')).filter(({ actor }) => actor.kind === 'local')
    t.strictSame(found.map(({ action }) => action).sort(), [
      ...['export.made', 'key.created', 'role.changed', 'token.created', 'token.created', 'token.revoked'],
      ...['user.created', 'user.created'],
    ])
    t.match(
      found.find(({ action }) => action === 'role.changed'),
      { target: { id: other, title: 'Ben' }, changed: ['role', 'sessions'], via: null, ip: null },
    )
    t.match(
      found.find(({ action }) => action === 'export.made'),
      { target: { kind: 'site' }, actor: { id: null } },
    )
    t.ok(user)
    const kept = JSON.stringify(await entries('until=2999-01-01'))
    t.notOk(kept.includes(token))
    t.notMatch(kept, /example\.org|cms_|PRIVATE|scrypt/)
    if (name !== 'files') return
    const folder = join(place.cwd, '.cms', 'audit')
    t.equal(statSync(folder).mode & 0o777, 0o700)
    for (const file of readdirSync(folder)) t.notMatch(readFileSync(join(folder, file), 'utf8'), /example\.org|cms_/)
    t.equal(execFileSync('git', ['status', '--porcelain'], { cwd: place.cwd, encoding: 'utf8' }), '', 'and nothing is for git')
  })

  t.test(
    `nothing of content is told twice, or forgotten, by a server that is killed: ${name}`,
    { timeout: 600_000 },
    async (t) => {
      const place = await open(t)
      const token = (await cms(['token:create', '--name', 'all', '--scope', 'admin'], place)).stdout.trim()
      const made: string[] = []
      let withAddress = 0
      for (let life = 0; life < 3; life++) {
        const { create, entries, stop } = await serve(t, place, token)
        let isKilled = false
        const writer = async (n: number) => {
          for (let nth = 0; !isKilled; nth++) {
            const id = `life-${life}-${n}-${nth}`
            const status = await create(id).then(
              ({ status }) => status,
              () => 0,
            )
            if (status === 201) made.push(id)
          }
        }
        const writers = [0, 1, 2, 3].map(writer)
        await until(
          async () => made.length,
          (count) => count >= (life + 1) * 20,
        )
        // An address is kept with its entry, which only the first server is quick to make: the next ones wait for the lease of a killed one.
        const near = async () => (await entries('action=record.created')).filter(({ ip }) => ip === '127.0.0.1').length
        if (life === 0) withAddress = await until(near, (count) => count > 0)
        isKilled = true
        await stop('SIGKILL')
        await Promise.all(writers)
      }
      const { entries } = await serve(t, place, token)
      const ids = async () => (await entries('action=record.created')).map(({ target }) => target?.id ?? '')
      const isWhole = (all: readonly string[]) => {
        const there = new Set(all)
        return made.every((id) => there.has(id))
      }
      const told = await until(ids, isWhole, LEASE_MS + 60_000)
      t.equal(new Set(told).size, told.length, 'none twice')
      t.strictSame(
        made.filter((id) => !told.includes(id)),
        [],
        'none is missing',
      )
      const found = (await entries('action=record.created')).filter(({ ip }) => ip === '127.0.0.1')
      t.ok(found.length >= withAddress, 'no address that was told is lost')
    },
  )
}
