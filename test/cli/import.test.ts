import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { cms, scratchSite } from '#support/cli.ts'

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
