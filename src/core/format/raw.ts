import { conflictAt, Fault, placeOf, unresolved } from '#frontmatter/fault.ts'
import { unifiedLines } from '#frontmatter/lines.ts'
import { readMatter } from '#frontmatter/matter.ts'
import { type FileForm, type Parts, split } from '#frontmatter/split.ts'
import { readFast } from '#frontmatter/yaml/fast-yaml.ts'
import { readYaml } from '#frontmatter/yaml/yaml.ts'
import type { Fields } from '#lib/json.ts'
import type { Problem } from '../document.ts'

/** A file as it is: its front matter under its own keys, and where its parts are. */
export interface Raw {
  parts: Parts
  data: Fields
}

/** Reads front matter, or says where and why it can't be read (`problem`). Never throws for what a file may hold. */
export function readRaw(bytes: Buffer, form: FileForm, file: string): Raw | { problem: Problem } {
  let parts: Parts
  try {
    parts = split(bytes, form)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { problem: problemOf(error, file, bytes.toString('utf8', 0, error.offset)) }
  }
  const head = headText(bytes, parts)
  try {
    return { parts, data: parseHead(head, parts) }
  } catch (error) {
    const fault = faultOf(error, head)
    return { problem: problemOf(fault, file, bytes.toString('utf8', 0, parts.headStart) + head.slice(0, fault.offset)) }
  }
}

/** The front matter's text. A CR that ends a line alone becomes LF, so that offsets stay and every parser sees lines. */
export function headText(bytes: Buffer, parts: Parts): string {
  const text = bytes.toString('utf8', parts.headStart, parts.headEnd)
  return text.includes('\r') ? text.replace(/\r(?!\n)/g, '\n') : text
}

/** The most characters of front matter in TOML and JSON, which take more time than YAML to read and to edit. */
const MOST_OTHER = 128 * 1024

/** The most keys front matter may have: what each means is looked up. What one of them holds may have more. */
const MOST_KEYS = 10_000

/** The mapping that front matter holds; throws Fault. */
export function parseHead(text: string, parts: Parts): Fields {
  if (parts.syntax === 'yaml' && keyLines(text) > MOST_KEYS) throw manyKeys()
  const data = parsed(text, parts)
  if (text.length > MOST_KEYS && Object.keys(data).length > MOST_KEYS) throw manyKeys()
  return data
}

function manyKeys(): Fault {
  const message = `The front matter has over ${MOST_KEYS.toLocaleString('en')} keys.`
  return new Fault(message, 0, 'Put them below one key, or divide the file.')
}

/** At the beginning of a line: what follows on keys, ends what they hold, or is no part of them. */
const NO_KEY = new Set(' \t\r\n#-]}')

/** Counts the lines of YAML that begin with a key, up to one over the most. */
function keyLines(text: string): number {
  let lines = 0
  for (let at = 0; text.length > MOST_KEYS && at < text.length && lines <= MOST_KEYS; ) {
    if (!NO_KEY.has(text.charAt(at))) lines++
    const newline = text.indexOf('\n', at)
    at = newline < 0 ? text.length : newline + 1
  }
  return lines
}

function parsed(text: string, parts: Parts): Fields {
  if (parts.syntax === 'none') return {}
  if (parts.syntax !== 'yaml' && text.length > MOST_OTHER) {
    const name = parts.syntax === 'toml' ? 'TOML' : 'JSON'
    throw new Fault(
      `The ${name} front matter is larger than ${MOST_OTHER / 1024} KiB.`,
      MOST_OTHER,
      'Write it in YAML, or move what is long into the text.',
    )
  }
  if (parts.syntax !== 'yaml') return readMatter(text, parts.syntax)
  return readFast(text) ?? (parts.data ? readYaml(text) : readMatter(text, 'yaml'))
}

/** The body as its readers see it: line ends are LF. */
export function bodyText(bytes: Buffer, raw: Raw): string {
  if (raw.parts.data) return typeof raw.data.body === 'string' ? raw.data.body : ''
  return unifiedLines(bytes.subarray(raw.parts.bodyStart)).toString()
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

function problemOf(fault: Fault, file: string, before: string): Problem {
  const text = before.startsWith('\ufeff') ? before.slice(1) : before
  const { line, column } = placeOf(text, text.length)
  return { file, line, column, message: fault.message, ...(fault.hint && { hint: fault.hint }), severity: 'error' }
}
