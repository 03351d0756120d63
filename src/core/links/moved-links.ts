import { isFileName } from '#markdown/rules/wikilinks.ts'
import { foldersAbove } from '../media/attachments.ts'
import { plainPath } from '../permalink.ts'
import type { Destination } from './destination.ts'
import { absolute, attachmentPath, keysOfFile, leadsElsewhere, recordOfLink } from './resolve.ts'
import { fileAddress, pageAddress, relativePath } from './spelling.ts'

/** The base of links: the path of the page they are on, and the folders that links to files start from (`foldersOf`). */
export interface Vantage {
  readonly page: string | null
  readonly folders: readonly string[]
  /** The folder of the file they are in, below content/: links to files that are no records start there. Absent in menus. */
  readonly folder?: string
}

/** Records that go elsewhere in one step, in a site. At most one of them gets another key. */
export interface Removal {
  /** The text of the key that a record has before and after; the same where none gets another. */
  readonly from: string
  readonly to: string
  /** The new paths of pages that links are to follow, by their old ones. */
  readonly pages: ReadonlyMap<string, string>
  /** The web address of the site: host with port, and path prefix ('' for none). */
  readonly site: { readonly host: string; readonly base: string }
  /** Returns whether there is a record of a key, before the removal. */
  has(key: string): boolean
  /** The folder of files that go along with the record, below content/, before and after; absent where none do. */
  readonly along?: AlongFolder
}

/** A folder that goes with the record whose own it is. */
export interface AlongFolder {
  readonly from: string
  readonly to: string
  /** Returns whether there is a record of a key that has a folder of its own. */
  hasFolder(key: string): boolean
}

/** The base of a text's links, before and after the removal. They only differ for the record that is moved. */
export interface Standpoints {
  readonly before: Vantage
  readonly after: Vantage
}

/** A link as it is written: where it leads, and what comes after that (`?q#here`). `path` is free of escapes. */
interface Written {
  readonly form: Destination['form'] | 'plain'
  readonly path: string
  readonly rest: string
}

const OWN_HOST = /^(https?:)?\/\/([^/]*)/i
const FILE = /(\.(?:md|markdown|mdx))$/i
const ENTITY = /&(?:#?[a-z0-9]+);/i

/**
 * Returns the link rewritten so that it still leads to the same target after a removal. Undefined if it does so unchanged. A
 * `plain` link is the value of a field.
 */
export function redirected(
  { text, form }: Pick<Written, 'form'> & { text: string },
  at: Standpoints,
  removal: Removal,
): string | undefined {
  const end = text.search(/[?#]/)
  const path = unescaped(end < 0 ? text : text.slice(0, end), form)
  if (path === undefined || path === '') return undefined
  const link = { form, path, rest: end < 0 ? '' : text.slice(end) }
  const made = OWN_HOST.test(path) ? ofSite(link, removal) : leadsElsewhere(path) ? undefined : within(link, at, removal)
  return made === undefined || made + link.rest === text ? undefined : made + link.rest
}

/** A whole address of this site. */
function ofSite({ form, path }: Written, { pages, site }: Removal): string | undefined {
  const [whole, , host = ''] = OWN_HOST.exec(path) ?? []
  const below = path.slice(whole?.length)
  if (host.toLowerCase() !== site.host || !below.startsWith(`${site.base}/`)) return undefined
  const own = below.slice(site.base.length)
  const to = pages.get(plainPath(own) ?? '')
  return to === undefined ? undefined : whole + site.base + pageAddress(to, own, form)
}

function within(link: Written, at: Standpoints, removal: Removal): string | undefined {
  if (link.form === 'auto') return undefined
  if (link.form === 'wiki' && !isFileName(link.path)) return ofName(link.path, removal)
  const target = recordOfLink(link.path, at.before.folders, keyIn(removal.has))
  if (target) return ofFile(link, target, at, removal)
  const beside = at.before.folder === undefined ? undefined : attachmentPath(link.path, at.before.folder)
  return beside === undefined ? ofPage(link, at, removal) : ofAttachment(link, beside, at.after.folder ?? '', removal)
}

/** A name in double brackets that is the path of a record that is moved, or the end of it. */
function ofName(name: string, { from, to }: Removal): string | undefined {
  if (from === to) return undefined
  const [, bare = '', extension = ''] = /^(.*?)(\.(?:md|markdown|mdx))?$/is.exec(name) ?? []
  const [was, now] = [from, to].map((key) => key.replaceAll('~', '/')) as [string, string]
  const parts = bare.split('/').length
  if (was !== bare && was.split('/').slice(1).slice(-parts).join('/') !== bare) return undefined
  return (was === bare ? now : now.split('/').slice(1).slice(-parts).join('/')) + extension
}

/** A link to a file that lies beside records: it stays where it is, unless it is one of the record that is moved. */
function ofAttachment({ form, path }: Written, was: string, folder: string, { along }: Removal): string | undefined {
  const target = along && isOwn(was, along) ? along.to + was.slice(along.from.length) : was
  if (attachmentPath(path, folder) === target) return undefined
  return fileAddress(relativePath(folder, target, path), form)
}

function keyIn(has: (key: string) => boolean): (path: string) => string | undefined {
  return (path) => keysOfFile(path).find(has)
}

/** A link to the file of a record. */
function ofFile(
  { form, path }: Written,
  target: { readonly found: string; readonly path: string; readonly folder: number },
  { before, after }: Standpoints,
  { from, to, has }: Removal,
): string | undefined {
  const isMoved = target.found === from
  const wanted = isMoved ? to : target.found
  const hasThen = (key: string) => key === to || (key !== from && has(key))
  const leads = (href: string) => recordOfLink(href, after.folders, keyIn(hasThen))?.found === wanted
  if (!isMoved && (before === after || leads(path))) return undefined
  if (isMoved && from === to && leads(path)) return undefined
  const extension = FILE.exec(path)?.[1] ?? (path.endsWith('/') ? '/' : '')
  const full = isMoved ? newPath(target.path, from, to) : target.path
  const relative = target.folder < 0 ? undefined : relativePath(after.folders[target.folder] ?? '', full + extension, path)
  const prefix = path.startsWith('/content/') ? '/content/' : path.startsWith('/') ? '/' : ''
  const candidates =
    relative === undefined ? [prefix + full + extension] : [relative, `${FILE.test(path) ? '/' : ''}${full}${extension}`]
  return candidates.map((one) => fileAddress(one, form)).find(leads)
}

/**
 * Returns the path to the file of a moved record, written as before: with or without the folder of pages, with or without
 * `/index`.
 */
function newPath(path: string, from: string, to: string): string {
  const [inKind] = keysOfFile(path)
  const slash = to.indexOf('/')
  const below = to.slice(slash + 1).replaceAll('~', '/')
  const full = inKind === from ? `${to.slice(0, slash)}/${below}` : below
  const index = /(?:^|\/)(_?index)$/.exec(path)?.[1]
  // The file of this id is called so by its own name, and not as the page of a folder.
  if (index === 'index' && from.endsWith('/index')) return full
  return index !== undefined && !/(?:^|\/)_?index$/.test(full) ? `${full}/${index}` : full
}

/** Returns whether a file in a folder is of the record whose folder that is: of none that is in it. */
function isOwn(path: string, { from: folder, hasFolder }: AlongFolder): boolean {
  if (!path.startsWith(`${folder}/`)) return false
  for (const above of foldersAbove(path)) {
    if (above === folder) return true
    if (keysOfFile(above).some(hasFolder)) return false
  }
  return false
}

/** A link to a page, or to whatever else is at an address of the site. */
function ofPage({ form, path }: Written, { before, after }: Standpoints, { pages }: Removal): string | undefined {
  const isAbsolute = path.startsWith('/')
  if (!isAbsolute && (before.page === null || after.page === null)) return undefined
  const was = isAbsolute ? path : absolute(path, before.page ?? '/')
  const to = pages.get(plainPath(was) ?? '')
  if (to !== undefined) {
    if (to === plainPath(was) && (isAbsolute || plainPath(absolute(path, after.page ?? '/')) === to)) return undefined
    const address = pageAddress(to, path, form)
    return isAbsolute ? address : relativePath(folderOf(after.page), address, path)
  }
  if (isAbsolute || absolute(path, after.page ?? '/') === was) return undefined
  return relativePath(folderOf(after.page), pageAddress(was, path, form), path)
}

function folderOf(page: string | null): string {
  return (page ?? '/').slice(0, (page ?? '/').lastIndexOf('/')).slice(1)
}

/** Removes the escapes of the syntax that an address is written in. Undefined if that takes more than this function knows. */
export function unescaped(text: string, form: Written['form']): string | undefined {
  if (form === 'plain' || form === 'auto' || form === 'wiki') return text
  if (ENTITY.test(text)) return undefined
  return form === 'html' ? text : text.replace(/\\([!-/:-@[-`{-~])/g, '$1')
}
