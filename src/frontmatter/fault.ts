/**
 * An error that makes a file's front matter unreadable, at a character offset of the text that was read. `hint` says how to fix
 * it.
 */
export class Fault extends Error {
  readonly offset: number
  readonly hint: string | undefined
  constructor(message: string, offset: number, hint?: string) {
    super(message)
    this.offset = offset
    this.hint = hint
  }
}

/** Line and column, both from 1, of a character offset in `text`; LF, CRLF and CR end a line. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset)
  const breaks = before.match(/\r\n|\r|\n/g)
  const start = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1
  return { line: (breaks?.length ?? 0) + 1, column: offset - start + 1 }
}

/** Keys that reach into JavaScript's own objects: never taken from a file. */
export const UNSAFE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** The most levels front matter may be nested. */
export const MAX_DEPTH = 64

/** The most bytes a content file may have. */
export const MAX_FILE_BYTES = 2 * 1024 * 1024

/** The most keys front matter may have: what each means is looked up. What one of them holds may have more. */
export const MOST_KEYS = 10_000

/** The fault of front matter with too many keys. */
export function manyKeys(): Fault {
  const message = `The front matter has over ${MOST_KEYS.toLocaleString('en')} keys.`
  return new Fault(message, 0, 'Put them below one key, or divide the file.')
}

/** The fault of a key that is not allowed. */
export function unsafeKey(key: string, offset: number): Fault {
  return new Fault(`The key "${key}" is not allowed.`, offset, 'Rename the key: this name belongs to JavaScript itself.')
}

/** The fault of a key that is there twice. */
export function duplicateKey(key: string, offset: number): Fault {
  return new Fault(`The key "${key}" is there twice.`, offset, 'Remove one of the two.')
}

/** The fault of front matter that is nested too deep. */
export function tooDeep(offset: number): Fault {
  return new Fault(`The front matter is nested more than ${MAX_DEPTH} levels deep.`, offset, 'Make it flatter.')
}

/** Returns the offset of a git merge conflict in a text, or -1 if there is none. */
export function conflictAt(text: string): number {
  return text.search(/^<{7}(?=[ \r\n]|$)/m)
}

/** The fault of a merge that is not resolved. */
export function unresolved(offset: number): Fault {
  const hint = 'Keep what is right, and remove the lines that begin with <<<<<<<, ======= and >>>>>>>.'
  return new Fault('A conflict of git is not resolved here.', offset, hint)
}
