import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))

/** The command of this checkout. */
export const CMS = join(here, '../bin/cms.js')

const TICKS = new URL('../test/growth/ticks.js', import.meta.url).href

/** A server in a process of its own. */
export interface Server {
  url: string
  pid: number | undefined
  /** From the start of the process to the line that says it listens, in milliseconds. */
  readyMs: number
  /** Resident memory now and at its highest, in MB; 0 where the machine does not tell. */
  memory(): { now: number; peak: number }
  /** Seconds of a processor that it has taken, all its threads; 0 where the machine does not tell. */
  cpu(): number
  stop(): Promise<void>
}

/** `cms serve` on a site. */
export function startQuire(site: string): Promise<Server> {
  return start([CMS, 'serve', '--port', '0', '-C', site], { PORT: '', HOST: '' })
}

/** A server that says how long its event loop was held at most since it was asked last, in milliseconds of its processor. */
export interface WatchedServer extends Server {
  held(): Promise<number>
}

/** `cms serve` on a site, watched. */
export async function startWatched(site: string): Promise<WatchedServer> {
  const children: ChildProcess[] = []
  const server = await start(
    ['--import', TICKS, CMS, 'serve', '--port', '0', '-C', site],
    { PORT: '', HOST: '', TICKED_BY: String(process.pid) },
    children,
  )
  const held = async () => {
    const [child] = children
    const told = child && once(child, 'message')
    child?.send('held')
    return Number((await told)?.[0])
  }
  return { ...server, held }
}

/** `cms build --watch` on a site, once it has built that. */
export interface Builder extends Pick<Server, 'memory' | 'cpu' | 'stop'> {
  /** Resolves when the site is built once more than it was at the last call. */
  again(): Promise<void>
}

/** Starts `cms build --watch` on a site. */
export async function startBuilder(site: string): Promise<Builder> {
  const child = spawn(process.execPath, [CMS, 'build', '--watch', '-C', site], { stdio: ['ignore', 'pipe', 'ignore'] })
  // It prints the folder after each build, and nothing else.
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const again = async () => {
    if ((await lines.next()).done) throw new Error('cms build --watch ended')
  }
  await again()
  return { again, memory: () => memoryOf(child), cpu: () => cpuOf(child), stop: () => stop(child) }
}

/** The bare server, answering these files' bytes. */
export function startBare(files: string[]): Promise<Server> {
  return start([join(here, 'bare.js'), ...files], {})
}

function start(args: string[], env: Record<string, string>, told?: ChildProcess[]): Promise<Server> {
  const begun = performance.now()
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit', ...(told ? (['ipc'] as const) : [])],
    env: { ...process.env, ...env, CI: 'true' },
  })
  told?.push(child)
  const stdout = child.stdout as Readable
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${args[0]} ended with ${code} before it listened`)))
    createInterface({ input: stdout }).on('line', (line) => {
      const url = /Listening on (http:\S+)/.exec(line)?.[1]
      const { pid } = child
      if (url)
        resolve({
          url,
          pid,
          readyMs: performance.now() - begun,
          memory: () => memoryOf(child),
          cpu: () => cpuOf(child),
          stop: () => stop(child),
        })
    })
  })
}

function memoryOf(child: ChildProcess): { now: number; peak: number } {
  try {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
    const mb = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024)
    return { now: mb('VmRSS'), peak: mb('VmHWM') }
  } catch {
    return { now: 0, peak: 0 }
  }
}

/** Linux counts in hundredths of a second. */
function cpuOf(child: ChildProcess): number {
  try {
    const [, rest = ''] = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')
    const fields = rest.split(' ')
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return 0
  }
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.removeAllListeners('exit')
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })
}
