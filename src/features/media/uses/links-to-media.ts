import { type Key, keyText, MEDIA } from '#core/key.ts'
import type { Destination } from '#core/links/destination.ts'
import { type Removal, redirected, unescaped, type Vantage } from '#core/links/moved-links.ts'
import { absolute, fileOfLink, leadsElsewhere } from '#core/links/resolve.ts'
import { fileAddress, relativePath } from '#core/links/spelling.ts'
import {
  type MediaTarget,
  mediaAt,
  mediaNamed,
  mediaPath,
  mediaTarget,
  mediaUrl,
  type SiteAddress,
  targetOfAddress,
} from '#core/media/media.ts'
import { withoutEntities } from './media-like.ts'

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
export function mediaOfLink(link: Link, from: Vantage, site: SiteAddress): Key | undefined {
  const isCoded = link.form !== 'plain' && link.form !== 'auto' && link.text.includes('&')
  return targetOf(isCoded ? { ...link, text: withoutEntities(link.text) } : link, from, site)?.target.key
}

/** Returns a link to a media file that moves as it has to be then; undefined for any that stays. */
export function linkAfterMove(link: Link, from: Vantage, site: SiteAddress, move: MediaMove): string | undefined {
  const found = targetOf(link, from, site)
  if (!found || keyText(found.target.key) !== keyText(move.from)) return undefined
  const { target, path, folder } = found
  if (folder !== undefined) {
    const full = `${MEDIA}/${target.as(mediaPath(move.to.id))}`
    const relative = folder < 0 ? `/content/${full}` : relativePath(from.folders[folder] ?? '', full, path)
    return fileAddress(relative, link.form) + link.text.slice(end(link.text))
  }
  const pages = new Map([[addressed(target, move.from), addressed(target, move.to)]])
  const removal: Removal = { from: '', to: '', pages, site, has: () => false }
  return redirected(link, { before: from, after: from }, removal)
}

/** A media file that a link leads to; by the way to its file from one of the folders, where `folder` says which (−1: none). */
interface Found {
  readonly target: MediaTarget
  readonly path: string
  readonly folder: number | undefined
}

function targetOf(link: Link, from: Vantage, site: SiteAddress): Found | undefined {
  const path = pathOf(link)
  if (path === undefined) return undefined
  const at = (target: MediaTarget | undefined, folder?: number) => target && { target, path, folder }
  if (/^(?:https?:)?\/\//i.test(path)) return at(targetOfAddress(path, site))
  if (leadsElsewhere(path)) return undefined
  const file = fileIn(path, from.folders)
  if (file) return at(file.found, file.folder)
  if (path.startsWith('/')) return at(targetOfAddress(path, site))
  return from.page === null ? undefined : at(targetOfAddress(absolute(path, from.page), site))
}

function addressed(target: MediaTarget, { id }: Key): string {
  const [, media = '', path = ''] = /^(\/[^/]+\/)(.*)$/s.exec(mediaUrl(id)) ?? []
  return media + target.as(path)
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
  return fileOfLink(path, folders, (full) =>
    full.startsWith(`${MEDIA}/`) ? mediaTarget(full.slice(MEDIA.length + 1)) : undefined,
  )
}
