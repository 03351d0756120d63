import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { cms, cmsAlone, HAS_TERMINAL, scratchSite, start, startOnTerminal } from '#support/cli.ts'
import { longTest } from '#support/long.ts'

const POST = '---\ntitle: First\npublished_at: 2026-01-01T00:00:00Z\ntags: [news]\n---\n\nHello.\n'
const CONFIG = `types:
  posts:
    permalink: /blog/{slug}
    fields:
      price: { type: number }
      featured: { type: boolean }
      author: { type: reference, to: authors, rules: "exists:authors" }
`

const site = (t: Test, files: Record<string, string> = {}) =>
  scratchSite(t, {
    'cms.config.yaml': CONFIG,
    'content/posts/first.md': POST,
    'content/authors/ada.yaml': 'title: Ada\n',
    ...files,
  })

t.jobs = 3

t.test('help and version come without loading what only commands need', async (t) => {
  const coverage = mkdtempSync(join(tmpdir(), 'quire-loaded-'))
  t.teardown(() => rmSync(coverage, { recursive: true, force: true }))
  const env = { NODE_V8_COVERAGE: coverage }
  const [help, version] = await Promise.all([cmsAlone(['--help'], { env }), cmsAlone(['--version'])])
  t.equal(help.code, 0)
  t.match(help.stdout, /token:create/)
  t.match(version, { code: 0, stdout: /^\d+\.\d+\.\d+\n$/, stderr: '' })
  const loaded = readdirSync(coverage).flatMap((file) => JSON.parse(readFileSync(join(coverage, file), 'utf8')).result)
  const files = new Set(
    loaded.flatMap(({ url }: { url: string }) => (/\/(?:dist|node_modules)\//.test(url) ? fileURLToPath(url) : [])),
  )
  const bytes = [...files].map((file) => readFileSync(file))
  // commander is two thirds of it; the packages of a server are ten times as much.
  const total = bytes.reduce((sum, { length }) => sum + length, 0)
  t.ok(total > 50_000 && total < 200_000, `${total} bytes`)
})

t.test('every command has a help with two examples', async (t) => {
  const { stdout } = await cms(['--help'])
  const names = [...stdout.matchAll(/^ {2}([a-z:]+) {2,}/gm)].flatMap(([, name]) => name ?? [])
  t.ok(names.length >= 16)
  const helps = await Promise.all(names.map((name) => cms([name, '--help'])))
  for (const [i, help] of helps.entries()) {
    t.equal(help.code, 0, `${names[i]} has a help`)
    t.ok((help.stdout.match(/^ {2}\$ /gm) ?? []).length >= 2, `${names[i]} has examples`)
  }
})

t.test('wrong usage is exit 2, in three lines, with what was meant', async (t) => {
  const root = site(t)
  const [command, option, missing, status, sort, json] = await Promise.all([
    cmsAlone(['lst'], { cwd: root }),
    cms(['list', 'posts', '--statu', 'draft'], { cwd: root }),
    cms(['show', 'posts'], { cwd: root }),
    cms(['list', 'posts', '--status', 'drft'], { cwd: root }),
    cms(['list', 'posts', '--sort', 'titel'], { cwd: root }),
    cmsAlone(['list', 'posts', '--statu', 'draft', '--json'], { cwd: root }),
  ])
  t.match(command, {
    code: 2,
    stdout: '',
    stderr: /^error: Unknown command 'lst'\.\n {3}at: cms\n {2}fix: Did you mean list\?\n$/,
  })
  t.match(option, { code: 2, stdout: '', stderr: /unknown option[^\n]*\n[^\n]*cms list\n[^\n]*--status/i })
  t.match(missing, { code: 2, stderr: /missing required argument 'id'/i })
  t.match(status, { code: 2, stderr: /fix: Did you mean draft\?/ })
  t.match(sort, { code: 2, stderr: /title/ })
  t.equal(json.stderr, '')
  t.match(JSON.parse(json.stdout), {
    ok: false,
    error: { code: 'usage', message: String, hint: /--status/, file: null, line: null },
  })
})

t.test('help of what is not there, a command that is to come, help and version as JSON', async (t) => {
  const [noHelp, planned, help, version, none] = await Promise.all([
    cms(['help', 'lst']),
    cms(['types:generate', 'word']),
    cms(['--json', 'list', '--help']),
    cms(['--json', '--version']),
    cms(['--json']),
  ])
  t.match(await cms(['types']), { code: 2, stderr: /Unknown command 'types'\.[\s\S]*There is types:list\.\n/ })
  t.match(await cms(['token']), { code: 2, stderr: /There are token:create, token:list, token:revoke\.\n/ })
  t.match(noHelp, { code: 2, stdout: '', stderr: /Unknown command 'lst'\.[\s\S]*Did you mean list\?/ })
  t.match(planned, { code: 2, stdout: '', stderr: /'types:generate' is planned, and not built yet/ })
  t.match(JSON.parse(help.stdout), { ok: true, data: { text: /--sort/ } })
  t.match(JSON.parse(version.stdout), { ok: true, data: { text: /^\d/ } })
  t.match(JSON.parse(none.stdout), { ok: false, error: { code: 'usage' } })
})

t.test('records in files of other spellings, of folders, and of fields that no one declared', async (t) => {
  const note = '---\ntitle: Old\nweight: 10\nlist: [a]\npinned: false\n---\n'
  const root = site(t, { 'content/notes/2026/Old.MD': note, 'content/notes/broken.md': '---\ntitle: "x\n---\n' })
  const fields = ['weight=11', 'list=b,c', 'pinned=true', 'other=12'].flatMap((pair) => ['--field', pair])
  const edited = await cms(['edit', 'notes', '2026/Old', ...fields], { cwd: root })
  t.match(edited, { code: 0, stdout: 'content/notes/2026/Old.MD\n' })
  const shown = await cms(['show', 'notes', '2026~Old', '--json'], { cwd: root })
  t.match(JSON.parse(shown.stdout).data, { weight: 11, list: ['b', 'c'], pinned: true, other: '12' })
  const [list, broken, slug] = await Promise.all([
    cms(['list', 'notes'], { cwd: root }),
    cms(['show', 'notes', 'broken'], { cwd: root }),
    cms(['new', 'posts', 'Another', '--field', 'slug=first'], { cwd: root }),
  ])
  t.match(list.stderr, /A file of notes can't be read as a record\. `cms check`/, 'what is in no list is said to be there')
  t.match(broken, { code: 3, stderr: /^error: Missing[^\n]*\n {3}at: content\/notes\/broken\.md:\d+:\d+\n {2}fix: / })
  t.match(slug, { code: 5, stderr: /fix: Choose another with --field slug/ })
})

longTest('a content folder that is not there is said so', async (t) => {
  const root = scratchSite(t, { 'cms.config.yaml': 'site: { content: contnet }\n' })
  t.match(await cms(['check'], { cwd: root }), { code: 0, stderr: /There is no folder contnet/ })
})

longTest('init makes a site that is in order, and overwrites nothing', async (t) => {
  const root = scratchSite(t, { 'old/content/note.md': 'mine', 'old/cms.config.yaml': 'site: { name: Mine }\n' })
  const [fresh, old] = await Promise.all([cms(['init', 'fresh'], { cwd: root }), cms(['init', 'old', '--json'], { cwd: root })])
  t.match(fresh, { code: 0, stdout: 'fresh\n' })
  t.ok(existsSync(join(root, 'fresh/.gitignore')))
  t.ok(existsSync(join(root, 'fresh/.git')))
  t.equal(old.code, 0)
  t.match(JSON.parse(old.stdout), { ok: true, data: { created: Array, repository: true }, warnings: [] })
  t.equal(readFileSync(join(root, 'old/cms.config.yaml'), 'utf8'), 'site: { name: Mine }\n')
  t.strictSame(readdirSync(join(root, 'old/content')), ['note.md'])
  const [check, doctor, again] = await Promise.all(
    [['check'], ['doctor'], ['init']].map((args) => cms(args, { cwd: join(root, 'fresh') })),
  )
  t.match(check, { code: 0, stdout: '' })
  t.match(doctor, { code: 0 })
  t.match(again, { code: 0, stderr: /Everything was there already/ })
  t.match(await cms(['init', 'old/cms.config.yaml'], { cwd: root }), { code: 5, stderr: /is there already/ })
})

t.test('a record from new to delete', async (t) => {
  const root = site(t)
  const made = await cms(
    ['new', 'posts', 'Second thoughts', '--field', 'price=2.5', '--field', 'tags=news,Big idea', '--body', '-'],
    {
      cwd: root,
      input: 'From stdin.\n',
    },
  )
  t.match(made, { code: 0, stdout: 'content/posts/second-thoughts.md\n' })
  const path = join(root, 'content/posts/second-thoughts.md')
  const text = readFileSync(path, 'utf8')
  t.match(text, /^status: draft$/m)
  t.match(text, /^price: 2\.5$/m)
  t.match(text, /From stdin\.\n$/)

  const shown = await cms(['show', 'posts', 'second-thoughts', '--json'], { cwd: root })
  t.match(JSON.parse(shown.stdout).data, { id: 'second-thoughts', status: 'draft', price: 2.5, tags: ['news', 'big-idea'] })
  t.equal((await cms(['show', 'posts', 'second-thoughts'], { cwd: root })).stdout, text)

  const edited = await cms(['edit', 'posts', 'second-thoughts', '--title', 'Third', '--field', 'price='], { cwd: root })
  t.match(edited, { code: 0, stdout: 'content/posts/second-thoughts.md\n' })
  t.notMatch(readFileSync(path, 'utf8'), /price/)

  const [badNumber, nothing] = await Promise.all([
    cms(['edit', 'posts', 'second-thoughts', '--field', 'price=much'], { cwd: root }),
    cms(['edit', 'posts', 'second-thoughts'], { cwd: root }),
  ])
  t.match(badNumber, { code: 3, stderr: /price/ })
  t.match(nothing, { code: 2, stderr: /nothing to change/ })

  t.match(await cms(['publish', 'posts', 'second-thoughts'], { cwd: root }), { code: 0, stdout: '/blog/second-thoughts\n' })
  t.match(readFileSync(path, 'utf8'), /^status: published$[\s\S]*^published_at: /m)

  writeFileSync(join(root, 'content/posts/linking.md'), '[it](second-thoughts.md) [page](/blog/second-thoughts#x)\n')
  const renamed = await cms(['edit', 'posts', 'second-thoughts', '--field', 'slug=better', '--json'], { cwd: root })
  t.match(JSON.parse(renamed.stdout).data, { aliases: ['/blog/second-thoughts'], followed: { rewritten: 1, left: [] } })
  const again = ['edit', 'posts', 'second-thoughts', '--field', 'slug=', '--no-redirect', '--json']
  t.match(JSON.parse((await cms(again, { cwd: root })).stdout).data, { slug: 'second-thoughts', aliases: [] })
  t.match(await cms(['move', 'posts', 'second-thoughts', '2026/third'], { cwd: root }), {
    code: 0,
    stdout: 'content/posts/2026/third.md\n',
    stderr: /1 document that led to it was rewritten\./,
  })
  t.equal(readFileSync(join(root, 'content/posts/linking.md'), 'utf8'), '[it](2026/third.md) [page](/blog/third#x)\n')
  t.match(await cms(['move', 'posts', '2026~third', 'first'], { cwd: root }), { code: 5 })
  const backwards = await cms(['edit', 'posts', '2026~third', '--status', 'in_review'], { cwd: root })
  t.match(backwards, { code: 5, stderr: /can't become in_review\.\n[^\n]*\n {2}fix: It may become draft or archived\.\n$/ })

  const [refused, yes] = await Promise.all([
    cms(['delete', 'posts', '2026~third'], { cwd: root }),
    cms(['-y', 'delete', 'posts', '2026~third'], { cwd: root }),
  ])
  t.match(refused, { code: 6, stderr: /--allow-delete/ })
  t.equal(yes.code, 6, '-y does not confirm a deletion')
  t.match(await cms(['delete', 'posts', '2026~third', '--allow-delete', '--json'], { cwd: root }), { code: 0 })
  t.notOk(existsSync(join(root, 'content/posts/2026/third.md')))
})

t.test('what is not there is exit 4, with the nearest name', async (t) => {
  const root = site(t)
  const [type, id, nowhere, folder] = await Promise.all([
    cms(['list', 'postss'], { cwd: root }),
    cms(['show', 'posts', 'frist'], { cwd: root }),
    cms(['list', 'posts'], { cwd: tmpdir() }),
    cms(['-C', 'nowhere', 'list', 'posts'], { cwd: root }),
  ])
  t.match(type, { code: 4, stderr: /fix: Did you mean posts\?/ })
  t.match(id, { code: 4, stderr: /fix: Did you mean first\?/ })
  t.match(nowhere, { code: 3, stderr: /cms init/ })
  t.match(folder, { code: 4, stderr: /nowhere/ })
})

t.test('list: columns, filters, parts, one JSON document; global flags before and after', async (t) => {
  const files = Object.fromEntries(
    Array.from({ length: 130 }, (_, i) => [`content/notes/n${String(i).padStart(3, '0')}.md`, `# Note ${i}\n`]),
  )
  const root = site(t, { ...files, 'content/posts/draft.md': '---\ntitle: Draft\nstatus: draft\n---\n' })
  const [plain, drafts, tagged, all, part, quiet] = await Promise.all([
    cms(['list', 'posts'], { cwd: root }),
    cms(['list', 'posts', '--status', 'draft', '--fields', 'id'], { cwd: root }),
    cms(['--json', 'list', 'posts', '--filter', 'tag=news'], { cwd: root }),
    cms(['list', 'notes', '--limit', 'all', '--sort', 'id', '--fields', 'id', '--json', '-C', root], { cwd: tmpdir() }),
    cms(['list', 'notes', '--limit', '60', '--page', '2', '--sort', 'id', '--fields', 'id', '--json'], { cwd: root }),
    cms(['list', 'notes', '-q'], { cwd: root }),
  ])
  t.match(
    plain.stdout,
    /^ID +STATUS +PUBLISHED_AT +TITLE\nfirst +published +2026-01-01T00:00:00\.000Z +First\ndraft +draft +Draft\n$/,
  )
  t.equal(drafts.stdout, 'ID\ndraft\n')
  t.match(JSON.parse(tagged.stdout), { ok: true, data: [{ id: 'first', body: String }], warnings: [] })
  const ids = (run: { stdout: string }) => JSON.parse(run.stdout).data.map(({ id }: { id: string }) => id)
  t.strictSame(
    ids(all),
    Array.from({ length: 130 }, (_, i) => `n${String(i).padStart(3, '0')}`),
  )
  t.strictSame(ids(part), ids(all).slice(60, 120))
  t.equal(quiet.stderr, '')
  const [none, empty] = await Promise.all([
    cms(['list', 'posts', '--filter', 'title=Nothing'], { cwd: root }),
    cms(['list', 'notes', '--status', 'draft', '--json'], { cwd: root }),
  ])
  t.match(none, { code: 0, stdout: '', stderr: 'There is no such record in posts.\n' })
  t.strictSame(JSON.parse(empty.stdout).data, [])
  const byPath = await cms(['show', 'posts', 'content/posts/draft.md'], { cwd: root })
  t.match(byPath, { code: 4, stderr: /Did you mean draft\?/ })
  t.notOk((plain.stdout + plain.stderr).includes('\u001b'), 'no colour but on a terminal')
})

t.test('check: every problem with its place, in three formats', async (t) => {
  const root = site(t, {
    'content/posts/broken.md': '---\ntitle: "Broken\n---\n',
    'content/posts/wrong.md': '---\ntitle: Wrong\nauthor: adda\nstatus: publishd\nprice: much\n---\n',
    'content/posts/nested.md': '---\ntitle: Nested\nseo:\n  author: x\nauthor: adda\n---\n',
    'content/posts/twin.md': '---\ntitle: Twin\nslug: first\nversion: 1.0.0\nid: twin\n---\n',
    'templates/site/record.liquid': '<h1>{{ record.title | nope }}</h1>\n',
  })
  const [text, json, github, one, none] = await Promise.all([
    cms(['check'], { cwd: root }),
    cms(['check', '--json'], { cwd: root }),
    cms(['check', '--format', 'github'], { cwd: root }),
    cms(['check', 'content/posts/wr*.md', '--format', 'json'], { cwd: root }),
    cms(['check', 'content/posts/first.md'], { cwd: root }),
  ])
  t.equal(text.code, 1)
  t.match(text.stdout, /^content\/posts\/broken\.md:\d+:\d+: error: /m)
  t.match(text.stdout, /^content\/posts\/wrong\.md:3:1: error: .*Did you mean ada\?$/m)
  t.match(text.stdout, /^content\/posts\/nested\.md:5:1: error: .*Did you mean ada\?$/m)
  t.match(text.stdout, /^content\/posts\/wrong\.md:4:1: error: .*Did you mean published\?$/m)
  t.match(text.stdout, /^content\/posts\/wrong\.md:5:1: error: .*price/m)
  t.match(text.stdout, /^content\/posts\/twin\.md.*\/blog\/first/m)
  t.match(text.stdout, /^templates\/site\/record\.liquid:1:\d+: error: .*nope/m)
  const document = JSON.parse(json.stdout)
  t.match(text.stderr, /posts: files have keys of their own that are names of Quire's: version \(1\)/)
  t.match(document.warnings, [{ message: /version \(1\)/ }])
  t.match(document, {
    ok: false,
    error: { code: 'failed', message: / problems? in / },
    data: { problems: [{ file: String, message: String, severity: 'error' }] },
  })
  t.match(github.stdout, /^::error file=content\/posts\/wrong\.md,line=3,col=1::/m)
  t.strictSame(
    new Set(JSON.parse(one.stdout).data.problems.map((p: { file: string }) => p.file)),
    new Set(['content/posts/wrong.md']),
  )
  t.match(none, { code: 0, stdout: '' })
})

t.test('a name with line ends makes no line of its own in what check and build say', async (t) => {
  const root = site(t, {
    'content/posts/a\n::error::forged.md': '# A\n',
    'content/posts/b.md': '---\nstatus: "x\\n::error::forged"\n---\n',
  })
  for (const command of ['check', 'build']) {
    const { stdout, stderr } = await cms([command], { cwd: root })
    t.match(stdout + stderr, String.raw`content/posts/a\n::error::forged.md`, command)
    t.notMatch(stdout + stderr, /^::/m, command)
  }
})

t.test('what a list or an object holds is read from a command line, and checked in files', async (t) => {
  const fields = `      sizes: { type: select, options: [s, m], multiple: true }
      prices: { type: list, of: { type: number } }
      seo: { type: object, fields: { title: { type: text, rules: "max:5" }, post: { type: reference, to: posts } } }
`
  const odd = `---
title: Odd
sizes: [s, xl]
prices: [1, free]
seo:
  titel: none minds this
  title: Too long
  post: nothing
---
`
  const root = site(t, { 'cms.config.yaml': CONFIG + fields, 'content/posts/odd.md': odd })
  const check = await cms(['check'], { cwd: root })
  t.equal(check.code, 1)
  t.strictSame(check.stdout.trim().split('\n'), [
    'content/posts/odd.md:3:1: error: The sizes.1 must be one of s, m.',
    'content/posts/odd.md:4:1: error: The prices.1 must be a number.',
    'content/posts/odd.md:5:1: error: The seo.title must not be greater than 5 characters.',
    'content/posts/odd.md:5:1: error: The selected seo.post is invalid: there is no "nothing" in posts.',
  ])
  const given = ['--field', 'sizes=s,m', '--field', 'prices=1,2.5', '--field', 'seo:={"post":"first"}']
  t.match(await cms(['new', 'posts', 'Neu', ...given], { cwd: root }), { code: 0 })
  const made = JSON.parse((await cms(['show', 'posts', 'neu', '--json'], { cwd: root })).stdout)
  t.match(made.data, { sizes: ['s', 'm'], prices: [1, 2.5], seo: { post: 'first' } })
  const wrong = await cms(['edit', 'posts', 'neu', '--field', 'prices=1,x'], { cwd: root })
  t.match(wrong.stderr, /The prices\.1 must be a number\./)
})

t.test('check: files by name, by pattern and by folder', async (t) => {
  const wrong = '---\ntitle: Wrong\nstatus: publishd\n---\n'
  const root = site(t, {
    'content/posts/[a].md': wrong,
    'content/pages/b.md': wrong,
    'content/pages/deep/c.md': wrong,
    'content/note.txt': 'No record.',
  })
  const check = (...patterns: string[]) => cms(['check', '--json', ...patterns], { cwd: join(root, 'content') })
  const files = async (...patterns: string[]) => {
    const { data } = JSON.parse((await check(...patterns)).stdout)
    return data.problems.map(({ file }: { file: string }) => file).sort()
  }
  t.strictSame(await files('posts/[a].md'), ['content/posts/[a].md'], 'as a shell gives it')
  t.strictSame(await files('{posts,pages}/?.md'), ['content/pages/b.md'])
  t.strictSame(await files('pages'), ['content/pages/b.md', 'content/pages/deep/c.md'])
  t.strictSame((await files('../**')).length, 3)
  t.match(await check('note.txt'), { code: 0 }, 'what is there and is no record is in order')
  t.match(await check('nothing/*.md'), { code: 4 })
})

t.test('a configuration that is wrong is exit 3, with its place', async (t) => {
  const root = site(t, { 'cms.config.yaml': 'site:\n  nme: X\n' })
  const [text, json] = await Promise.all([cms(['check'], { cwd: root }), cms(['list', 'posts', '--json'], { cwd: root })])
  t.match(text, { code: 3, stdout: '', stderr: /\n {3}at: cms\.config\.yaml:2:3\n {2}fix: .*name/ })
  t.match(JSON.parse(json.stdout), { ok: false, error: { code: 'configuration', file: 'cms.config.yaml', line: 2 } })
})

t.test('build writes all it can and says what it could not', async (t) => {
  const root = site(t, { 'content/posts/broken.md': '---\ntitle: "Broken\n---\n' })
  const run = await cms(['build', '--out', 'www', '--base-url', 'https://example.org'], { cwd: root })
  t.match(run, { code: 3, stdout: 'www\n', stderr: /content\/posts\/broken\.md:\d+/ })
  t.ok(existsSync(join(root, 'www/blog/first/index.html')))
  t.match(readFileSync(join(root, 'www/sitemap.xml'), 'utf8'), /https:\/\/example\.org\/blog\/first/)
  rmSync(join(root, 'content/posts/broken.md'))
  const again = await cms(['build', '--out', 'www', '--base-url', 'https://example.org', '--json'], { cwd: root })
  t.equal(again.code, 0)
  t.match(JSON.parse(again.stdout), { ok: true, data: { written: 0, problems: [] } })
  mkdirSync(join(root, 'public'))
  writeFileSync(join(root, 'public/index.html'), 'theirs')
  t.match(await cms(['build'], { cwd: root }), {
    code: 5,
    stdout: '',
    stderr: /no build wrote.*: index\.html\.\n.*\n {2}fix: Move/,
  })
  t.strictSame(readdirSync(join(root, 'public')), ['index.html'])
  t.equal(readFileSync(join(root, 'public/index.html'), 'utf8'), 'theirs')
})

t.test('a token is alone on stdout and kept as a hash only', async (t) => {
  const root = site(t)
  const made = await cms(['token:create', '--name', 'ci', '--scope', 'read', '--type', 'posts', '--expires', '30d'], {
    cwd: root,
  })
  t.equal(made.code, 0)
  t.match(made.stdout, /^cms_[0-9A-Za-z]{46}\n$/)
  t.notMatch(made.stderr, made.stdout.trim())
  const kept = readdirSync(join(root, '.cms'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  for (const entry of kept) t.notMatch(readFileSync(join(entry.parentPath, entry.name), 'utf8'), made.stdout.trim())
  t.equal(statSync(join(root, '.cms')).mode & 0o077, 0)
  const [list, taken, scope, length, ofNothing, near] = await Promise.all([
    cms(['token:list', '--json'], { cwd: root }),
    cms(['token:create', '--name', 'ci', '--scope', 'read'], { cwd: root }),
    cms(['token:create', '--name', 'x', '--scope', 'reed'], { cwd: root }),
    cms(['token:create', '--name', 'x', '--scope', 'read', '--expires', 'soon'], { cwd: root }),
    cms(['token:create', '--name', 'x', '--scope', 'content:write@post'], { cwd: root }),
    cms(['token:revoke', 'cj'], { cwd: root }),
  ])
  t.match(JSON.parse(list.stdout).data, [{ name: 'ci', types: ['posts'], configured: false }])
  t.equal(taken.code, 5)
  t.match(taken, { stderr: /fix: Choose another --name/ })
  t.match(scope, { code: 2, stderr: /read/ })
  t.match(length, { code: 2, stderr: /90d/ })
  t.match(ofNothing, { code: 4, stderr: /Did you mean posts\?/ })
  t.match(near, { code: 4, stderr: /Did you mean ci\?/ })
  t.match(await cms(['token:revoke', 'ci'], { cwd: root }), { code: 0 })
  t.equal((await cms(['token:list'], { cwd: root })).stdout, '')
})

t.test('a pipe that is closed early is no failure', async (t) => {
  const root = site(t)
  const run = start(['-q', 'list', 'posts'], { cwd: root })
  run.process.stdout?.destroy()
  t.match(await run.done, { code: 0, stderr: '' })
})

longTest('on a terminal a deletion is asked about; where CI is set nothing is', { skip: !HAS_TERMINAL }, async (t) => {
  const root = site(t, { 'content/posts/other.md': POST })
  const asked = startOnTerminal(['-y', 'delete', 'posts', 'first'], { cwd: root })
  await asked.says(/Type its id, first/)
  asked.process.stdin?.write('first\n')
  t.equal((await asked.done).code, 0)
  t.notOk(existsSync(join(root, 'content/posts/first.md')))
  const wrong = startOnTerminal(['delete', 'posts', 'other'], { cwd: root })
  await wrong.says(/Type its id, other/)
  wrong.process.stdin?.write('yes\n')
  t.equal((await wrong.done).code, 6)
  const runs = [{ env: { CI: 'true' } }, { env: { CI: '' }, words: ['--no-input'] }]
  for (const { env, words = [] } of runs) {
    const run = startOnTerminal([...words, 'delete', 'posts', 'other'], { cwd: root, env })
    t.match(await run.done, { code: 6, stdout: /--allow-delete/ })
  }
  t.ok(existsSync(join(root, 'content/posts/other.md')))
})

longTest('on a terminal there is colour, and with nothing to change the editor', { skip: !HAS_TERMINAL }, async (t) => {
  const root = site(t, { 'editor.sh': '#!/bin/sh\nprintf -- "---\\ntitle: \\"Broken\\n---\\n" > "$1"\n' })
  const env = { EDITOR: `sh ${join(root, 'editor.sh')}`, VISUAL: '', TERM: 'xterm' }
  const [plain, color, edited] = await Promise.all([
    startOnTerminal(['lst'], { cwd: root, env: { ...env, NO_COLOR: '1' } }).done,
    startOnTerminal(['lst'], { cwd: root, env }).done,
    startOnTerminal(['edit', 'posts', 'first'], { cwd: root, env }).done,
  ])
  t.notOk(plain.stdout.includes('\u001b'))
  t.ok(color.stdout.includes('\u001b[31merror:'))
  t.match(edited, { code: 1, stdout: /content\/posts\/first\.md:\d+:\d+: / })
  const none = startOnTerminal(['edit', 'posts', 'first'], { cwd: root, env: { ...env, EDITOR: 'no-such-editor' } })
  t.match(await none.done, { code: 2, stdout: /no-such-editor can't be started/ })
})

t.test('doctor says what needs doing', async (t) => {
  const root = site(t, { '.cms/keep': '' })
  writeFileSync(join(root, '.cms/.gitignore'), '')
  const run = await cms(['doctor', '--json'], { cwd: root })
  t.equal(run.code, 1)
  t.match(
    JSON.parse(run.stdout).data.findings.find((finding: { name: string }) => finding.name === 'private'),
    { state: 'todo', hint: String },
  )
})

longTest('check, doctor and the start count what is passed over', async (t) => {
  const root = site(t, {
    'content/posts/old.html': '<p>',
    'content/posts/older.html': '<p>',
    'content/posts/_partial.md': '# P',
    'content/_includes/head/a.md': '# A',
    'content/media/photo.txt': 'no record either, and no such file',
    'content/.trash/b.md': '# B',
  })
  const said = /4 of 6 files of the content are no records and passed over: 2 \.html, 2 whose name or folder begins with _\./
  t.match(await cms(['check'], { cwd: root }), { code: 0, stderr: said })
  t.match(await cms(['doctor'], { cwd: root }), { stdout: said })
  const running = start(['serve', '--port', '0'], { cwd: root })
  await running.says(said, 'stderr')
  running.process.kill('SIGTERM')
  await running.done
})

t.test('check tells of two keys for one thing, and of names that differ in case only', async (t) => {
  const root = site(t, {
    'content/notes/both.md': '---\ntitle: B\ndate: 2020-01-01\npublished_at: 2021-01-01\n---\n',
    'content/notes/said.md': '---\nstatus: published\ndraft: true\n---\n',
    'content/notes/agreed.md': '---\nstatus: in_review\ndraft: true\n---\n',
    'content/notes/twin.md': '# One',
    'content/notes/Twin.md': '# Two',
  })
  const { code, stdout } = await cms(['check'], { cwd: root })
  t.equal(code, 1)
  const lines = stdout.trim().split('\n')
  t.equal(lines.length, 3)
  t.match(lines, [
    /notes\/both\.md:3:1: warning: "date" .*published_at/,
    /notes\/said\.md:2:1: warning: "status".*contradict/,
    /notes\/twin\.md: warning: .*case.*notes\/Twin\.md/,
  ])
})
