import { join } from 'node:path'
import { FileFacts } from '#core/media/file-facts.ts'
import { siteAddress } from '#core/media/media.ts'
import { type SettingInput, settingsOf } from '#core/settings.ts'
import type { Pictures } from '#media/pictures/pictures.ts'
import type { Feature, FeatureDeps } from '../feature.ts'
import type { Deps } from '../records/parts.ts'
import type { Resources } from '../resource.ts'
import { Media } from './media.ts'
import { MediaPast } from './panel/media-past.ts'
import { MediaResource } from './panel/resources.ts'
import { pictureMaking } from './serving/can-make.ts'
import { MediaCopies } from './serving/copies.ts'
import { MediaFiles } from './serving/served-media.ts'
import { BlobSweep } from './uploading/blob-sweep.ts'
import type { Uploads, UploadsDeps } from './uploading/uploads.ts'

/** Bytes of smaller pictures that are kept. */
const MOST_BYTES = 1024 * 1024 * 1024

/** The dependencies of media. */
export interface MediaFeatureDeps extends FeatureDeps {
  readonly config: FeatureDeps['config'] & {
    readonly settings: Readonly<Record<string, SettingInput>>
    readonly media: UploadsDeps['limits'] & { readonly widths: readonly number[] }
  }
}

/** Makes the media of a site; the versions that were lately read are kept with those of records. */
export function makeMedia(deps: MediaFeatureDeps, { bases, histories }: Pick<Deps, 'bases' | 'histories'>) {
  const { store, types, clock, siteFiles, ledger, blobs, config, privateDir, isShared } = deps
  const settings = settingsOf(config.settings)
  const site = siteAddress(config.site.url)
  const cache = join(privateDir, 'cache')
  // Beside a database only pictures that are made are kept on the machine.
  const known = isShared ? undefined : cache
  const facts = new FileFacts(siteFiles, known)
  const media = new Media({ store, types, clock, siteFiles, blobs, settings, bases, histories, site, facts })
  const { library } = media
  const files = new MediaFiles({ library, facts, siteFiles, blobs })
  const sweep = new BlobSweep({ store, ledger, clock, library, blobs })
  const { widths, max_pixels: maxPixels } = config.media
  let uploads: Uploads | undefined
  const resources = new MediaResource({
    media,
    past: config.features.revisions ? new MediaPast(media, store) : undefined,
    widths: config.media.widths,
    types: config.media.types,
    maxSize: config.media.max_size,
    uploads: () => {
      if (!uploads) throw new Error('The routes of media are not declared: nothing is taken in yet.')
      return uploads
    },
  })
  let making: Promise<Pictures> | undefined
  const pictures = () => {
    making ??= import('#media/pictures/pictures.ts').then(
      ({ Pictures }) => new Pictures({ folder: join(cache, 'pictures'), bytes: MOST_BYTES, maxPixels, clock }),
    )
    return making
  }
  return {
    resources,
    offers: {
      changes: media.changes,
      lookup: media.lookup,
      copies: new MediaCopies(files, pictures, { widths, maxPixels }, pictureMaking(pictures, known)),
    },
    routes: async (app, { api, log }) => {
      const [{ mediaRoutes }, { servingRoutes }, { Uploads }, { uploadRoutes }] = await Promise.all([
        import('./routes.ts'),
        import('./serving/routes.ts'),
        import('./uploading/uploads.ts'),
        import('./uploading/routes.ts'),
      ])
      servingRoutes(app, { files, pictures: await pictures(), widths, base: site.base })
      const shared = isShared ? ledger : undefined
      const taking = new Uploads({ store, types, siteFiles, blobs, media, limits: config.media, shared, log })
      uploads = taking
      if (!config.features.api) return
      app.register(async (scope) => mediaRoutes(scope, { media, revisions: config.features.revisions, ...api }))
      app.register(async (scope) => uploadRoutes(scope, { uploads: taking, ...api }))
    },
    begin: async () => {
      sweep.begin()
      await media.begin()
    },
    close: async () => {
      await making?.then((made) => made.close())
      await sweep.close()
      await media.close()
    },
  } satisfies Feature & { readonly resources: Resources }
}
