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
export function makeMedia(deps: MediaFeatureDeps, { bases }: Pick<Deps, 'bases'>) {
  const { store, types, clock, siteFiles, config } = deps
  const settings = settingsOf(config.settings)
  const media = new Media({ store, types, clock, siteFiles, settings, bases, site: siteAddress(config.site.url) })
  return {
    offers: media,
    routes: async (app, { api }) => {
      const { mediaRoutes } = await import('./routes.ts')
      if (config.features.api) mediaRoutes(app, { media, ...api })
    },
    close: () => media.close(),
  } satisfies Feature
}
