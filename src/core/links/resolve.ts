import { composed } from '#lib/text/normal-form.ts'
import { isAttachmentName } from '../media/attachments.ts'

/** The base that a page's own links start from. */
export interface LinkPlace {
  /** Path prefix of the site (`/repo`), '' for none. */
  readonly base: string
  /** The page's path on the site. */
  readonly page: string
  /** Folders below content/ that a link to a neighbouring file may mean, likeliest first (`posts/2026`). */
  readonly folders: readonly string[]
  /** The folder below content/ in which the page's own file lies: links to other files than records' start there. */
  readonly folder: string
  /** The address of the page of the record in a file, by its path below content/ without extension; undefined where there is none. */
  pageOf(path: string): string | undefined
  /** The address of the page to which a path of the site leads, be it by a redirect; undefined where there is none. */
  pageAt(path: string): string | undefined
  /** The path of the page of the record that a link in double brackets names; undefined where there is none. */
  pageNamed(name: string): string | undefined
  /** The address that a file would have by its path below content/; undefined where none is served. */
  fileAt(path: string): string | undefined
}

/** The part of a place that knows the site. */
export type AnsweringPlace = Pick<LinkPlace, 'pageOf' | 'pageAt' | 'pageNamed' | 'fileAt'>

/** A question of a page to the site: the name of the method of `LinkPlace`, a space, the path. */
export type Question = string

const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#|\?|$)/i
const MARKDOWN_FILE = /^(.*)\.(?:md|markdown|mdx)$/is

/** Matches an address of folders and a name, without steps: `posts/hello`, or `docs/guides/`. */
const FROM_CONTENT = /^(?![./])[^:]*\/(?!\.{1,2}\/?$)[^/:]+\/?$/

/**
 * The href of a link as it has to be in the page: the site's prefix before absolute paths, relative ones made absolute (a page is
 * served without a trailing slash and stored in a folder, so they would mean two things), the page of a record that the link
 * names by its file, and the addresses of pages as they are served, so that no click is answered with a redirect.
 */
export function resolveHref(href: string, place: LinkPlace): string {
  if (leadsElsewhere(href)) return href
  const end = href.search(/[?#]/)
  const target = recordOfLink(end < 0 ? href : href.slice(0, end), place.folders, place.pageOf)?.found
  if (target) return place.base + target + (end < 0 ? '' : href.slice(end))
  if (href.startsWith('/')) return place.base + spelled(href, place)
  return fileHref(href, place) ?? place.base + spelled(absolute(href, place.page), place)
}

/** A path of the site, be it with a query or fragment, with the page it leads to as that is served. */
export function spelled(href: string, { pageAt }: Pick<LinkPlace, 'pageAt'>): string {
  const end = href.search(/[?#]/)
  const path = end < 0 ? href : href.slice(0, end)
  const page = isAttachmentName(path) ? undefined : pageAt(path)
  return page === undefined ? href : page + (end < 0 ? '' : href.slice(end))
}

/** The functions by which the links of a text are resolved. */
interface Resolving extends Pick<LinkPlace, 'pageNamed'> {
  resolve(href: string): string
  fileAt(href: string): string | undefined
}

/** Returns the functions by which the links of a text are resolved from a place. */
export function resolving(place: LinkPlace): Resolving {
  return {
    resolve: (href) => resolveHref(href, place),
    fileAt: (href) => fileHref(href, place),
    pageNamed: (name) => place.pageNamed(name),
  }
}

/** The href of a link to a file that lies beside records; undefined for any other. */
export function fileHref(href: string, place: Pick<LinkPlace, 'base' | 'folder' | 'fileAt'>): string | undefined {
  const end = href.search(/[?#]/)
  const path = attachmentPath(end < 0 ? href : href.slice(0, end), place.folder)
  const url = path === undefined ? undefined : place.fileAt(path)
  return url === undefined ? undefined : place.base + url + (end < 0 ? '' : href.slice(end))
}

/**
 * Returns the path below content/ of the file that a link, percent-encoded, leads to from a folder; undefined where it leads
 * elsewhere, out of the content, or by its ending to no file that lies beside records.
 */
export function attachmentPath(href: string, folder: string): string | undefined {
  if (leadsElsewhere(href) || href.startsWith('/') || !isAttachmentName(href)) return undefined
  // A sign that begins no code stands for itself, as in a browser.
  const path = decoded(href.replace(/%(?![0-9a-f]{2})/gi, '%25'))
  return path === undefined ? undefined : walked(folder, path)
}

/** Has a place ask for pages and files by `ask`, which is given questions. */
export function asking(ask: (question: Question) => string | undefined): AnsweringPlace {
  return {
    pageOf: (path) => ask(`pageOf ${path}`),
    pageAt: (path) => ask(`pageAt ${path}`),
    pageNamed: (name) => ask(`pageNamed ${name}`),
    fileAt: (path) => ask(`fileAt ${path}`),
  }
}

/** Returns the answer to a question. */
export function answerTo(question: Question, place: AnsweringPlace): string | undefined {
  const path = question.slice(question.indexOf(' ') + 1)
  if (question.startsWith('pageAt ')) return place.pageAt(path)
  if (question.startsWith('pageNamed ')) return place.pageNamed(path)
  return question.startsWith('pageOf ') ? place.pageOf(path) : place.fileAt(path)
}

/** Returns whether a link has a scheme or host of its own, or stays on its page. */
export function leadsElsewhere(href: string): boolean {
  return ELSEWHERE.test(href)
}

/**
 * The folders a link in this file may start from: a file `x.md` is beside its neighbours, an `x/index.md` among them, and both
 * have the id `x`.
 */
export function foldersOf(kind: string, path: string): string[] {
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
  const inside = [folder, path]
  if (kind !== 'pages') return inside.map((part) => join(kind, part))
  return [...inside, ...inside.map((part) => join('pages', part))]
}

/** The keys, as texts, of the records that a file can be of, likeliest first; by its path below content/ without extension. */
export function keysOfFile(path: string): [string, string] {
  const parts = path.replace(/(^|\/)_?index$/, '').split('/')
  return [`${parts[0]}/${parts.slice(1).join('~') || 'index'}`, `pages/${parts.join('~') || 'index'}`]
}

/**
 * A file that a link leads to: what `find` knows of it, its path below content/, and which of the folders the link starts from
 * (−1: none).
 */
export interface LinkedFile<T> {
  readonly found: T
  readonly path: string
  readonly folder: number
}

/**
 * The file of a record that a link, percent-encoded, names: `../other.md`, or from content/ on `posts/other`, unless a neighbour
 * has such a path, and the link leads to its page. Undefined where `find` knows none.
 */
export function recordOfLink<T>(
  href: string,
  folders: readonly string[],
  find: (path: string) => T | undefined,
): LinkedFile<T> | undefined {
  const file = MARKDOWN_FILE.exec(href)?.[1]
  if (file !== undefined) return fileOfLink(file, folders, find)
  if (!FROM_CONTENT.test(href) || isAttachmentName(href)) return undefined
  const name = href.endsWith('/') ? href.slice(0, -1) : href
  const found = fileOfLink(`/${name}`, folders, find)
  return found &&
    !fileOfLink(
      name,
      folders.filter((folder) => folder !== ''),
      find,
    )
    ? found
    : undefined
}

/** The file that a link, percent-encoded and without its extension, leads to from some folders; the first that `find` knows. */
export function fileOfLink<T>(
  href: string,
  folders: readonly string[],
  find: (path: string) => T | undefined,
): LinkedFile<T> | undefined {
  const path = decoded(href)
  if (path === undefined) return undefined
  if (path.startsWith('/')) {
    const full = path.replace(/^\/(?:content\/)?/, '')
    const found = find(full)
    return found === undefined ? undefined : { found, path: full, folder: -1 }
  }
  for (const [folder, start] of folders.entries()) {
    const full = walked(start, path)
    const found = full === undefined ? undefined : find(full)
    if (full !== undefined && found !== undefined) return { found, path: full, folder }
  }
  return undefined
}

/** A relative address as a path of the site, from the page it is on. */
export function absolute(href: string, page: string): string {
  try {
    const url = new URL(href, `http://site.invalid${page}`)
    return url.pathname + url.search + url.hash
  } catch {
    return href
  }
}

function walked(folder: string, path: string): string | undefined {
  const parts = folder === '' ? [] : folder.split('/')
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return undefined
  }
  return parts.join('/')
}

function decoded(text: string): string | undefined {
  try {
    return composed(decodeURIComponent(text))
  } catch {
    return undefined
  }
}

function join(folder: string, part: string): string {
  return part === '' ? folder : `${folder}/${part}`
}
