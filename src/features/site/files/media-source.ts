import type { Readable } from 'node:stream'
import { isSitePath } from '#core/site-files.ts'

/** A file of media, or a smaller picture of one. */
export interface MediaCopy {
  readonly size: number
  /** A text that is another for every other bytes. */
  readonly version: string
  /** The bytes; undefined where they are not there any more. */
  open(): Promise<Readable | undefined>
}

/** The media of a site as its pages lead to them. */
export interface MediaSource {
  /** The file at a path below `/media/`, not encoded; undefined where there is none. */
  find(path: string): Promise<MediaCopy | undefined>
}

const ADDRESS = /\/media\/([^\s"'<>()?#,\\&;]+)/g

/** Returns the paths below `/media/` of the addresses in a page, each once. */
export function mediaIn(html: string): string[] {
  const found = new Set<string>()
  for (const [, path = ''] of html.matchAll(ADDRESS)) {
    const plain = decoded(path)
    if (plain !== undefined) found.add(plain)
  }
  return [...found]
}

/** Returns whether a path below `/media/` can be that of a file, or of a smaller picture, in a folder. */
export function isMediaPath(path: string): boolean {
  return isSitePath('static', path.replace(/^_w[0-9x]+\//, ''))
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
