import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Crew } from './crew.ts'

const crew = new Crew()

/** The built command, as people run it. */
export const CMS: string = fileURLToPath(new URL('../../bin/cms.js', import.meta.url))

/** The result of a run of the command: all its output, and its exit code (128 + n for signal n that it did not handle). */
export interface Run {
  code: number
  stdout: string
  stderr: string
}

/** The options for running a command. */
export interface RunOptions {
  cwd?: string
  env?: Record<string, string>
  input?: string
}

/**
 * Runs `cms` with these arguments to its end, without a terminal: in a process that may have run other commands before and takes
 * the folder, the environment and the input of each, so that most need not wait for one to start.
 */
export function cms(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  return crew.run(args, { cwd: process.cwd(), ...options, env: { ...surroundings(), ...options.env } })
}

/** As `cms`, in a process of its own from its beginning to its end: for what only that can show. */
export async function cmsAlone(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const child = start(args, options)
  child.process.stdin?.end(options.input ?? '')
  return child.done
}

/** A running `cms`: what it has written so far, and a promise of its end. */
export interface Running {
  process: ChildProcess
  output: { stdout: string; stderr: string }
  done: Promise<Run>
  /** Resolves once stdout (or stderr) matches; rejects when the process ends before. */
  says(pattern: RegExp, stream?: 'stdout' | 'stderr'): Promise<RegExpExecArray>
}

/** Starts `cms` and leaves it running. */
export function start(args: readonly string[], options: RunOptions = {}): Running {
  return launch([process.execPath, CMS, ...args], options)
}

/** As `start`, on a terminal: what is typed is written to its stdin, and all it says comes out of stdout. */
export function startOnTerminal(args: readonly string[], options: RunOptions = {}): Running {
  const line = [process.execPath, CMS, ...args].map((word) => `'${word}'`).join(' ')
  return launch(['script', '-qec', line, '/dev/null'], options)
}

/** True if a command can be run on a terminal of its own: with `script` of util-linux. */
export const HAS_TERMINAL: boolean = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0

/** Starts a program and leaves it running. */
export function launch(words: readonly string[], options: RunOptions = {}): Running {
  // The test runner gets into every node process by NODE_OPTIONS, which it puts back in: it would be timed and counted with the
  // command.
  const child = spawn('env', ['-u', 'NODE_OPTIONS', ...words], { cwd: options.cwd, env: { ...surroundings(), ...options.env } })
  const output = { stdout: '', stderr: '' }
  const listeners = new Set<() => void>()
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
      for (const listener of listeners) listener()
    })
  }
  const done = new Promise<Run>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code: code ?? 128 + (SIGNALS[signal ?? ''] ?? 0), ...output }))
  })
  const says = (pattern: RegExp, stream: 'stdout' | 'stderr' = 'stdout') =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(output[stream])
        if (!found) return
        listeners.delete(look)
        resolve(found)
      }
      listeners.add(look)
      look()
      done.then(() => reject(new Error(`It ended before it said ${pattern}: ${output.stdout}${output.stderr}`)), reject)
    })
  return { process: child, output, done, says }
}

/** The environment that commands are run in, without what would change how they speak and where they listen. */
function surroundings(): NodeJS.ProcessEnv {
  const { CI, NO_COLOR, HOST, PORT, NODE_OPTIONS, ...env } = process.env
  return env
}

const SIGNALS: Record<string, number> = { SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }

/** A scratch site with these files, by path; removed with the test. */
export function scratchSite(t: { teardown(work: () => void): unknown }, files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'quire-cli-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

/** Asks again until the answer is wanted; rejects after `patience` milliseconds. Between two questions others have the processor. */
export async function until<T>(ask: () => Promise<T>, wanted: (answer: T) => boolean, patience = 60_000): Promise<T> {
  const end = performance.now() + patience
  for (;;) {
    const answer = await ask()
    if (wanted(answer)) return answer
    if (performance.now() > end) throw new Error(`It did not come to be: ${JSON.stringify(answer)}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}
