import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { seeded } from './random.ts'

const WORDS =
  'river stone letter window garden market signal branch harbour engine paper season number answer circle forest morning reason travel copper silver winter summer bridge island memory silence pattern library notebook'.split(
    ' ',
  )

/** The layout of a generated site: all files in one folder, or spread over 256. */
export interface Layout {
  records: number
  /** Bytes of a body, about. */
  size: number
  folders: 1 | 256
}

/**
 * Writes `records` posts into `<root>/content/posts`, the same ones each time: nine in ten published, the others drafts.
 * `settings`: more lines of configuration.
 */
export function makeSite(root: string, layout: Layout, settings = ''): void {
  const random = seeded(7)
  const pick = () => WORDS[Math.floor(random() * WORDS.length)] as string
  const posts = join(root, 'content', 'posts')
  mkdirSync(posts, { recursive: true })
  writeFileSync(join(root, 'cms.config.yaml'), `site:\n  name: Bench\n${settings}`)
  for (let n = 0; n < layout.records; n++) {
    const folder = layout.folders === 1 ? posts : join(posts, (n % 256).toString(16).padStart(2, '0'))
    if (n < layout.folders) mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${fileName(n)}.md`), post(n, layout.size, pick))
  }
}

/**
 * Writes `records` posts into `<root>/content/posts` that are pieces of the texts of a folder of Markdown, `size` bytes each, as often
 * as it takes.
 */
export function makeRealSite(root: string, folder: string, { records, size }: Omit<Layout, 'folders'>): void {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.mdx?$/.test(name))
  const texts = names.sort().map((name) => readFileSync(join(folder, name), 'utf8'))
  if (texts.length === 0) throw new Error(`There is no Markdown in ${folder}.`)
  writeFileSync(join(root, 'cms.config.yaml'), 'site:\n  name: Bench\nthrottle: { search: off }\n')
  let n = 0
  for (let round = 0; n < records; round++) {
    for (const text of texts) {
      const head = /^---\r?\n[\s\S]*?\r?\n---\r?\n/.exec(text)?.[0] ?? '---\ntitle: None\n---\n'
      // The second round has other pieces than the first.
      for (let at = head.length + ((round * 1300) % size); at < text.length && n < records; at += size, n++) {
        const posts = join(root, 'content', 'posts', (n % 256).toString(16).padStart(2, '0'))
        mkdirSync(posts, { recursive: true })
        writeFileSync(join(posts, `${fileName(n)}.md`), `${head}\n${text.slice(at, at + size)}\n`)
      }
    }
  }
}

/** Makes a site's folder a repository, with one commit of all that is in it. */
export function beginRepository(root: string): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root })
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'Bench')
  git('config', 'user.email', 'bench@example.org')
  git('add', '-A')
  // Tidied up now, as a clone is, and not in the background while something is measured.
  git('-c', 'gc.auto=0', 'commit', '-q', '-m', 'Begin')
  git('gc', '--quiet')
}

/** The id of the nth post of a generated site. */
export function idOf(n: number, layout: Layout): string {
  const folder = layout.folders === 1 ? '' : `${(n % 256).toString(16).padStart(2, '0')}~`
  return `${folder}${fileName(n)}`
}

function fileName(n: number): string {
  return `post-${String(n).padStart(6, '0')}`
}

function post(n: number, size: number, pick: () => string): string {
  const date = new Date(Date.UTC(2015, 0, 1) + n * 3_000_000).toISOString()
  const head = [
    '---',
    `title: ${pick()} ${pick()} ${n}`,
    `date: ${date}`,
    `status: ${n % 10 === 9 ? 'draft' : 'published'}`,
    `author: ${pick()}`,
    `tags: [${pick()}, ${pick()}]`,
    `category: ${pick()}`,
    `excerpt: ${pick()} ${pick()} ${pick()} ${pick()}`,
    '---',
    '',
  ]
  const lines: string[] = []
  for (let bytes = 0; bytes < size; ) {
    const line = Array.from({ length: 12 }, pick).join(' ')
    lines.push(line, '')
    bytes += line.length + 2
  }
  return `${head.join('\n')}\n${lines.join('\n')}`
}
