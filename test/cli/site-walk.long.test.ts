import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { CMS, cms, launch, scratchSite, start } from '#support/cli.ts'
import { elementCheck } from '#support/html-page.ts'
import { type Finding, filesOf, walkSite } from '#support/site-walk.ts'

/** A site's folder to walk in the place of the one that is made, and the tool that it is to be imported from first. */
const [folder, from = ''] = process.argv.slice(2)
const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url))
const CLOCK = new URL('../support/other-clock.js', import.meta.url).href
/** The surroundings of another machine. */
const ELSEWHERE = { TZ: 'Pacific/Kiritimati', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' }
/** What is the site's own to mend: these `check` names. */
const OWN: ReadonlySet<Finding['kind']> = new Set(['address', 'part'])
const MOST_SHOWN = 30

t.jobs = 1

if (folder !== undefined) {
  t.test(`${folder}, built and served`, async (t) => {
    const root = mkdtempSync(join(tmpdir(), 'quire-walk-'))
    t.teardown(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }))
    if (from === '') cpSync(folder, root, { recursive: true })
    else {
      await cms(['init', root, '--template', 'blank'])
      const { code, stdout, stderr } = await cms(['import', '--from', from, folder, '-C', root])
      t.comment(stdout + stderr)
      t.ok(code <= 1, 'what can be read is imported')
    }
    await walked(t, root)
  })
} else {
  for (const [name, urls] of [
    ['blog', 'directory'],
    ['docs', 'slash'],
  ] as const) {
    t.test(`a site that begins as ${name} and whose addresses are as of ${urls}`, async (t) => {
      const root = scratchSite(t, {})
      await cms(['init', root, '--template', name, '--no-git'])
      if (name === 'docs') cpSync(DOCS, join(root, 'content/docs'), { recursive: true })
      const config = readFileSync(join(root, 'cms.config.yaml'), 'utf8')
      const site = config.replace(/^( +url: ).*$/m, '$1https://example.org/on/it')
      writeFileSync(join(root, 'cms.config.yaml'), `${site}\nbuild:\n  urls: ${urls}\n`)
      await walked(t, root)
    })
  }
}

t.test('the walk finds what is wrong', async (t) => {
  const page = (body: string, head = '') =>
    `<!doctype html><html lang="en"><head><title>x</title>${head}</head><body>${body}</body></html>`
  const root = scratchSite(t, {
    'index.html': page('<a href="/on/gone">a</a><a href="/on/a#no">b</a><a href="/on/a#yes">c</a><a href="/else">d</a>'),
    'a/index.html': page(
      '<p id="yes">x</p><p id="yes">y</p>\u0008<ul><p>z</p></ul><img src="b.png" alt="" srcset="/on/c.png 2x">',
    ),
    'b/index.html': page('<a href="https://example.org/on/old">a</a>', '<link rel="canonical" href="https://example.org/on/a">'),
    'old/index.html': page('x', '<meta http-equiv="refresh" content="0; url=/on/nowhere">'),
    'feed.xml': '<feed/>',
    'sitemap.xml':
      '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://example.org/on/not</loc></url></urlset>',
  })
  const findings = await walkSite(root, { site: 'https://example.org/on', elements: elementCheck() })
  const counts: Record<string, number> = {}
  for (const { kind } of findings) counts[kind] = (counts[kind] ?? 0) + 1
  t.match(counts, { part: 1, redirect: 1, canonical: 1, html: 2 })
  t.strictSame(
    findings
      .filter(({ kind }) => kind === 'address')
      .map(({ path }) => path)
      .sort(),
    ['/on/b.png', '/on/c.png', '/on/gone', '/on/not', '/on/nowhere'],
  )
  t.ok((counts.feed ?? 0) > 0 && (counts.elements ?? 0) > 0)
})

/** Builds a site here and elsewhere, serves it, walks all its files. */
async function walked(t: Test, root: string): Promise<void> {
  const site =
    /^site:\n(?: .*\n)*? +url: (\S+)/m.exec(readFileSync(join(root, 'cms.config.yaml'), 'utf8'))?.[1] ?? 'http://127.0.0.1:3000'
  const checked = JSON.parse((await cms(['check', '-C', root, '--json'])).stdout)
  const problems: { message: string }[] = checked.data?.problems ?? checked.error?.problems ?? []
  const begun = new Date().toISOString()
  const built = await cms(['build', '-C', root])
  const out = join(root, 'public')

  const findings = await walkSite(out, { site, elements: elementCheck() })
  const named = problems.flatMap(({ message }) => /"([^"]+)"/.exec(message)?.[1] ?? [])
  const isOwn = (finding: Finding) =>
    (OWN.has(finding.kind) && isNamed(finding, named)) || (folder !== undefined && finding.kind === 'elements')
  const unnamed = findings.filter((finding) => !isOwn(finding))
  t.strictSame(grouped(unnamed), {})
  // HTML of the texts themselves, where a site is somebody's.
  if (folder !== undefined) t.comment(grouped(findings.filter(({ kind }) => kind === 'elements')))
  if (folder !== undefined) t.comment(problems.map(({ message }) => message).join('\n'))

  const again = mkdtempSync(join(tmpdir(), 'quire-again-'))
  t.teardown(() => rmSync(again, { recursive: true, force: true, maxRetries: 3 }))
  // Large media lie in the private folder, and are brought along.
  cpSync(root, again, { recursive: true, filter: (path) => !/[\\/](?:public|\.cms[\\/](?!media$)[^\\/]*)$/.test(path) })
  // Texts of somebody's site may end within a year.
  const moment = folder === undefined ? [] : ['--clock', begun]
  const elsewhere = await launch([process.execPath, `--import=${CLOCK}`, CMS, 'build', ...moment, '-C', again], {
    env: ELSEWHERE,
  }).done
  t.equal(elsewhere.code, built.code, elsewhere.stderr)
  t.strictSame(differing(out, join(again, 'public')), [], 'another machine, a year later, in another zone and language')

  const ask = await served(t, root, new URL(site))
  const apart: string[] = []
  for (const file of filesOf(out).filter((name) => !NOT_SERVED.has(name))) {
    const bytes = readFileSync(join(out, file))
    for (const round of [1, 2]) if (!(await isAnswered(ask, file, bytes))) apart.push(`${file}, time ${round}`)
  }
  t.strictSame(apart, [], 'served as built')
}

/** What a built site has for hosts alone. */
const NOT_SERVED: ReadonlySet<string> = new Set(['_redirects', '.quire-build', '.nojekyll'])

type Ask = (path: string) => Promise<Buffer>

/** Returns whether a server answers the bytes of a built file at its address: as hosts of files have it, or as it is named. */
async function isAnswered(ask: Ask, file: string, bytes: Buffer): Promise<boolean> {
  const path = `/${file.split('/').map(encodeURIComponent).join('/')}`
  const plain = file === '404.html' ? '/is-not-there' : path.replace(/index\.html$/, '')
  const addresses = [plain.replace(/(?<=.)\/$/, ''), plain, path.replace(/\.html$/, ''), path]
  for (const address of new Set(addresses)) if ((await ask(address)).equals(bytes)) return true
  return false
}

/** Serves a site to a browser of another machine. */
async function served(t: Test, root: string, site: URL): Promise<Ask> {
  const running = start(['serve', '--port', '0', '-C', root])
  const agent = new Agent({ keepAlive: true })
  t.teardown(async () => {
    agent.destroy()
    running.process.kill('SIGTERM')
    await running.done
  })
  const [, url = ''] = await running.says(/^Listening on (http:\S+)\n/)
  const base = site.pathname.replace(/\/$/, '')
  return (path) =>
    new Promise((resolve, reject) => {
      const asking = request(url + base + path, { agent, headers: { host: 'example.org' } }, (answer) => {
        const parts: Buffer[] = []
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.on('end', () => resolve(Buffer.concat(parts)))
      })
      asking.on('error', reject).end()
    })
}

/** Returns whether `check` names a finding: by the address as it was written, which may be a part of the one that it leads to. */
function isNamed({ path = '' }: Finding, named: readonly string[]): boolean {
  const plain = (text: string) => decoded(text.replace(/^(?:\.{1,2}\/)+|^https?:\/\/[^/]+/, '')).replace(/\/(?=#|$)/, '')
  return named.some((text) => plain(path).toLowerCase().endsWith(plain(text).toLowerCase()))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Findings by their kinds, the first of each. */
function grouped(findings: readonly Finding[]): Record<string, string[]> {
  const groups: Record<string, string[]> = {}
  for (const { kind, file, what } of findings) {
    const group = groups[kind] ?? []
    groups[kind] = group
    group.push(`${file}: ${what}`)
  }
  return Object.fromEntries(
    Object.entries(groups).map(([kind, all]) => [`${kind}, ${all.length} times`, all.slice(0, MOST_SHOWN)]),
  )
}

/** The files that one of two folders lacks, or has with other bytes. */
function differing(one: string, other: string): string[] {
  const names = new Set([...filesOf(one), ...filesOf(other)])
  const bytesOf = (folder: string, name: string) =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name)) : undefined
  return [...names].filter(
    (name) => name !== '.quire-build' && !bytesOf(one, name)?.equals(bytesOf(other, name) ?? Buffer.alloc(0)),
  )
}
