import { composed } from '#lib/text/normal-form.ts'

/** Characters between the parts of an address, or around it in the text. */
const BETWEEN = /[\s()[\]<>"'?#/&;=:!|,{}`*$^]+/
const LINK_LIKE = /[/(<>="'[\]]/
const OPEN_END = /[(=:<"']$/
const EXTENSION = /\.(?:md|markdown|mdx|html?)$/i

/** Of a link that names nothing: to the folder it is in, or to the index of one. */
const UNNAMED = 'index'

/**
 * Numbers that stand for the last parts of all addresses in a text, in order, each once, and for more beside: what has not that
 * of an address has no link there. Linear in the length of the text.
 */
export function linkMarks(text: string): Uint32Array {
  const marks = new Set<number>()
  let isOpen = false
  for (const [word] of text.matchAll(/\S+/g)) {
    if (isOpen || LINK_LIKE.test(word)) addMarks(word, marks)
    isOpen = OPEN_END.test(word)
  }
  return new Uint32Array(marks).sort()
}

/**
 * The number that texts with links to an address have (a path, percent-encoded or not, or that of a file); undefined where any
 * text may have one.
 */
export function markOf(address: string): number | undefined {
  const last = address.split('/').findLast((part) => part !== '') ?? ''
  const part = partsOf(last).at(-1)
  return part === undefined || isUnnamed(part) ? undefined : numberOf(part)
}

/** The number of links that name nothing. */
export const UNNAMED_MARK = numberOf(UNNAMED)

function addMarks(word: string, marks: Set<number>): void {
  if (word.includes('&') && word.includes(';')) marks.add(UNNAMED_MARK)
  for (const part of partsOf(word)) marks.add(isUnnamed(part) ? UNNAMED_MARK : numberOf(part))
}

function partsOf(word: string): string[] {
  const plain = word.includes('\\') ? word.replaceAll('\\', '') : word
  return decoded(plain)
    .split(BETWEEN)
    .map((part) => part.replace(EXTENSION, ''))
    .filter((part) => part !== '')
}

function isUnnamed(part: string): boolean {
  return part === UNNAMED || part === '.' || part === '..'
}

function decoded(word: string): string {
  const whole = word.includes('%') ? word.replace(/(?:%[0-9a-f]{2})+/gi, decodedPart) : word
  return composed(whole)
}

function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** FNV-1a. */
function numberOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
