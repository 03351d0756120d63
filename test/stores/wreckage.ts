import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Change } from '#core/store.ts'
import type { WriteStep } from '#stores/files/committing/git.ts'
import { program } from '#support/program.ts'
import type { TestSite } from '#support/sites.ts'

/** The command that runs a script of the fixtures, by its name without an extension. */
export function fixture(name: string): string[] {
  return program(new URL(`fixtures/${name}`, import.meta.url))
}

/** The environment of a process that is not part of the test: the runner gets into every other by NODE_OPTIONS. */
export function plainEnvironment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { NODE_OPTIONS, ...env } = process.env
  return { ...env, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', ...more }
}

/** The way in which a process crashes: as a step is about to begin, or (`late`) after it has begun. */
export interface Crash {
  at: WriteStep
  late?: boolean
  writes: readonly (readonly Change[])[]
  env?: Readonly<Record<string, string>>
}

/** Lets a process of its own begin writes on the site and be killed. Throws where it was not. */
export function crash(site: TestSite, { at, late = false, writes, env }: Crash): void {
  const argument = JSON.stringify({ root: site.root, at, late, writes })
  // Not from the runner's own node: `env` keeps it from putting its options back in.
  const words = ['-u', 'NODE_OPTIONS', ...fixture('crash'), argument]
  const { signal, status, stderr } = spawnSync('env', words, { env: plainEnvironment(env), encoding: 'utf8' })
  if (signal !== 'SIGKILL') throw new Error(`It was not killed at "${at}" but ended with ${status}: ${stderr}`)
}

/**
 * Lists the files that no write may leave behind: locks, journals, half-made files, reports of crashes. Paths are from the site's
 * root.
 */
export function litterOf(site: Pick<TestSite, 'path'>): string[] {
  const places = ['.git', 'content'].filter((place) => existsSync(site.path(place)))
  return places.flatMap((place) =>
    readdirSync(site.path(place), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.lock(?:\.|$)|(?:^|\/)(?:cms-|fast_import_crash_|\.quire-|[^/]*\.tmp$)/.test(path))
      .map((path) => join(place, path)),
  )
}

/** Kills a process and all that are at work in its folder, at one moment. */
export function killAll(pid: number, folder: string): void {
  end(pid, 'SIGSTOP')
  for (const one of [pid, ...processesIn(folder)]) end(one, 'SIGKILL')
}

/** Finds the processes at work in a folder, which is a test's own. Linux only. */
export function processesIn(folder: string): number[] {
  const root = realpathSync(folder)
  const isIn = (pid: number) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === root
    } catch {
      return false
    }
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter(isIn)
}

/** Sends a signal to a process, if it has not ended by itself. */
export function end(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended by itself.
  }
}
