import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { median } from './load.ts'
import { CMS, startQuire } from './servers.ts'
import { idOf, type Layout, makeSite } from './site.ts'

/**
 * `git checkout` of another branch under a server, until every record it answers is the one that git has there: `npm run
 * bench:checkout -- [records] [files that differ] [rounds]`. Of those that differ four in five are changed, the others removed or
 * new.
 */
const records = Number(process.argv[2] ?? 10_000)
const differing = Number(process.argv[3] ?? records / 2)
const rounds = Number(process.argv[4] ?? 3)
const layout: Layout = { records, size: 2048, folders: 256 }
const root = mkdtempSync(join(tmpdir(), 'quire-bench-'))
const print = (line: string) => process.stdout.write(`${line}\n`)

const ENV = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
const WHO = ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.org']

function git(...words: string[]): string {
  return execFileSync('git', [...WHO, ...words], { cwd: root, env: ENV, encoding: 'utf8', maxBuffer: 1 << 28 })
}

const fileOf = (n: number) => join(root, 'content', 'posts', `${idOf(n, layout).replaceAll('~', '/')}.md`)

function makeBranches(): void {
  git('init', '-q', '-b', 'main')
  git('add', '-A')
  git('commit', '-q', '-m', 'Main')
  git('checkout', '-q', '-b', 'other')
  for (let n = 0; n < differing; n++) {
    const text = readFileSync(fileOf(n), 'utf8')
    if (n % 10 === 0) rmSync(fileOf(n))
    else if (n % 10 === 1) writeFileSync(fileOf(n).replace('.md', '-new.md'), text)
    else writeFileSync(fileOf(n), text.replace(/^title: /m, 'title: Altered '))
  }
  git('add', '-A')
  git('commit', '-q', '-m', 'Other')
  git('checkout', '-q', 'main')
}

/** Reads from git the blob of each record on a branch, by id. */
function wanted(branch: string): Map<string, string> {
  const lines = git('ls-tree', '-r', branch, '--', 'content/posts').split('\n').filter(Boolean)
  return new Map(
    lines.map((line) => {
      const [, blob = '', path = ''] = /^\S+ blob (\S+)\tcontent\/posts\/(.+)\.md$/.exec(line) ?? []
      return [path.replaceAll('/', '~'), blob]
    }),
  )
}

/** A look at a few records that differ: asking for all of them again and again would be most of what is measured. */
async function seemsTo(api: string, headers: Record<string, string>, want: Map<string, string>): Promise<boolean> {
  for (let n = 0; n < differing; n += Math.ceil(differing / 20) + 1) {
    const id = idOf(n, layout)
    const answer = await fetch(`${api}/${encodeURIComponent(id)}`, { headers })
    const { data } = (await answer.json()) as { data?: { version: string } }
    if (data?.version !== want.get(id)) return false
  }
  return true
}

async function agrees(api: string, headers: Record<string, string>, want: Map<string, string>): Promise<boolean> {
  const pages = Math.ceil(want.size / 100)
  for (let page = 1; page <= pages; page++) {
    const answer = await fetch(`${api}?per_page=100&page=${page}&sort=slug&fields=title`, { headers })
    const { data, meta } = (await answer.json()) as { data: { id: string; version: string }[]; meta: { total: number } }
    if (meta.total !== want.size || data.some(({ id, version }) => want.get(id) !== version)) return false
  }
  return true
}

/** Returns whether search finds exactly the posts whose title differs on the branch. */
async function isFound(server: string, headers: Record<string, string>, branch: string): Promise<boolean> {
  const answer = await fetch(`${server}/api/cms/search?q=altered`, { headers })
  const { meta } = (await answer.json()) as { meta?: { total: number } }
  const altered = Array.from({ length: differing }, (_, n) => n % 10).filter((n) => n > 1).length
  return meta?.total === (branch === 'other' ? altered : 0)
}

try {
  makeSite(root, layout, 'throttle: { search: off }\n')
  makeBranches()
  const token = execFileSync(process.execPath, [CMS, 'token:create', '--name', 'bench', '--scope', 'edit', '-C', root], {
    encoding: 'utf8',
  }).trim()
  const headers = { authorization: `Bearer ${token}` }
  const quire = await startQuire(root)
  const api = `${quire.url}/api/cms/posts`
  if (!(await agrees(api, headers, wanted('main')))) throw new Error('the server does not agree to begin with')
  const checkouts: number[] = []
  const afters: number[] = []
  const wholes: number[] = []
  const founds: number[] = []
  while (!(await isFound(quire.url, headers, 'main'))) await pause(100)
  for (let n = 0; n < rounds * 2; n++) {
    const branch = n % 2 === 0 ? 'other' : 'main'
    const want = wanted(branch)
    const begun = performance.now()
    git('checkout', '-q', branch)
    const ended = performance.now()
    let asked = ended
    while (!((await seemsTo(api, headers, want)) && (await agrees(api, headers, want)))) {
      await pause(20)
      asked = performance.now()
    }
    checkouts.push(ended - begun)
    afters.push(asked - ended)
    wholes.push(asked - begun)
    while (!(await isFound(quire.url, headers, branch))) await pause(20)
    founds.push(performance.now() - ended)
  }
  const s = (ms: number[]) => `${(median(ms) / 1000).toFixed(2)} s (${ms.map((m) => (m / 1000).toFixed(2)).join(' ')})`
  print(`${records} records, ${differing} files differ, ${rounds} rounds there and back`)
  print(`git checkout alone                     ${s(checkouts)}`)
  print(`from its end until all answers agree   ${s(afters)}`)
  print(`from its end until search agrees, too  ${s(founds)}`)
  print(`from its beginning                     ${s(wholes)}`)
  print(`memory at the end                      ${quire.memory().now} MB`)
  await quire.stop()
} finally {
  rmSync(root, { recursive: true, force: true })
}
