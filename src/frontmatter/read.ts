import type { Fields } from '#lib/json.ts'
import { conflictAt, Fault, MOST_KEYS, manyKeys, placeOf, unresolved } from './fault.ts'
import { LANGUAGES } from './languages.ts'
import { unifiedLines } from './lines.ts'
import { readMatter } from './matter.ts'
import { type FileFormat, type Parts, split } from './split.ts'
import { headBehind, type ParsedHead, TEXT_FOLLOWS } from './stray-head.ts'

/** The front matter of a file under its own keys, and where its parts are. */
export interface FrontMatter {
  parts: Parts
  data: Fields
}

/** A fault with its place in the file: line and column from 1. */
export interface PlacedFault {
  readonly line: number
  readonly column: number
  readonly message: string
  readonly hint?: string
}

/**
 * Reads front matter, or says where and why it can't be read (`fault`). Never throws for what a file may hold. `now` is the time
 * for which a text whose keys are no front matter is refused if they say that it is to come.
 */
export function readFrontMatter(bytes: Buffer, format: FileFormat, now = Date.now()): FrontMatter | { fault: PlacedFault } {
  let parts: Parts
  try {
    parts = split(bytes, format, now)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { fault: inFile(error, bytes) }
  }
  const head = headText(bytes, parts)
  let data: Fields
  try {
    data = parseHead(head, parts)
  } catch (error) {
    const fault = faultOf(error, head)
    return { fault: placed(fault, bytes.toString('utf8', 0, parts.headStart) + head.slice(0, fault.offset)) }
  }
  const behind = secondHead(bytes, { parts, data }, now)
  return behind && !head.includes(TEXT_FOLLOWS) ? { fault: inFile(behind, bytes) } : { parts, data }
}

/** The fault of what stands right behind front matter and seems to be some, too; its offset is one of `bytes`. */
export function secondHead(bytes: Buffer, { parts, data }: FrontMatter, now = Date.now()): Fault | undefined {
  if (parts.data || parts.syntax === 'none') return undefined
  return headBehind(bytes, parts.closeEnd, { isEmpty: Object.keys(data).length === 0, now, parse: parsedHead })
}

/** The front matter that bytes begin with; undefined where there is none, or where it can't be read. */
function parsedHead(bytes: Buffer): ParsedHead | undefined {
  try {
    const parts = split(bytes, { extension: 'md' })
    const text = headText(bytes, parts)
    return { text, start: parts.headStart, data: parseHead(text, parts) }
  } catch {
    return undefined
  }
}

/** The front matter's text. A CR that ends a line alone becomes LF, so that offsets stay and every parser sees lines. */
export function headText(bytes: Buffer, parts: Parts): string {
  const text = bytes.toString('utf8', parts.headStart, parts.headEnd)
  return text.includes('\r') ? text.replace(/\r(?!\n)/g, '\n') : text
}

/** The mapping that front matter holds; throws Fault. */
function parseHead(text: string, parts: Parts): Fields {
  const data = parsed(text, parts)
  if (text.length > MOST_KEYS && Object.keys(data).length > MOST_KEYS) throw manyKeys()
  return data
}

function parsed(text: string, { syntax, data }: Parts): Fields {
  if (syntax === 'none') return {}
  const { name, most, quick, read } = LANGUAGES[syntax]
  if (text.length > most) {
    throw new Fault(
      `The ${name} front matter is larger than ${most / 1024} KiB.`,
      most,
      'Write it in YAML, or move what is long into the text.',
    )
  }
  return quick(text) ?? (data ? read(text) : readMatter(text, syntax))
}

/** The body as its readers see it: line ends are LF. */
export function bodyText(bytes: Buffer, { parts, data }: FrontMatter): string {
  if (parts.data) return typeof data.body === 'string' ? data.body : ''
  return unifiedLines(bytes.subarray(parts.bodyStart)).toString()
}

/** `text` with LF for every line end. */
export function unifyLines(text: string): string {
  return text.includes('\r') ? unifiedLines(Buffer.from(text)).toString() : text
}

function faultOf(error: unknown, head: string): Fault {
  const conflict = conflictAt(head)
  if (conflict >= 0) return unresolved(conflict)
  return error instanceof Fault ? error : unexpected(error)
}

/** A parser that fails in a way of its own takes down one file, not the scan. */
function unexpected(error: unknown): Fault {
  return new Fault(error instanceof Error ? error.message : String(error), 0, 'Simplify the front matter.')
}

function inFile(fault: Fault, bytes: Buffer): PlacedFault {
  return placed(fault, bytes.toString('utf8', 0, fault.offset))
}

function placed({ message, hint }: Fault, before: string): PlacedFault {
  const text = before.startsWith('\ufeff') ? before.slice(1) : before
  return { ...placeOf(text, text.length), message, ...(hint && { hint }) }
}
