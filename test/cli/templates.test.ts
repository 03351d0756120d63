import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { cms, HAS_TERMINAL, scratchSite, start, startOnTerminal, until } from '#support/cli.ts'
import { longTest } from '#support/long.ts'

const FILES = { 'content/about.md': '# About\n', 'templates/site/page.liquid': '<p>\n{% nope %}\n' }
const ADDRESS = /^Listening on (http:\/\/127\.0\.0\.1:\d+)\r?\n/m

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The text of a page that a request with these headers gets; fetch sets no Host. */
function page(url: string, headers: Record<string, string> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    request(url, { headers, agent: false }, (answer) => text(answer).then(resolve, reject))
      .on('error', reject)
      .end()
  })
}

longTest('a broken template is shown to a browser on this machine, wherever the site is to be, and to nobody else', async (t) => {
  const root = scratchSite(t, { ...FILES, 'cms.config.yaml': 'site: { url: "https://example.org" }\n' })
  const running = start(['serve', '--port', '0'], { cwd: root })
  t.teardown(() => running.process.kill('SIGKILL'))
  const [, url = ''] = await running.says(ADDRESS)
  t.match(await page(`${url}/about`), /nope[\s\S]*templates\/site\/page\.liquid:2:1/)
  for (const headers of [{ host: 'example.org' }, { 'x-forwarded-for': '192.0.2.1' }])
    t.notMatch(await page(`${url}/about`, headers), /nope|page\.liquid/, JSON.stringify(headers))
  // On a busy machine the start says how far it has come.
  const line = running.output.stderr.split('\n').find((one) => one.startsWith('{')) ?? ''
  t.match(JSON.parse(line), { level: 50, err: { type: 'Error', message: /nope/ } }, 'a log is JSON')
})

longTest('behind a proxy no broken template is shown', async (t) => {
  const root = scratchSite(t, { ...FILES, 'cms.config.yaml': 'server: { trust_proxy: 1 }\n' })
  const running = start(['serve', '--port', '0'], { cwd: root })
  t.teardown(() => running.process.kill('SIGKILL'))
  const [, url = ''] = await running.says(ADDRESS)
  t.notMatch(await page(`${url}/about`), /nope|page\.liquid/)
})

longTest('on a terminal a broken template is a line to read', { skip: !HAS_TERMINAL }, async (t) => {
  const root = scratchSite(t, FILES)
  const running = startOnTerminal(['serve', '--port', '0', '--no-color'], { cwd: root })
  const [, url = ''] = await running.says(ADDRESS)
  const { pid } = JSON.parse(readFileSync(join(root, '.cms/server.json'), 'utf8'))
  t.teardown(async () => {
    process.kill(pid, 'SIGTERM')
    await until(
      async () => isAlive(pid),
      (is) => !is,
    )
  })
  await fetch(`${url}/about`)
  const [line] = await running.says(/^error:.*\r?\n/m)
  t.match(line, /^error: templates\/site\/page\.liquid:2:1: .*nope/)
  t.notMatch(running.output.stdout, /"level"|\n {4}at /)
})

t.test('a template that fails with some records is named by check and by build, once, with a record', async (t) => {
  const root = scratchSite(t, {
    'content/posts/a.md': '# A\n',
    'content/posts/b.md': '# B\n',
    'content/about.md': '# About\n',
    'templates/site/record.liquid': '{{ record.title }}\n{% render record.fields.none %}\n',
  })
  const said = /templates\/site\/record\.liquid:2:\d+: .* 2 pages, as that of posts\/a, are not made\./
  const { code, stdout } = await cms(['check'], { cwd: root })
  t.equal(code, 1)
  t.match(stdout, said)
  t.equal(stdout.match(/record\.liquid/g)?.length, 1)
  t.notOk(existsSync(join(root, 'public')), 'and nothing is written')
  const built = await cms(['build'], { cwd: root })
  t.equal(built.code, 3)
  t.match(built.stderr, said)
  t.ok(existsSync(join(root, 'public/about/index.html')))
  t.notOk(existsSync(join(root, 'public/posts/a')))
})

t.test('a template that ships is copied to be changed, and none of the site is lost', async (t) => {
  const base = scratchSite(t, { 'site/content/posts/a.md': '# A\n', 'site/cms.config.yaml': 'site: { templates: look }\n' })
  const root = join(base, 'site')
  const copy = (...words: string[]) => cms(['templates:copy', ...words], { cwd: root })
  t.match(await copy('post'), { code: 0, stdout: 'look/site/post.liquid\n', stderr: /Copied/ })
  const shipped = new URL('../../templates/', import.meta.url)
  const own = join(root, 'look/site/post.liquid')
  t.equal(readFileSync(own, 'utf8'), readFileSync(new URL('site/post.liquid', shipped), 'utf8'))
  writeFileSync(own, 'mine')
  t.match(await copy('post'), { code: 5, stdout: '', stderr: /look\/site\/post\.liquid[\s\S]*--force/ })
  t.equal(readFileSync(own, 'utf8'), 'mine')
  const forced = JSON.parse((await copy('site/post.liquid', '--force', '--json')).stdout)
  t.match(forced, { ok: true, data: { template: 'site/post.liquid', path: 'look/site/post.liquid', replaced: true } })
  t.notMatch(readFileSync(own, 'utf8'), /^mine/)
  for (const name of ['shortcodes/figure', 'mail/link.html', 'assets/theme.css', 'words/de.yaml'])
    t.equal((await copy(name)).code, 0, name)
  const { data } = JSON.parse((await copy('--list', '--json')).stdout)
  t.match(
    data.filter(({ own }: { own: boolean }) => own).map(({ template }: { template: string }) => template),
    ['mail/link.html.liquid', 'shortcodes/figure.liquid', 'site/assets/theme.css', 'site/post.liquid', 'site/words/de.yaml'],
  )
  t.match(await copy('psot'), { code: 4, stderr: /Did you mean post\?/ })
  for (const name of ['../package.json', '/etc/passwd', 'site/../../package.json', 'starter/gitignore', ''])
    t.ok([2, 4].includes((await copy(name)).code), name)
  t.equal((await copy()).code, 2)
  mkdirSync(join(base, 'outside'), { recursive: true })
  rmSync(join(root, 'look'), { recursive: true })
  symlinkSync(join(base, 'outside'), join(root, 'look'))
  t.match(await copy('post'), { code: 3, stderr: /look/ })
  t.notOk(existsSync(join(base, 'outside/site')), 'nothing is written where a link leads')
})

longTest('what a new site is told of its templates is so', async (t) => {
  const root = scratchSite(t, {})
  await cms(['init', 'new'], { cwd: root })
  const told = readFileSync(join(root, 'new/templates/README.md'), 'utf8')
  const [, file = ''] = /`(templates\/site\/\w+\.liquid)` changes how a post looks/.exec(told) ?? []
  const cwd = join(root, 'new')
  await cms(['new', 'posts', 'Mine', '--status', 'published'], { cwd })
  const { code } = await cms(['build'], { cwd })
  t.equal(code, 0)
  const built = () => readFileSync(join(cwd, 'public/blog/mine/index.html'), 'utf8')
  t.notMatch(built(), /All mine/)
  scratchFile(join(cwd, file), 'All mine: {{ record.title }}\n')
  t.equal((await cms(['build'], { cwd })).code, 0)
  t.equal(built(), 'All mine: Mine\n')
})

function scratchFile(path: string, words: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, words)
}
