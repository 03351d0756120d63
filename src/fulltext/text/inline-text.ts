import { entity } from './entities.ts'
import { endOfTarget } from './link-target.ts'
import { matchAt } from './match-at.ts'

/** Characters that may be more than a letter. */
const SPECIAL = /[\\`*_~[\]!<&{]/g
const PUNCTUATION = /[!-/:-@[-`{-~]/
const SPACE = /^\s?$/
const WORD = /[\p{L}\p{N}]/u
const FOOTNOTE = /\[\^[^[\]\s]{1,100}\]/y
const LABEL = /\[([^[\]]{0,999})\]/y
const AUTOLINK = /<([a-z][a-z0-9+.-]{1,31}:[^\s<>]*|[^\s<>@]{1,64}@[^\s<>@]{1,255})>/iy
const TAG = /<[/!?]?([a-z][a-z0-9:.-]*)?/iy
const TAG_BEGINS = /[a-z/!?]/i
const ENTITY = /&(#x[0-9a-f]{1,6}|#[0-9]{1,7}|[a-z][a-z0-9]{1,31});/iy
const ATTRIBUTES = /\{[#:.][^{}\n]*\}/y
/** Elements that are within a word or a line; others part words. */
const WITHIN: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo cite code data del dfn em font i ins kbd mark q rp rt ruby s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
)
const CLOSING: ReadonlyMap<string, string> = new Map([
  ['{', '}}'],
  ['%', '%}'],
])
/** Elements that are removed from a page with all that stands in them. */
export const HIDDEN: readonly string[] = ['script', 'style', 'template', 'noscript']

interface Bracket {
  /** Its place in the text, and which piece of what comes out it is. */
  readonly at: number
  readonly piece: number
}

/**
 * Returns the visible text of one block of Markdown: without emphasis marks, tags, comments, link targets and template tags.
 * Entities are decoded, code is kept as it is. `references` are the labels (normalized by `labelOf`) that have a definition.
 * Takes time in proportion to the text.
 */
export function inlineText(text: string, references: ReadonlySet<string>): string {
  SPECIAL.lastIndex = 0
  return SPECIAL.test(text) ? new Inline(text, references).read() : text
}

/** A label of a reference as it is compared: without regard to capitals and white space. */
export function labelOf(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase()
}

class Inline {
  readonly #text: string
  readonly #references: ReadonlySet<string>
  readonly #pieces: string[] = []
  readonly #open: Bracket[] = []
  /** Strings that are known not to occur any more, so that they are only searched for once. */
  readonly #missing = new Set<string>()
  #lastBracket = -1
  #ticks: Map<number, number[]> | undefined
  #small: string | undefined

  constructor(text: string, references: ReadonlySet<string>) {
    this.#text = text
    this.#references = references
  }

  read(): string {
    let at = 0
    for (;;) {
      SPECIAL.lastIndex = at
      const next = SPECIAL.exec(this.#text)
      this.#pieces.push(this.#text.slice(at, next?.index))
      if (!next) return this.#pieces.join('')
      at = this.#special(next[0], next.index)
    }
  }

  /** Reads what begins with a special character; where to read on. */
  #special(character: string, at: number): number {
    if (character === '\\') return this.#escape(at)
    if (character === '`') return this.#code(at)
    if (character === '[' || character === '!') return this.#opening(character, at)
    if (character === ']') return this.#closing(at)
    if (character === '<') return this.#angle(at)
    if (character === '&') return this.#entity(at)
    return character === '{' ? this.#brace(at) : this.#emphasis(character, at)
  }

  #give(piece: string, next: number): number {
    this.#pieces.push(piece)
    return next
  }

  #escape(at: number): number {
    const next = this.#text.charAt(at + 1)
    return PUNCTUATION.test(next) ? this.#give(next, at + 2) : this.#give('\\', at + 1)
  }

  #code(at: number): number {
    const length = this.#runAt(at)
    const close = this.#ticksAfter(at + length, length)
    return close < 0
      ? this.#give('`'.repeat(length), at + length)
      : this.#give(this.#text.slice(at + length, close), close + length)
  }

  /** Returns the offset of the next run of exactly this many backticks. */
  #ticksAfter(at: number, length: number): number {
    this.#ticks ??= runsOfTicks(this.#text)
    const places = this.#ticks.get(length) ?? []
    // The last come first: what was passed is taken off.
    while ((places.at(-1) ?? at) < at) places.pop()
    return places.at(-1) ?? -1
  }

  #emphasis(character: string, at: number): number {
    const length = this.#runAt(at)
    const end = at + length
    const [before, after] = [this.#text.charAt(at - 1), this.#text.charAt(end)]
    const isFree = SPACE.test(before) && SPACE.test(after)
    const isWithin = (character === '_' || length === 1) && WORD.test(before) && WORD.test(after)
    return this.#give(isFree || isWithin || (character === '~' && length === 1) ? this.#text.slice(at, end) : '', end)
  }

  #runAt(at: number): number {
    const character = this.#text[at]
    let end = at + 1
    while (this.#text[end] === character) end++
    return end - at
  }

  #opening(character: string, at: number): number {
    const isImage = character === '!'
    if (isImage && this.#text[at + 1] !== '[') return this.#give('!', at + 1)
    const note = isImage ? undefined : matchAt(FOOTNOTE, this.#text, at)
    if (note) return at + note[0].length
    const bracket = isImage ? at + 1 : at
    this.#open.push({ at: bracket, piece: this.#pieces.length })
    this.#lastBracket = bracket
    return this.#give(isImage ? '![' : '[', bracket + 1)
  }

  #closing(at: number): number {
    const open = this.#open.pop()
    const end = open ? this.#endOfLink(open, at) : -1
    this.#lastBracket = at
    if (!open || end < 0) return this.#give(']', at + 1)
    this.#pieces[open.piece] = ''
    return end
  }

  /** Returns the end of a link whose text ends at `at`, or −1 if it is not a link. */
  #endOfLink(open: Bracket, at: number): number {
    if (this.#text[at + 1] === '(') {
      const end = endOfTarget(this.#text, at + 2, (needle, from) => this.#find(needle, from))
      if (end >= 0) return end
    }
    const label = matchAt(LABEL, this.#text, at + 1)
    if (label?.[1] && this.#references.has(labelOf(label[1]))) return at + 1 + label[0].length
    // A label has no brackets in it.
    if (this.#lastBracket !== open.at || !this.#references.has(labelOf(this.#text.slice(open.at + 1, at)))) return -1
    return at + 1 + (label && label[1] === '' ? 2 : 0)
  }

  #angle(at: number): number {
    if (this.#text.startsWith('<!--', at)) {
      const end = this.#find('-->', at + 2)
      return end < 0 ? this.#give('<', at + 1) : end + 3
    }
    const link = matchAt(AUTOLINK, this.#text, at)
    if (link) return this.#give(link[1] ?? '', at + link[0].length)
    const [begin = '', name = ''] = matchAt(TAG, this.#text, at) ?? []
    const end = begin.length > 1 ? this.#endOfTag(at + begin.length) : -1
    if (end < 0) return this.#give('<', at + 1)
    const element = name.toLowerCase()
    const isHidden = HIDDEN.includes(element) && begin[1] !== '/'
    return this.#give(WITHIN.has(element) ? '' : ' ', isHidden ? this.#endOfHidden(element, end) : end)
  }

  /** After the `>` of a tag; −1 where another begins before, or its name does not end. */
  #endOfTag(from: number): number {
    if (!/[\s/>[]/.test(this.#text.charAt(from))) return -1
    let quote = ''
    for (let at = from; at < this.#text.length; at++) {
      const character = this.#text.charAt(at)
      if (character === '<' && TAG_BEGINS.test(this.#text.charAt(at + 1))) return -1
      if (quote !== '') quote = character === quote ? '' : quote
      else if (character === '>') return at + 1
      else if ((character === '"' || character === "'") && this.#text[at - 1] === '=') quote = character
    }
    return -1
  }

  /** An element that nothing ends goes on to the end of the text, as it does in a page. */
  #endOfHidden(name: string, from: number): number {
    this.#small ??= inSmallLetters(this.#text)
    const end = this.#small.indexOf(`</${name}`, from)
    return end < 0 ? this.#text.length : end
  }

  #entity(at: number): number {
    const match = matchAt(ENTITY, this.#text, at)
    const character = entity(match?.[1] ?? '')
    return match && character !== undefined ? this.#give(character, at + match[0].length) : this.#give('&', at + 1)
  }

  #brace(at: number): number {
    const closing = CLOSING.get(this.#text.charAt(at + 1))
    const end = closing === undefined ? -1 : this.#find(closing, at + 2)
    if (end >= 0) return end + 2
    const attributes = matchAt(ATTRIBUTES, this.#text, at)
    return attributes ? at + attributes[0].length : this.#give('{', at + 1)
  }

  #find(needle: string, from: number): number {
    if (this.#missing.has(needle)) return -1
    const at = this.#text.indexOf(needle, from)
    if (at < 0) this.#missing.add(needle)
    return at
  }
}

/** A text with the capitals of ASCII small, each letter where it was. */
export function inSmallLetters(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (capitals) => capitals.toLowerCase())
}

/** Returns the offsets of the runs of backticks by length, the last first. */
function runsOfTicks(text: string): Map<number, number[]> {
  const runs = new Map<number, number[]>()
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    const places = runs.get(run.length)
    if (places) places.push(index)
    else runs.set(run.length, [index])
  }
  for (const places of runs.values()) places.reverse()
  return runs
}
