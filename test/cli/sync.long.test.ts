import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { cms, scratchSite, start, until } from '#support/cli.ts'
import { git } from '#support/git.ts'

const POST = '---\ntitle: First\nexcerpt: short\n---\n\nHello.\n'
const FILE = 'content/posts/first.md'
const ENV = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_AUTHOR_NAME: 'Bea', GIT_AUTHOR_EMAIL: 'bea@example.org' }

t.jobs = 2

/** A site, a remote it was pushed to, and a second clone. */
function pair(t: Test, config = ''): { bare: string; ours: string; theirs: string } {
  const folder = mkdtempSync(join(tmpdir(), 'quire-sync-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  const ours = scratchSite(t, { [FILE]: POST, 'cms.config.yaml': config, '.gitignore': '.cms/\n' })
  const [bare, theirs] = [join(folder, 'bare.git'), join(folder, 'theirs')]
  git(folder, ['init', '-q', '--bare', '-b', 'main', bare])
  git(ours, ['init', '-q', '-b', 'main'])
  git(ours, ['add', '-A'])
  git(ours, ['commit', '-q', '-m', 'Begin'])
  git(ours, ['remote', 'add', 'origin', bare])
  git(ours, ['push', '-q', 'origin', 'main'])
  git(folder, ['clone', '-q', bare, theirs])
  return { bare, ours, theirs }
}

function commit(root: string, text: string): void {
  writeFileSync(join(root, FILE), text)
  git(root, ['commit', '-qam', 'Change'])
}

t.test('sync: merged, what overlaps in text and as JSON, decided; nothing where there is no history', async (t) => {
  const { ours, theirs, bare } = pair(t)
  commit(theirs, POST.replace('short', 'theirs'))
  git(theirs, ['push', '-q', 'origin', 'main'])
  await cms(['edit', 'posts', 'first', '--title', 'Ours'], { cwd: ours, env: ENV })
  const merged = await cms(['sync'], { cwd: ours, env: ENV })
  t.match(merged, { code: 0, stdout: 'origin/main: 1 pulled, 2 pushed\n', stderr: `Both sides changed ${FILE}: merged.\n` })
  t.equal(git(ours, ['log', '-1', '--format=%an %s']), 'Bea Merge main of origin')
  t.equal(git(bare, ['rev-parse', 'main']), git(ours, ['rev-parse', 'HEAD']))

  git(theirs, ['pull', '-q'])
  commit(theirs, POST.replace('First', 'Theirs again'))
  git(theirs, ['push', '-q', 'origin', 'main'])
  await cms(['edit', 'posts', 'first', '--title', 'Ours again'], { cwd: ours, env: ENV })
  const [text, json] = [
    await cms(['sync', '-q'], { cwd: ours, env: ENV }),
    await cms(['sync', '--json'], { cwd: ours, env: ENV }),
  ]
  t.equal(text.code, 5)
  t.equal(text.stdout, `${FILE}\n  title\n    here: "Ours again"\n    on the remote: "Theirs again"\n`)
  t.match(
    text.stderr,
    /^error: Here and on origin the same was changed in content\/posts\/first\.md\.\n[^\n]*\n {2}fix: .*--prefer/,
  )
  t.equal(json.code, 5)
  const conflict = {
    file: FILE,
    type: 'posts',
    id: 'first',
    fields: ['title'],
    ours: { title: 'Ours again' },
    theirs: { title: 'Theirs again' },
  }
  t.match(JSON.parse(json.stdout), { ok: false, error: { code: 'conflict', conflict: { conflicts: [conflict] } } })
  const doctor = await cms(['doctor', '--json'], { cwd: ours, env: ENV })
  const findings: { name: string }[] = JSON.parse(doctor.stdout).data.findings
  t.match(
    findings.find(({ name }) => name === 'remote'),
    { state: 'todo', says: /1 ahead, 1 behind, 1 conflict,/ },
  )
  t.match(await cms(['sync', '--prefer', 'mine'], { cwd: ours, env: ENV }), { code: 2 })
  const decided = await cms(['sync', '--prefer', 'theirs', '--no-push', '--json'], { cwd: ours, env: ENV })
  t.match(JSON.parse(decided.stdout), { ok: true, data: { pulled: 1, pushed: 0, unpushed: 2, chosen: [FILE] } })
  t.match(readFileSync(join(ours, FILE), 'utf8'), /^title: Theirs again$/m)

  // What the operator has set for git in the environment is left to work, and asks nothing.
  const config = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.pager', GIT_CONFIG_VALUE_0: 'cat' }
  const operator = { ...ENV, ...config, EDITOR: 'vi', PAGER: 'less', GIT_ASKPASS: '/bin/true', GIT_SSH_COMMAND: 'false' }
  t.match(await cms(['sync'], { cwd: ours, env: operator }), { code: 0, stdout: 'origin/main: 0 pulled, 2 pushed\n' })

  const plain = scratchSite(t, { [FILE]: POST })
  t.match(await cms(['sync'], { cwd: plain, env: ENV }), { code: 4, stderr: /in no git repository/ })
  git(ours, ['remote', 'remove', 'origin'])
  t.match(await cms(['sync'], { cwd: ours, env: ENV }), { code: 7, stderr: /fix: Run: git remote add origin/ })
})

t.test('beside a running server, and by a running server', async (t) => {
  const config = 'git: { pull: 1s, push: 1s }\n'
  const { ours, theirs, bare } = pair(t, config)
  const server = start(['serve', '--port', '0'], { cwd: ours, env: ENV })
  t.teardown(() => server.process.kill('SIGTERM'))
  const [, url = ''] = await server.says(/^Listening on (.*)$/m)
  commit(theirs, POST.replace('First', 'From elsewhere'))
  git(theirs, ['push', '-q', 'origin', 'main'])
  await until(
    async () => (await fetch(`${url}/posts/first`)).text(),
    (page) => page.includes('From elsewhere'),
  )
  const edited = await cms(['edit', 'posts', 'first', '--field', 'excerpt=mine'], { cwd: ours, env: ENV })
  t.equal(edited.code, 0)
  await until(
    async () => git(bare, ['show', `main:${FILE}`]),
    (text) => text.includes('mine'),
  )
  t.match(await cms(['sync'], { cwd: ours, env: ENV }), { code: 0, stdout: /^origin\/main: 0 pulled, [01] pushed\n$/ })
  const ready = await until(
    async () => (await fetch(`${url}/readyz`)).json(),
    (body) => (body as { remote?: { ahead: number } }).remote?.ahead === 0,
  )
  t.strictSame(ready, { status: 'ok', remote: { ahead: 0, behind: 0, conflicts: 0 } })
  server.process.kill('SIGTERM')
  t.equal((await server.done).code, 143)
})

t.test('a server says once what keeps it from syncing, and that it is over', async (t) => {
  const { ours, theirs } = pair(t, 'git: { pull: 1s }\n')
  const server = start(['serve', '--port', '0'], { cwd: ours, env: ENV })
  t.teardown(() => server.process.kill('SIGKILL'))
  await server.says(/^Listening on /m)
  commit(theirs, POST.replace('First', 'Theirs'))
  commit(ours, POST.replace('First', 'Ours'))
  git(theirs, ['push', '-q', 'origin', 'main'])
  const [line = ''] = await server.says(/^.*A sync failed.*$/m, 'stderr')
  t.match(JSON.parse(line), { level: 40, reason: /^Here and on origin the same was changed in .*--prefer/ })
  const noted = async () => statSync(join(ours, '.cms', 'sync.json')).mtimeMs
  const first = await noted()
  const second = await until(noted, (at) => at > first)
  await until(noted, (at) => at > second)
  t.equal(server.output.stderr.split('A sync failed').length, 2, 'once for all tries')
  git(theirs, ['push', '-q', '-f', 'origin', 'HEAD~1:main'])
  await server.says(/Syncs with the remote work again\./, 'stderr')
})

t.test('backup and restore; init begins a history of what it made', async (t) => {
  const root = scratchSite(t, { 'old/content/note.md': 'mine' })
  const made = await cms(['init', 'fresh'], { cwd: root, env: ENV })
  t.equal(made.code, 0)
  const fresh = join(root, 'fresh')
  t.equal(git(fresh, ['log', '--format=%an <%ae> %s']), 'Bea <bea@example.org> Begin the site')
  t.equal(git(fresh, ['status', '--porcelain']), '')
  await cms(['init', 'old'], { cwd: root, env: { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' } })
  t.equal(git(join(root, 'old'), ['log', '--format=%an <%ae>']), 'Quire <quire@localhost>')
  t.equal(git(join(root, 'old'), ['status', '--porcelain']), '?? content/', 'what was there is left to its author')
  rmSync(join(fresh, 'cms.config.yaml'))
  await cms(['init', '.'], { cwd: fresh, env: ENV })
  t.equal(git(fresh, ['rev-list', '--count', 'HEAD']), '1', 'nothing is committed in a repository that was there')

  const token = await cms(['token:create', '--name', 'ci', '--scope', 'read'], { cwd: fresh })
  t.equal(token.code, 0)
  const backup = await cms(['backup', '../site.tar.gz'], { cwd: fresh })
  t.match(backup, { code: 0, stdout: /site\.tar\.gz\n$/, stderr: /and the history/ })
  t.match(await cms(['backup', '../site.tar.gz'], { cwd: fresh }), { code: 5, stderr: /--force/ })
  const named = await cms(['backup', '--json'], { cwd: fresh })
  t.match(JSON.parse(named.stdout).data, { file: /\.cms\/backups\/fresh-[\dTZ-]+\.tar\.gz$/, history: true })
  t.match(await cms(['restore', 'site.tar.gz', 'again'], { cwd: root }), { code: 0, stdout: /again\n$/ })
  t.equal(git(join(root, 'again'), ['log', '--format=%H']), git(fresh, ['log', '--format=%H']))
  const tokens = await cms(['token:list', '--json'], { cwd: join(root, 'again') })
  t.match(JSON.parse(tokens.stdout).data, [{ name: 'ci' }])
  t.match(await cms(['restore', 'site.tar.gz', 'again'], { cwd: root }), { code: 5, stderr: /holds something already/ })
  writeFileSync(join(root, 'broken.tar.gz'), 'x')
  t.match(await cms(['restore', 'broken.tar.gz', 'none'], { cwd: root }), {
    code: 2,
    stderr: /not a backup that can be restored/,
  })
  t.notOk(existsSync(join(root, 'none')))
})
