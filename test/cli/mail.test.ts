import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { cms, HAS_TERMINAL, type Running, scratchSite, start, startOnTerminal, until } from '#support/cli.ts'
import { longTest } from '#support/long.ts'
import { mailServer } from '#support/mail.ts'

const ADDRESS = /^Listening on (http:\/\/127\.0\.0\.1:\d+)\r?\n/m
const SHOWN = /For ada@example\.org: (\d{6})\r?\n/

async function siteOf(t: Test, config = ''): Promise<string> {
  const root = scratchSite(t, { 'content/posts/first.md': '---\ntitle: First\n---\n', 'cms.config.yaml': config })
  const made = await cms(['user:create', '--email', 'ada@example.org', '--role', 'owner', '--password-stdin'], {
    cwd: root,
    input: 'a long walk by the lighthouse\n',
  })
  if (made.code !== 0) throw new Error(made.stderr)
  return root
}

async function serve(t: Test, root: string, running: Running): Promise<string> {
  const [, url = ''] = await running.says(ADDRESS)
  const { pid } = JSON.parse(readFileSync(join(root, '.cms/server.json'), 'utf8'))
  t.teardown(async () => {
    running.process.kill('SIGTERM')
    // What ran the server on a terminal may end before it.
    await until(
      async () => isAlive(pid),
      (is) => !is,
    )
  })
  return url
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function asks(url: string, path: string, body: object): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: answer.status, body: await answer.json() }
}

const messages = (root: string): string[] => {
  try {
    return readdirSync(join(root, '.cms/outbox')).map((name) => readFileSync(join(root, '.cms/outbox', name), 'utf8'))
  } catch {
    return []
  }
}

longTest('at a terminal that nobody else can be at, a code is shown, and signs in', { skip: !HAS_TERMINAL }, async (t) => {
  const root = await siteOf(t)
  const running = startOnTerminal(['serve', '--port', '0'], { cwd: root })
  const url = await serve(t, root, running)
  t.equal((await asks(url, '/api/auth/otp/send', { email: 'ada@example.org' })).status, 202)
  const [, code] = await running.says(SHOWN)
  t.equal(messages(root).length, 1, 'it is in the outbox as well')
  t.match(await asks(url, '/api/auth/otp/verify', { email: 'ada@example.org', code }), {
    status: 200,
    body: { token_type: 'Bearer' },
  })
})

longTest('no code is shown where others may read it', { skip: !HAS_TERMINAL }, async (t) => {
  const root = await siteOf(t, 'server: { trust_proxy: 1 }\n')
  const behindProxy = startOnTerminal(['serve', '--port', '0'], { cwd: root })
  await asks(await serve(t, root, behindProxy), '/api/auth/otp/send', { email: 'ada@example.org' })
  await until(
    async () => messages(root),
    ({ length }) => length === 1,
  )

  const other = await siteOf(t)
  const intoPipe = start(['serve', '--port', '0'], { cwd: other })
  await asks(await serve(t, other, intoPipe), '/api/auth/otp/send', { email: 'ada@example.org' })
  await until(
    async () => messages(other),
    ({ length }) => length === 1,
  )

  for (const { process } of [behindProxy, intoPipe]) process.kill('SIGTERM')
  for (const { stdout, stderr } of await Promise.all([behindProxy.done, intoPipe.done]))
    t.notMatch(stdout + stderr, /ada@example\.org|\d{6}\r?\n/)
})

longTest('with a mail server messages go there, and nothing of them is shown', { skip: !HAS_TERMINAL }, async (t) => {
  const server = await mailServer(t)
  const root = await siteOf(t, `mail: { from: "Us <us@example.org>", smtp: { host: 127.0.0.1, port: ${server.port} } }\n`)
  const running = startOnTerminal(['serve', '--port', '0'], { cwd: root })
  const url = await serve(t, root, running)
  await asks(url, '/api/auth/otp/send', { email: 'ada@example.org' })
  const message = await server.message()
  t.strictSame(message.headers.get('from'), ['Us <us@example.org>'])
  running.process.kill('SIGTERM')
  t.notMatch((await running.done).stdout, /ada@example\.org/)
  t.strictSame(messages(root), [])

  const findings = async () => JSON.parse((await cms(['doctor', '--json'], { cwd: root })).stdout).data.findings
  const mail = async () => (await findings()).find(({ name }: { name: string }) => name === 'mail')
  t.match(await mail(), { state: 'ok', says: `127.0.0.1:${server.port} answers.` })
  await server.close()
  t.match(await mail(), { state: 'todo', says: /ECONNREFUSED/ })
})

t.test('the doctor says where messages go without a mail server', async (t) => {
  const root = scratchSite(t, { 'content/posts/first.md': '---\ntitle: First\n---\n' })
  t.match((await cms(['doctor'], { cwd: root })).stdout, /note +mail +There is no mail server: messages are put into .*outbox/)
})

t.test('an address that is none is no sender', async (t) => {
  const root = scratchSite(t, { 'cms.config.yaml': 'mail: { from: "Quire" }\n' })
  t.match(await cms(['list', 'posts'], { cwd: root }), {
    code: 3,
    stderr: /mail\.from must be one address[\s\S]*cms\.config\.yaml:1:\d+/,
  })
})
