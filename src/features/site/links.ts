/** Where a page's own links start from. */
export interface LinkPlace {
  /** Path prefix of the site (`/repo`), '' for none. */
  readonly base: string
  /** The page's path on the site. */
  readonly page: string
  /** Folders below content/ that a link to a neighbouring file may mean, likeliest first (`posts/2026`). */
  readonly folders: readonly string[]
  /** The page of the record in a file, by its path below content/ without extension; undefined where there is none. */
  pageOf(path: string): string | undefined
}

const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#|\?|$)/i
const MARKDOWN_FILE = /^([^?#]*)\.(?:md|markdown|mdx)((?:[?#].*)?)$/i

/**
 * The href of a link as it has to be in the page: the site's prefix before absolute paths, relative ones made absolute (a page is served
 * without a trailing slash and stored in a folder, so they would mean two things), and a neighbouring Markdown file's own page.
 */
export function resolveHref(href: string, place: LinkPlace): string {
  if (ELSEWHERE.test(href)) return href
  const file = MARKDOWN_FILE.exec(href)
  const target = file && pageOfFile(file[1] ?? '', place)
  if (target) return place.base + target + (file[2] ?? '')
  if (href.startsWith('/')) return place.base + href
  return place.base + absolute(href, place.page)
}

/** The folders a link in this file may start from: a file `x.md` is beside its neighbours, an `x/index.md` among them, and both have the id `x`. */
export function foldersOf(kind: string, path: string): string[] {
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
  const inside = [folder, path]
  if (kind !== 'pages') return inside.map((part) => join(kind, part))
  return [...inside, ...inside.map((part) => join('pages', part))]
}

function pageOfFile(href: string, place: LinkPlace): string | undefined {
  const path = decoded(href)
  if (path === undefined) return undefined
  if (path.startsWith('/')) return place.pageOf(path.replace(/^\/(?:content\/)?/, ''))
  for (const folder of place.folders) {
    const full = walked(folder, path)
    const page = full === undefined ? undefined : place.pageOf(full)
    if (page !== undefined) return page
  }
  return undefined
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

function absolute(href: string, page: string): string {
  try {
    const url = new URL(href, `http://site.invalid${page}`)
    return url.pathname + url.search + url.hash
  } catch {
    return href
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text).normalize('NFC')
  } catch {
    return undefined
  }
}

function join(folder: string, part: string): string {
  return part === '' ? folder : `${folder}/${part}`
}
