import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { cms, cmsAlone, HAS_TERMINAL, type Running, scratchSite, start, startOnTerminal, until } from '#support/cli.ts'
import { longTest } from '#support/long.ts'

const site = (t: Test) => scratchSite(t, { 'content/posts/first.md': '---\ntitle: First\n---\n\nHello.\n' })

async function serve(t: Test, root: string): Promise<{ running: Running; url: string }> {
  const running = start(['serve', '--port', '0'], { cwd: root })
  t.teardown(() => running.process.kill('SIGKILL'))
  const [, url = ''] = await running.says(/^Listening on (http:\/\/127\.0\.0\.1:\d+)\n/)
  return { running, url }
}

t.jobs = 2

/** Milliseconds in which a busy machine sees what takes a quiet one much less than a second, and a look every ten seconds does not. */
const SOON_MS = 5_000

longTest('commands work beside a server, which sees what they did at once', async (t) => {
  const root = site(t)
  const { running, url } = await serve(t, root)
  const token = (await cms(['token:create', '--name', 'ci', '--scope', 'edit'], { cwd: root })).stdout.trim()
  const get = async (path: string) => {
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })
    return { status: answer.status, body: (await answer.json()) as { data: { title: string } } }
  }
  const within = async (path: string, wanted: (answer: Awaited<ReturnType<typeof get>>) => boolean) => {
    const from = performance.now()
    const answer = await until(() => get(path), wanted)
    t.ok(performance.now() - from < SOON_MS, 'soon')
    return answer
  }
  await within('/api/cms/posts/first', (answer) => answer.status === 200)

  await cms(['new', 'posts', 'Second'], { cwd: root })
  await within('/api/cms/posts/second', (answer) => answer.status === 200)
  writeFileSync(join(root, 'content/posts/first.md'), '---\ntitle: Changed\n---\n')
  await within('/api/cms/posts/first', (answer) => answer.body.data.title === 'Changed')

  const second = await cmsAlone(['serve', '--port', '0', '--json'], { cwd: root })
  t.equal(second.code, 5)
  const { error } = JSON.parse(second.stdout)
  t.equal(error.code, 'conflict')
  t.match(error.message, String(running.process.pid))
  t.match(error.message, url)

  await cms(['token:revoke', 'ci'], { cwd: root })
  await within('/api/cms/posts/first', (answer) => answer.status === 401)

  running.process.kill('SIGTERM')
  const end = await running.done
  t.equal(end.code, 143)
  t.equal(end.stdout, `Listening on ${url}\n`, 'stdout has the address and nothing else')
  t.notMatch(end.stderr, /curl/, 'no token is made but on a terminal')
  t.notOk(existsSync(join(root, '.cms/server.json')), 'the site is given back')
})

longTest('--json is one line; a taken port is exit 7; SIGINT is 130', async (t) => {
  const root = site(t)
  const running = start(['--json', 'serve', '--port', '0'], { cwd: root })
  t.teardown(() => running.process.kill('SIGKILL'))
  const [line] = await running.says(/^.*\n/)
  t.match(JSON.parse(line), { ok: true, data: { url: /^http:\/\/127\.0\.0\.1:\d+$/, pid: running.process.pid } })
  running.process.kill('SIGINT')
  t.match(await running.done, { code: 130, stdout: line })

  const other = createServer().listen(0, '127.0.0.1')
  t.teardown(() => other.close())
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as AddressInfo
  const [flag, environment, word] = await Promise.all([
    cmsAlone(['serve', '--port', String(port)], { cwd: root }),
    cmsAlone(['serve'], { cwd: site(t), env: { PORT: String(port) } }),
    cmsAlone(['serve', '--port', 'http'], { cwd: site(t) }),
  ])
  t.match(flag, { code: 7, stdout: '', stderr: /--port/ })
  t.equal(environment.code, 7, 'PORT is heard')
  t.equal(word.code, 2)
  t.notOk(existsSync(join(root, '.cms/server.json')))
})

longTest('who is served elsewhere than at site.url is told where links in mail lead, once it matters', async (t) => {
  const said = async (config: string, ...flags: string[]) => {
    const root = site(t)
    writeFileSync(join(root, 'cms.config.yaml'), config)
    await cms(['user:create', '--email', 'ada@example.org', '--role', 'owner', '--password-stdin'], {
      cwd: root,
      input: 'a long walk by the lighthouse\n',
    })
    const running = start(['serve', '--port', '0', ...flags], { cwd: root })
    t.teardown(() => running.process.kill('SIGKILL'))
    const [line] = await running.says(/^.*\n/)
    const url = /http:[^\s"]+\d/.exec(line)?.[0] ?? ''
    const before = running.output.stderr
    const asked = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"email":"ada@example.org"}' }
    for (const path of ['otp/send', 'magic-link']) await fetch(`${url}/api/auth/${path}`, asked)
    running.process.kill('SIGTERM')
    const { stderr } = await running.done
    return { before, stderr, url }
  }
  const words = 'Links in mail lead to http://127.0.0.1:3000 (site.url)'
  const { before, stderr, url } = await said('')
  t.notMatch(before, /Links in mail/, 'not before there is a message with a link')
  t.equal(stderr.split(words).length, 2, 'once')
  t.ok(stderr.includes(`\`url: ${url}\``), 'and how to mend it')
  const smtp = await said('mail: { smtp: { host: 127.0.0.1, port: 9 } }\n')
  t.equal(smtp.stderr.split(words).length, 2, 'where messages go out')
  const silent = await Promise.all([
    said('', '-q'),
    said('', '--json'),
    said('features: { auth: false }\n'),
    said('site: { url: "https://example.org" }\n'),
  ])
  for (const { stderr } of silent) t.notMatch(stderr, /Links in mail/)
})

longTest('on a terminal a post is proposed, however many authors there are', { skip: !HAS_TERMINAL }, async (t) => {
  const author = '---\ntitle: Ada\n---\n'
  const files = { 'content/posts/first.md': '# First\n', 'content/authors/a.md': author, 'content/authors/b.md': author }
  const root = scratchSite(t, files)
  const running = startOnTerminal(['serve', '--port', '0'], { cwd: root })
  t.teardown(() => running.process.kill('SIGTERM'))
  const [line] = await running.says(/ new \w+ "My first post"/)
  t.match(line, / new posts /)
  const { pid } = JSON.parse(readFileSync(join(root, '.cms/server.json'), 'utf8'))
  running.process.kill('SIGTERM')
  // What ran the server on a terminal may end before it.
  await until(
    async () => isAlive(pid),
    (is) => !is,
  )
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

longTest('interrupted while it writes, nothing is left half-written', async (t) => {
  const root = site(t)
  const { running, url } = await serve(t, root)
  const token = (await cms(['token:create', '--name', 'ci', '--scope', 'edit'], { cwd: root })).stdout.trim()
  const answers: Promise<string | undefined>[] = []
  for (let i = 0; i < 60; i++) answers.push(create(url, token, i))
  await Promise.race(answers)
  running.process.kill('SIGTERM')
  const made = (await Promise.all(answers)).filter((id) => id !== undefined)
  t.equal((await running.done).code, 143)
  const names = readdirSync(join(root, 'content/posts'))
  for (const id of made) t.ok(names.includes(`${id}.md`), 'what was answered is there')
  for (const name of names)
    t.match(readFileSync(join(root, 'content/posts', name), 'utf8'), /^---\n[\s\S]*---\n/, `${name} is whole`)
  t.match(await cms(['check'], { cwd: root }), { code: 0 })
})

async function create(url: string, token: string, i: number): Promise<string | undefined> {
  try {
    const answer = await fetch(`${url}/api/cms/posts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ title: `Post ${i}`, body: 'x'.repeat(10_000) }),
    })
    return answer.status === 201 ? ((await answer.json()) as { data: { id: string } }).data.id : undefined
  } catch {
    return undefined
  }
}

longTest('a build that is interrupted ends at once, and leaves the site that was there', async (t) => {
  const files = Array.from(
    { length: 4000 },
    (_, n) => [`content/posts/p${n}.md`, `---\ntitle: Post ${n}\n---\n\nHello.\n`] as const,
  )
  const root = scratchSite(t, { ...Object.fromEntries(files), 'public/index.html': 'as it was' })
  const running = start(['build'], { cwd: root })
  const beside = () => readdirSync(root).filter((name) => name.includes('.quire-'))
  await until(
    async () => beside(),
    (names) => names.length > 0,
  )
  running.process.kill('SIGINT')
  t.equal((await running.done).code, 130)
  t.strictSame(readdirSync(join(root, 'public')), ['index.html'], 'it did not go on to the end')
  t.strictSame(beside(), [], 'what it had made is gone')
})

longTest('drafts are served on this machine alone', async (t) => {
  const root = site(t)
  writeFileSync(join(root, 'content/posts/draft.md'), '---\ntitle: A draft\ndraft: true\n---\n')
  const [elsewhere, proxied] = await Promise.all([
    cmsAlone(['serve', '--drafts', '--host', '0.0.0.0', '--port', '0'], { cwd: root }),
    cmsAlone(['serve', '--drafts', '--port', '0'], {
      cwd: scratchSite(t, { 'cms.config.yaml': 'server: { trust_proxy: 1 }\n', 'content/a.md': '# A\n' }),
    }),
  ])
  t.match(elsewhere, {
    code: 2,
    stdout: '',
    stderr: /--drafts is for a server that only this machine reaches, and it listens on 0\.0\.0\.0\./,
  })
  t.match(proxied, { code: 2, stdout: '', stderr: /trust_proxy/ })
  const running = start(['serve', '--drafts', '--port', '0'], { cwd: root })
  t.teardown(() => running.process.kill('SIGKILL'))
  const [, url = ''] = await running.says(/^Listening on (http:\/\/127\.0\.0\.1:\d+)\n/)
  t.match(await (await fetch(`${url}/posts/draft`)).text(), /A draft/)
})

t.test('a server behind a proxy says when its configuration was changed, or would not start it, and goes on', async (t) => {
  const root = site(t)
  const write = (name: string) => writeFileSync(join(root, 'cms.config.yaml'), `site: { ${name} }\nserver: { trust_proxy: 1 }\n`)
  write('name: One')
  const { running, url } = await serve(t, root)
  write('name: Two')
  await running.says(/cms\.config\.yaml has changed: start the server again to use it\./, 'stderr')
  write('nme: Two')
  await running.says(/cms\.config\.yaml:1:9: .*nme.* goes on/, 'stderr')
  t.equal((await fetch(`${url}/healthz`)).status, 200)
  running.process.kill('SIGTERM')
  await running.done
})

longTest(
  'a local server goes on with a changed configuration at its address, and with what it had where that is none',
  async (t) => {
    const root = site(t)
    writeFileSync(join(root, 'cms.config.yaml'), 'site: { name: One }\n')
    const { running, url } = await serve(t, root)
    const page = async (path: string) =>
      fetch(url + path).then(
        async (answer) => ({ status: answer.status, text: await answer.text() }),
        () => undefined,
      )
    t.match((await page('/posts/first'))?.text, /One/)
    for (const config of [
      'site: { nme: Two }\n',
      'api: { tokens: [{ name: ci, env: NO_SUCH_TOKEN, scopes: [content:read] }] }\n',
    ]) {
      writeFileSync(join(root, 'cms.config.yaml'), config)
      await running.says(config.includes('nme') ? /cms\.config\.yaml:1:9: .*nme.* goes on/ : /tokens\.0\.env.* goes on/, 'stderr')
      t.equal((await page('/posts/first'))?.status, 200)
    }
    writeFileSync(join(root, 'cms.config.yaml'), 'site: { name: Two }\ntypes: { posts: { permalink: "/blog/{slug}" } }\n')
    const renewed = await until(
      () => page('/blog/first'),
      (answer) => answer?.status === 200,
    )
    t.match(renewed?.text, /Two/)
    t.equal(JSON.parse(readFileSync(join(root, '.cms/server.json'), 'utf8')).url, url, 'it still holds the site')
    writeFileSync(join(root, 'cms.config.yaml'), 'site: { name: Three }\n')
    await until(
      () => page('/posts/first'),
      (answer) => /Three/.test(answer?.text ?? ''),
    )
    running.process.kill('SIGTERM')
    const { code, stdout } = await running.done
    t.equal(code, 143)
    t.equal(stdout, `Listening on ${url}\n`, 'stdout has the address once')
    t.notOk(existsSync(join(root, '.cms/server.json')))
  },
)
