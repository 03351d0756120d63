import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { cms, HAS_TERMINAL, scratchSite, start, startOnTerminal, until } from '#support/cli.ts'
import { testDatabase } from '#support/postgres.ts'

const PASSWORD = 'tremendous octopus gardens'
const CONFIG = 'site: { name: X }\nroles: { translator: { extends: author } }\nthrottle: { auth: off }\n'

type Answer = { status: number; body: { token: string; data: { role: string; disabled: boolean }; keys: { kid: string }[] } }

/** A site in files, and one in a database: where, and what commands need in their environment. */
const PLACES: readonly ((t: Test) => Promise<{ cwd: string; env: Record<string, string> }>)[] = [
  async (t) => ({ cwd: scratchSite(t, { 'cms.config.yaml': CONFIG, 'content/posts/a.md': '# A\n' }), env: {} }),
  async (t) => {
    const url = await testDatabase(t)
    const config = `${CONFIG}storage: { driver: postgres, url: "${url}" }\n`
    return { cwd: scratchSite(t, { 'cms.config.yaml': config }), env: { CMS_SECRET: 'x'.repeat(32) } }
  },
]

for (const [n, open] of PLACES.entries()) {
  t.test(`users at the command line: ${n === 0 ? 'files' : 'PostgreSQL'}`, { timeout: 120_000 }, async (t) => {
    const place = await open(t)
    const run = (...args: string[]) => cms(args, place)
    t.match(await run('user:list'), { code: 0, stdout: '', stderr: /no user yet/ })
    const made = await run('user:create', '--email', 'Ada@example.org', '--name', 'Ada Lovelace', '--role', 'owner')
    t.match(made, { code: 0, stdout: /^[a-z0-9]{16}\n$/, stderr: /Made the user "Ada Lovelace".*, owner\.\n.*invitation/s })
    t.match(await run('user:create', '--email', 'ada@EXAMPLE.org'), { code: 5, stdout: '', stderr: /address already/ })
    const bob = await cms(['user:create', '--email', 'bob@example.org', '--role', 'translator', '--password-stdin', '--json'], {
      ...place,
      input: `${PASSWORD}\n`,
    })
    t.match(JSON.parse(bob.stdout), {
      ok: true,
      data: { email: 'bob@example.org', name: 'bob', handle: 'bob', role: 'translator', disabled: false },
      warnings: [],
    })
    t.notMatch(bob.stdout + bob.stderr, /scrypt|octopus|invitation/)
    t.match(
      (await run('user:list')).stdout,
      /^ID .*\n[a-z0-9]{16} +ada@example\.org +Ada Lovelace +ada-lovelace +owner +\d{4}-.*\n.*bob/,
    )
    t.match(JSON.parse((await run('user:list', '--json')).stdout).data, [{ handle: 'ada-lovelace' }, { handle: 'bob' }])

    t.match(await run('user:role', 'bob', 'edtor'), { code: 2, stderr: /Did you mean editor\?/ })
    t.match(await run('user:role', 'boob', 'editor'), { code: 4, stderr: /Did you mean bob\?/ })
    t.match(await run('user:role', 'BOB@example.org', 'editor'), { code: 0, stderr: /bob is editor now \(was translator/ })
    t.match(await run('user:role', 'ada-lovelace', 'editor'), { code: 5, stderr: /last owner.*somebody else/s })
    t.match(await run('user:role', 'aad@example.org', 'editor'), { code: 4, stderr: /Did you mean ada@example\.org\?/ })
    t.match(await run('user:role', 'bob@exmaple.com', 'editor'), { code: 4, stderr: /Did you mean bob@example\.org\?/ })
    const stranger = await run('user:role', 'x@example.org', 'editor')
    t.match(stranger, { code: 4, stderr: /user:list/ })
    t.notMatch(stranger.stderr, /Did you mean/, 'that a domain is alike says nothing of a person')
    t.match(await run('user:disable', 'ada-lovelace'), { code: 5, stderr: /last owner/ })
    t.match(await run('user:disable', 'bob'), { code: 0, stderr: /can not sign in/ })
    t.match((await run('user:list')).stdout, /bob@example\.org .*disabled\n/)
    t.match(await run('user:invite', 'bob'), { code: 5, stdout: '', stderr: /bob is disabled.*user:disable bob --enable/s })
    t.match(await run('user:unlock', 'bob'), { code: 0, stderr: /does not count.*disabled/s })
    t.match(await run('user:disable', 'bob', '--enable', '--json'), { code: 0, stdout: /"disabled":false/ })
    t.match(await run('user:unlock', 'nobody@example.org'), { code: 4 })
    t.match(await run('user:invite', 'bob'), { code: 0, stdout: /^[a-z0-9]{16}\n$/, stderr: /invitation, good for 7 days/ })
    t.match(await run('user:invite', 'nobody@example.org'), { code: 4 })

    t.match(await run('user:create'), { code: 2, stderr: /--email/ })
    t.match(await run('user:create', '--email', 'Ada <a@example.org>'), { code: 2, stderr: /one plain address/ })
    t.match(await run('user:create', '--email', 'c@example.org', '--role', 'edtor'), { code: 2, stderr: /Did you mean editor\?/ })
    for (const input of ['', 'short\n', 'passwordpassword'])
      t.match(
        await cms(['user:create', '--email', 'c@example.org', '--password-stdin'], { ...place, input }),
        { code: 2, stdout: '', stderr: /password/ },
        input,
      )
    t.equal(JSON.parse((await run('user:list', '--json')).stdout).data.length, 2, 'what was refused made nobody')

    for (const flags of [[], ['-y']]) t.match(await run('user:delete', 'bob', ...flags), { code: 6, stderr: /--allow-delete/ })
    t.match(await run('user:delete', 'ada-lovelace', '--allow-delete'), { code: 5, stderr: /last owner.*somebody else/s })
    t.match(await run('user:delete', 'nobody', '--allow-delete'), { code: 4 })
    t.equal(JSON.parse((await run('user:list', '--json')).stdout).data.length, 2)
    const gone = await run('user:delete', 'bob@example.org', '--allow-delete', '--json')
    t.same(JSON.parse(gone.stdout).data, { id: JSON.parse(bob.stdout).data.id, deleted: true })
    t.match(JSON.parse((await run('user:list', '--json')).stdout).data, [{ handle: 'ada-lovelace' }])
  })

  t.test(`a server sees what a command did: ${n === 0 ? 'files' : 'PostgreSQL'}`, { timeout: 120_000 }, async (t) => {
    const place = await open(t)
    const server = start(['serve', '--port', '0', '--json'], place)
    t.teardown(() => server.process.kill('SIGKILL'))
    const [, url = ''] = await server.says(/"url":"([^"]+)"/)
    const ask = async (path: string, body?: object, token?: string): Promise<Answer> => {
      const headers = { ...(body && { 'content-type': 'application/json' }), ...(token && { authorization: `Bearer ${token}` }) }
      const answer = await fetch(`${url}${path}`, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) })
      return { status: answer.status, body: (await answer.json()) as Answer['body'] }
    }
    const signIn = (password = PASSWORD) => ask('/api/auth/login', { email: 'ada@example.org', password })
    const run = (...args: string[]) => cms(args, { ...place, input: PASSWORD })
    const answers = (asking: () => Promise<Answer>, status: number) => until(asking, (answer) => answer.status === status)
    const id = (await run('user:create', '--email', 'ada@example.org', '--role', 'editor', '--password-stdin')).stdout.trim()
    const secret = (await run('token:create', '--name', 'people', '--scope', 'users:read')).stdout.trim()
    const user = () => ask(`/api/users/${id}`, undefined, secret)
    t.match(await answers(user, 200), { body: { data: { role: 'editor', disabled: false } } })
    const { body } = await answers(signIn, 200)
    const me = () => ask('/api/auth/me', undefined, body.token)
    t.match(await me(), { status: 200, body: { data: { role: 'editor' } } })
    await run('user:disable', 'ada@example.org')
    await answers(me, 401)
    t.match(await user(), { body: { data: { disabled: true } } })
    await run('user:disable', 'ada@example.org', '--enable')
    await run('user:role', 'ada', 'author')
    await until(user, (answer) => answer.body.data.role === 'author')
    t.equal((await me()).status, 401, 'what ended stays so')
    const next = await answers(signIn, 200)

    const kids = async () => (await ask('/.well-known/jwks.json')).body.keys.map(({ kid }) => kid)
    const [before] = await kids()
    const key = (await run('key:rotate')).stdout.trim()
    t.match(key, /^[0-9a-f]{16}$/)
    t.not(key, before)
    t.same(await until(kids, (now) => now.includes(key)), [key, before])
    const now = () => ask('/api/auth/me', undefined, next.body.token)
    t.equal((await now()).status, 200, 'what was signed before lives on')
    const last = JSON.parse((await run('key:rotate', '--revoke', '--json')).stdout).data
    t.match(last, { revoked: true })
    await answers(now, 401)
    t.same(await kids(), [last.key])
  })
}

t.test('a server lets in again who is unlocked by a command', { timeout: 120_000 }, async (t) => {
  const cwd = scratchSite(t, { 'cms.config.yaml': CONFIG, 'content/posts/a.md': '# A\n' })
  await cms(['user:create', '--email', 'ada@example.org', '--password-stdin'], { cwd, input: PASSWORD })
  const server = start(['serve', '--port', '0', '--json'], { cwd })
  t.teardown(() => server.process.kill('SIGKILL'))
  const [, url = ''] = await server.says(/"url":"([^"]+)"/)
  const signIn = async (password: string) => {
    const body = JSON.stringify({ email: 'ada@example.org', password })
    return (await fetch(`${url}/api/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body }))
      .status
  }
  await until(
    () => signIn('something else entirely'),
    (status) => status === 429,
  )
  t.match(await cms(['user:unlock', 'ada'], { cwd }), { code: 0 })
  for (let tries = 0; tries < 4; tries++) t.equal(await signIn('something else entirely'), 401, 'nothing counts from before')
  t.equal(await signIn(PASSWORD), 200)
})

t.test('an invitation is put where messages go, and its link signs in', async (t) => {
  const cwd = scratchSite(t, { 'cms.config.yaml': CONFIG, 'content/posts/a.md': '# A\n' })
  const made = await cms(['user:create', '--email', 'ada@example.org'], { cwd })
  const folder = join(cwd, '.cms/outbox')
  const [name = '', ...more] = readdirSync(folder)
  t.same(more, [])
  t.match(made.stderr, name)
  t.equal(statSync(join(folder, name)).mode & 0o777, 0o600)
  const message = messageIn(cwd, name)
  const token = tokenIn(message)
  t.match(message, /^To: .*ada@example\.org/m)
  t.match(token, /^[\w-]{43}$/)
  t.notMatch(made.stdout + made.stderr, token, 'nobody but its reader is shown the link')
  const users = readdirSync(join(cwd, '.cms/users'))
  t.notMatch(users.map((file) => readFileSync(join(cwd, '.cms/users', file), 'utf8')).join(), token)
})

/** A message that was put into the outbox, as it is read. */
function messageIn(cwd: string, name: string): string {
  return readFileSync(join(cwd, '.cms/outbox', name), 'utf8')
    .replaceAll(/=\r?\n/g, '')
    .replaceAll('=3D', '=')
}

function tokenIn(message: string): string {
  return /admin\/login\/link\?token=([\w-]{43})/.exec(message)?.[1] ?? ''
}

t.test('an invitation sent again is the way back in where passwords alone sign in', { timeout: 120_000 }, async (t) => {
  const cwd = scratchSite(t, { 'cms.config.yaml': `${CONFIG}auth: { methods: [password] }\n`, 'content/posts/a.md': '# A\n' })
  await cms(['user:create', '--email', 'ada@example.org', '--password-stdin'], { cwd, input: PASSWORD })
  const tokens: string[] = []
  const known = new Set<string>()
  for (let times = 0; times < 2; times++) {
    t.match(await cms(['user:invite', 'ada'], { cwd }), { code: 0 })
    const [name = ''] = readdirSync(join(cwd, '.cms/outbox')).filter((one) => !known.has(one))
    known.add(name)
    tokens.push(tokenIn(messageIn(cwd, name)))
  }
  const server = start(['serve', '--port', '0', '--json'], { cwd })
  t.teardown(() => server.process.kill('SIGKILL'))
  const [, url = ''] = await server.says(/"url":"([^"]+)"/)
  const ask = async (method: string, path: string, body?: object, token?: string) => {
    const headers = {
      accept: 'application/json',
      ...(body && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    }
    const answer = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return { status: answer.status, body: (await answer.json()) as { token: string } }
  }
  const spend = (token = '') => ask('GET', `/api/auth/magic-link/verify?token=${token}`)
  t.not((await spend(tokens[0])).status, 200, 'the newest alone is good')
  const { status, body } = await spend(tokens[1])
  t.equal(status, 200)
  const password = 'lantern pickle marathon 88'
  t.match(await ask('PUT', '/api/auth/password', { password }, body.token), { status: 200 }, 'without the old one')
  t.match(await ask('POST', '/api/auth/login', { email: 'ada@example.org', password }), { status: 200 })
  t.not((await spend(tokens[1])).status, 200, 'and once')
})

t.test('where nobody signs in a user is made without an invitation, and it is said', async (t) => {
  const cwd = scratchSite(t, { 'cms.config.yaml': `${CONFIG}features: { auth: false }\n`, 'content/posts/a.md': '# A\n' })
  const made = await cms(['user:create', '--email', 'ada@example.org'], { cwd })
  t.match(made, { code: 0, stdout: /^[a-z0-9]{16}\n$/, stderr: /Signing in is switched off/ })
  t.match(await cms(['user:invite', 'ada'], { cwd }), { code: 5, stderr: /Signing in is switched off.*features/s })
  t.notOk(existsSync(join(cwd, '.cms/outbox')), 'no message is written')
})

t.test('where the mail server is away the user is made all the same, and it is said', async (t) => {
  const config = `${CONFIG}mail: { from: "X <x@example.org>", smtp: { host: 127.0.0.1, port: 1 } }\n`
  const cwd = scratchSite(t, { 'cms.config.yaml': config, 'content/posts/a.md': '# A\n' })
  const made = await cms(['user:create', '--email', 'ada@example.org', '--json'], { cwd })
  t.equal(made.code, 0)
  t.match(JSON.parse(made.stdout), { ok: true, data: { email: 'ada@example.org' }, warnings: [{ message: /could not be sent/ }] })
  t.match(
    await cms(['user:invite', 'ada'], { cwd }),
    { code: 7, stdout: '' },
    'who asks for nothing but a message is told that it failed',
  )
})

t.test('at a terminal without a mail server the link is shown', { skip: !HAS_TERMINAL }, async (t) => {
  const cwd = scratchSite(t, { 'cms.config.yaml': CONFIG, 'content/posts/a.md': '# A\n' })
  const shown = await startOnTerminal(['user:create', '--email', 'ada@example.org'], { cwd }).done
  t.match(shown.stdout, /To sign in: http:\/\/127\.0\.0\.1:3000\/admin\/login\/link\?token=/)
  const password = startOnTerminal(['user:create', '--email', 'bob@example.org', '--password-stdin'], { cwd })
  t.match(await password.done, { code: 2, stdout: /piped in/ }, 'and no password is typed where it would be seen')
})

t.test('a role that is not there any more gives no rights, and can be changed', async (t) => {
  const cwd = scratchSite(t, { 'cms.config.yaml': CONFIG, 'content/posts/a.md': '# A\n' })
  await cms(['user:create', '--email', 'ada@example.org', '--role', 'translator'], { cwd })
  writeFileSync(join(cwd, 'cms.config.yaml'), 'site: { name: X }\n')
  t.match((await cms(['user:list'], { cwd })).stdout, /translator/)
  t.match(await cms(['user:role', 'ada', 'author'], { cwd }), { code: 0 })
})
