import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Head } from '../../../core/document.ts'
import { isRacy, type Stamp } from '../disk/tree.ts'
import { type Entry, pathOf } from './registry.ts'

/** Raised when what a head holds, or how it is read, changes: a snapshot of another schema is not used. */
const SCHEMA = 1
const LINES_AT_ONCE = 500

/** A head as it was kept; its key follows from the path. */
export interface KeptHead {
  stamp: Stamp
  head: Omit<Head, 'key'>
}

/** What is known from an earlier run of the file at a path. */
export type Known = (path: string) => KeptHead | undefined

interface Header {
  schema: number
  fingerprint: string
}

/** The heads of an earlier run, for a quick start: lines of JSON, one a file. One that is missing, broken or of another configuration knows nothing. */
export class Snapshot {
  readonly #path: string
  readonly #header: string

  /** `fingerprint` is that of the configuration, on which the reading of a file depends. */
  constructor(path: string, fingerprint: string) {
    this.#path = path
    const header: Header = { schema: SCHEMA, fingerprint }
    this.#header = JSON.stringify(header)
  }

  /** What the last run left. */
  load(): Known {
    const [header, ...lines] = linesOf(this.#path)
    if (header !== this.#header) return () => undefined
    const byPath = new Map(lines.map((line) => [line.slice(0, line.indexOf('\t')), line]))
    return (path) => parse(byPath.get(path))
  }

  /** Keeps these entries for the next run: beside and renamed, so that there is always a whole one. Those too young to be told from a later state are left out. */
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
  let lines = [header]
  for (const entry of entries) {
    if (isRacy(entry.stamp, entry.readAt) || entry.head.version === '') continue
    lines.push(lineOf(entry))
    if (lines.length < LINES_AT_ONCE) continue
    writeSync(file, `${lines.join('\n')}\n`)
    lines = []
  }
  writeSync(file, `${lines.join('\n')}\n`)
}

/** Path and head are parted by a tab, which no name of a record holds: only the lines that are needed are parsed. */
function lineOf(entry: Entry): string {
  const { key: _, ...head } = entry.head
  const kept: KeptHead = { stamp: entry.stamp, head }
  return `${pathOf(entry)}\t${JSON.stringify(kept)}`
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n')
  } catch {
    return []
  }
}

function parse(line: string | undefined): KeptHead | undefined {
  if (line === undefined) return undefined
  try {
    const kept = JSON.parse(line.slice(line.indexOf('\t') + 1)) as KeptHead
    return typeof kept.stamp === 'string' && typeof kept.head.version === 'string' ? kept : undefined
  } catch {
    return undefined
  }
}
