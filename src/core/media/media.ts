import { composed } from '#lib/text/normal-form.ts'
import { MEDIA_TYPES, typeOfEnding } from '#media/types.ts'
import { type Key, MEDIA, parseKey } from '../key.ts'

/** The address of a site on the web: host with port, and path prefix ('' for none). */
export interface SiteAddress {
  readonly host: string
  readonly base: string
}

/** The kinds of file that media are told apart by. */
export const MEDIA_KINDS = ['image', 'video', 'audio', 'document'] as const

export type MediaKind = (typeof MEDIA_KINDS)[number]

const FOLDER = '/media/'
const SMALLER = /^(_w\d{1,5}(?:x\d{1,5})?)\/(.+)\.([a-z]+)$/
const DOTS = /\/(?:\.|%2e){1,2}(?:\/|$)/i
const OWN_HOST = /^(?:https?:)?\/\/([^/?#]*)/i

/** Returns the parts of `site.url` that tell the site's own addresses from others. */
export function siteAddress(url: string): SiteAddress {
  const { host, pathname } = new URL(url)
  return { host, base: pathname.replace(/\/+$/, '') }
}

/** Returns the path below `media/` of an id, with its ending: `2026/photo.jpg`. */
export function mediaPath(id: string): string {
  return id.replaceAll('~', '/')
}

/** Returns the key of the media file at a path below `media/`; undefined where none can be there. */
export function mediaAt(path: string): Key | undefined {
  return path.includes('~') ? undefined : parseKey(MEDIA, path.replaceAll('/', '~'))
}

/** Returns the address of a media file on its site, percent-encoded: `/media/2026/photo.jpg`. */
export function mediaUrl(id: string): string {
  // As plain paths are: links are compared with it.
  const names = mediaPath(id).split('/')
  return FOLDER + names.map((name) => encodeURI(name).replace(/[?#]/g, encodeURIComponent)).join('/')
}

/** A media file that an address leads to; `as` makes the same address, below `media/`, of the path of another. */
export interface MediaTarget {
  readonly key: Key
  as(path: string): string
}

/**
 * Returns the media file at a path below `media/`, which may be that of a smaller picture: `_w640/2026/photo.jpg.webp`. Undefined
 * where none can be there.
 */
export function mediaTarget(path: string): MediaTarget | undefined {
  const [, size, source, format] = SMALLER.exec(path) ?? []
  const key = mediaAt(source ?? path)
  return key && { key, as: (other) => (source === undefined ? other : `${size}/${other}.${format}`) }
}

/**
 * Returns the key of the media file that an address of the site leads to, with or without its host; undefined for any other
 * address. What comes after `?` or `#` says nothing of it.
 */
export function mediaOfAddress(address: string, site: SiteAddress): Key | undefined {
  return targetOfAddress(address, site)?.key
}

/** As `mediaOfAddress`, with what is addressed. */
export function targetOfAddress(address: string, { host, base }: SiteAddress): MediaTarget | undefined {
  const [whole, own] = OWN_HOST.exec(address) ?? []
  if (own !== undefined && own.toLowerCase() !== host) return undefined
  const path = withoutDots(address.slice(whole?.length ?? 0).split(/[?#]/, 1)[0] ?? '')
  const start = whole === undefined ? FOLDER : base + FOLDER
  return path.startsWith(start) ? mediaTarget(decoded(path.slice(start.length))) : undefined
}

/** Returns the key of the media file that a value of a field names: by its path below `media/`, its address, or its id. */
export function mediaNamed(value: string, site: SiteAddress): Key | undefined {
  if (value.startsWith('/') || OWN_HOST.test(value)) return mediaOfAddress(value, site)
  return mediaAt(value) ?? (value.includes('/') ? undefined : parseKey(MEDIA, value))
}

/** Returns the MIME type that the ending of a file's name stands for. */
export function mimeOfEnding(name: string): string {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  const type = typeOfEnding(ending)
  return type ? MEDIA_TYPES[type].mime : ending === 'svg' ? 'image/svg+xml' : 'application/octet-stream'
}

/** Returns the kind of file that has a type. */
export function kindOfType(type: string): MediaKind {
  return MEDIA_KINDS.find((kind) => type.startsWith(`${kind}/`)) ?? 'document'
}

/** A path as browsers ask for it: `/media/./a` and `/x/../media/a` are `/media/a`. */
function withoutDots(path: string): string {
  return path.startsWith('/') && DOTS.test(path) ? new URL(`http://site.invalid${path}`).pathname : path
}

function decoded(path: string): string {
  try {
    return composed(decodeURIComponent(path))
  } catch {
    return ''
  }
}
