import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { median } from './load.ts'
import { ProseMaker } from './prose.ts'
import { seeded } from './random.ts'
import { CMS } from './servers.ts'

/**
 * The search of a built site: what a reader transfers who searches it, what it takes on the disk, and what it adds to `cms build`:
 * `npm run bench:search-site -- [pages] [bytes of a text] [folder of Markdown, in place of prose]`. The files of such a folder are
 * taken again where it has fewer. A session is the page with its scripts, a query of two words and the first ten pages; typed, each
 * letter is looked for, and pages are fetched after each word. Processes are measured by `/usr/bin/time`.
 */
const pages = Number(process.argv[2] ?? 2_000)
const bytes = Number(process.argv[3] ?? 4_096)
const folder = process.argv[4]
const SESSIONS = 60
const root = mkdtempSync(join(tmpdir(), 'quire-bench-'))
const print = (line: string) => process.stdout.write(`${line}\n`)
const kilobytes = (size: number) => `${(size / 1000).toFixed(1)} KB`

interface Found {
  pages: readonly { id: string }[]
  stems: Set<string>
}

interface Index {
  find(text: string): Promise<Found>
  show(pages: Found['pages'], stems: Set<string>): Promise<unknown[]>
}

function configure(search: boolean): void {
  writeFileSync(join(root, 'cms.config.yaml'), `site:\n  name: Bench\nfeatures:\n  search: ${search}\n`)
}

/** Writes the pages, and returns their titles. */
function makePages(): string[] {
  const posts = join(root, 'content', 'posts')
  mkdirSync(posts, { recursive: true })
  const files = folder === undefined ? [] : readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isMarkdown).sort()
  const maker = new ProseMaker()
  return Array.from({ length: pages }, (_, n) => {
    const file = files[n % Math.max(1, files.length)]
    const prose = file === undefined ? maker.post(`p${n}`, bytes) : undefined
    const head = prose && `---\ntitle: ${prose.title}\ntags: [${prose.tags}]\ndate: 2024-01-01\n---\n`
    const text = prose
      ? `${head}${prose.body}\n`
      : readFileSync(join(folder ?? '', file ?? ''), 'utf8').replace(/^slug:.*\n/m, '')
    writeFileSync(join(posts, `p${n}.md`), text)
    return prose?.title ?? /^title: *(.*)$/m.exec(text)?.[1] ?? 'release'
  })
}

function isMarkdown(name: string): boolean {
  return name.endsWith('.md')
}

function build(label: string): void {
  const times = join(root, 'times')
  const command = ['-o', times, '-f', '%e %U %S %M', process.execPath, CMS, 'build', '-C', root]
  const { status, stderr } = spawnSync('/usr/bin/time', command, { encoding: 'utf8', maxBuffer: 1 << 28 })
  // 3: there are problems with some pages.
  if (status !== 0 && status !== 3) throw new Error(`The build ended with ${status}: ${stderr.slice(-500)}`)
  const [seconds = 0, user = 0, system = 0, memory = 0] = readFileSync(times, 'utf8').trim().split(' ').map(Number)
  print(`${label.padEnd(34)} ${seconds.toFixed(2)} s, ${(user + system).toFixed(2)} s of CPU, ${Math.round(memory / 1024)} MB`)
}

function sizes(path: string): { files: number; bytes: number } {
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name))
  const files = names.filter((name) => statSync(name).isFile())
  return { files: files.length, bytes: files.reduce((sum, name) => sum + statSync(name).size, 0) }
}

/** One visit: what it fetched, by path. */
async function session(words: readonly string[], isTyped: boolean): Promise<Map<string, Buffer>> {
  const site = join(root, 'public')
  const fetched = new Map<string, Buffer>()
  const take = (path: string) => {
    fetched.set(path, readFileSync(path))
    return fetched.get(path)
  }
  take(join(site, 'search', 'index.html'))
  const [script] = readdirSync(join(site, 'assets')).filter((name) => /^search\..*js$/.test(name))
  for (const name of [`assets/${script}`, 'search/search.js', 'search/words.js', 'search/lunr.js']) take(join(site, name))
  globalThis.fetch = async (url) => new Response(new Uint8Array(take(fileURLToPath(String(url))) ?? []))
  const { openSearch } = await import(pathToFileURL(join(site, 'search', 'search.js')).href)
  const index: Index = await openSearch()
  const text = words.join(' ')
  for (let end = isTyped ? 2 : text.length; end <= text.length; end++) {
    const found = await index.find(text.slice(0, end))
    if (text[end] === ' ' || end === text.length) await index.show(found.pages.slice(0, 10), found.stems)
  }
  return fetched
}

async function readers(titles: readonly string[]): Promise<void> {
  const random = seeded(5)
  const pick = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)] as T
  const kinds = { 'a query of two words': false, 'the same, typed letter by letter': true }
  const queries = Array.from({ length: SESSIONS }, () =>
    [0, 1].map(() => pick((pick(titles).match(/\p{L}{3,}/gu) ?? ['the']) as string[]).toLowerCase()),
  )
  for (const [label, isTyped] of Object.entries(kinds)) {
    const totals: { raw: number; packed: number; part: Record<string, number> }[] = []
    for (const words of queries) {
      const fetched = [...(await session(words, isTyped))]
      const part: Record<string, number> = { page: 0, 'index.json': 0, words: 0, pages: 0 }
      for (const [path, body] of fetched) {
        const name = /search\/(index\.json|words(?=\/)|pages)/.exec(path)?.[1] ?? 'page'
        part[name] = (part[name] ?? 0) + body.length
      }
      const packed = fetched.reduce((sum, [, body]) => sum + gzipSync(body).length, 0)
      totals.push({ raw: fetched.reduce((sum, [, body]) => sum + body.length, 0), packed, part })
    }
    const [raw, packed] = [totals.map((one) => one.raw), totals.map((one) => one.packed)]
    print(
      `${label}: ${kilobytes(median(raw))}, at most ${kilobytes(Math.max(...raw))}; gzip ${kilobytes(median(packed))}, at most ${kilobytes(Math.max(...packed))}`,
    )
    const parts = Object.keys(totals[0]?.part ?? {}).map(
      (name) => `${name} ${kilobytes(median(totals.map(({ part }) => part[name] ?? 0)))}`,
    )
    print(`  of which, medians: ${parts.join(' · ')}`)
  }
}

try {
  configure(false)
  const titles = makePages()
  const text = sizes(join(root, 'content')).bytes
  build('cms build without search')
  build('… nothing changed')
  rmSync(join(root, 'public'), { recursive: true })
  rmSync(join(root, '.cms'), { recursive: true, force: true })
  configure(true)
  build('cms build with search')
  build('… nothing changed')
  appendFileSync(join(root, 'content', 'posts', 'p7.md'), '\nOne line more, of a zeppelin.\n')
  build('… one record changed')
  const search = sizes(join(root, 'public', 'search'))
  const words = sizes(join(root, 'public', 'search', 'words'))
  print(
    `${pages} pages, ${kilobytes(text)} of text: ${search.files} files, ${kilobytes(search.bytes)} (${(search.bytes / text).toFixed(2)} × the text), words ${words.files} files, ${kilobytes(words.bytes)}`,
  )
  await readers(titles)
} finally {
  rmSync(root, { recursive: true, force: true })
}
