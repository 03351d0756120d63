import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { cms, scratchSite } from '#support/cli.ts'
import { git } from '#support/git.ts'

const POST = '---\ntitle: First # mine\npublished_at: 2026-01-01T00:00:00Z\n---\nOne.\nTwo.\nThree.\n'
const FILES = { 'cms.config.yaml': 'site: { name: X }\n', '.gitignore': '.cms/\n', 'content/posts/first.md': POST }

/** A site in a repository, with one commit of its author's. */
function repository(t: Test): string {
  const root = scratchSite(t, FILES)
  git(root, ['init', '-q', '-b', 'main'])
  git(root, ['config', 'user.name', 'Ada'])
  git(root, ['config', 'user.email', 'ada@example.org'])
  git(root, ['add', '-A'])
  git(root, ['commit', '-q', '-m', 'Begin'])
  return root
}

/** The lines of `log --json`. */
async function logOf(root: string, id: string) {
  const run = await cms(['log', 'posts', id, '--json'], { cwd: root })
  return JSON.parse(run.stdout).data as { ts: string; action: string; commit: string; message: string; current: boolean }[]
}

t.jobs = 3

t.test('log, diff and rollback: what was, what changed, and back', async (t) => {
  const root = repository(t)
  await cms(['edit', 'posts', 'first', '--title', 'Second'], { cwd: root })
  writeFileSync(
    join(root, 'content/posts/first.md'),
    readFileSync(join(root, 'content/posts/first.md'), 'utf8').replace('Two', '2'),
  )
  git(root, ['commit', '-q', '-am', 'By hand'])
  const rows = await logOf(root, 'first')
  t.match(rows, [
    { action: 'external', message: 'By hand', current: true, commit: /^[0-9a-f]{40}$/ },
    { action: 'updated', message: 'Update posts/first' },
    { action: 'external', message: 'Begin', current: false },
  ])
  const [now, edited, first] = rows.map(({ ts }) => ts)
  const [text, part, diff, named, whole] = await Promise.all([
    cms(['log', 'posts', 'first'], { cwd: root }),
    cms(['log', 'posts', 'first', '--limit', '1'], { cwd: root }),
    cms(['diff', 'posts', 'first'], { cwd: root }),
    cms(['diff', 'posts', 'first', String(rows[1]?.commit)], { cwd: root }),
    cms(['diff', 'posts', 'first', String(now), '--against', String(first), '--json'], { cwd: root }),
  ])
  t.match(
    text.stdout,
    /^TS +WHEN +ACTION +BY +CHANGED +MESSAGE\n\d{13} +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +external \* +Ada +body +By hand\n/,
  )
  t.match(part, { stdout: /^TS.*\n.*\n$/, stderr: /1 of 3/ })
  t.match(diff, {
    code: 0,
    stdout: 'body\n@@ -1,3 +1,3 @@\n One.\n-Two.\n+2.\n Three.\n',
    stderr: new RegExp(`${now}, against ${edited}`),
  })
  t.equal(named.stdout, 'title\n-First\n+Second\n')
  t.match(JSON.parse(whole.stdout), {
    ok: true,
    data: { ts: now, against: first, fields: [{ field: 'title' }, { field: 'body' }] },
  })
  const back = await cms(['rollback', 'posts', 'first', String(first)], { cwd: root })
  t.match(back, { code: 0, stdout: 'content/posts/first.md\n', stderr: /as it was in/ })
  t.equal(readFileSync(join(root, 'content/posts/first.md'), 'utf8'), POST)
  t.equal(git(root, ['status', '--porcelain']), '')
  t.match(git(root, ['log', '-1', '--format=%s']), /^Roll back posts\/first to /)
  const again = await cms(['rollback', 'posts', 'first', String(first), '--json'], { cwd: root })
  t.match(JSON.parse(again.stdout).data, { rolled_back_to: first, changed: false, path: 'content/posts/first.md' })
})

t.test('a deleted record, the last of its type, comes back', async (t) => {
  const root = repository(t)
  await cms(['delete', 'posts', 'first', '--allow-delete'], { cwd: root })
  rmSync(join(root, 'content/posts'), { recursive: true, force: true })
  const rows = await logOf(root, 'first')
  t.match(rows, [{ action: 'deleted', current: true }, { action: 'external' }])
  t.match(await cms(['diff', 'posts', 'first'], { cwd: root }), { code: 0, stdout: /^-First$/m })
  const back = await cms(['rollback', 'posts', 'first', String(rows[1]?.ts), '--json'], { cwd: root })
  t.match(JSON.parse(back.stdout).data, { id: 'first', status: 'published', changed: true })
  t.equal(readFileSync(join(root, 'content/posts/first.md'), 'utf8'), POST)
})

t.test('what is wrong is said with what was meant', async (t) => {
  const root = repository(t)
  const without = scratchSite(t, FILES)
  const [id, type, ts, unknown, limit, removed, ...none] = await Promise.all([
    cms(['log', 'posts', 'frist'], { cwd: root }),
    cms(['diff', 'post', 'first'], { cwd: root }),
    cms(['rollback', 'posts', 'first', 'HEAD~1'], { cwd: root }),
    cms(['rollback', 'posts', 'first', '1000000000000'], { cwd: root }),
    cms(['log', 'posts', 'first', '--limit', 'all'], { cwd: root }),
    cms(['diff', 'posts', 'first', '1000000000000', '--against', 'x'], { cwd: root }),
    cms(['log', 'posts', 'first'], { cwd: without }),
    cms(['diff', 'posts', 'first'], { cwd: without }),
    cms(['rollback', 'posts', 'first', '1000000000000'], { cwd: without }),
  ])
  t.match(id, { code: 4, stderr: /fix: Did you mean first\?/ })
  t.match(type, { code: 4, stderr: /fix: Did you mean posts\?/ })
  t.match(ts, { code: 2, stderr: /13 digits/ })
  t.match(unknown, { code: 4, stderr: /revision was not found[\s\S]*fix: `cms log`/ })
  t.match(limit, { code: 2, stderr: /--limit/ })
  t.match(removed, { code: 4 })
  for (const run of none) t.match(run, { code: 4, stdout: '', stderr: /Revisions need git\.[\s\S]*fix: `cms init`/ })
})

t.test('what init made was created, not found', async (t) => {
  const root = scratchSite(t, {})
  await cms(['init'], { cwd: root })
  t.match(await logOf(root, 'hello-world'), [{ action: 'created', message: 'Begin the site' }])
})
