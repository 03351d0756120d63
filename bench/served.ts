import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fire, median, type Target } from './load.ts'
import { CMS, type Server, startBare, startQuire } from './servers.ts'
import { beginRepository, idOf, type Layout, makeSite } from './site.ts'
import { Writer } from './writer.ts'

/**
 * Pages of a site in a repository, beside a bare Fastify that answers the same bytes, in turn: alone, as Brotli, and while somebody
 * changes 1,000 records a minute by the API. `npm run bench:served -- [records] [rounds]`.
 */
const records = Number(process.argv[2] ?? 10_000)
const rounds = Number(process.argv[3] ?? 5)
const SECONDS = 3
const CONNECTIONS = 10
const layout: Layout = { records, size: 2048, folders: 256 }
const root = mkdtempSync(join(tmpdir(), 'quire-bench-'))
const print = (line: string) => process.stdout.write(`${line}\n`)

/** Of another machine: one of its own gets the script that reloads pages. */
const plain = { host: 'example.org' }
const packed = { ...plain, 'accept-encoding': 'br' }

try {
  makeSite(root, layout)
  beginRepository(root)
  const token = execFileSync(process.execPath, [CMS, 'token:create', '--name', 'b', '--scope', 'edit', '-C', root], {
    encoding: 'utf8',
  })
  const quire = await startQuire(root)
  const pages = { 'a record': `/posts/${idOf(42, layout).replace('~', '/')}`, 'a list': '/posts', home: '/' }
  const files: string[] = []
  for (const path of Object.values(pages)) {
    for (const [form, headers] of Object.entries({ plain, packed })) {
      const file = join(root, `${files.length}-${form}`)
      writeFileSync(file, await bytesOf(quire.url + path, headers))
      files.push(file)
    }
  }
  const bare = await startBare(files)
  const servers = { quire, bare }
  const writer = new Writer(quire.url, token.trim(), layout)
  print(`${records} records, ${CONNECTIONS} connections, ${rounds} rounds of ${SECONDS} s each in turn`)
  for (const [n, [name, path]] of Object.entries(pages).entries()) {
    const own = (headers: Record<string, string>): Target => ({ url: quire.url + path, headers })
    const other = (file: number): Target => ({ url: `${bare.url}/${file}` })
    await row(name, servers, own(plain), other(2 * n))
    await row(`${name}, Brotli`, servers, own(packed), other(2 * n + 1))
    await row(`${name}, under writes`, servers, own(plain), other(2 * n), writer)
  }
  print(`memory: ${quire.memory().now} MB`)
  await Promise.all([quire.stop(), bare.stop()])
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 3 })
}

interface Servers {
  readonly quire: Server
  readonly bare: Server
}

/** Asks two servers in turn, and prints how many answers a second each gives, and what one costs it. What writes does so while ours is asked. */
async function row(name: string, { quire, bare }: Servers, own: Target, other: Target, writer?: Writer): Promise<void> {
  const pairs: { own: number; other: number; p99: number; ownCpu: number; otherCpu: number }[] = []
  let failed = 0
  let written = 0
  await fire(own, CONNECTIONS, 1)
  await fire(other, CONNECTIONS, 1)
  for (let n = 0; n < rounds; n++) {
    const before = [quire.cpu(), bare.cpu()] as const
    writer?.begin()
    const ours = await fire(own, CONNECTIONS, SECONDS)
    written += (await writer?.end()) ?? 0
    const theirs = await fire(other, CONNECTIONS, SECONDS)
    failed += ours.failed + theirs.failed
    const ownCpu = ((quire.cpu() - before[0]) / ours.answered) * 1e6
    const otherCpu = ((bare.cpu() - before[1]) / theirs.answered) * 1e6
    pairs.push({ own: ours.perSecond, other: theirs.perSecond, p99: ours.p99, ownCpu, otherCpu })
  }
  const of = (key: 'own' | 'other' | 'p99' | 'ownCpu' | 'otherCpu') => Math.round(median(pairs.map((pair) => pair[key])))
  const ratio = median(pairs.map((pair) => pair.own / pair.other)).toFixed(2)
  const writes = writer ? `, ${Math.round((written / rounds / SECONDS) * 60)} writes a minute` : ''
  print(
    `${name}: ${of('own')}/s beside ${of('other')}/s, ratio ${ratio}; ${of('ownCpu')} µs of CPU beside ${of('otherCpu')}; p99 ${of('p99')} ms${writes}, ${failed} failed`,
  )
}

/** The bytes of an answer as they are sent. */
function bytesOf(url: string, headers: Record<string, string>): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('end', () =>
        answer.statusCode === 200 ? resolve(Buffer.concat(parts)) : reject(new Error(`${url} answered ${answer.statusCode}`)),
      )
    })
      .on('error', reject)
      .end()
  })
}
