import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MANIFEST } from './out-place.ts'

/** Characters of the hash of a file's bytes. */
export const PRINT = 27
/** A file, the hash of its bytes, and what it shows: a number of a line of what all pages of a build show, and its own. */
const LINE = new RegExp(`^(.*?)(?:\\t([\\w-]{${PRINT}})(?:\\t(\\d+)\\t([\\w,-]*))?)?$`)
const SHARED_LINE = /^\t(\d+)\t([\w,-]*)$/

/** The records and terms that a page shows, by short names with commas between them. */
export interface Shows {
  readonly own: string
  /** The part that all pages of its build show. */
  readonly shared: string
}

/** A file that a build wrote, as far as that is known. */
export interface Written {
  /** The hash of its bytes; see `printOf`. */
  readonly print: string
  readonly shows?: Shows | undefined
}

/** The files that builds wrote into a folder, by their paths below it. */
export type Manifest = ReadonlyMap<string, Written | undefined>

/** Returns the list that the last build into a folder left there; nothing where there is none. */
export function listIn(folder: string): Buffer {
  const path = join(folder, MANIFEST)
  return existsSync(path) ? readFileSync(path) : Buffer.alloc(0)
}

/** Returns what earlier builds wrote into a folder, by the list in it. */
export function readManifest(folder: string, list = listIn(folder)): Manifest {
  const shared = new Map<string, string>()
  const files = new Map<string, Written | undefined>()
  for (const line of list.toString().split('\n')) {
    const [, number = '', names] = (line.startsWith('\t') && SHARED_LINE.exec(line)) || []
    if (names !== undefined) shared.set(number, names)
    const [, name = '', print, of = '', own] = LINE.exec(line) ?? []
    if (name === '' || name.startsWith('/') || isOutside(name)) continue
    const common = shared.get(of)
    const shows = own === undefined || common === undefined ? undefined : { own, shared: common }
    files.set(name, print === undefined ? undefined : { print, shows })
  }
  return files
}

function isOutside(name: string): boolean {
  return name.includes('..') && name.split(/[\\/]/).includes('..')
}

/** Returns the text of a manifest. */
export function writtenManifest(files: Manifest): string {
  const shared = new Map<string, number>()
  for (const written of files.values()) {
    const text = written?.shows?.shared
    if (text !== undefined && !shared.has(text)) shared.set(text, shared.size)
  }
  const lines = [...shared].map(([text, number]) => `\t${number}\t${text}\n`)
  for (const file of [...files.keys()].toSorted()) lines.push(lineOf(file, files.get(file), shared))
  return lines.join('')
}

/** Returns a short hash that stands for the bytes of a file in a manifest. */
export function printOf(bytes: Buffer): string {
  return hash('sha256', bytes, 'base64url').slice(0, PRINT)
}

function lineOf(file: string, written: Written | undefined, shared: ReadonlyMap<string, number>): string {
  if (!written) return `${file}\n`
  const { print, shows } = written
  return shows ? `${file}\t${print}\t${shared.get(shows.shared)}\t${shows.own}\n` : `${file}\t${print}\n`
}
