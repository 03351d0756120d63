import type { Cursor } from './bytes.ts'
import { MediaFault } from './fault.ts'

/** Characters in which markup makes a text a page, and bytes of text that are decoded at once. */
const BEGINNING = 1024
const CHUNK = 64 * 1024

/** A tag that makes browsers take a text for a page where it stands near the beginning. */
const PAGE = /<(?:!doctype\s+html|html|head|body|script|iframe|object|embed|frameset|meta|style|title|base|link)(?=[\s/>])/i
/** Those that do so only at the very beginning, as the standard on MIME sniffing has them, and some more. */
const FIRST =
  /^(?:<(?:!--|!doctype\b|(?:h1|h[2-6]|div|font|table|a|b|br|p|img|span|form|input|button|video|audio|math|template|center|ul|ol|svg)(?=[\s/>])))/i
const SVG = /<svg(?=[\s/>:])|<!doctype\s+svg/i

/** Throws a fault for a text that is not UTF-8 as far as it is looked at, has a NUL, or that a program would run: pages, SVG, scripts. */
export async function checkText(cursor: Cursor, most = cursor.size): Promise<void> {
  cursor.at = 0
  const start = cursor
    .bytes(await cursor.upTo(4 * BEGINNING))
    .toString('utf8')
    .replace(/^\ufeff/, '')
  const fault = markupIn(start) ?? encodingOf(cursor)
  if (fault) throw fault
  const decoder = new TextDecoder('utf-8', { fatal: true })
  while (cursor.left > 0 && cursor.at < most) {
    const count = await cursor.upTo(CHUNK)
    const bytes = cursor.bytes(count)
    if (bytes.includes(0)) throw unknownBytes()
    try {
      decoder.decode(bytes, { stream: cursor.left > count })
    } catch {
      throw new MediaFault('type', 'encoding', 'This may be a text, but it is not UTF-8.', 'Save it as UTF-8.')
    }
    cursor.at += count
  }
}

/** The fault of bytes that nothing is known of. */
export function unknownBytes(): MediaFault {
  return new MediaFault('type', 'unknown', 'This is a file of an unknown type.')
}

function markupIn(text: string): MediaFault | undefined {
  const begun = text.trimStart()
  const near = text.slice(0, BEGINNING)
  if (begun.startsWith('#!') || /<\?php\b|^<\?=|^<%/i.test(begun.slice(0, BEGINNING)))
    return new MediaFault('type', 'script', 'This is a script.')
  if (SVG.test(begun.startsWith('<') ? begun : near)) {
    const hint = 'Export it as PNG or WebP.'
    return new MediaFault('type', 'svg', 'This is an SVG, which can hold scripts.', hint)
  }
  if (PAGE.test(near) || FIRST.test(begun))
    return new MediaFault('type', 'html', 'This is a page of HTML, or a browser might take it for one.')
  if (begun.startsWith('<?xml')) return new MediaFault('type', 'xml', 'This is a file of XML, which a browser shows as a page.')
  return undefined
}

function encodingOf(cursor: Cursor): MediaFault | undefined {
  const mark = cursor.text(2)
  const isWide = cursor.left >= 2 && (mark === '\xff\xfe' || mark === '\xfe\xff')
  return isWide ? new MediaFault('type', 'encoding', 'This is a text in UTF-16.', 'Save it as UTF-8.') : undefined
}
