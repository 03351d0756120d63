import { HIDDEN, inlineText, inSmallLetters, labelOf } from './inline-text.ts'

const FENCE = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(`{3,}(?=[^`]*$)|~{3,})/
const QUOTED = /^(?:\s{0,3}>\s?)+/
const ITEM = /^(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s)?/
const HEADING = /^#{1,6}(?:\s+|$)/
const DEFINITION = /^\[(?!\^)([^[\]]{1,999})\]:[ \t]*\S/
const DEFINITIONS = /^ {0,3}\[(?!\^)([^[\]\n]{1,999})\]:[ \t]*\S/gm
const NOTE = /^\[\^[^[\]\s]{1,100}\]:/
const RULE = /^(?:=+|-+|\*{3,}|_{3,})$/
const TABLE_RULE = /^[|: \t-]+$/
/** Matches a line that begins with a letter, and so is prose and nothing else. */
const PLAIN = /^[ \t]*\p{L}/u
const INDENTED = /^(?: {4}|\t)/
/** Constructs that continue over empty lines, with their ends. */
const LONG: readonly (readonly [string, string])[] = [
  ['<!--', '-->'],
  ...HIDDEN.map((name) => [`<${name}`, `</${name}`] as const),
]

// Not by markdown-it's tokens: the same words of 1,019 files take them six times as long (2.0 s, this 0.3), 256 KiB of `![` 1 s.
/**
 * Returns the visible text of Markdown and HTML, a line for each block: without tags, comments, addresses of links and images,
 * info strings of code, definitions of references, shortcodes and template tags. Link texts, alternative texts and code are kept,
 * entities are decoded. Takes time in proportion to the text. Never throws.
 */
export function plainText(markdown: string): string {
  return new Blocks(markdown).read()
}

class Blocks {
  readonly #lines: readonly string[]
  readonly #references: ReadonlySet<string>
  readonly #texts: string[] = []
  readonly #missing = new Set<string>()
  #block: string[] = []
  #isInList = false

  constructor(markdown: string) {
    this.#lines = markdown.split(/\r\n?|\n/)
    this.#references = new Set(
      Array.from(markdown.includes(']:') ? markdown.matchAll(DEFINITIONS) : [], ([, label = '']) => labelOf(label)),
    )
  }

  read(): string {
    for (let index = 0; index < this.#lines.length; ) index = this.#line(this.#lines[index] ?? '', index)
    this.#end()
    return this.#texts.join('\n')
  }

  /** Reads a line, and those that belong to it; which is next. */
  #line(line: string, index: number): number {
    if (PLAIN.test(line) && (this.#block.length > 0 || !INDENTED.test(line))) return this.#plain(line, index)
    const text = line.replace(QUOTED, '').trim()
    if (text === '') return this.#endAt(index + 1)
    const fence = FENCE.exec(line.replace(QUOTED, ''))?.[1]
    if (fence !== undefined) return this.#code(fence, index + 1)
    if (INDENTED.test(line) && this.#block.length === 0 && !this.#isInList) {
      this.#texts.push(line)
      return index + 1
    }
    this.#isInList = ITEM.test(text) || (this.#isInList && (this.#block.length > 0 || /^\s/.test(line)))
    if (RULE.test(text) || TABLE_RULE.test(text) || DEFINITION.test(text)) return this.#endAt(index + 1)
    return this.#prose(text, index)
  }

  /** Reads a line that begins with a letter, and so is nothing but prose. */
  #plain(line: string, index: number): number {
    const text = line.trim()
    this.#isInList &&= this.#block.length > 0 || line !== line.trimStart()
    this.#block.push(text)
    return this.#pastLong(text, index)
  }

  #prose(text: string, index: number): number {
    const isHeading = HEADING.test(text)
    const isItem = ITEM.test(text)
    if (isHeading || isItem) this.#end()
    const words = isHeading ? withoutHashes(text.replace(HEADING, '')) : text.replace(ITEM, '').replace(NOTE, '')
    this.#block.push(text.startsWith('|') ? words.replaceAll('|', ' ').trim() : words)
    const next = this.#pastLong(text, index)
    if (isHeading) this.#end()
    return next
  }

  /** Takes the lines that belong to what a line begins and does not end; which is next. */
  #pastLong(text: string, index: number): number {
    if (!text.includes('<')) return index + 1
    const next = this.#endOfLong(text, index)
    for (let at = index + 1; at < next; at++) this.#block.push(this.#lines[at] ?? '')
    return next
  }

  /** After the line that ends what a line begins and does not end; that line may begin something again. */
  #endOfLong(line: string, index: number): number {
    for (let last = index, rest = inSmallLetters(line); ; ) {
      const end = this.#openIn(rest)
      if (end === undefined) return last + 1
      const from = last + 1
      last = from
      while (last < this.#lines.length && !this.#small(last).includes(end)) last++
      const closing = last < this.#lines.length ? this.#small(last) : undefined
      if (closing === undefined) {
        this.#missing.add(end)
        return from
      }
      rest = closing.slice(closing.lastIndexOf(end))
    }
  }

  #small(index: number): string {
    return inSmallLetters(this.#lines[index] ?? '')
  }

  /** Returns the end of the construct that a line opens last and does not close. */
  #openIn(line: string): string | undefined {
    const open = LONG.find(([begin, end]) => {
      const at = line.lastIndexOf(begin)
      return at >= 0 && !line.includes(end, at) && !this.#missing.has(end)
    })
    return open?.[1]
  }

  #code(fence: string, index: number): number {
    this.#end()
    let at = index
    for (; at < this.#lines.length && !isEndOf(fence, this.#lines[at] ?? ''); at++) this.#texts.push(this.#lines[at] ?? '')
    return at + 1
  }

  #endAt(index: number): number {
    this.#end()
    return index
  }

  #end(): void {
    if (this.#block.length > 0) this.#texts.push(inlineText(this.#block.join('\n'), this.#references))
    this.#block = []
  }
}

function isEndOf(fence: string, line: string): boolean {
  if (!line.includes(fence)) return false
  const text = line.replace(QUOTED, '').trim()
  return text.startsWith(fence) && text === fence.charAt(0).repeat(text.length)
}

/** A heading without the hashes that may close it. */
function withoutHashes(text: string): string {
  let end = text.length
  while (text[end - 1] === '#') end--
  return text.slice(0, end).trimEnd()
}
