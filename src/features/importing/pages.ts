import { dirname, join, normalize } from 'node:path'
import { bodyText, readFrontMatter } from '#frontmatter/read.ts'
import type { Fields } from '#lib/json.ts'
import { bytesOfFile } from './folder.ts'
import type { ImportProblem, Item, RecordItem } from './item.ts'
import { placeOfRecord } from './places.ts'

/** A file of Markdown that was read. */
export interface Page {
  readonly bytes: Buffer
  readonly data: Readonly<Fields>
  readonly body: string
}

/**
 * Reads a file as front matter and text; a problem where it can't be. `shown` is its path for people, and `adapted` makes of its
 * bytes those that Quire reads.
 */
export async function readPage(
  path: string,
  shown: string,
  adapted = (bytes: Buffer) => bytes,
): Promise<Page | { readonly problem: ImportProblem }> {
  const found = await bytesOfFile(path, shown)
  if (!Buffer.isBuffer(found)) return { problem: found }
  const bytes = adapted(found)
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  const read = readFrontMatter(bytes, { extension })
  if ('fault' in read) return { problem: { file: shown, ...read.fault } }
  return { bytes, data: read.data, body: bodyText(bytes, read) }
}

/** The files that links of a text may lead to. */
export interface Roots {
  /** The folder that addresses from the site's root start in; more than one where a tool has several. Absolute. */
  readonly absolute: readonly string[]
  /** All that may be named lies in here. Absolute. */
  readonly within: string
}

/** Returns the paths that an address may mean in a source, likeliest first: those of a page in `folder`, which is absolute. */
export function pathsOf(href: string, folder: string, { absolute, within }: Roots): string[] {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/|#|$)/i.test(href)) return []
  const path = decoded(href)
  if (path === undefined) return []
  const found = path.startsWith('/') ? absolute.map((root) => join(root, path)) : [join(folder, path)]
  return found.map(normalize).filter((one) => one.startsWith(`${within}/`))
}

/** Returns the record of a file of Markdown, from a folder that is like `content/`; what can't be one is a problem, or left out. */
export async function recordOfFile(root: string, path: string, shown: string, roots: Roots): Promise<Item> {
  const place = placeOfRecord(path)
  if (!place) return { is: 'left', from: shown, reason: 'names that begin with a dot or an underscore' }
  const page = await readPage(join(root, path), shown)
  if ('problem' in page) return { is: 'problem', ...page.problem }
  const folder = dirname(join(root, path))
  return recordOfPage(page, { ...place, from: shown, locate: (href) => pathsOf(href, folder, roots) })
}

/** The place of a record, and where its links lead. */
interface PagePlace {
  readonly type: string
  readonly id: string
  readonly file: string
  readonly from: string
  locate(href: string): readonly string[]
}

/** Returns the record of a page, with its own bytes. */
export function recordOfPage({ bytes, data, body }: Page, { type, id, file, from, locate }: PagePlace): RecordItem {
  return { is: 'record', from, type, id, file, source: bytes, data, set: {}, body, locate: (href) => locate(href) }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
