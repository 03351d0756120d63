import type { Readable } from 'node:stream'
import { isSitePath } from '#core/files/site-files.ts'
import { htmlAddresses } from '#core/links/html-addresses.ts'
import type { Picture } from '../../picture.ts'

/** A file of media, or a smaller picture of one. */
export interface MediaCopy {
  /** A text that is another for every other bytes. */
  readonly version: string
  /** The bytes, made where they have to be; undefined where they can't be. */
  bytes(): Promise<MediaBytes | undefined>
}

/** The bytes of a file of media. */
export interface MediaBytes {
  readonly size: number
  /** The bytes; undefined where they are not there any more. */
  open(): Promise<Readable | undefined>
}

/** The media of a site as its pages lead to them. */
export interface MediaSource {
  /** The file at a path below `/media/`, not encoded; undefined where there is none. */
  find(path: string): Promise<MediaCopy | undefined>
  /** Resolves with whether `find` would find one, as far as that can be told without its bytes. */
  has(path: string): Promise<boolean>
  /** The picture at a path below `/media/`, not encoded; undefined where there is none. */
  picture(path: string): Promise<Picture | undefined>
  /** Resolves with whether smaller pictures can be made on this machine. */
  canMakePictures(): Promise<boolean>
}

/** An address anywhere, as in a style or in `content` of a `<meta>`: up to a sign that ends one there. */
const ANYWHERE = /\/media\/[^\s"'<>()?#,\\&;]+/g
const ADDRESS = /\/media\/([^?#]+)/
const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&#39;': "'", '&quot;': '"' }

/** Returns the paths below `/media/` of the addresses in a page, each once. */
export function mediaIn(html: string): string[] {
  const found = new Set<string>()
  if (!html.includes('/media/')) return []
  const named = htmlAddresses(html).found.map(({ start, end }) => html.slice(start, end))
  for (const address of [...named, ...(html.match(ANYWHERE) ?? [])]) {
    const plain = address.replace(/&(?:amp|#39|quot);/g, (entity) => ENTITIES[entity] ?? entity)
    const path = decoded(ADDRESS.exec(plain)?.[1] ?? '')
    if (path) found.add(path)
  }
  return [...found]
}

/** Returns whether a path below `/media/` can be that of a file, or of a smaller picture, in a folder. */
export function isMediaPath(path: string): boolean {
  return isSitePath('static', `media/${path.replace(/^_w[0-9x]+\//, '')}`)
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
