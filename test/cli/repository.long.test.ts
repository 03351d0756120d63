import { mkdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { CMS, cms, cmsAlone, type Running, scratchSite, start, until } from '#support/cli.ts'
import { git } from '#support/git.ts'

/** The user at work, for the commands as for git itself. */
const ENV = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
}

/** A site in a repository of its own. */
function repository(t: Test, files: Record<string, string> = {}): string {
  const root = scratchSite(t, { 'content/posts/first.md': '---\ntitle: First\n---\n\nHello.\n', ...files })
  git(root, ['init', '-q', '-b', 'main'])
  git(root, ['add', '-A'])
  git(root, ['commit', '-q', '-m', 'Begin'])
  return root
}

const run = (root: string, ...args: string[]) => cms(args, { cwd: root, env: ENV })

async function serve(t: Test, root: string): Promise<{ running: Running; url: string }> {
  const running = start(['serve', '--port', '0'], { cwd: root, env: ENV })
  // One that is killed leaves a git behind, which would write to what is being removed.
  t.teardown(async () => {
    running.process.kill('SIGTERM')
    await running.done
  })
  const [, url = ''] = await running.says(/^Listening on (http:\/\/127\.0\.0\.1:\d+)\n/)
  return { running, url }
}

type Finding = { name: string; state: string; says: string; hint?: string }

async function findings(root: string): Promise<{ code: number; of(name: string): Finding | undefined }> {
  const { code, stdout } = await run(root, 'doctor', '--json')
  const all = JSON.parse(stdout).data.findings as Finding[]
  return { code, of: (name) => all.find((finding) => finding.name === name) }
}

t.jobs = 2

t.test('dates that only history knows are in what commands answer, and orders go by them', async (t) => {
  const root = scratchSite(t, {})
  git(root, ['init', '-q', '-b', 'main'])
  const days = { b: '2024-03-01', c: '2024-01-01', a: '2024-02-01' }
  for (const [name, day] of Object.entries(days)) {
    mkdirSync(join(root, 'content/posts'), { recursive: true })
    writeFileSync(join(root, `content/posts/${name}.md`), `# ${name}\n`)
    git(root, ['add', '-A'])
    git(root, ['commit', '-q', '-m', name, '--date', `${day}T12:00:00Z`])
  }
  const json = async (...args: string[]) => JSON.parse((await run(root, ...args, '--json')).stdout).data
  t.match(await json('show', 'posts', 'a'), { created_at: /^2024-02-01T12:00:00/, updated_at: /^2024-02-01/ })
  const listed: { id: string; created_at: string }[] = await json('list', 'posts', '--sort', '-created_at')
  t.same(
    listed.map(({ id, created_at }) => [id, created_at.slice(0, 10)]),
    [
      ['b', '2024-03-01'],
      ['a', '2024-02-01'],
      ['c', '2024-01-01'],
    ],
  )
  const { stdout } = await run(root, 'list', 'posts', '--sort', 'updated_at', '--fields', 'id')
  t.same(stdout.trim().split(/\s+/), ['ID', 'c', 'a', 'b'])
  t.match(await json('publish', 'posts', 'c'), { created_at: /^2024-01-01/ })
})

t.test('commands and a server write to one repository, and nothing is lost', async (t) => {
  const root = repository(t)
  const { running, url } = await serve(t, root)
  const token = (await run(root, 'token:create', '--name', 'ci', '--scope', 'edit')).stdout.trim()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const create = (title: string) =>
    fetch(`${url}/api/cms/posts`, { method: 'POST', headers, body: JSON.stringify({ title }) }).then(({ status }) => status)
  const served = Array.from({ length: 20 }, (_, n) => create(`Served ${n}`))
  const commanded = ['One', 'Two', 'Three'].map((title) => run(root, 'new', 'posts', title))
  t.same(new Set(await Promise.all(served)), new Set([201]))
  for (const { code, stderr } of await Promise.all(commanded)) t.equal(code, 0, stderr)

  const subjects = git(root, ['log', '--format=%an %H', '--diff-filter=A', '--', 'content/posts'])
  t.equal(subjects.split('\n').length, 24, 'each made a commit of its own')
  t.equal(git(root, ['status', '--porcelain', '--', 'content']), '')
  git(root, ['fsck', '--strict', '--no-dangling'])

  const from = performance.now()
  const seen = (id: string) => fetch(`${url}/api/cms/posts/${id}`, { headers }).then(({ status }) => status)
  for (const id of ['one', 'two', 'three']) {
    await until(
      () => seen(id),
      (status) => status === 200,
    )
  }
  t.ok(performance.now() - from < 5000, 'and the server sees it soon, however busy the machine is')
  const revisions = await fetch(`${url}/api/cms/posts/two/revisions`, { headers }).then((answer) => answer.json())
  t.match(revisions, { data: [{ action: 'created', author: { name: 'Ada' } }] })

  const second = await cmsAlone(['serve', '--port', '0', '--json'], { cwd: root, env: ENV })
  t.equal(second.code, 5)
  const { message } = JSON.parse(second.stdout).error
  t.ok(message.includes(String(running.process.pid)) && message.includes(url))
  t.equal(await create('After'), 201, 'and has taken nothing from the first')
})

t.test('a server that is killed: the next one needs no help, and goes on with what was answered', async (t) => {
  const root = repository(t)
  const { running, url } = await serve(t, root)
  const token = (await run(root, 'token:create', '--name', 'ci', '--scope', 'edit')).stdout.trim()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const create = async (n: number) => {
    const body = JSON.stringify({ title: `Post ${n}` })
    const answer = await fetch(`${url}/api/cms/posts`, { method: 'POST', headers, body }).catch(() => undefined)
    return answer?.status === 201 ? n : undefined
  }
  const answers = Array.from({ length: 30 }, (_, n) => create(n))
  await Promise.any(answers.map(async (answer) => (await answer) ?? Promise.reject(new Error('not made'))))
  running.process.kill('SIGKILL')
  const made = (await Promise.all(answers)).filter((n) => n !== undefined)
  await running.done
  const next = await serve(t, root)
  for (const n of made) {
    t.equal((await fetch(`${next.url}/api/cms/posts/post-${n}`, { headers })).status, 200)
    t.match(git(root, ['show', `HEAD:content/posts/post-${n}.md`]), `title: Post ${n}`)
  }
  t.equal(git(root, ['status', '--porcelain', '--', 'content']), '')
})

t.test('while an author merges, reads go on and the server says why nothing can be saved', async (t) => {
  const root = repository(t)
  const { url } = await serve(t, root)
  const ready = () => fetch(`${url}/readyz`).then(async (answer) => ({ status: answer.status, body: await answer.json() }))
  t.match(await ready(), { status: 200, body: { status: 'ok' } })
  writeFileSync(join(root, '.git/MERGE_HEAD'), `${git(root, ['rev-parse', 'HEAD'])}\n`)
  const waiting = await until(ready, ({ body }) => (body as { status: string }).status === 'read_only')
  t.match(waiting, { status: 200, body: { reason: /merge/ } })
  const { stdout, code } = await run(root, 'new', 'posts', 'Not now', '--json')
  t.equal(code, 7)
  t.match(JSON.parse(stdout).error.message, /merge/)
  t.equal((await fetch(`${url}/posts/first`)).status, 200)
})

t.test('a repository that is taken away: reads go on, all else is 503 until it is back', async (t) => {
  const root = repository(t)
  const token = (await run(root, 'token:create', '--name', 'all', '--scope', 'admin')).stdout.trim()
  const { url } = await serve(t, root)
  const ask = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const sent = body && { method: 'POST', body: JSON.stringify(body) }
    const answer = await fetch(`${url}${path}`, { headers, ...sent })
    return { status: answer.status, retry: answer.headers.has('retry-after'), text: await answer.text() }
  }
  t.match(await ask('/api/cms/posts', { title: 'Second' }), { status: 201 })
  renameSync(join(root, '.git'), join(root, 'aside'))
  t.match(await ask('/api/cms/posts/first'), { status: 200 })
  for (const away of [
    await ask('/api/cms/posts', { title: 'Third' }),
    await ask('/api/cms/posts/second/revisions'),
    await ask('/api/changes'),
  ]) {
    t.match(away, { status: 503, retry: true, text: /is not there any more/ })
    t.notOk(away.text.includes(root), 'with no path of the machine')
  }
  t.match(await ask('/readyz'), { status: 200, text: /read_only/ })
  renameSync(join(root, 'aside'), join(root, '.git'))
  t.match(await ask('/api/cms/posts', { title: 'Third' }), { status: 201 })
  t.match(await ask('/api/cms/posts/second/revisions'), { status: 200 })
  t.equal(git(root, ['status', '--porcelain', 'content']), '')
})

t.test('new records are laid out in folders, and committed there', async (t) => {
  const config = 'types:\n  posts: { path: "{year}/{month}/{slug}" }\n'
  const root = repository(t, { 'cms.config.yaml': config })
  const made = await run(root, 'new', 'posts', 'Deep', '--field', 'published_at=2026-03-04T10:00:00Z')
  t.equal(made.stdout.trim(), 'content/posts/2026/03/deep.md')
  t.match(git(root, ['show', '--stat', '--format=%an', 'HEAD']), /^Ada\n[\s\S]*content\/posts\/2026\/03\/deep\.md/)
  t.equal(git(root, ['status', '--porcelain', '--', 'content']), '')
})

t.test('doctor on a repository', async (t) => {
  const crowd = Array.from({ length: 501 }, (_, n) => [`content/posts/p${n}.md`, `# ${n}\n`])
  const root = repository(t, Object.fromEntries(crowd))
  const well = await findings(root)
  t.equal(well.code, 0)
  t.match(well.of('git'), { state: 'ok', says: /git version .* main/ })
  t.match(well.of('secrets'), { state: 'ok' })
  t.match(well.of('uncommitted'), { state: 'ok' })
  t.match(well.of('author'), { state: 'note', hint: /user\.name/ })
  t.match(well.of('upkeep'), { state: 'note' })
  t.match(well.of('folders'), { state: 'note', says: /posts: 502/, hint: /types\.posts\.path/ })

  writeFileSync(join(root, 'content/posts/p1.md'), '# Changed\n')
  writeFileSync(join(root, 'content/posts/new.md'), '# New\n')
  mkdirSync(join(root, '.cms/tokens'), { recursive: true })
  writeFileSync(join(root, '.cms/tokens/t.yaml'), 'name: t\n')
  git(root, ['add', '-f', '.cms/tokens/t.yaml'])
  git(root, ['config', 'user.name', 'Ada'])
  git(root, ['config', 'user.email', 'ada@example.org'])
  const lock = join(root, '.git/refs/heads/main.lock')
  writeFileSync(lock, '')
  utimesSync(lock, 1, 1)
  git(root, ['checkout', '-q', '--detach'])
  const ill = await findings(root)
  t.equal(ill.code, 1)
  t.match(ill.of('git'), { state: 'todo', says: /on no branch/ })
  t.match(ill.of('secrets'), { state: 'todo', says: /\.cms\/tokens\/t\.yaml/, hint: /git rm -r --cached, commit that/ })
  t.match(ill.of('uncommitted'), { state: 'note', says: /^2 files/ })
  t.match(ill.of('author'), { state: 'ok' })
  t.match(ill.of('lock'), { state: 'todo', says: /main\.lock/ })
  t.equal(readFileSync(lock, 'utf8'), '', 'which it only tells of')
})

t.test('a lock that git holds: check reads on and says so, a build waits, and doctor names it', async (t) => {
  const root = repository(t)
  const lock = join(root, '.git/index.lock')
  writeFileSync(lock, '')
  const [check, json, build, fresh] = await Promise.all([
    run(root, 'check'),
    run(root, 'check', '--json'),
    run(root, 'build'),
    findings(root),
  ])
  t.match(check, { code: 0, stderr: /warning: A git command has locked the index.*cms doctor/ })
  t.equal(check.stderr.split('has locked').length, 2, 'once')
  t.match(JSON.parse(json.stdout), { ok: true, data: { problems: [] }, warnings: [{ message: /locked the index/ }] })
  t.match(build, { code: 7, stderr: /git command/ })
  t.match(fresh.of('lock'), {
    state: 'note',
    says: /index\.lock has been there for \d+ seconds?: /,
    hint: `If no git runs, remove it: rm ${lock}`,
  })
  const minutes = Date.now() / 1000 - 300
  utimesSync(lock, minutes, minutes)
  const old = await findings(root)
  t.equal(old.code, 1)
  t.match(old.of('lock'), { state: 'todo', says: /for 5 minutes/ })
  t.equal(readFileSync(lock, 'utf8'), '', 'which it only tells of')
})

t.test('check as a hook of git that runs before a commit', async (t) => {
  const root = repository(t)
  const hook = join(root, '.git/hooks/pre-commit')
  mkdirSync(join(root, '.git/hooks'), { recursive: true })
  writeFileSync(hook, `#!/bin/sh\nexec ${process.execPath} ${CMS} check >"$PWD/.git/said" 2>&1\n`, { mode: 0o755 })
  for (const words of [['-a'], ['content/posts/first.md']]) {
    writeFileSync(join(root, 'content/posts/first.md'), `---\ntitle: ${words[0]}\n---\n`)
    git(root, ['commit', '-q', '-m', 'Checked', ...words])
    // Where it takes over a second, it says how far it is.
    t.match(readFileSync(join(root, '.git/said'), 'utf8'), /^(?:Making the pages.*\n)*Nothing is wrong\.\n$/, words.join(' '))
    writeFileSync(join(root, 'content/posts/first.md'), '---\ntitle: "\n---\n')
    t.throws(() => git(root, ['commit', '-q', '-m', 'Wrong', ...words]))
    t.match(readFileSync(join(root, '.git/said'), 'utf8'), /first\.md:\d+/)
  }
})

t.test('doctor without a repository', async (t) => {
  const root = scratchSite(t, { 'content/posts/first.md': '# First\n' })
  t.match((await findings(root)).of('git'), { state: 'note', says: /no repository/, hint: /cms init/ })
  const without = scratchSite(t, { 'content/posts/first.md': '# First\n', 'cms.config.yaml': 'git: { enabled: false }\n' })
  t.match((await findings(without)).of('git'), { state: 'note', says: /git\.enabled is false/ })
})
