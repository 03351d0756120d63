import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { cms, scratchSite, start } from '#support/cli.ts'
import { git } from '#support/git.ts'
import { longTest } from '#support/long.ts'
import { testDatabase } from '#support/postgres.ts'

const POST = '---\ntitle: First\n---\n\nHello.\n'

longTest('a site moves into a database and back, and is not opened by mistake where it was', async (t) => {
  const url = await testDatabase(t)
  const env = { DATABASE_URL: url, CMS_SECRET: 'a secret that is long enough to be one', GIT_CONFIG_GLOBAL: '/dev/null' }
  const root = scratchSite(t, { 'content/posts/first.md': POST, 'cms.config.yaml': '', '.gitignore': '.cms/\n' })
  git(root, ['init', '-q', '-b', 'main'])
  git(root, ['add', '-A'])
  git(root, ['commit', '-q', '-m', 'Begin'])
  const server = start(['serve', '--port', '0'], { cwd: root, env })
  await server.says(/Listening/)
  const held = await cms(['storage:migrate', '--to', 'postgres'], { cwd: root, env })
  t.strictSame([held.code, new RegExp(`process ${server.process.pid} on`).test(held.stderr)], [5, true], 'a server runs on it')
  server.process.kill('SIGTERM')
  await server.done
  const moved = await cms(['storage:migrate', '--to', 'postgres', '--json'], { cwd: root, env })
  t.match(JSON.parse(moved.stdout), { ok: true, data: { documents: 1, revisions: 1, resumed: 0 } })
  const left = await cms(['list', 'posts'], { cwd: root, env })
  t.equal(left.code, 5)
  t.match(left.stderr, /was moved to PostgreSQL at .*\n.*\n.*storage\.driver: postgres/)
  t.match(await cms(['list', 'posts', '--force'], { cwd: root, env }), { code: 0, stdout: /first/ })
  t.match(await cms(['storage:verify'], { cwd: root, env }), { code: 0, stdout: 'The same: 1 document and 1 revision.\n' })
  t.equal((await cms(['storage:migrate', '--to', 'files'], { cwd: root, env })).code, 5, 'there are files')
  for (const name of ['content', '.git', '.cms']) rmSync(join(root, name), { recursive: true })
  const back = await cms(['storage:migrate', '--to', 'files'], { cwd: root, env })
  t.match(back, { code: 0, stdout: /^Moved 1 record with 1 revision to the files in .*\nSet `storage.driver: files`/ })
  t.equal(git(root, ['log', '--format=%s']), 'Begin')
  t.ok(existsSync(join(root, 'content/posts/first.md')))
  await cms(['edit', 'posts', 'first', '--title', 'Second'], { cwd: root, env })
  const differs = await cms(['storage:verify', '--json'], { cwd: root, env })
  t.equal(differs.code, 1)
  t.match(JSON.parse(differs.stdout), { data: { differences: 2, first: [{ key: 'posts/first' }, { key: 'posts/first' }] } })
})

t.test('storage:migrate wants to know where to', async (t) => {
  const root = scratchSite(t, { 'content/posts/first.md': POST })
  t.match(await cms(['storage:migrate'], { cwd: root }), { code: 2, stderr: /--to <place>/ })
  t.match(await cms(['storage:migrate', '--to', 'tape'], { cwd: root }), { code: 2, stderr: /postgres, files/ })
})
