import type { SiteAddress } from '#core/media/media.ts'
import type { MediaLookup } from '#core/media/media-values.ts'
import type { Library } from './library.ts'
import type { Sight } from './sight.ts'
import { typeOf } from './view.ts'

/** Makes the lookup by which fields of the type media find their files. */
export function mediaLookup(site: SiteAddress, library: Library, sight: Sight): MediaLookup {
  return {
    site,
    typeOf: async (access, key) => {
      const entry = await library.one(key)
      return entry && (await sight.isThere(access, entry)) ? typeOf(key.id, entry.head?.fields) : undefined
    },
  }
}
