import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { cms, scratchSite, start, until } from '#support/cli.ts'
import { git } from '#support/git.ts'
import { PIXEL } from '#support/importing.ts'
import { longTest } from '#support/long.ts'

t.jobs = 3

const FOLDER = { 'old/content/posts/a.md': '---\ntitle: A\ndraft: true\n---\nA.\n', 'old/content/posts/b.md': 'B.\n' }
const site = (files: Record<string, string> = {}) =>
  scratchSite(t, { 'new/cms.config.yaml': 'site: { name: New }\n', ...FOLDER, ...files })

t.test('a dry run tells, an import writes, a second one changes nothing', async (t) => {
  const cwd = join(site(), 'new')
  const dry = await cms(['import', '--from', 'hugo', '../old', '--dry-run'], { cwd })
  t.match(dry, { code: 0, stdout: /^Nothing is written.*\n {2}posts: 2 to come\n {2}drafts among them: 1/ })
  t.match(await cms(['list', 'posts'], { cwd }), { code: 4 })
  const done = await cms(['import', '--from', 'hugo', '../old', '--json'], { cwd })
  t.equal(done.code, 0)
  t.match(JSON.parse(done.stdout), { ok: true, data: { source: 'hugo', records: { posts: { created: 2 } }, drafts: 1 } })
  t.match(await cms(['list', 'posts'], { cwd }), { code: 0, stdout: /draft/ })
  t.match(await cms(['import', '--from', 'hugo', '../old'], { cwd }), { code: 0, stdout: /posts: 2 here already/ })
})

t.test('what a site began with is named as long as it is there as it was', async (t) => {
  const root = site()
  for (const template of ['blank', 'blog']) await cms(['init', template, '--template', template, '--no-git'], { cwd: root })
  const imported = async (name: string) => cms(['import', '--from', 'hugo', '../old'], { cwd: join(root, name) })
  t.notMatch(await imported('blank'), { stdout: /began with/ })
  t.match(await imported('blog'), {
    code: 0,
    stdout: /What this site began with is still here: .*posts\/hello-world.* and \d more/,
  })
  const { data } = JSON.parse((await cms(['import', '--from', 'hugo', '../old', '--json'], { cwd: join(root, 'blog') })).stdout)
  t.match(data.notes, [/still here/])
  const files = readdirSync(join(root, 'blog/content'), { recursive: true, withFileTypes: true })
  for (const file of files.filter((one) => one.isFile() && /\.(?:md|yaml)$/.test(one.name) && one.name !== 'about.md'))
    writeFileSync(join(file.parentPath, file.name), file.name.endsWith('.md') ? 'Mine.\n' : 'items: []\n')
  t.match(await imported('blog'), { stdout: /still here: pages\/about\. Remove/ })
})

t.test('what can’t be read is named, and the rest comes', async (t) => {
  const cwd = join(site({ 'old/content/posts/c.md': '---\ntitle: [\n---\n' }), 'new')
  const run = await cms(['import', '--from', 'hugo', '../old'], { cwd })
  t.match(run, { code: 1, stdout: /posts: 2 new[\s\S]*content\/posts\/c\.md:3:1: / })
})

t.test('a site of another tool is not taken for one of this', async (t) => {
  const cwd = join(site({ 'old/_config.yml': 'exclude: [content]\n' }), 'new')
  for (const source of ['markdown', 'hugo', 'eleventy']) {
    const run = await cms(['import', '--from', source, '../old', '--dry-run'], { cwd })
    t.match(run, { code: 3, stdout: '', stderr: /is a site of jekyll: with --from jekyll/ }, source)
  }
  writeFileSync(join(cwd, '../old/hugo.toml'), '')
  t.match(await cms(['import', '--from', 'hugo', '../old', '--dry-run'], { cwd }), { code: 0 })
})

t.test('a name can’t be a line of the report, nor a sign to the terminal', async (t) => {
  const cwd = join(site({ 'old/content/posts/x\nImported from \u001b[31mhell.md': '---\ntitle: [\n---\n' }), 'new')
  const run = await cms(['import', '--from', 'hugo', '../old'], { cwd })
  t.match(run, { code: 1, stdout: /posts\/x\\nImported from \\u001b\[31mhell\.md:3:1: / })
})

longTest('an import that is killed goes on: nothing is lost, and nothing comes twice', async (t) => {
  const MANY = 600
  const texts = Object.fromEntries(
    Array.from({ length: MANY }, (_, n) => [`old/content/notes/n${n}.md`, `---\ntitle: N ${n}\n---\n![](/${n % 20}.png)\n`]),
  )
  const root = site({ ...texts, 'old/static/x.png': '', 'new/content/mine.md': 'Mine.\n' })
  for (let n = 0; n < 20; n++) writeFileSync(join(root, `old/static/${n}.png`), Buffer.concat([PIXEL, Buffer.from([n])]))
  const cwd = join(root, 'new')
  git(cwd, ['init', '-q'])
  git(cwd, ['add', '-A'])
  git(cwd, ['commit', '-qm', 'Begin'])
  const there = (folder: string) => {
    try {
      return readdirSync(join(cwd, 'content', folder)).length
    } catch {
      return 0
    }
  }
  for (const [folder, least] of [
    ['media', 1],
    ['notes', 1],
  ] as const) {
    const running = start(['import', '--from', 'hugo', '../old'], { cwd })
    await until(
      async () => there(folder) >= least || running.process.exitCode !== null,
      (is) => is,
    )
    running.process.kill('SIGKILL')
    await running.done
  }
  const last = JSON.parse((await cms(['import', '--from', 'hugo', '../old', '--json'], { cwd })).stdout)
  const { created, same, kept, updated } = last.data.records.notes
  t.strictSame([created + same, kept, updated], [MANY, 0, 0])
  t.match(last.data, { problems: [{ file: 'x.png' }], media: { kept: 0 } })
  t.equal(there('media'), 40, 'each picture, with its sidecar')
  t.equal(git(cwd, ['status', '--porcelain']), '')
  git(cwd, ['fsck', '--strict', '--no-dangling'])
  const added = git(cwd, ['log', '--format=', '--name-only', '--diff-filter=AM']).split('\n').filter(Boolean)
  t.strictSame(added.length, new Set(added).size, 'each file was committed once')
  for (const n of [0, 499, 500, MANY - 1])
    t.equal(readFileSync(join(cwd, `content/notes/n${n}.md`), 'utf8'), `---\ntitle: N ${n}\n---\n![](/media/${n % 20}.png)\n`)
  t.equal(there('notes'), MANY)
})

t.test('an import of what is not there, or is no such site, says so', async (t) => {
  const root = site()
  const cwd = join(root, 'new')
  t.match(await cms(['import', '--from', 'hugo', '../none'], { cwd }), { code: 4, stderr: /is not there/ })
  t.match(await cms(['import', '--from', 'hugo', '.'], { cwd }), { code: 3, stderr: /no content of Hugo/ })
  writeFileSync(join(root, 'file'), '')
  t.match(await cms(['import', '--from', 'hugo', '../file'], { cwd }), { code: 3, stderr: /is a file/ })
  t.match(await cms(['import', '--from', 'hogu', '../old'], { cwd }), { code: 2 })
  t.match(await cms(['import', '../old'], { cwd }), { code: 2, stderr: /--from/ })
  t.match(await cms(['import', '--help'], { cwd }), { code: 0, stdout: /Examples:\n {2}\$ cms import .*\n {2}\$ cms import/ })
})
