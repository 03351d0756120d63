import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startQuire } from './servers.ts'

/**
 * Measures if response times reveal who has an account: `npm run bench:auth -- [tries]`. Tries each way to sign in over HTTP,
 * alternating addresses with and without an account. Prints the medians and their differences. With DATABASE_URL the site is kept
 * in that database.
 */
const tries = Number(process.argv[2] ?? 200)
const print = (line: string) => process.stdout.write(`${line}\n`)

const PASSWORD = 'umbrella quartz 71 lighthouse'

const ROUTES: readonly [string, (email: string) => object][] = [
  ['otp/send', (email) => ({ email })],
  ['magic-link', (email) => ({ email })],
  ['otp/verify', (email) => ({ email, code: '000000' })],
  ['login', (email) => ({ email, password: 'not the right one at all' })],
]

const root = mkdtempSync(join(tmpdir(), 'quire-bench-auth-'))
try {
  makeSite()
  await makeUsers()
  const server = await startQuire(root)
  try {
    print(`\n${tries} tries each; load of the machine ${loadavg()[0]?.toFixed(1)}\n`)
    print('| | somebody’s, median ms | nobody’s, median ms | apart |')
    print('|---|---|---|---|')
    for (const [path, body] of ROUTES) print(await row(`${server.url}/api/auth/${path}`, path, body))
  } finally {
    await server.stop()
  }
} finally {
  rmSync(root, { recursive: true, force: true })
}

function makeSite(): void {
  mkdirSync(join(root, 'content'))
  const { DATABASE_URL: url } = process.env
  const storage = url ? `storage: { driver: postgres, url: ${JSON.stringify(url)} }\n` : ''
  writeFileSync(join(root, 'cms.config.yaml'), `${storage}throttle: { auth: off }\n`)
}

/** One for each try: who was tried before is answered otherwise. */
async function makeUsers(): Promise<void> {
  const { openSite } = await import('#cli/open/site.ts')
  const site = await openSite({ directory: root, watch: false })
  const by = { name: 'Bench', email: 'bench@localhost' }
  const { auth, users } = site.features
  const passwordHash = await auth.passwords.hashFor(PASSWORD, { email: 'bench@localhost', name: 'Bench' })
  for (let n = 0; n < tries; n++) await users.create({ email: somebody(n), passwordHash }, by)
  await site.close()
}

function somebody(n: number): string {
  return `known-${String(n).padStart(4, '0')}@example.org`
}

function nobody(n: number): string {
  return `other-${String(n).padStart(4, '0')}@example.org`
}

async function row(url: string, path: string, body: (email: string) => object): Promise<string> {
  for (let n = 0; n < 20; n++) await timed(url, body(`warm-${n}@example.org`))
  const times: [number[], number[]] = [[], []]
  for (let n = 0; n < tries; n++) {
    // Who comes first changes, for what one leaves to be done is done while the next is answered.
    const pair: [number[], string][] = [
      [times[0], somebody(n)],
      [times[1], nobody(n)],
    ]
    for (const [list, email] of n % 2 ? pair : pair.reverse()) list.push(await timed(url, body(email)))
  }
  const [known, unknown] = times.map(median)
  const apart = Math.abs((known ?? 0) / (unknown ?? 1) - 1) * 100
  return `| ${path} | ${known?.toFixed(2)} | ${unknown?.toFixed(2)} | ${apart.toFixed(1)} % |`
}

async function timed(url: string, body: object): Promise<number> {
  const before = performance.now()
  const answer = await fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
  await answer.arrayBuffer()
  if (answer.status !== 202 && answer.status !== 401) throw new Error(`${url} answered ${answer.status}.`)
  return performance.now() - before
}

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
}
