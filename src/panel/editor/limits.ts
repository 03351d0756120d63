import type { Text } from '@codemirror/state'
import type { MarkdownConfig } from '@lezer/markdown'

/** The most characters that can open or close a mark in one block: the parser compares each with those before it. */
const MOST_MARKS = 1000

/** The most characters without a blank line. A block is parsed in one step, which a key waits for. */
const LONGEST_BLOCK = 64 * 1024

/** The most levels of quotes. */
const DEEPEST = 50

/** The longest text that is shown as it reads; what is longer is edited as source. */
export const LONGEST_RICH = 1024 * 1024

/** A blank line, or one that begins an item of a list. */
const STARTS_BLOCK = /^\s*(?:$|[-*+] |\d{1,9}[.)] )/

/** The characters that the parser looks for. */
const MARK = /[*_`~!<[\]]/g

/** An extension of the Markdown parser that leaves a block alone whose marks would take it seconds. */
export const denseBlocks: MarkdownConfig = {
  parseInline: [
    {
      name: 'DenseBlock',
      before: 'Escape',
      parse: (context, _, position) => (position === context.offset && isDense(context.text) ? context.end : -1),
    },
  ],
}

function isDense(text: string): boolean {
  if (text.length <= MOST_MARKS) return false
  MARK.lastIndex = 0
  for (let count = 0; count <= MOST_MARKS; count++) if (!MARK.test(text)) return false
  return true
}

/** Returns whether a text can be parsed as Markdown while its author types: no block is huge, no quote absurdly deep. */
export function isParseable(text: Text): boolean {
  let [length, fence] = [0, '']
  for (const line of text.iterLines()) {
    const [, opening = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? []
    if (fence === '') fence = opening
    else if (opening.startsWith(fence) && line.trim() === opening) fence = ''
    // What is in a fence is parsed line by line.
    if (fence !== '') length = 0
    else if (STARTS_BLOCK.test(line.slice(0, 200))) length = line.length
    else length += line.length
    if (length > LONGEST_BLOCK || isDeep(line)) return false
  }
  return true
}

function isDeep(line: string): boolean {
  const [quotes = ''] = /^[\s>]*/.exec(line) ?? []
  return quotes.length > DEEPEST && quotes.replaceAll(/\s/g, '').length > DEEPEST
}
