import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import matter from 'gray-matter'
import { CMS, startQuire } from './servers.ts'

/**
 * A folder of real posts, with no type configured, against a count made without Quire:
 * `npm run bench:corpus -- <folder of Markdown>`. Every readable file is served, browse and filters agree with the count,
 * the build writes a page for each live record and a sitemap that lists exactly them. Exits 1 where anything differs.
 */
const folder = process.argv[2]
if (!folder) throw new Error('Which folder of Markdown? npm run bench:corpus -- <folder>')
const root = mkdtempSync(join(tmpdir(), 'quire-corpus-'))
let passed = 0
let failed = 0

function check(what: string, ok: boolean, detail = '') {
  ok ? passed++ : failed++
  process.stdout.write(`${ok ? 'ok    ' : 'DIFFERS'} ${what}${ok || !detail ? '' : `: ${detail}`}\n`)
}

function none(what: string, wrong: Expected[]) {
  const first = wrong.slice(0, 3).map((e) => e.id)
  check(what, wrong.length === 0, first.join(', '))
}

/** The fields of a file that this script compares, as gray-matter alone reads them. */
interface Expected {
  id: string
  title: string | undefined
  date: number | undefined
  category: string | undefined
  author: string | undefined
  words: string
}

function expected(): Expected[] {
  const posts = join(root, 'content', 'posts')
  return readdirSync(posts, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:md|mdx|markdown)$/.test(path))
    .map((path) => {
      const file = matter(readFileSync(join(posts, path), 'utf8'), {})
      const id = path
        .replace(/\.[a-z]+$/, '')
        .replace(/(?<=.)\/index$/, '')
        .replaceAll('/', '~')
      return {
        id,
        title: file.data.title,
        date: file.data.date ? new Date(file.data.date).getTime() : undefined,
        category: file.data.category,
        author: file.data.author,
        words: file.content.trim(),
      }
    })
}

const slug = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9._]+/g, '-')

type Listed = { id: string; title: string; url: string; published_at: string | null; categories: string[]; body: string }

async function all(api: string, query: string, headers: Record<string, string>): Promise<{ total: number; items: Listed[] }> {
  const items: Listed[] = []
  for (let page = 1; ; page++) {
    const answer = await fetch(`${api}?per_page=100&page=${page}${query}`, { headers })
    const { data, meta } = (await answer.json()) as { data: Listed[]; meta: { total: number; last_page: number } }
    items.push(...data)
    if (page >= meta.last_page) return { total: meta.total, items }
  }
}

function tally(of: Expected[], by: (e: Expected) => string | undefined): Map<string, number> {
  const counts = new Map<string, number>()
  for (const e of of) {
    const value = by(e)
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return counts
}

try {
  cpSync(folder, join(root, 'content', 'posts'), { recursive: true })
  const want = expected()
  const token = execFileSync(process.execPath, [CMS, 'token:create', '--name', 'corpus', '--scope', 'read', '-C', root], {
    encoding: 'utf8',
  }).trim()
  const headers = { authorization: `Bearer ${token}` }
  const quire = await startQuire(root)
  const api = `${quire.url}/api/cms/posts`

  const got = await all(api, '', headers)
  check(`${want.length} files, ${got.total} records`, got.total === want.length && got.items.length === want.length)
  const byId = new Map(got.items.map((item) => [item.id, item]))
  const missing = want.filter((e) => !byId.has(e.id)).map((e) => e.id)
  check('every file is a record', missing.length === 0, missing.slice(0, 5).join(', '))
  const wrongTitle = want.filter((e) => e.title !== undefined && byId.get(e.id)?.title !== String(e.title))
  none('titles', wrongTitle)
  const wrongDate = want.filter((e) => e.date !== undefined && Date.parse(byId.get(e.id)?.published_at ?? '') !== e.date)
  none('dates', wrongDate)
  const wrongBody = want.filter((e) => byId.get(e.id)?.body.trim() !== e.words)
  none('bodies', wrongBody)
  const order = [...want].sort(
    (a, b) => (b.date ?? Number.NEGATIVE_INFINITY) - (a.date ?? Number.NEGATIVE_INFINITY) || (a.id < b.id ? -1 : 1),
  )
  check(
    'order, newest first',
    order.every((e, n) => got.items[n]?.id === e.id),
  )
  for (const [category, count] of tally(want, (e) => e.category)) {
    const { total } = await all(api, `&category=${encodeURIComponent(slug(category))}`, headers)
    check(`category ${category}: ${count}`, total === count, `${total}`)
  }
  const authors = [...tally(want, (e) => e.author)]
  let differ = 0
  for (const [author, count] of authors) {
    const { total } = await all(api, `&filter[author]=${encodeURIComponent(author)}`, headers)
    if (total !== count) differ++
  }
  check(`${authors.length} authors by filter`, differ === 0, `${differ} differ`)
  for (const year of [2010, 2013, 2017, 2020, 2024]) {
    const count = want.filter((e) => e.date !== undefined && e.date >= Date.UTC(year, 0) && e.date < Date.UTC(year + 1, 0)).length
    const query = `&filter[published_at][gte]=${year}-01-01T00:00:00Z&filter[published_at][lt]=${year + 1}-01-01T00:00:00Z`
    const { total } = await all(api, query, headers)
    check(`published in ${year}: ${count}`, total === count, `${total}`)
  }
  const deep = await fetch(`${api}/release~v18.17.0`, { headers })
  check('release~v18.17.0 is found', deep.status === 200 || !want.some((e) => e.id === 'release~v18.17.0'), `${deep.status}`)

  const begun = performance.now()
  const build = spawnSync(process.execPath, [CMS, 'build', '-C', root], { encoding: 'utf8' })
  check(`cms build exits 0, ${((performance.now() - begun) / 1000).toFixed(1)} s`, build.status === 0, build.stderr.slice(-400))
  const urls = got.items.map((item) => item.url)
  const unwritten = urls.filter((url) => !existsSync(join(root, 'public', decodeURIComponent(url), 'index.html')))
  check('a page for each record', unwritten.length === 0, unwritten.slice(0, 3).join(', '))
  const sitemap = readFileSync(join(root, 'public', 'sitemap.xml'), 'utf8')
  const listed = new Set([...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map((m) => decodeURI(new URL(m[1] as string).pathname)))
  const should = new Set(['/', ...urls.map((url) => decodeURI(url))])
  check(
    `the sitemap lists ${should.size}`,
    listed.size === should.size && [...should].every((url) => listed.has(url)),
    `${listed.size}`,
  )
  let differing = 0
  for (const url of urls.filter((_, n) => n % 10 === 0)) {
    const served = Buffer.from(await (await fetch(quire.url + url)).arrayBuffer())
    if (!served.equals(readFileSync(join(root, 'public', decodeURIComponent(url), 'index.html')))) differing++
  }
  check('served and built pages have the same bytes', differing === 0, `${differing} differ`)
  await quire.stop()
} finally {
  rmSync(root, { recursive: true, force: true })
}
process.stdout.write(`${passed} agree, ${failed} differ\n`)
process.exitCode = failed ? 1 : 0
