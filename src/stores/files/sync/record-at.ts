import { isHidden } from '#core/files/layout.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import { Places } from '../registry/places.ts'
import type { RecordAt } from './merge-conflict.ts'

/** The places of a site's records, in terms of its repository. */
export interface RecordsIn {
  /** The site's folder from the top, with `/` at its end, or ''. */
  readonly prefix: string
  /** The folder of content, from the site's. */
  readonly content: string
  readonly types: ContentTypes
}

/** Knows records by their paths from the top of the repository. */
export function recordsIn({ prefix, content, types }: RecordsIn): RecordAt {
  const places = new Places(content, types)
  return (path) => {
    if (!path.startsWith(`${prefix}${content}/`)) return undefined
    const file = path.slice(prefix.length)
    if (
      file
        .slice(content.length + 1)
        .split('/')
        .some(isHidden)
    )
      return undefined
    const end = file.lastIndexOf('/')
    const place = places.ofFile(file.slice(0, end), file.slice(end + 1))
    if (!place || !('key' in place) || !places.isContent(place.key.kind)) return undefined
    return { key: place.key, shape: types.shape(place.key.kind), extension: place.extension }
  }
}
