import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Head } from '#core/document.ts'
import { isRacy, type Stamp } from '#lib/files/stamp.ts'
import type { Entry } from './registry.ts'

/** Raised when what a head holds, or how it is read, changes: a snapshot of another schema is not used. */
const SCHEMA = 8
/** Number of files of a folder in each line. */
const FILES_A_LINE = 500
const TAB = 9
const NEWLINE = 10

/** A head as it was kept; its key follows from the path. */
export interface KeptHead {
  stamp: Stamp
  head: Omit<Head, 'key'>
}

/** The state of the files in a folder from an earlier run, by name; can be requested once for each folder. */
export type Known = (folder: string) => ReadonlyMap<string, KeptHead> | undefined

interface KeptFile extends KeptHead {
  name: string
}

interface Header {
  schema: number
  fingerprint: string
}

/**
 * The heads of an earlier run, for a quick start: lines of JSON, each of some files of one folder, so that only what is looked at
 * just now takes up memory. One that is missing, broken or of another configuration knows nothing.
 */
export class Snapshot {
  readonly #path: string
  readonly #header: string

  /** `fingerprint` is that of the configuration, on which the reading of a file depends. */
  constructor(path: string, fingerprint: string) {
    this.#path = path
    const header: Header = { schema: SCHEMA, fingerprint }
    this.#header = JSON.stringify(header)
  }

  /** Loads the snapshot of the last run. */
  load(): Known {
    const [header, ...lines] = linesOf(this.#path)
    if (header?.toString() !== this.#header) return () => undefined
    const byFolder = new Map<string, Buffer[]>()
    for (const line of lines) {
      const folder = line.toString('utf8', 0, Math.max(0, line.indexOf(TAB)))
      const others = byFolder.get(folder)
      if (others) others.push(line)
      else byFolder.set(folder, [line])
    }
    return (path) => {
      const folder = JSON.stringify(path)
      const found = byFolder.get(folder)
      byFolder.delete(folder)
      return found && new Map(found.flatMap(parse))
    }
  }

  /**
   * Saves these entries for the next run: beside and renamed, so that there is always a whole file. Those too young to be told
   * from a later state are left out.
   */
  save(entries: Iterable<Entry>): void {
    const beside = `${this.#path}.${process.pid}.tmp`
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 })
    const file = openSync(beside, 'w', 0o600)
    try {
      writeLines(file, this.#header, entries)
      closeSync(file)
      renameSync(beside, this.#path)
    } catch (error) {
      rmSync(beside, { force: true })
      throw error
    }
  }
}

function writeLines(file: number, header: string, entries: Iterable<Entry>): void {
  writeSync(file, `${header}\n`)
  let folder = ''
  let files: KeptFile[] = []
  const write = () => {
    if (files.length > 0) writeSync(file, `${JSON.stringify(folder)}\t${JSON.stringify(files)}\n`)
    files = []
  }
  for (const entry of entries) {
    if (isRacy(entry.stamp, entry.readAt) || entry.head.version === '') continue
    if (entry.folder !== folder || files.length === FILES_A_LINE) write()
    folder = entry.folder
    const { key: _, ...head } = entry.head
    files.push({ name: entry.name, stamp: entry.stamp, head })
  }
  write()
}

/** The lines of a file, without their ends. */
function linesOf(path: string): Buffer[] {
  const lines: Buffer[] = []
  try {
    const bytes = readFileSync(path)
    for (let at = 0, end = bytes.indexOf(NEWLINE); end >= 0; at = end + 1, end = bytes.indexOf(NEWLINE, at)) {
      lines.push(bytes.subarray(at, end))
    }
    return lines
  } catch {
    return []
  }
}

/** Parses the files of a line. */
function parse(line: Buffer): [string, KeptHead][] {
  try {
    const files = JSON.parse(line.toString('utf8', line.indexOf(TAB) + 1)) as KeptFile[]
    return files.filter(isUsable).map((file) => [file.name, file])
  } catch {
    return []
  }
}

function isUsable({ name, stamp, head }: KeptFile): boolean {
  return typeof name === 'string' && typeof stamp === 'string' && typeof head.version === 'string'
}
