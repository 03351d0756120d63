import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '#support/cli.ts'
import { formOf } from '#support/form.ts'
import { git } from '#support/git.ts'
import { Node, type Teardown } from './nodes.ts'
import { end, killAll, litterOf } from './wreckage.ts'

/** The results of all rounds. */
export interface UploadReport {
  kills: number
  /** What was answered and what was not, by what was asked for; and how much of the latter is there. */
  answered: Record<string, number>
  unanswered: Record<string, number>
  landed: number
  /** The broken promises. */
  faults: string[]
}

/** Where a site is kept. */
export type Place = 'git' | 'plain' | 'postgres'

/** The ids and checksums of media. */
type Media = Map<string, string>

/** A request whose answer is outstanding: what it makes of the media of its client. */
interface Asked {
  readonly what: string
  readonly after: Media
}

/** The bytes up to which a file is kept in git. */
const GIT_MOST = 16_384
const CONFIG = `media: { git_max: "${GIT_MOST}B" }\nthrottle: { api: off, uploads: off }\ntypes: { posts: {} }\n`
const UPLOADERS = 8
/** Number of files that an uploader has before it removes one. */
const MOST = 4
/** The most answers, and then milliseconds, until a kill. */
const ANSWERS = 30
const LONGEST = 100

/**
 * Kills a server at random moments while files are uploaded, replaced, moved and removed, again and again on the same site. Looks
 * after each kill whether all that was answered is there with its bytes, and nothing else is listed. Linux only.
 */
export async function uploadRounds(t: Teardown, place: Place, rounds: number, tell: (line: string) => void, database?: string) {
  const node = new Node(t, CONFIG + (place === 'postgres' ? 'storage: { driver: postgres }\n' : ''), database)
  const { root } = node
  if (place === 'git') {
    git(root, ['init', '-q', '-b', 'main'])
    git(root, ['add', '-A'])
    git(root, ['commit', '-q', '-m', 'Begin'])
  }
  const report: UploadReport = { kills: 0, answered: {}, unanswered: {}, landed: 0, faults: [] }
  await node.start()
  const token = await node.token()
  const all = Array.from({ length: UPLOADERS }, (_, nth) => new Uploader(nth, node, token, report))
  for (let round = 0; round < rounds; round++) {
    const before = counted(report.answered)
    const wanted = Math.floor(Math.random() * ANSWERS)
    const running = all.map((uploader) => uploader.run(round))
    await until(
      async () => counted(report.answered) - before,
      (count) => count >= wanted,
    )
    await pause(Math.random() * LONGEST)
    const isAll = round % 2 === 0
    const { pid = 0 } = node.running?.process ?? {}
    if (isAll) killAll(pid, root)
    else end(pid, 'SIGKILL')
    await Promise.all([node.running?.done, ...running])
    report.kills++
    await node.start()
    const faults = await look(node, token, place, all)
    report.faults.push(...faults.map((fault) => `round ${round}: ${fault}`))
    tell(`${place} ${round}: ${counted(report.answered) - before} answered, ${faults.length} faults`)
  }
  await node.kill('SIGTERM')
  return report
}

/** A client that uploads, replaces, moves and removes files of its own, one after the other, until no answer comes. */
class Uploader {
  readonly #nth: number
  readonly #node: Node
  readonly #token: string
  readonly #report: UploadReport
  #round = 0
  #made = 0
  media: Media = new Map()
  asked: Asked | undefined

  constructor(nth: number, node: Node, token: string, report: UploadReport) {
    this.#nth = nth
    this.#node = node
    this.#token = token
    this.#report = report
  }

  async run(round: number): Promise<void> {
    this.#round = round
    for (let goesOn = true; goesOn; ) goesOn = await this.#next()
  }

  /** Takes what is there for what was asked for, if that is what it was to be, or nothing was done. */
  settle(found: Media): boolean {
    const { asked } = this
    this.asked = undefined
    if (asked && same(found, asked.after)) {
      this.#report.landed++
      this.media = asked.after
      return true
    }
    return same(found, this.media)
  }

  #next(): Promise<boolean> {
    const ids = [...this.media.keys()]
    const id = ids[Math.floor(Math.random() * ids.length)]
    const chance = Math.random()
    if (id === undefined || (ids.length < MOST && chance < 0.5)) return this.#upload()
    const after = new Map(this.media)
    const path = `/api/media/${encodeURIComponent(id)}`
    if (chance < 0.75) {
      const bytes = anyBytes()
      after.set(id, checksumOf(bytes))
      return this.#ask({ what: `replace ${sizeOf(bytes)}`, after }, `PUT ${path}/file`, formOf(['file', bytes, 'x.txt']))
    }
    after.delete(id)
    if (ids.length === MOST || chance > 0.95) return this.#ask({ what: 'remove', after }, `DELETE ${path}`)
    const to = `c${this.#nth}~moved~${this.#name()}`
    after.set(to, this.media.get(id) ?? '')
    const body = Buffer.from(JSON.stringify({ id: to }))
    return this.#ask({ what: 'move', after }, `POST ${path}/move`, { body, headers: { 'content-type': 'application/json' } })
  }

  #upload(): Promise<boolean> {
    const [name, bytes] = [this.#name(), anyBytes()]
    const after = new Map(this.media).set(`c${this.#nth}~${name}`, checksumOf(bytes))
    const form = formOf(['folder', `c${this.#nth}`], ['file', bytes, name])
    return this.#ask({ what: `upload ${sizeOf(bytes)}`, after }, 'POST /api/media', form)
  }

  #name(): string {
    return `r${this.#round}-n${this.#made++}.txt`
  }

  /** Resolves with whether an answer came. */
  async #ask(asked: Asked, request: string, form: Partial<ReturnType<typeof formOf>> = {}): Promise<boolean> {
    this.asked = asked
    const { answered, unanswered, faults } = this.#report
    const { status, text } = await ask(this.#node, this.#token, request, form)
    if (status >= 200 && status < 300) {
      this.media = asked.after
      answered[asked.what] = (answered[asked.what] ?? 0) + 1
    } else if (status > 0) faults.push(`${asked.what} (${request}) was answered with ${status}: ${text}`)
    if (status > 0) this.asked = undefined
    else unanswered[asked.what] = (unanswered[asked.what] ?? 0) + 1
    return status > 0
  }
}

/** Asks a server as the bearer of a token; status 0 if no whole answer came. */
export async function ask(
  node: Node,
  token: string,
  request: string,
  { body, headers = {} }: { body?: Buffer; headers?: object } = {},
) {
  const [method = 'GET', path = ''] = request.split(' ')
  try {
    const all = { authorization: `Bearer ${token}`, ...headers }
    const answer = await fetch(node.url + path, {
      method,
      redirect: 'manual',
      headers: all,
      ...(body && { body: new Uint8Array(body) }),
    })
    return { status: answer.status, text: await answer.text() }
  } catch {
    return { status: 0, text: '' }
  }
}

/** Returns what is not as it is promised, on a server that was started again without any help. */
async function look(node: Node, token: string, place: Place, all: readonly Uploader[]): Promise<string[]> {
  const faults: string[] = []
  const check = (isSo: boolean, fault: string) => isSo || faults.push(fault)
  const found = await listed(node, token)
  for (const [nth, uploader] of all.entries()) {
    const own = new Map([...found].filter(([id]) => id.startsWith(`c${nth}~`)))
    const [before, what] = [new Map(uploader.media), uploader.asked]
    const told = () => `${shown(own)} is there, ${shown(before)} was answered, ${what?.what} asked: ${what && shown(what.after)}`
    check(uploader.settle(own), told())
    uploader.media = own
  }
  const inGit = place === 'git' ? committed(node.root) : undefined
  for (const [id, checksum] of found) {
    const path = id.replaceAll('~', '/')
    const answer = await fetch(`${node.url}/media/${path}`)
    const bytes = Buffer.from(await answer.arrayBuffer())
    check(checksumOf(bytes) === checksum, `${id} is listed as ${checksum}, and served (${answer.status}) as ${checksumOf(bytes)}`)
    if (place === 'postgres') continue
    const file = join(node.root, 'content/media', path)
    const isSmall = bytes.length <= GIT_MOST
    const isBeside = existsSync(file)
    // Without git a write may be broken off in its middle: then the bytes are the blob alone.
    const isRight = isBeside === isSmall || (place === 'plain' && !isBeside)
    check(isRight, `${id} has ${bytes.length} bytes, and ${isSmall ? 'no' : 'a'} file beside its sidecar`)
    check(!isBeside || checksumOf(readFileSync(file)) === checksum, `${id} has other bytes beside its sidecar`)
    check(!inGit || inGit.get(path) === (isSmall ? gitNameOf(bytes) : undefined), `${id} is ${inGit?.get(path)} in git`)
    check(!inGit || inGit.has(`${path}.yaml`), `${id} has no sidecar in git`)
    inGit?.delete(path)
    inGit?.delete(`${path}.yaml`)
  }
  check(!inGit?.size, `in git, and not listed: ${[...(inGit?.keys() ?? [])].join(' | ')}`)
  const litter = litterOf({ path: (relative) => join(node.root, relative) })
  check(litter.length === 0, `left behind: ${litter.join(' | ')}`)
  if (place !== 'git') return faults
  const status = git(node.root, ['status', '--porcelain'])
  check(status === '', `not clean: ${status}`)
  check(git(node.root, ['fsck', '--strict', '--no-dangling', '--no-progress']) === '', 'git fsck complains')
  return faults
}

/** All media that are listed. */
async function listed(node: Node, token: string): Promise<Media> {
  const found: Media = new Map()
  for (let page = 1; ; page++) {
    const { status, text } = await ask(node, token, `GET /api/media?per_page=100&page=${page}`)
    if (status !== 200) throw new Error(`The list was answered with ${status}: ${text}`)
    const { data } = JSON.parse(text) as { data: { id: string; checksum: string }[] }
    for (const { id, checksum } of data) found.set(id, checksum)
    if (data.length < 100) return found
  }
}

/** The files of media in the last commit, by path below `media/`, with the names of their objects. */
function committed(root: string): Map<string, string> {
  const lines = git(root, ['ls-tree', '-r', 'HEAD', 'content/media/']).split('\n').filter(Boolean)
  const entries = lines.map((line) => /^\d+ blob ([0-9a-f]+)\tcontent\/media\/(.*)$/.exec(line) ?? [])
  return new Map(entries.map(([, name = '', path = '']) => [path, name]))
}

/** A text, below or above what git takes; of the large ones some are the same. */
function anyBytes(): Buffer {
  const isLarge = Math.random() < 0.4
  const length = isLarge ? GIT_MOST + 1 + Math.floor(Math.random() * 600_000) : 1 + Math.floor(Math.random() * GIT_MOST)
  if (isLarge && Math.random() < 0.3) return Buffer.alloc(GIT_MOST + 1 + Math.floor(Math.random() * 3), 'x')
  return Buffer.from(`${Math.random()} ${'abcdefgh'.repeat(length / 8)}`.slice(0, length))
}

function sizeOf({ length }: Buffer): string {
  return length > GIT_MOST ? 'large' : 'small'
}

function checksumOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

function gitNameOf(bytes: Buffer): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

function same(one: Media, other: Media): boolean {
  return one.size === other.size && [...one].every(([id, checksum]) => other.get(id) === checksum)
}

function shown(media: Media): string {
  return JSON.stringify(Object.fromEntries([...media].map(([id, checksum]) => [id, checksum.slice(7, 15)])))
}

function counted(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}
