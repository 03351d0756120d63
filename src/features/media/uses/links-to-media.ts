import { type Key, keyText, MEDIA } from '#core/key.ts'
import type { Destination } from '#core/links/destination.ts'
import { type Removal, redirected, unescaped, type Vantage } from '#core/links/moved-links.ts'
import { absolute, fileOfLink, leadsElsewhere } from '#core/links/resolve.ts'
import { fileAddress, relativePath } from '#core/links/spelling.ts'
import { mediaAt, mediaNamed, mediaOfAddress, mediaPath, mediaUrl, type SiteAddress } from '#core/media.ts'

/** A link as it is written in a text (`plain`: the value of a field). */
export type Link = Pick<Destination, 'text'> & { readonly form: Destination['form'] | 'plain' }

/** A move of a media file. */
export interface MediaMove {
  readonly from: Key
  readonly to: Key
}

/** The start of links that are on every page. */
export const NOWHERE: Vantage = { page: null, folders: [] }

const OWN_FILE = /^\/content\/media\//

/** Returns the media file that a link leads to, by its address or by the way to its file; undefined for any other link. */
export function mediaOfLink({ text, form }: Link, from: Vantage, site: SiteAddress): Key | undefined {
  const path = pathOf({ text, form })
  if (path === undefined) return undefined
  if (/^(?:https?:)?\/\//i.test(path)) return mediaOfAddress(path, site)
  if (leadsElsewhere(path)) return undefined
  if (path.startsWith('/')) return mediaOfAddress(path, site) ?? fileIn(path, [])?.found
  return fileIn(path, from.folders)?.found ?? (from.page === null ? undefined : mediaOfAddress(absolute(path, from.page), site))
}

/** Returns a link to a media file that moves as it has to be then; undefined for any that stays. */
export function linkAfterMove(link: Link, from: Vantage, site: SiteAddress, move: MediaMove): string | undefined {
  const path = pathOf(link)
  if (path === undefined) return undefined
  const file = leadsElsewhere(path) ? undefined : fileIn(path, from.folders)
  if (file && keyText(file.found) === keyText(move.from)) {
    const full = `${MEDIA}/${mediaPath(move.to.id)}`
    const relative = file.folder < 0 ? `/content/${full}` : relativePath(from.folders[file.folder] ?? '', full, path)
    return fileAddress(relative, link.form) + link.text.slice(end(link.text))
  }
  const pages = new Map([[mediaUrl(move.from.id), mediaUrl(move.to.id)]])
  const removal: Removal = { from: '', to: '', pages, site, has: () => false }
  return redirected(link, { before: from, after: from }, removal)
}

/** Returns the value of a field of the type media, in its own form, once the file that it names has moved; undefined for any other. */
export function valueAfterMove(value: string, site: SiteAddress, move: MediaMove): string | undefined {
  const key = mediaNamed(value, site)
  if (!key || keyText(key) !== keyText(move.from)) return undefined
  if (/^(?:https?:)?\//i.test(value)) return linkAfterMove({ text: value, form: 'plain' }, NOWHERE, site, move)
  return mediaAt(value) ? mediaPath(move.to.id) : move.to.id
}

/** The path of a link that may lead to media, free of the escapes of its syntax. */
function pathOf({ text, form }: Link): string | undefined {
  const path = unescaped(text.slice(0, end(text)), form)
  return path === undefined || path === '' ? undefined : path
}

function end(text: string): number {
  const found = text.search(/[?#]/)
  return found < 0 ? text.length : found
}

/** The file of media that the way from one of these folders leads to. */
function fileIn(path: string, folders: readonly string[]) {
  if (path.startsWith('/') && !OWN_FILE.test(path)) return undefined
  return fileOfLink(path, folders, (full) => (full.startsWith(`${MEDIA}/`) ? mediaAt(full.slice(MEDIA.length + 1)) : undefined))
}
