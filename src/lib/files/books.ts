import { posix } from 'node:path'

/** The files that a book of mdBook's or GitBook's is told by: other tools give a page the name of its list. */
export const BOOK_FILES: readonly string[] = ['book.toml', 'book.json', '.gitbook.yaml', '.bookignore']

/** Matches the address of a link of Markdown; the angle brackets are for one with spaces. */
const LINK = /\]\([ \t]{0,9}(?:<([^<>\n]{1,1000})>|([^()\s<>]{1,1000}))/g

/**
 * Returns a function that says whether a text is left out of the book of mdBook's or GitBook's whose list is at `path`: it lies in
 * the folder of the list, which does not name it. Paths are from one folder, with `/`.
 */
export function bookOf(path: string, list: string): (path: string) => boolean {
  const folder = posix.dirname(path)
  const prefix = folder === '.' ? '' : `${folder}/`
  const pathsOf = (href: string) => posix.normalize(posix.join(folder, decoded(href.replace(/[?#].*$/s, ''))))
  const listed = new Set([...list.matchAll(LINK)].map(([, bracketed, plain]) => pathsOf(bracketed ?? plain ?? '')))
  // A list without a link is none.
  if (listed.size === 0) return () => false
  // The page of the folder is shown, listed or not, and the list itself leads there.
  const isOwn = (name: string) => /^(?:summary|readme|index)\.md$/i.test(name)
  return (file) => file.startsWith(prefix) && !listed.has(file) && !isOwn(file.slice(prefix.length))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
