import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compare, type Target } from './load.ts'
import { ProseMaker } from './prose.ts'
import { CMS, startBare, startQuire } from './servers.ts'

/**
 * Searches over HTTP, beside a bare Fastify that answers the bytes of one of them, in turn: `node .bench/search-http.js [records] [rounds]`.
 * First searches, each for words that nobody asked for before; then a few that are asked for again and again. Two words, and the last while it is typed.
 */
const records = Number(process.argv[2] ?? 10_000)
const rounds = Number(process.argv[3] ?? 5)
const FEW = 50
const root = mkdtempSync(join(tmpdir(), 'quire-bench-'))
const print = (line: string) => process.stdout.write(`${line}\n`)

try {
  const prose = new ProseMaker()
  writePosts(prose)
  const headers = { authorization: `Bearer ${token()}` }
  const quire = await startQuire(root)
  const api = `${quire.url}/api/cms/search`
  const few = Array.from({ length: FEW }, () => words(prose, 2))
  let first = await fetch(`${api}?q=${few[0]}`, { headers })
  // The index is made first.
  while (first.status === 503) first = await fetch(`${api}?q=${few[0]}`, { headers })
  if (first.status !== 200) throw new Error(`A search was answered with ${first.status}: ${await first.text()}`)
  const file = join(root, 'answer.json')
  writeFileSync(file, Buffer.from(await first.arrayBuffer()))
  const bareServer = await startBare([file])
  const bare = { url: `${bareServer.url}/0` }
  print(`${records} records, 10 connections, ${rounds} rounds of 3 s each in turn`)
  await row('first, two words', () => words(prose, 2))
  await row('first, one word typed', () => `${prose.word()}+${prose.word().slice(0, 4)}`)
  let n = 0
  await row('again', () => few[n++ % FEW] ?? '')
  await bareServer.stop()
  await quire.stop()

  async function row(name: string, q: () => string): Promise<void> {
    const asked: Target = { url: api, headers, path: () => `/api/cms/search?q=${q()}` }
    const { a, b, ratio, failed } = await compare(asked, bare, rounds)
    const figures = `${Math.round(a).toString().padStart(7)}/s  beside ${Math.round(b).toString().padStart(7)}/s`
    print(`${name.padEnd(26)} ${figures}  ratio ${(ratio * 100).toFixed(1)} %${failed ? `  FAILED ${failed}` : ''}`)
  }
} finally {
  rmSync(root, { recursive: true, force: true })
}

function words(prose: ProseMaker, n: number): string {
  return Array.from({ length: n }, () => prose.word()).join('+')
}

function writePosts(prose: ProseMaker): void {
  const posts = join(root, 'content', 'posts')
  mkdirSync(posts, { recursive: true })
  writeFileSync(join(root, 'cms.config.yaml'), 'throttle: { search: off }\n')
  for (let n = 0; n < records; n++) {
    const { id, title, tags, body } = prose.post(`post-${n}`, 2048)
    writeFileSync(join(posts, `${id}.md`), `---\ntitle: ${title}\ntags: [${tags.join(', ')}]\n---\n${body}\n`)
  }
}

function token(): string {
  const args = [CMS, 'token:create', '--name', 'bench', '--scope', 'read', '-C', root]
  return execFileSync(process.execPath, args, { encoding: 'utf8' }).trim()
}
