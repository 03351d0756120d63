import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Stamp, stampAt } from '../../disk/tree.ts'
import { git } from '../process.ts'
import type { Repository } from '../repository.ts'

/** What the index has of a path: what is staged. `mode` as git writes it (`100644`). */
export interface IndexEntry {
  readonly mode: string
  readonly id: string
}

/** The path of a working tree's index. */
export function indexPath({ dir }: Repository): string {
  return join(dir, 'index')
}

/** What the index has of these paths (from the top of the working tree), and the state it was in. */
export async function lookUp(
  repository: Repository,
  paths: ReadonlySet<string>,
): Promise<{ stamp: Stamp | undefined; entries: ReadonlyMap<string, IndexEntry> }> {
  const path = indexPath(repository)
  for (;;) {
    const stamp = stampAt(path)
    const entries = stamp === undefined ? new Map<string, IndexEntry>() : await read(repository, path, paths)
    if (stampAt(path) === stamp) return { stamp, entries }
  }
}

async function read(repository: Repository, path: string, paths: ReadonlySet<string>): Promise<Map<string, IndexEntry>> {
  try {
    return scan(readFileSync(path), paths, repository.format === 'sha256' ? 32 : 20) ?? (await ask(repository, paths))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map()
    if (error instanceof RangeError) return ask(repository, paths)
    throw error
  }
}

/** Forms of an index that are rarer, and read by git itself. */
async function ask({ top }: Repository, paths: ReadonlySet<string>): Promise<Map<string, IndexEntry>> {
  const out = (await git(top, ['ls-files', '-s', '-z', '--', ...paths])).toString('utf8')
  const lines = out.split('\0').flatMap((line) => /^(\d+) ([0-9a-f]+) \d\t(.+)$/s.exec(line) ?? [])
  const entries = new Map<string, IndexEntry>()
  for (let at = 0; at < lines.length; at += 4) {
    entries.set(lines[at + 3] ?? '', { mode: lines[at + 1] ?? '', id: lines[at + 2] ?? '' })
  }
  return entries
}

const HEADER = 12
/** Of an entry: where its mode is, and what comes before its id. */
const MODE = 24
const BEFORE_ID = 40
const EXTENDED = 0x4000
const NAME_LENGTH = 0x0fff

/**
 * Finds entries in the bytes of an index of version 2 or 3 (gitformat-index); undefined where it has another form, is split or sparse. A process would
 * take ten times as long, and this is asked before each write.
 */
export function scan(bytes: Buffer, paths: ReadonlySet<string>, idLength: number): Map<string, IndexEntry> | undefined {
  const version = bytes.length > HEADER ? bytes.readUInt32BE(4) : 0
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || (version !== 2 && version !== 3)) return undefined
  const wanted = new Map([...paths].map((path) => [path, Buffer.from(path)]))
  const lengths = new Set([...wanted.values()].map((name) => name.length))
  const found = new Map<string, IndexEntry>()
  let at = HEADER
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const flags = bytes.readUInt16BE(at + BEFORE_ID + idLength)
    const start = at + BEFORE_ID + idLength + ((flags & EXTENDED) === 0 ? 2 : 4)
    const short = flags & NAME_LENGTH
    const length = short < NAME_LENGTH ? short : bytes.indexOf(0, start) - start
    if (lengths.has(length)) {
      const name = bytes.toString('utf8', start, start + length)
      if (wanted.has(name)) found.set(name, entryAt(bytes, at, idLength))
    }
    // Entries are filled up with one to eight NULs to a multiple of eight.
    at += (start - at + length + 8) & ~7
  }
  return isWhole(bytes, at, idLength) ? found : undefined
}

function entryAt(bytes: Buffer, at: number, idLength: number): IndexEntry {
  const mode = bytes.readUInt32BE(at + MODE).toString(8)
  return { mode, id: bytes.toString('hex', at + BEFORE_ID, at + BEFORE_ID + idLength) }
}

/** Whether all entries are in this file: those of a split or a sparse index are said by an extension to be elsewhere. */
function isWhole(bytes: Buffer, start: number, idLength: number): boolean {
  for (let at = start; at + 8 <= bytes.length - idLength; at += 8 + bytes.readUInt32BE(at + 4)) {
    const name = bytes.toString('latin1', at, at + 4)
    if (name === 'link' || name === 'sdir') return false
  }
  return true
}
