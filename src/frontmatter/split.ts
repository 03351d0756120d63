import { isUtf8 } from 'node:buffer'
import { bodyConflictAt } from './body-conflict.ts'
import { Fault, MAX_FILE_BYTES, unresolved } from './fault.ts'
import { HOW_TO_BEGIN, LANGUAGE_NAMES, LANGUAGES, type Language } from './languages.ts'
import { refuseStrayHead } from './stray-head.ts'

/** The format of a file, known from its name: `md`, `markdown`, `mdx` (front matter and body), `yaml`, `yml` (data only). */
export interface FileFormat {
  readonly extension: string
}

/** The syntax of the front matter. `none` if the file only has a body. */
export type Syntax = Language | 'none'

/**
 * The offsets of the parts of a file, in bytes. `data` is true for a file that is YAML as a whole and has no room for a body
 * after it.
 */
export interface Parts {
  syntax: Syntax
  data: boolean
  headStart: number
  headEnd: number
  /** After the closing line. */
  closeEnd: number
  /** The start of the body: after the closing line and the one empty line that separates it. */
  bodyStart: number
}

/** The language that each line opens, and the signs that such lines begin with. */
const OPENED_BY: ReadonlyMap<string, Language> = new Map(LANGUAGE_NAMES.map((name) => [LANGUAGES[name].open, name]))
const SIGNS: ReadonlySet<number> = new Set([...OPENED_BY.keys()].map((open) => open.charCodeAt(0)))

const FENCES: ReadonlySet<string> = new Set(LANGUAGE_NAMES.map((name) => LANGUAGES[name].close))

/** The beginning of each pointer of Git LFS. */
const POINTER = Buffer.from('version https://git-lfs.github.com/spec/')

const LF = 10
const CR = 13

/** True for a file that is YAML as a whole. */
export function isData(format: FileFormat): boolean {
  return format.extension === 'yaml' || format.extension === 'yml'
}

/**
 * Finds front matter and body; throws Fault (offset in bytes) where the bytes are no text, the front matter is not ended, or it
 * seems to stand where it is not read. What stands there may hide a text at `now` alone.
 */
export function split(bytes: Buffer, format: FileFormat, now = Date.now()): Parts {
  checkText(bytes)
  const start = markLength(bytes)
  if (isData(format))
    return {
      syntax: 'yaml',
      data: true,
      headStart: start,
      headEnd: bytes.length,
      closeEnd: bytes.length,
      bodyStart: bytes.length,
    }
  const syntax = opening(bytes, start)
  if (syntax === 'none') {
    refusePointer(bytes)
    refuseStrayHead(bytes, start, now)
    refuseConflict(bytes, start)
    return { syntax, data: false, headStart: start, headEnd: start, closeEnd: start, bodyStart: start }
  }
  const headStart = nextLine(bytes, start)
  const fence: string = LANGUAGES[syntax].close
  const headEnd = closing(bytes, headStart, fence)
  if (headEnd < 0) throw new Fault('The front matter is not ended.', start, `Add a line with ${fence} alone after its last key.`)
  const closeEnd = nextLine(bytes, headEnd)
  const bodyStart = skipBlank(bytes, closeEnd)
  refuseConflict(bytes, bodyStart)
  return { syntax, data: false, headStart, headEnd, closeEnd, bodyStart }
}

/** Estimates how many bytes of front matter a file has, without checking it. */
export function headSize(bytes: Buffer, format: FileFormat): number {
  if (isData(format)) return bytes.length
  const start = markLength(bytes)
  const fence = bytes.toString('latin1', start, start + 3)
  if (!FENCES.has(fence)) return 0
  const end = bytes.indexOf(`\n${fence}`, 3)
  return end < 0 ? bytes.length : end
}

/** Returns the length of a byte order mark at the start, or 0. */
function markLength(bytes: Buffer): number {
  return bytes.length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
}

function refuseConflict(bytes: Buffer, bodyStart: number): void {
  const at = bodyConflictAt(bytes, bodyStart)
  if (at >= 0) throw unresolved(at)
}

/** Refuses what stands for a file that Git LFS has not fetched: it may be a draft. */
function refusePointer(bytes: Buffer): void {
  if (!bytes.subarray(0, POINTER.length).equals(POINTER)) return
  throw new Fault('This is a pointer of Git LFS, and not the text.', 0, 'Run git lfs pull; or keep texts in git itself.')
}

function checkText(bytes: Buffer): void {
  if (bytes.length > MAX_FILE_BYTES) {
    throw new Fault('The file is larger than 2 MiB.', 0, 'Divide it, or move what is not text out of it.')
  }
  if (!isUtf8(bytes)) throw new Fault('The file is not UTF-8.', firstBadByte(bytes), 'Save it in UTF-8.')
  const nul = bytes.indexOf(0)
  if (nul >= 0) throw new Fault('The file has a NUL byte in it.', nul, 'Remove it; a binary file belongs in content/media.')
}

function firstBadByte(bytes: Buffer): number {
  let good = 0
  let bad = bytes.length
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    // A character cut in two at the middle is no fault of the file's.
    if (isUtf8(bytes.subarray(0, characterStart(bytes, middle)))) good = middle
    else bad = middle
  }
  return characterStart(bytes, good)
}

function characterStart(bytes: Buffer, at: number): number {
  let start = at
  while (start > 0 && at - start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--
  return start
}

function opening(bytes: Buffer, start: number): Syntax {
  const mark = bytes[start]
  if (mark === undefined || !SIGNS.has(mark) || bytes[start + 1] !== mark || bytes[start + 2] !== mark) return 'none'
  if (bytes[start + 3] === mark) return 'none'
  const line = bytes.toString('utf8', start, Math.min(lineEnd(bytes, start), start + 60)).replace(/[ \t]+$/, '')
  const language = OPENED_BY.get(line)
  if (language) return language
  throw new Fault(`"${line}" does not open front matter that Quire reads.`, start, HOW_TO_BEGIN)
}

/** Returns the offset of the line that consists of `fence` only, or -1. */
function closing(bytes: Buffer, from: number, fence: string): number {
  const mark = fence.charCodeAt(0)
  for (let at = from; at < bytes.length; at = nextLine(bytes, at)) {
    if (bytes[at] !== mark || bytes[at + 1] !== mark || bytes[at + 2] !== mark) continue
    let rest = at + 3
    while (bytes[rest] === 32 || bytes[rest] === 9) rest++
    if (rest >= bytes.length || bytes[rest] === LF || bytes[rest] === CR) return at
  }
  return -1
}

function lineEnd(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === LF || bytes[at] === CR) return at
  }
  return bytes.length
}

function nextLine(bytes: Buffer, from: number): number {
  return skipBlank(bytes, lineEnd(bytes, from))
}

/** The place after the line ending at `at`, or `at` where there is none. */
function skipBlank(bytes: Buffer, at: number): number {
  if (bytes[at] === CR) return bytes[at + 1] === LF ? at + 2 : at + 1
  return bytes[at] === LF ? at + 1 : at
}
