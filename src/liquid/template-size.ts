/** The most characters of a template, tags in it, and characters in its tags. Parsing takes time with the square of the tags. */
const MOST_CHARACTERS = 1024 * 1024
const MOST_TAGS = 5000
const MOST_IN_TAGS = 64 * 1024

/** A template that is too large to be parsed, with the place in it where it becomes too large. */
export class TemplateTooLarge extends Error {
  readonly file: string
  readonly line: number
  readonly column: number

  constructor(message: string, file: string, before: string) {
    super(message)
    this.file = file
    const lines = before.split('\n')
    this.line = lines.length
    this.column = (lines.at(-1)?.length ?? 0) + 1
  }
}

/** The tags and outputs of a template so far. */
interface Sum {
  tags: number
  characters: number
}

/** Throws TemplateTooLarge for a text that would take long to parse, in time in proportion to it. */
export function mustBeParsable(text: string, file: string): void {
  const fault = (words: string, place: number) => new TemplateTooLarge(words, file, text.slice(0, place))
  if (text.length > MOST_CHARACTERS) throw fault('it has over 1 MiB', 0)
  const sum: Sum = { tags: 0, characters: 0 }
  const opening = /\{[{%]/g
  for (let open = opening.exec(text); open; open = opening.exec(text)) {
    const end = text.charAt(open.index + 1) === '%' ? endOfTag(text, open.index) : endOfOutput(text, open.index + 2)
    add(sum, text.slice(open.index, end))
    if (sum.tags > MOST_TAGS) throw fault(`it has over ${MOST_TAGS.toLocaleString('en')} tags`, open.index)
    if (sum.characters > MOST_IN_TAGS) throw fault(`it has over ${MOST_IN_TAGS / 1024} KiB in tags`, open.index)
    opening.lastIndex = end
  }
}

function add(sum: Sum, tag: string): void {
  sum.characters += tag.length
  sum.tags++
  // In a `liquid` tag each line is one.
  if (/^\{%-?\s*liquid\b/.test(tag)) sum.tags += tag.split('\n').length
}

function endOfTag(text: string, start: number): number {
  const end = text.indexOf('%}', start + 1)
  return end < 0 ? text.length : end + 2
}

/** The end of an output: braces in quotes do not end it. */
function endOfOutput(text: string, start: number): number {
  const stop = /["']|\}\}/g
  stop.lastIndex = start
  for (let found = stop.exec(text); found; found = stop.exec(text)) {
    if (found[0] === '}}') return stop.lastIndex
    stop.lastIndex = endOfQuote(text, found[0], stop.lastIndex)
  }
  return text.length
}

function endOfQuote(text: string, quote: string, start: number): number {
  let at = start
  while (at < text.length && text.charAt(at) !== quote) at += text.charAt(at) === '\\' ? 2 : 1
  return at + 1
}
