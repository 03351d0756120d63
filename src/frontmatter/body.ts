import { lineEndingsOf, withLineEndings } from '#lib/text/line-endings.ts'
import { withLineEnds } from './lines.ts'
import { bodyText, type FrontMatter, readFrontMatter, secondHead, unifyLines } from './read.ts'
import type { FileFormat } from './split.ts'
import { TEXT_FOLLOWS } from './stray-head.ts'

const [LF, CR] = [10, 13]

/** The first line end from `from` on, or undefined where there is none. */
export function lineEndOf(bytes: Buffer, from = 0): string | undefined {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === 10) return '\n'
    if (bytes[at] === 13) return bytes[at + 1] === 10 ? '\r\n' : '\r'
  }
  return undefined
}

/**
 * The bytes with another body, in the line ends it has; the same bytes where it says the same. Where they are of several kinds, lines
 * that stay keep theirs. Not for data files.
 */
export function withBody(bytes: Buffer, old: FrontMatter, format: FileFormat, body: string): Buffer {
  const text = unifyLines(body)
  if (text === bodyText(bytes, old)) return bytes
  const { bodyStart, closeEnd, syntax } = old.parts
  const eol = lineEndOf(bytes, bodyStart) ?? lineEndOf(bytes) ?? '\n'
  const written = inLineEnds(text, bytes.subarray(bodyStart), eol)
  const head = bytes.subarray(0, bodyStart)
  if (syntax === 'none') {
    const made = behind(head, written)
    const again = readFrontMatter(made, format)
    if (!('fault' in again) && bodyText(made, again) === text) return made
    const empty = `---${eol}---${eol}`
    const parts = { ...old.parts, syntax: 'yaml', headEnd: head.length + 3 + eol.length } as const
    const closed = { data: {}, parts: { ...parts, closeEnd: head.length + empty.length } }
    return asText(Buffer.concat([head, Buffer.from(empty + eol), written]), closed, eol)
  }
  // An empty line sets the body off; it is no part of it, and where the author has none there is none but at need.
  const isOpen = lastByte(head) !== 10 && lastByte(head) !== 13
  const needed = bodyStart === closeEnd && (bytes.length === bodyStart || text.startsWith('\n'))
  const made = behind(head, behind(Buffer.from((isOpen ? eol : '') + (needed ? eol : '')), written))
  return asText(made, isOpen ? { ...old, parts: { ...old.parts, closeEnd: closeEnd + eol.length } } : old, eol)
}

/** A CR before what begins with an LF would be one line end with it: another CR keeps them two. */
function behind(head: Buffer, rest: Buffer): Buffer {
  const isSeam = head[head.length - 1] === CR && rest[0] === LF
  return Buffer.concat(isSeam ? [head, Buffer.from('\r'), rest] : [head, rest])
}

function inLineEnds(text: string, old: Buffer, eol: string): Buffer {
  if (!old.includes(CR)) return withLineEnds(Buffer.from(text), eol)
  const raw = old.toString()
  return lineEndingsOf(raw).size > 1 ? Buffer.from(withLineEndings(text, raw)) : withLineEnds(Buffer.from(text), eol)
}

/** The bytes of a file with this front matter, which says so where the text behind it would pass for more. */
function asText(bytes: Buffer, read: FrontMatter, eol: string): Buffer {
  const { headStart, headEnd, syntax } = read.parts
  const isSaid = bytes.toString('utf8', headStart, headEnd).includes(TEXT_FOLLOWS)
  if (syntax === 'json' || isSaid || !secondHead(bytes, read)) return bytes
  return Buffer.concat([bytes.subarray(0, headEnd), Buffer.from(TEXT_FOLLOWS + eol), bytes.subarray(headEnd)])
}

function lastByte(bytes: Buffer): number {
  return bytes[bytes.length - 1] ?? 10
}
