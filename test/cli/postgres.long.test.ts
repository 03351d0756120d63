import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { openSite } from '#cli/open/site.ts'
import { cms, HAS_TERMINAL, scratchSite, start, startOnTerminal } from '#support/cli.ts'
import { ask, testDatabase } from '#support/postgres.ts'

const CONFIG = `storage: { driver: postgres }
types:
  posts: { fields: { price: { type: number } } }
`
const CMS_SECRET = 'a secret that is long enough to be one'

/** A site whose records are in a schema of its own, and what its commands need of the environment. */
async function siteInDatabase(t: Test, files: Record<string, string> = {}) {
  const url = await testDatabase(t)
  const root = scratchSite(t, { 'cms.config.yaml': CONFIG, ...files })
  const env = { DATABASE_URL: url, CMS_SECRET }
  const run = (...args: string[]) => cms(args, { cwd: root, env })
  const data = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout).data
  return { root, url, env, run, data }
}

t.jobs = 3

t.test('the life of a record in a database, by commands', async (t) => {
  const { root, run, data } = await siteInDatabase(t, { 'content/posts/old.md': '# Old\n' })
  const made = await run('new', 'posts', 'Hello', '--field', 'price=3')
  t.match(made, { code: 0, stdout: 'content/posts/hello.md\n', stderr: /database is empty[^\n]*storage:migrate --to postgres/ })
  t.notOk(existsSync(join(root, 'content/posts/hello.md')), 'which is no file')
  const edited = await run('edit', 'posts', 'hello', '--title', 'Hello you')
  t.match(edited, { code: 0, stdout: 'content/posts/hello.md\n' })
  t.notMatch(edited.stderr, 'empty', 'from then on nothing is said of the files')
  t.match(await run('publish', 'posts', 'hello'), { code: 0, stdout: '/posts/hello\n' })
  t.match(await run('move', 'posts', 'hello', '2026/hello'), { code: 0, stdout: 'content/posts/2026/hello.md\n' })
  const log = await data('log', 'posts', '2026/hello')
  t.strictSame(
    log.map(({ action, commit }: { action: string; commit: null }) => [action, commit]),
    ['moved', 'published', 'updated', 'created'].map((action) => [action, null]),
  )
  const [list, show, diff, types, check, some, none] = await Promise.all([
    run('list', 'posts'),
    run('show', 'posts', '2026/hello'),
    run('diff', 'posts', '2026/hello', log[2].ts),
    run('types:list'),
    run('check'),
    run('check', 'content/**'),
    run('check', 'content/posts/old.md'),
  ])
  t.match(list.stdout, /2026~hello +published +\S+ +Hello you/)
  t.match(show.stdout, /^---\ntitle: Hello you\n/)
  t.match(diff.stdout, /Hello you/)
  t.match(types.stdout, /posts +Posts +1 +declared/)
  t.match([check, some, none], [{ code: 0 }, { code: 0 }, { code: 4, stderr: /No file matches/ }])
  t.match(await run('rollback', 'posts', '2026/hello', log[3].ts), { code: 0, stdout: 'content/posts/2026/hello.md\n' })
  t.match(await run('delete', 'posts', '2026/hello', '--allow-delete'), { code: 0, stdout: 'posts/2026~hello\n' })
  t.match(await run('rollback', 'posts', '2026/hello', log[3].ts), { code: 0 }, 'what was deleted comes back')
})

t.test('what is around the records: tokens, the site, the doctor, and what a database has no need of', async (t) => {
  const { root, run, data } = await siteInDatabase(t)
  const token = (await run('token:create', '--name', 'ci', '--scope', 'read')).stdout.trim()
  t.match(token, /^cms_/)
  const [tokens, doctor, built, sync, empty] = await Promise.all([
    data('token:list'),
    run('doctor', '--json'),
    run('build'),
    run('sync'),
    run('show', 'posts', 'x'),
  ])
  t.match(tokens, [{ name: 'ci' }])
  const findings: { name: string; says: string }[] = JSON.parse(doctor.stdout).data.findings
  const of = (name: string) => findings.find((finding) => finding.name === name)
  t.match(of('database')?.says, /^PostgreSQL \d+/)
  t.match([of('tables'), of('connections'), of('clock'), of('secret')], Array(4).fill({ state: 'ok' }))
  t.strictSame(['git', 'remote', 'folders', 'watching'].map(of), Array(4).fill(undefined))
  t.notMatch(doctor.stdout, CMS_SECRET)
  t.match(built, { code: 0, stdout: 'public\n' })
  t.match(sync, { code: 4, stderr: /nothing to sync/ })
  t.match(empty, { code: 4, stderr: /no record "x" in posts/ })
  t.match(await run('token:revoke', 'ci'), { code: 0 })
  t.strictSame(readdirSync(join(root)).sort(), ['cms.config.yaml', 'public'], 'nothing else is written here')
})

t.test('a backup is a site in files, with its history', async (t) => {
  const { root, env, run } = await siteInDatabase(t, { 'templates/site/own.liquid': 'own', 'content/posts/left.md': '# Left\n' })
  await run('new', 'posts', 'One', '--status', 'published')
  await run('edit', 'posts', 'one', '--title', 'Two')
  const token = (await run('token:create', '--name', 'ci', '--scope', 'read')).stdout.trim()
  t.match(await run('backup', 'site.tar.gz'), {
    code: 0,
    stdout: 'site.tar.gz\n',
    stderr: /lies in the site[\s\S]*and the history/,
  })
  t.match(await run('backup', 'site.tar.gz'), { code: 5 })
  t.match(await run('backup', 'site.tar.gz', '--force'), { code: 0 })
  t.strictSame(readdirSync(join(root, '.cms')), ['.gitignore'], 'nothing is left of its making')
  t.match(await run('restore', 'site.tar.gz', 'again'), { code: 0, stdout: 'again\n' })
  const again = join(root, 'again')
  t.strictSame(readdirSync(join(again, 'content/posts')), ['one.md'], 'of the records, and not of files that nobody serves')
  t.equal(readFileSync(join(again, 'templates/site/own.liquid'), 'utf8'), 'own')
  writeFileSync(join(again, 'cms.config.yaml'), '')
  const log = await cms(['log', 'posts', 'one', '--json'], { cwd: again, env })
  t.match(JSON.parse(log.stdout).data, [
    { action: 'updated', commit: /^[0-9a-f]{40}$/ },
    { action: 'created', commit: String },
  ])
  t.notMatch((await cms(['token:list'], { cwd: again, env })).stdout, token)
  t.match((await run('list', 'posts')).stdout, 'Two', 'and the site goes on')
})

t.test('servers share what a database holds, and end when they are told to', async (t) => {
  const { root, env, run } = await siteInDatabase(t)
  const token = (await run('token:create', '--name', 'bot', '--scope', 'edit')).stdout.trim()
  const servers = [1, 2].map(() => start(['serve', '--port', '0'], { cwd: root, env }))
  const urls = await Promise.all(servers.map(async (server) => (await server.says(/Listening on (\S+)\n/))[1] ?? ''))
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ title: 'Shared' })
  const made = await fetch(`${urls[0]}/api/cms/posts`, { method: 'POST', headers, body })
  t.equal(made.status, 201)
  const seen = await fetch(`${urls[1]}/api/cms/posts/shared`, { headers })
  t.match(await seen.json(), { data: { title: 'Shared' } })
  t.equal((await fetch(`${urls[1]}/readyz`)).status, 200)
  t.match(await run('edit', 'posts', 'shared', '--title', 'By hand'), { code: 0 }, 'a command works beside them')
  const again = await fetch(`${urls[0]}/api/cms/posts/shared`, { headers })
  t.match(await again.json(), { data: { title: 'By hand' } })
  for (const server of servers) server.process.kill('SIGTERM')
  t.match(await Promise.all(servers.map((server) => server.done)), [{ code: 143 }, { code: 143 }])
})

t.test('an editor opens a copy, which is kept where it can not be saved', { skip: !HAS_TERMINAL }, async (t) => {
  const { root, url, env, run, data } = await siteInDatabase(t)
  await run('new', 'posts', 'One')
  const edit = async (script: string) => {
    const editor = join(root, 'editor')
    writeFileSync(editor, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    return startOnTerminal(['edit', 'posts', 'one'], { cwd: root, env: { ...env, VISUAL: '', EDITOR: editor } }).done
  }
  t.match(await edit(`sed -i 's/One/Two/' "$1"; echo "$1" > ${root}/path`), { code: 0, stdout: /content\/posts\/one\.md/ })
  t.equal((await data('show', 'posts', 'one')).title, 'Two')
  const copy = readFileSync(join(root, 'path'), 'utf8').trim()
  t.match(copy, /\/one\.md$/)
  t.notOk(existsSync(dirname(copy)), 'the copy is gone')

  const broken = await edit(`printf -- '---\\ntitle: "x\\n---\\n' > "$1"`)
  const [, kept = ''] = /What you wrote is in (\S+)\.\r?\n/.exec(broken.stdout) ?? []
  t.equal(broken.code, 3)
  t.match(readFileSync(kept, 'utf8'), 'title: "x')
  t.equal((await data('show', 'posts', 'one')).title, 'Two', 'nothing was saved')

  const other = `node ${join(process.cwd(), 'bin/cms.js')} edit posts one --title Three`
  const late = await edit(`env -u NODE_OPTIONS ${other} >/dev/null; echo more >> "$1"`)
  t.match(late, { code: 5, stdout: /What you wrote is in[\s\S]*has changed since/ }, 'a change of another is not written over')

  const { searchParams } = new URL(url)
  const bad = `'---\ntitle: "bad\n---\n'`
  const table = `${searchParams.get('schema')}.documents`
  await ask(url.replace(/\?.*/, ''), `update ${table} set bytes = convert_to(${bad}, 'UTF8'), shape = '', version = 'x'`)
  t.match(await run('list', 'posts'), { stderr: /A file of posts can't be read/ })
  t.match(await run('check'), { code: 1, stdout: /^content\/posts\/one\.md:\d+:\d+: error: / })
  t.match(await edit(`printf -- '---\\ntitle: Mended\\n---\\n' > "$1"`), { code: 0 })
  t.equal((await data('show', 'posts', 'one')).title, 'Mended', 'what can not be read is mended so, too')
})

t.test('a database that can not be had is said so, and its password is not', async (t) => {
  const root = scratchSite(t, { 'cms.config.yaml': CONFIG })
  const open = (env: NodeJS.ProcessEnv) => openSite({ directory: root, watch: false, env })
  const url = await testDatabase(t)
  const to = (change: (url: URL) => void) => {
    const other = new URL(url)
    other.password = 's3cr3t'
    change(other)
    return other.href
  }
  const cases: [NodeJS.ProcessEnv, number, RegExp][] = [
    [{ CMS_SECRET }, 3, /DATABASE_URL is not set/],
    [{ DATABASE_URL: url }, 3, /CMS_SECRET is not set/],
    [{ DATABASE_URL: url, CMS_SECRET: 'short' }, 3, /CMS_SECRET has 5 bytes/],
    [{ DATABASE_URL: to((url) => (url.port = '9')), CMS_SECRET }, 7, /127\.0\.0\.1:9 can't be reached/],
    [{ DATABASE_URL: to((url) => (url.pathname = '/nothing')), CMS_SECRET }, 3, /There is no database "nothing"/],
    [{ DATABASE_URL: to((url) => (url.username = 'nobody')), CMS_SECRET }, 3, /does not let the user "nobody" in/],
  ]
  for (const [env, exit, message] of cases) {
    await t.rejects(open(env), { exit, message, hint: String })
    t.notMatch(await open(env).catch((error) => `${error.message} ${error.hint} ${error.stack}`), /s3cr3t|short/)
  }
  const served = await cms(['serve', '--json'], { cwd: root, env: { DATABASE_URL: to((url) => (url.port = '9')), CMS_SECRET } })
  t.equal(served.code, 7)
  t.match(JSON.parse(served.stdout), {
    ok: false,
    error: { code: 'network', message: /can't be reached/, hint: /See that it runs/ },
  })
})

t.test('a repository is begun whether or not the database is there', async (t) => {
  const root = scratchSite(t, { 'cms.config.yaml': CONFIG })
  mkdirSync(join(root, 'content'))
  t.match(await cms(['init'], { cwd: root, env: { CMS_SECRET: '' } }), { code: 0, stderr: /and a git repository/ })
})
