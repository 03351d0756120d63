import { trimEnd } from '#lib/text/trim-end.ts'

/** An address in a plain text that becomes a link. */
export interface Autolink {
  readonly schema: '' | 'mailto:'
  readonly index: number
  readonly lastIndex: number
  readonly raw: string
  readonly text: string
  readonly url: string
}

const LOCAL = /[A-Za-z0-9.+_-]/
/** RFC 5321: most characters before and behind the sign. */
const [MOST_LOCAL, MOST_HOST] = [64, 255]
const HOST = /[A-Za-z0-9-]+(?:[.][A-Za-z0-9_-]+)+/y
const WWW = /www\.[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+[^\s<]{0,2000}/iuy
const BEFORE_WWW = /[\s*_~(]/
const ENTITY = /&[a-z0-9]{1,32};$/i
const ENDS = '?!.,:*_~\'"'

/**
 * Finds what GitHub makes links of beside whole addresses, in order: `www.example.org/path` and `ada@example.org`. A name with a
 * dot alone is none. Takes time linear in the length of the text.
 */
export function autolinks(text: string): Autolink[] {
  const found: Autolink[] = []
  for (let at = 0; at < text.length; ) {
    const one = firstOf(text, at, found.at(-1)?.lastIndex ?? 0)
    if (!one) break
    if (one.link) found.push(one.link)
    at = one.link?.lastIndex ?? one.at + 1
  }
  return found
}

/** Finds the next place where a link may be, and the link, if there is one; it begins at `from` or later. */
function firstOf(text: string, at: number, from: number): { at: number; link: Autolink | undefined } | undefined {
  SIGN.lastIndex = at
  const sign = SIGN.exec(text)
  if (!sign) return undefined
  return { at: sign.index, link: sign[0] === '@' ? mailAt(text, sign.index, from) : wwwAt(text, sign.index) }
}

const SIGN = /@|www\./gi

function mailAt(text: string, sign: number, from: number): Autolink | undefined {
  let index = sign
  while (index > from && sign - index <= MOST_LOCAL && LOCAL.test(text.charAt(index - 1))) index--
  HOST.lastIndex = 0
  const host = trimEnd(HOST.exec(text.slice(sign + 1, sign + 1 + MOST_HOST))?.[0] ?? '', '.')
  const isAddress = index < sign && sign - index <= MOST_LOCAL && host.includes('.') && !/[-_]$/.test(host)
  if (!isAddress || text.charAt(sign + 1 + host.length) === '@') return undefined
  const lastIndex = sign + 1 + host.length
  const raw = text.slice(index, lastIndex)
  return { schema: 'mailto:', index, lastIndex, raw, text: raw, url: `mailto:${raw}` }
}

function wwwAt(text: string, index: number): Autolink | undefined {
  if (index > 0 && !BEFORE_WWW.test(text.charAt(index - 1))) return undefined
  WWW.lastIndex = index
  const raw = trimmed(WWW.exec(text)?.[0] ?? '')
  const [host = ''] = raw.split(/[/?#:]/, 1)
  const parts = host.split('.')
  if (parts.length < 3 || parts.slice(-2).some((part) => part === '' || part.includes('_'))) return undefined
  return { schema: '', index, lastIndex: index + raw.length, raw, text: raw, url: `http://${raw}` }
}

/** An address without what ends the sentence it is in: marks, an entity, a bracket that was opened before it. */
function trimmed(address: string): string {
  let spare = count(address, ')') - count(address, '(')
  for (let text = address; ; ) {
    const bare = trimEnd(text, ENDS).replace(ENTITY, '')
    const isSpare = spare > 0 && bare.endsWith(')')
    if (bare === text && !isSpare) return text
    if (isSpare) spare--
    text = isSpare ? bare.slice(0, -1) : bare
  }
}

function count(text: string, sign: string): number {
  return text.split(sign).length - 1
}
