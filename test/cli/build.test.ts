import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { CMS, cms, scratchSite, start, until } from '#support/cli.ts'
import { longTest } from '#support/long.ts'

t.jobs = 2

const FILES = {
  'content/posts/a.md': '---\ntitle: First\ndate: 2026-01-01\n---\nHello.\n',
  'content/posts/b.md': '---\ntitle: Draft\ndate: 2026-01-02\ndraft: true\n---\nHidden.\n',
  'content/posts/c.md': '---\ntitle: To come\ndate: 2098-01-01\n---\nLater.\n',
  'static/x.txt': 'X',
}

function site(t: Test, files: Record<string, string> = {}) {
  const root = scratchSite(t, { 'cms.config.yaml': '', ...FILES, ...files })
  const run = async (...args: string[]) => cms(args, { cwd: root })
  const text = (file: string) => readFileSync(join(root, file), 'utf8')
  return { root, run, text, has: (file: string) => existsSync(join(root, file)) }
}

/** The files below a folder, each with when it was last written. */
function stamps(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  return names.map((name) => `${name} ${statSync(join(folder, name)).mtimeMs}`)
}

/** What builds remember, each with when it was written. */
function memories(root: string): string[] {
  return stamps(join(root, '.cms/cache')).filter((name) => name.startsWith('build-'))
}

longTest('--dry-run says what would be written and removed, and writes nothing', async (t) => {
  const { root, run, has } = site(t)
  const fresh = await run('build', '--dry-run')
  t.match(fresh, { code: 0, stdout: /^write posts\/a\/index\.html$/m, stderr: /Nothing was written/ })
  t.notOk(has('public') || memories(root).length > 0)
  await run('build')
  const before = [...stamps(join(root, 'public')), ...memories(root)]
  rmSync(join(root, 'content/posts/a.md'))
  writeFileSync(join(root, 'static/x.txt'), 'Y')
  const { stdout } = await run('build', '--dry-run', '--json')
  const { ok, data } = JSON.parse(stdout)
  t.ok(ok && data.changes.written.includes('x.txt') && data.changes.removed.includes('posts/a/index.html'))
  t.same([...stamps(join(root, 'public')), ...memories(root)], before)
  t.match(await run('build'), { code: 0, stderr: /removed/ })
  t.match(await run('build', '--dry-run'), { code: 0, stdout: '' })
})

longTest('--verify makes everything anew, names each file that differs, and writes nothing', async (t) => {
  const { root, run, text } = site(t)
  t.match(await run('build', '--verify'), { code: 1, stdout: /^index\.html$/m, stderr: /not as a build of everything makes/ })
  t.notOk(existsSync(join(root, 'public')))
  await run('build')
  writeFileSync(join(root, 'public/CNAME'), 'example.org')
  t.match(await run('build', '--verify'), { code: 0, stdout: '' }, 'what is not ours does not count')
  for (const file of ['public/posts/a/index.html', 'public/x.txt'])
    writeFileSync(join(root, file), text(file).replace(/[eX]/, '#'))
  rmSync(join(root, 'public/404.html'))
  const before = stamps(join(root, 'public'))
  const found = await run('build', '--verify', '--json')
  t.match(found.code, 1)
  t.match(JSON.parse(found.stdout), {
    ok: false,
    data: { differing: ['404.html', 'posts/a/index.html', 'x.txt'] },
    error: { code: 'failed' },
  })
  t.same(stamps(join(root, 'public')), before)
  await run('build')
  t.match(await run('build', '--verify'), { code: 0 })
})

t.test('--verify finds what a memory that is wrong leaves out', async (t) => {
  const { root, run } = site(t)
  await run('build')
  const cache = readdirSync(join(root, '.cms/cache')).find((name) => name.startsWith('build-')) ?? ''
  const page = join(root, 'public/posts/a/index.html')
  const stamp = () => `${statSync(page).size}:${statSync(page).mtimeMs}:${statSync(page).ino}`
  const before = stamp()
  writeFileSync(page, 'wrong')
  const memory = join(root, '.cms/cache', cache)
  writeFileSync(memory, readFileSync(memory, 'utf8').replace(before, stamp()))
  t.match(await run('build'), { code: 0, stderr: / 0 files written/ }, 'it is taken for what it was')
  t.match(await run('build', '--verify'), { code: 1, stdout: 'posts/a/index.html\n' })
})

t.test('--drafts, --future and --clock say what is shown; so does the configuration', async (t) => {
  const { root, run, has } = site(t)
  const shown = () => ['a', 'b', 'c'].filter((name) => has(`public/posts/${name}/index.html`)).join('')
  const cases: [string[], string][] = [
    [[], 'a'],
    [['--drafts'], 'ab'],
    [['--drafts', '--future'], 'abc'],
    [['--clock', '2099-01-01T00:00:00Z'], 'ac'],
    [['--clock', '2025-12-31T23:59:59+00:00'], ''],
  ]
  for (const [options, expected] of cases) {
    t.match(await run('build', ...options), { code: 0 })
    t.equal(shown(), expected, options.join(' '))
  }
  t.match(await run('build', '--clock', 'tomorrow'), { code: 2, stderr: /RFC 3339/ })
  writeFileSync(join(root, 'cms.config.yaml'), 'build: { drafts: true, future: true }\n')
  await run('build')
  t.equal(shown(), 'abc')
})

t.test('--base-url is refused where a part of it would be lost', async (t) => {
  const { run } = site(t)
  for (const url of ['https://a:b@example.org', 'https://example.org/?x', 'https://example.org/#y'])
    t.match(await run('build', '--base-url', url, '--dry-run'), { code: 2, stdout: '', stderr: /--base-url has no name/ }, url)
})

t.test('--base-url with a path has every link below it', async (t) => {
  const { run, text } = site(t)
  t.match(await run('build', '--base-url', 'https://example.org/docs/'), { code: 0 })
  const links = [...text('public/index.html').matchAll(/(?:href|src)="(\/[^"]*|https:\/\/example\.org[^"]*)"/g)].map(
    ([, link]) => link,
  )
  t.ok(links.length > 5)
  for (const link of links) t.match(link, /^(?:https:\/\/example\.org)?\/docs\//)
  t.match(text('public/sitemap.xml'), '<loc>https://example.org/docs/posts/a</loc>')
})

longTest('--at builds the content of a time or a commit', async (t) => {
  const { root, run, text, has } = site(t)
  const git = (date: string, ...args: string[]) => {
    const env = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
    const who = ['-c', 'user.name=T', '-c', 'user.email=t@example.org']
    return execFileSync('git', [...who, ...args], { cwd: root, env, encoding: 'utf8' }).trim()
  }
  git('', 'init', '-q')
  writeFileSync(join(root, '.gitignore'), 'public\n.cms\n')
  git('', 'add', '.')
  git('2026-02-01T00:00:00Z', 'commit', '-qm', 'one')
  const first = git('', 'rev-parse', 'HEAD')
  writeFileSync(join(root, 'content/posts/a.md'), FILES['content/posts/a.md'].replace('First', 'Second'))
  writeFileSync(join(root, 'content/posts/d.md'), '---\ntitle: New\ndate: 2026-01-03\n---\n')
  git('', 'add', '.')
  git('2026-03-01T00:00:00Z', 'commit', '-qm', 'two')
  const title = () => /<h1[^>]*>([^<]*)/.exec(text('public/posts/a/index.html'))?.[1]?.trim()
  await run('build')
  t.same([title(), has('public/posts/d/index.html')], ['Second', true])
  for (const at of [first, '2026-02-15T12:00:00Z']) {
    t.match(await run('build', '--at', at), { code: 0 })
    t.same([title(), has('public/posts/d/index.html')], ['First', false], at)
    t.match(await run('build', '--at', at, '--verify'), { code: 0 })
    t.match(await run('build', '--verify'), { code: 1, stdout: /posts\/d\/index\.html/ })
  }
  t.match(await run('build', '--at', '2026-02-15T12:00:00Z', '--clock', '2099-01-01T00:00:00Z'), { code: 0 })
  t.ok(has('public/posts/c/index.html'))
  t.match(await run('build', '--at', '2025-01-01T00:00:00Z'), { code: 4, stderr: /Nothing of the site was there/ })
  t.ok(has('public/posts/c/index.html'), 'what was built stays')
  t.match(await run('build', '--at', 'v1'), { code: 2 })
  t.match(await run('build', '--at', 'a'.repeat(40)), { code: 4 })
})

t.test('a site without a history has no --at, and options that mean two things are wrong usage', async (t) => {
  const { run } = site(t)
  t.match(await run('build', '--at', '2026-02-15T12:00:00Z'), { code: 4, stderr: /need git/ })
  t.match(await run('build', '--dry-run', '--verify'), { code: 2 })
  t.match(await run('build', '--watch', '--verify'), { code: 2 })
})

t.test('a build with what another clone has remembered is right, and makes only what changed', async (t) => {
  const { root, run } = site(t)
  await run('build')
  const other = site(t)
  for (const folder of ['.cms/cache', 'public']) cpSync(join(root, folder), join(other.root, folder), { recursive: true })
  writeFileSync(join(other.root, 'content/posts/a.md'), FILES['content/posts/a.md'].replace('Hello', 'Howdy'))
  const { mtime, atime } = statSync(join(root, 'content/posts/a.md'))
  const { utimesSync } = await import('node:fs')
  utimesSync(join(other.root, 'content/posts/a.md'), atime, mtime)
  const other404 = join(other.root, 'public/404.html')
  t.not(statSync(other404).ino, statSync(join(root, 'public/404.html')).ino)
  t.match(await other.run('build'), { code: 0 })
  t.match(other.text('public/posts/a/index.html'), 'Howdy')
  t.match(await other.run('build', '--verify'), { code: 0 })
})

longTest('--watch builds again on each change, goes on after one that fails, and ends when it is interrupted', async (t) => {
  const { root, run, text, has } = site(t)
  const running = start(['build', '--watch'], { cwd: root })
  await running.says(/public/, 'stdout')
  const write = (file: string, body: string) => writeFileSync(join(root, file), body)
  const shows = (file: string, part: string) =>
    until(
      async () => (has(file) ? text(file) : ''),
      (body) => body.includes(part),
    )
  write('content/posts/a.md', FILES['content/posts/a.md'].replace('Hello', 'Howdy'))
  await shows('public/posts/a/index.html', 'Howdy')
  write('content/posts/a.md', FILES['content/posts/a.md'].replace('Hello', 'Servus'))
  await shows('public/posts/a/index.html', 'Servus')
  t.match(text('public/posts/index.html'), 'Servus')
  write('content/posts/new.md', '---\ntitle: Novelty\n---\n')
  await shows('public/posts/index.html', 'Novelty')
  t.match(await run('build', '--verify'), { code: 0 }, 'as a build of everything makes it')
  write('cms.config.yaml', 'site: { nme: X }\n')
  await running.says(/nme/, 'stderr')
  write('cms.config.yaml', 'site: { name: Another }\n')
  await shows('public/index.html', 'Another')
  write('static/x.txt', 'Z')
  await shows('public/x.txt', 'Z')
  running.process.kill('SIGINT')
  t.equal((await running.done).code, 130)
})

t.test('an output that can’t be made ends the build at once', { skip: !existsSync('/proc/self') }, async (t) => {
  const { root, run } = site(t)
  for (const out of ['/proc/x', '/proc/x/y/public']) {
    const refused = await run('build', '--out', out)
    t.match(refused, { code: 2, stdout: '', stderr: new RegExp(`can't be built into ${out}: no folder can be made there`) })
  }
  writeFileSync(join(root, 'file'), '')
  t.match(await run('build', '--out', 'file/public'), { code: 5, stdout: '', stderr: /file is there already, as something else/ })
  t.match(await cms(['init', '/proc/x'], { cwd: root }), { code: 4, stderr: /\/proc\/x is not there/ })
  t.match(await run('build', '--out', 'a/b/public'), { code: 0 })
  t.same(readdirSync(join(root, 'a/b')), ['public'])
})

t.test('a first build that finds no room leaves nothing behind', { skip: process.platform !== 'linux' }, async (t) => {
  const posts = Array.from({ length: 60 }, (_, n) => [`content/posts/p${n}.md`, `---\ntitle: P${n}\n---\nText.\n`])
  const { root } = site(t, Object.fromEntries(posts))
  for (const blocks of [1, 3]) {
    const command = `unset NODE_OPTIONS; ulimit -f ${blocks}; exec '${process.execPath}' '${CMS}' build -C '${root}'`
    t.throws(() => execFileSync('bash', ['-c', command], { stdio: 'ignore' }), `${blocks} KiB a file`)
    t.same(
      readdirSync(root).filter((name) => name.includes('public')),
      [],
    )
  }
})

longTest('a build during which files change is of what was, or of what is', async (t) => {
  const names = Array.from({ length: 600 }, (_, n) => `p${n}`)
  const { root } = site(
    t,
    Object.fromEntries(names.map((name) => [`content/posts/${name}.md`, `---\ntitle: ${name}\n---\nText.\n`])),
  )
  const building = cms(['build'], { cwd: root })
  const made = () =>
    readdirSync(root).filter((name) => name.startsWith('.public.quire-') && existsSync(join(root, name, 'posts')))
  await until(
    async () => made().length,
    (count) => count > 0,
  )
  for (const name of names) if (name.endsWith('1') || name.endsWith('2')) rmSync(join(root, `content/posts/${name}.md`))
  t.equal((await building).code, 0)
  const built = readdirSync(join(root, 'public/posts')).filter((name) => /^p\d+$/.test(name))
  t.ok([600, 480].includes(built.length), `${built.length} of 600 posts, of which 480 are left`)
})
