import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { keyOf } from '#core/key.ts'
import { systemClock } from '#lib/clock.ts'
import { FilesStore } from '#stores/files/store.ts'
import { git, makeRepository, statusOf } from '#support/git.ts'
import { makeSite, type TestSite } from '#support/sites.ts'
import { filesOptions, GIT } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'
import { end, fixture, killAll, litterOf, plainEnvironment, processesIn } from './wreckage.ts'

/** The results of all rounds. */
export interface KillReport {
  kills: number
  /** Kills that hit while writes were unanswered, and the steps they hit. */
  unanswered: number
  steps: Record<string, number>
  /** Writes: answered ones, ones that were unanswered and are there, and ones that were refused, by the reason. */
  answered: number
  landed: number
  refused: Record<string, number>
  /** The broken promises. */
  faults: string[]
}

type Way = 'all' | 'parent' | 'git'

const RECORDS: readonly string[] = ['a', 'b', 'c', 'deep~d', 'deep~er~e', '2026~f', 'g', 'h']
const WRITERS = 8
/**
 * The processes that a round kills: the writer with all of its gits, the writer alone, the gits alone (and the rest a little
 * later).
 */
const WAYS: readonly Way[] = ['all', 'parent', 'all', 'git', 'all']
const STEPS: readonly string[] = ['check', 'make', 'journal', 'lock', 'move', 'files', 'index', 'settle', 'done']

/** A line that the writers say. */
interface Line {
  what: 'ready' | 'step' | 'asked' | 'answered' | 'refused'
  name: string
  id: string
  sequence: number
  removed: boolean
  version: string | null
  error: string
}

/** A commit of the log. `blob` is undefined where it removed the file. */
interface Entry {
  request: string
  round: number
  sequence: number
  number: number
  id: string
  blob: string | undefined
}

interface Answer {
  id: string
  sequence: number
  removed: boolean
  version: string | null
}

/** The output of a round's writers until they were killed. */
interface Said {
  asked: Set<string>
  answered: Map<string, Answer>
  refused: Map<string, string>
  step: string
}

/**
 * Kills writers at random moments, again and again on the same site, and looks after each kill whether all that was answered is
 * there, the repository and the working tree are sound, and a new write works. Linux only: it finds the processes in /proc.
 */
export async function killRounds(rounds: number, seed: number, tell: (line: string) => void): Promise<KillReport> {
  const site = makeSite({ 'content/posts/a.md': '---\ntitle: A\n---\nText.\n' })
  makeRepository(site)
  const report: KillReport = { kills: 0, unanswered: 0, steps: {}, answered: 0, landed: 0, refused: {}, faults: [] }
  const known = new Map<string, Entry>()
  try {
    for (let round = 0; round < rounds; round++) {
      const base = git(site.root, ['rev-parse', 'HEAD'])
      const way = WAYS[round % WAYS.length] ?? 'all'
      const said = await runRound(site, round, way, seed)
      count(report, said)
      const faults = await look(site, round, base, said, known, report)
      report.faults.push(...faults.map((fault) => `round ${round} (${way}, at ${said.step}): ${fault}`))
      tell(`round ${round}: killed ${way} at ${said.step}, ${said.answered.size} answered, ${faults.length} faults`)
    }
  } finally {
    site.remove()
  }
  return report
}

async function runRound(site: TestSite, round: number, way: Way, seed: number): Promise<Said> {
  const said: Said = { asked: new Set(), answered: new Map(), refused: new Map(), step: '' }
  const argument = JSON.stringify({ root: site.root, round, records: RECORDS, writers: WRITERS, seed: seed + round })
  const words = ['-u', 'NODE_OPTIONS', ...fixture('writers'), argument]
  const child = spawn('env', words, {
    cwd: site.root,
    env: plainEnvironment(),
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const strike = striker(child, site, round, way)
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line: Line = JSON.parse(text)
    note(said, round, line)
    strike(line)
  })
  const [, signal] = await ended
  if (signal !== 'SIGKILL') throw new Error(`The writers of round ${round} ended by themselves (${signal}).`)
  return said
}

function note(said: Said, round: number, line: Line): void {
  const { what, name, id, sequence, error } = line
  const request = `${round}-${id}-${sequence}`
  if (what === 'step') said.step = name
  else if (what === 'asked') said.asked.add(request)
  else if (what === 'answered') said.answered.set(request, line)
  else if (what === 'refused') said.refused.set(request, error)
}

/** Kills at a moment of its choice: after some time, or, every other round, at a step, so that the short ones are hit as well. */
function striker(child: ChildProcess, site: TestSite, round: number, way: Way): (line: Line) => void {
  const step = round % 2 === 1 ? STEPS[(round >> 1) % STEPS.length] : undefined
  let left = 1 + Math.floor(Math.random() * 8)
  return ({ what, name }) => {
    if (step === undefined && what === 'ready') setTimeout(() => kill(child, site, way), 5 + Math.random() * 600)
    if (step !== undefined && what === 'step' && name === step && --left === 0) kill(child, site, way)
  }
}

async function kill({ pid }: ChildProcess, { root }: TestSite, way: Way): Promise<void> {
  if (pid === undefined) return
  if (way === 'git') {
    for (const other of processesIn(root)) if (other !== pid) end(other, 'SIGKILL')
    await pause(Math.random() * 200)
  }
  if (way === 'parent') end(pid, 'SIGKILL')
  else killAll(pid, root)
}

function count(report: KillReport, { asked, answered, refused, step }: Said): void {
  report.kills++
  report.answered += answered.size
  for (const error of refused.values()) report.refused[error] = (report.refused[error] ?? 0) + 1
  if (answered.size + refused.size === asked.size) return
  report.unanswered++
  report.steps[step] = (report.steps[step] ?? 0) + 1
}

/** Opens the site again, without any help, and gives what is not as it is promised. */
async function look(site: TestSite, round: number, base: string, said: Said, known: Map<string, Entry>, report: KillReport) {
  const store = await FilesStore.open({ ...filesOptions(site, plainTypes(), systemClock), git: GIT })
  const faults: string[] = []
  const check = (isSo: boolean, fault: string) => isSo || faults.push(fault)
  try {
    check(statusOf(site).length === 0, `not clean: ${statusOf(site).join(' | ')}`)
    check(litterOf(site).length === 0, `left behind: ${litterOf(site).join(' | ')}`)
    const entries = logSince(site, base)
    faults.push(...wrongWith(entries, said, round, known))
    report.landed += entries.filter(({ request }) => !said.answered.has(request)).length
    for (const id of RECORDS) {
      const version = (await store.get(keyOf('posts', id)))?.version
      const last = known.get(id)
      check(!last || version === last.blob, `${id} is ${version}, and was last ${last?.blob}`)
    }
    await store.write([{ key: keyOf('posts', 'after'), put: { set: { round } } }], { name: 'Ada', email: 'ada@example.org' })
    check(
      git(site.root, ['show', 'HEAD:content/posts/after.md']).includes(`round: ${round}\n`),
      'the next write is not committed',
    )
    check(litterOf(site).length === 0, `left behind after the next write: ${litterOf(site).join(' | ')}`)
  } finally {
    await store.close()
  }
  check(statusOf(site).length === 0, `not clean after the next write: ${statusOf(site).join(' | ')}`)
  check(git(site.root, ['fsck', '--strict', '--no-dangling', '--no-progress']) === '', 'git fsck complains')
  return faults
}

/** The commits from `base` on, oldest first. */
function logSince(site: TestSite, base: string): Entry[] {
  const trailer = (name: string) => `%(trailers:key=${name},valueonly,separator=%x2C)`
  const format = `--format=@ ${trailer('Cms-Request')} ${trailer('Cms-Rev')}`
  const log = git(site.root, [
    'log',
    '--reverse',
    '--first-parent',
    '--raw',
    '--no-abbrev',
    '--no-renames',
    format,
    `${base}..HEAD`,
  ])
  return log
    .split('\n@')
    .filter(Boolean)
    .map((text) => {
      const [, request = '', number] = /^@? (\S*) (\d*)/.exec(text) ?? []
      const [, blob = '', path = ''] = /^:\d+ \d+ [0-9a-f]+ ([0-9a-f]+) \w\tcontent\/posts\/(.*)\.md$/m.exec(text) ?? []
      const [, inRound, sequence] = /^(\d+)-.*-(\d+)$/.exec(request) ?? []
      return {
        request,
        round: Number(inRound),
        sequence: Number(sequence),
        number: Number(number),
        id: path.replaceAll('/', '~'),
        blob: /^0+$/.test(blob) ? undefined : blob,
      }
    })
}

/**
 * Returns the problems with the commits of a round. Each answered write must be in one, in the order of its record, and no
 * rejected one may be.
 */
function wrongWith(entries: readonly Entry[], said: Said, round: number, known: Map<string, Entry>): string[] {
  const faults: string[] = []
  const check = (isSo: boolean, fault: string) => isSo || faults.push(fault)
  const before = new Map(known)
  const found = new Map<string, Entry>()
  for (const entry of entries) {
    const { request, number, id } = entry
    const last = known.get(id)
    check(said.asked.has(request), `a commit of something not asked for: "${request}" of ${id}`)
    check(!said.refused.has(request), `${request} was refused (${said.refused.get(request)}) and is there`)
    check(!found.has(request), `${request} is there twice`)
    check(!last || last.round < round || entry.sequence > last.sequence, `${request} is there after ${last?.request}`)
    check(number > (last?.number ?? 0), `${request} has the number ${number}, not above ${last?.number}`)
    found.set(request, entry)
    known.set(id, entry)
  }
  for (const [request, answer] of said.answered) {
    const ofRecord = entries.filter(({ id }) => id === answer.id)
    const earlier = ofRecord.findLast(({ sequence }) => sequence < answer.sequence) ?? before.get(answer.id)
    // What is removed already is removed again without a commit.
    const isThere = found.has(request) || (answer.removed && earlier?.blob === undefined)
    check(isThere, `${request} was answered and is not there`)
    // A record is answered as it is by then: those that are written together see the last of them.
    const blobs = ofRecord.filter(({ sequence }) => sequence >= answer.sequence).map(({ blob }) => blob ?? null)
    check(answer.removed || blobs.includes(answer.version), `${request} was answered as ${answer.version} and is ${blobs}`)
  }
  return faults
}
