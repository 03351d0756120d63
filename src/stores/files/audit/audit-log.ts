import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { type FileHandle, open, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type AuditEntry,
  type AuditFilter,
  type AuditLog,
  byTime,
  isWithin,
  type RequestOrigin,
  withOrigin,
} from '#core/audit-log.ts'
import type { Page } from '#core/queries/query.ts'
import type { Part } from '#core/store.ts'
import { append } from '#lib/append.ts'
import { Semaphore } from '#lib/concurrency/semaphore.ts'
import { failureOf, syncFolder } from '#lib/files/atomic.ts'
import { GroupCommit } from '#stores/engine/group-commit.ts'
import { makePrivateDir } from '#stores/engine/private-folder.ts'
import { DayCounts } from './day-counts.ts'
import { entriesIn, needlesOf, originsIn } from './day-lines.ts'

const DAY_MS = 86_400_000
const NAME = /^(\d{4}-\d\d-\d\d)\.ndjson$/
const NEWLINE = 10

/** A line, and the day it is kept under. */
interface NewLine {
  readonly day: string
  readonly text: string
}

/** The options of an audit log in files. `admit` throws Unavailable, then and later, where a file may be another's. */
export interface FilesAuditLogOptions {
  /** The private folder, and that of the log in it: absolute. */
  readonly privateDir: string
  readonly admit?: (name: string) => void
}

/**
 * An audit log in files of lines, one for each day (UTC): `audit/2026-11-28.ndjson`. Any number of processes append, each some whole
 * lines at once. A line that a crash cut short is no entry, and what is appended after it begins a new one.
 */
export class FilesAuditLog implements AuditLog {
  readonly #privateDir: string
  readonly #folder: string
  readonly #admit: (name: string) => void
  readonly #commits: GroupCommit<readonly NewLine[], void>
  readonly #counts = new DayCounts()
  /** Days are read whole: one is in memory at a time. */
  readonly #turns = new Semaphore(1)

  constructor({ privateDir, admit = () => undefined }: FilesAuditLogOptions) {
    this.#privateDir = privateDir
    this.#folder = join(privateDir, 'audit')
    this.#admit = admit
    this.#commits = new GroupCommit({ commit: async (group) => this.#commit(group) })
  }

  append(entries: readonly AuditEntry[]): Promise<void> {
    return this.#add(entries.map((entry) => ({ day: entry.at.slice(0, 10), text: `${JSON.stringify(entry)}\n` })))
  }

  note(origins: readonly RequestOrigin[]): Promise<void> {
    return this.#add(origins.map((origin) => ({ day: origin.at.slice(0, 10), text: `${JSON.stringify(origin)}\n` })))
  }

  page(filter: AuditFilter, { offset = 0, limit = Number.POSITIVE_INFINITY }: Part): Promise<Page<AuditEntry>> {
    return this.#turns.run(async () => {
      const items: AuditEntry[] = []
      let total = 0
      for (const day of this.#days(filter)) {
        const [from, to] = [offset - total, offset + limit - total]
        const known = await this.#counts.of(this.#path(day), filter)
        if (known !== undefined && (from >= known || to <= 0)) {
          total += known
          continue
        }
        const found = await this.#read(day, filter)
        total += found.length
        if (to > 0) append(items, await this.#shown(day, found.slice(Math.max(from, 0), to)))
      }
      return { items, total }
    })
  }

  async *all(filter: AuditFilter): AsyncGenerator<AuditEntry> {
    for (const day of this.#days(filter))
      yield* await this.#turns.run(async () => this.#shown(day, await this.#read(day, filter)))
  }

  types(): Promise<readonly string[]> {
    return this.#turns.run(async () => {
      const types = new Set<string>()
      for (const day of this.#days({})) for (const type of await this.#typesOf(day)) types.add(type)
      return [...types].sort()
    })
  }

  async sweep(before: number): Promise<void> {
    const first = dayOf(before)
    const old = this.#days({}).filter((day) => day < first)
    for (const day of old) rmSync(this.#path(day), { force: true })
    if (old.length > 0) await syncFolder(this.#folder)
  }

  async close(): Promise<void> {
    await this.#commits.idle()
  }

  async #add(lines: readonly NewLine[]): Promise<void> {
    if (lines.length > 0) await this.#commits.add(lines)
  }

  async #commit(group: readonly (readonly NewLine[])[]): Promise<(() => void)[]> {
    const byDay = new Map<string, string>()
    for (const { day, text } of group.flat()) byDay.set(day, (byDay.get(day) ?? '') + text)
    try {
      makePrivateDir(this.#privateDir)
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
      for (const [day, text] of byDay) await this.#write(day, text)
    } catch (error) {
      throw failureOf(error)
    }
    return group.map(() => () => undefined)
  }

  async #write(day: string, text: string): Promise<void> {
    this.#admit(`audit/${day}.ndjson`)
    const file = await open(this.#path(day), 'a+', 0o600)
    try {
      const { size } = await file.stat()
      const torn = size > 0 && (await byteAt(file, size - 1)) !== NEWLINE
      const bytes = Buffer.from(torn ? `\n${text}` : text)
      for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten
      await file.datasync()
      if (size === 0) await syncFolder(this.#folder)
    } finally {
      await file.close()
    }
  }

  /** The days there are files of that may hold such entries, the newest first. */
  #days({ since, until }: AuditFilter): string[] {
    const [first, last] = [since === undefined ? '' : dayOf(since), until === undefined ? '9' : dayOf(until)]
    const days = namesIn(this.#folder).flatMap((name) => NAME.exec(name)?.[1] ?? [])
    return days
      .filter((day) => day >= first && day <= last)
      .sort()
      .reverse()
  }

  /** The entries of a day that fulfil the conditions, in their order. */
  async #read(day: string, filter: AuditFilter): Promise<AuditEntry[]> {
    const path = this.#path(day)
    this.#admit(`audit/${day}.ndjson`)
    const bytes = await readFile(path).catch(absent)
    const found = new Map<string, AuditEntry>()
    for await (const entry of entriesIn(bytes, needlesOf(filter)))
      if (isWithin(entry, filter) && !found.has(entry.id)) found.set(entry.id, entry)
    this.#counts.set(path, filter, { size: bytes.length, count: found.size })
    return [...found.values()].sort(byTime)
  }

  /** Entries of a day, with where their requests came from: those of the end of the day before among them. */
  async #shown(day: string, entries: readonly AuditEntry[]): Promise<readonly AuditEntry[]> {
    const open = new Set(entries.flatMap(({ ip, request_id }) => (ip === null && request_id !== null ? [request_id] : [])))
    if (open.size === 0) return entries
    const origins = new Map<string, RequestOrigin>()
    for (const near of [day, dayOf(Date.parse(day) - DAY_MS), dayOf(Date.parse(day) + DAY_MS)]) {
      if (open.size === 0) break
      for await (const origin of originsIn(await readFile(this.#path(near)).catch(absent)))
        if (open.delete(origin.request)) origins.set(origin.request, origin)
    }
    return entries.map((entry) => withOrigin(entry, origins.get(entry.request_id ?? '')))
  }

  async #typesOf(day: string): Promise<ReadonlySet<string>> {
    const path = this.#path(day)
    const { size } = await stat(path).catch(() => ({ size: 0 }))
    const known = this.#counts.typesOf(path, size)
    if (known) return known
    const bytes = await readFile(path).catch(absent)
    const types = new Set<string>()
    for await (const { target } of entriesIn(bytes, ['"kind":"record"'])) if (target?.kind === 'record') types.add(target.type)
    this.#counts.setTypes(path, bytes.length, types)
    return types
  }

  #path(day: string): string {
    return join(this.#folder, `${day}.ndjson`)
  }
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

async function byteAt(file: FileHandle, at: number): Promise<number | undefined> {
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, at)
  return buffer[0]
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function absent(error: NodeJS.ErrnoException): Buffer {
  if (error.code === 'ENOENT') return Buffer.alloc(0)
  throw error
}
