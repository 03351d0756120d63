import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Hold } from '#core/backend.ts'
import { Conflict } from '#lib/errors.ts'
import { makeFile } from '#lib/files/atomic.ts'
import { type Holder, isAlive, parseHolder, thisProcess } from '#lib/process-identity.ts'

/** The server of a site, as `.cms/server.json` has it. */
export interface ServerClaim extends Holder {
  url: string
  /** RFC 3339 UTC. */
  startedAt: string
}

/** Milliseconds between two looks for a claim that is gone. */
const RENEW_MS = 5_000

/** The rule for git: it passes over the whole folder. */
const IGNORED = '*\n'

const UNWRITABLE: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT'])

/** As `makePrivateDir`, but ignores a folder that can't be written: a process that only reads needs none. */
export function offerPrivateDir(dir: string): void {
  wherePossible(() => makePrivateDir(dir))
}

function wherePossible(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!isUnwritable(error)) throw error
  }
}

/** Returns whether an error says that a folder can't be written, or is full. */
export function isUnwritable(error: unknown): boolean {
  return UNWRITABLE.has((error as NodeJS.ErrnoException).code)
}

/** Makes the private folder: its owner's alone, and in no repository. */
export function makePrivateDir(dir: string): void {
  // Not `recursive` alone: on a file system that is read-only that fails with ENOENT, as if something were missing.
  if (!existsSync(dirname(dir))) mkdirSync(dirname(dir), { recursive: true })
  if (!existsSync(dir)) makeFolder(dir)
  const path = join(dir, '.gitignore')
  try {
    makeFile(path, IGNORED, 0o644)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    if (!ignoresAll(path)) putBack(path)
  }
}

/** Another one may have come by a pull, so that the next `git add` takes up all that is private. */
function ignoresAll(path: string): boolean {
  try {
    return lstatSync(path).isFile() && readFileSync(path, 'utf8').trim() === IGNORED.trim()
  } catch {
    return false
  }
}

function putBack(path: string): void {
  wherePossible(() => {
    const beside = `${path}.${process.pid}.new`
    writeFileSync(beside, IGNORED, { mode: 0o644 })
    renameSync(beside, path)
  })
}

function makeFolder(dir: string): void {
  try {
    mkdirSync(dir, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** The server that runs on a site now, or undefined. */
export function readServer(privateDir: string): ServerClaim | undefined {
  const claim = claimIn(join(privateDir, 'server.json'))
  return claim && isAlive(claim) ? claim : undefined
}

/**
 * Claims a site for a server at `url`, until it is released. Throws Conflict, with the other's process and address, if one runs
 * already; the claim of a dead one is replaced. `renew` claims the site again where the claim is gone, as after `git clean -fdx`;
 * that is done every few seconds.
 */
export function claimServer(privateDir: string, url: string, now: number): Hold & { renew(): void } {
  makePrivateDir(privateDir)
  const path = join(privateDir, 'server.json')
  let claim = { ...thisProcess(), url, startedAt: new Date(now).toISOString() }
  claimFile(path, claim)
  const renew = () => {
    if (existsSync(path)) return
    wherePossible(() => {
      makePrivateDir(privateDir)
      claimFile(path, claim)
    })
  }
  // Another may have been quicker; and a disk that fails is told of by what writes to it.
  const timer = setInterval(() => {
    try {
      renew()
    } catch {}
  }, RENEW_MS).unref()
  return {
    moved: (to) => {
      claim = { ...claim, url: to }
      replace(path, claim)
    },
    renew,
    release: () => {
      clearInterval(timer)
      letGo(path, claim)
    },
  }
}

/**
 * Notes that a server runs on a site at `url`, for other processes on this machine. Others may run as well, and the last to begin
 * is the one that is noted. If nothing can be written, nothing is noted. Returns as `claimServer` does.
 */
export function noteServer(privateDir: string, url: string, now: number): { moved(url: string): void; release(): void } {
  const path = join(privateDir, 'server.json')
  const claim = { ...thisProcess(), url, startedAt: new Date(now).toISOString() }
  const note = (at: string) =>
    wherePossible(() => {
      makePrivateDir(privateDir)
      replace(path, { ...claim, url: at })
    })
  note(url)
  return { moved: note, release: () => wherePossible(() => letGo(path, claim)) }
}

function claimFile(path: string, claim: ServerClaim): void {
  for (let tries = 0; ; tries++) {
    try {
      makeFile(path, `${JSON.stringify(claim)}\n`, 0o600)
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || tries === 5) throw error
      const other = claimIn(path)
      if (other && isAlive(other)) throw inUse(other, path)
      rmSync(path, { force: true })
    }
  }
}

function letGo(path: string, claim: ServerClaim): void {
  const current = claimIn(path)
  if (current?.pid === claim.pid && current.start === claim.start) rmSync(path, { force: true })
}

function inUse({ pid, host, url }: ServerClaim, path: string): Conflict {
  const message = `A server runs on this site already: process ${pid} on ${host}, at ${url}.`
  // A copy of the folder has the claim of its original, and of another machine nobody here can tell whether it ended.
  const copied = `If it has ended, or this folder is a copy of its, remove ${path}.`
  return new Conflict(message, { pid, url }, `Use that one, or end it (kill ${pid}) and start again. ${copied}`)
}

function replace(path: string, claim: ServerClaim): void {
  const beside = `${path}.${claim.pid}.new`
  writeFileSync(beside, `${JSON.stringify(claim)}\n`, { mode: 0o600 })
  renameSync(beside, path)
}

function claimIn(path: string): ServerClaim | undefined {
  try {
    const text = readFileSync(path, 'utf8')
    const holder = parseHolder(text)
    const { url, startedAt } = JSON.parse(text)
    return holder && { ...holder, url: String(url), startedAt: String(startedAt) }
  } catch {
    return undefined
  }
}
