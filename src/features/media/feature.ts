import { siteAddress } from '#core/media.ts'
import { type SettingInput, settingsOf } from '#core/settings.ts'
import type { Feature, FeatureDeps } from '../feature.ts'
import type { Deps } from '../records/parts.ts'
import { Media } from './media.ts'

/** The dependencies of media. */
export interface MediaFeatureDeps extends FeatureDeps {
  readonly config: FeatureDeps['config'] & { readonly settings: Readonly<Record<string, SettingInput>> }
}

/** Makes the media of a site; the versions that were lately read are kept with those of records. */
export function makeMedia(deps: MediaFeatureDeps, { bases, histories }: Pick<Deps, 'bases' | 'histories'>) {
  const { store, types, clock, siteFiles, blobs, config } = deps
  const settings = settingsOf(config.settings)
  const site = siteAddress(config.site.url)
  const media = new Media({ store, types, clock, siteFiles, blobs, settings, bases, histories, site })
  return {
    offers: media,
    routes: async (app, { api }) => {
      const { mediaRoutes } = await import('./routes.ts')
      if (config.features.api) mediaRoutes(app, { media, revisions: config.features.revisions, ...api })
    },
    close: () => media.close(),
  } satisfies Feature
}
