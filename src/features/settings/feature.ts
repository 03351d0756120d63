import type { MediaLookup } from '#core/media/media-values.ts'
import { type SettingInput, settingsOf } from '#core/settings.ts'
import type { Feature, FeatureDeps } from '../feature.ts'
import type { Deps } from '../records/parts.ts'
import type { Resources } from '../resource.ts'
import { GroupPast } from './panel/group-past.ts'
import { SettingResource } from './panel/resources.ts'
import { Settings } from './settings.ts'

/** The dependencies of settings. */
export interface SettingsFeatureDeps extends FeatureDeps {
  readonly config: FeatureDeps['config'] & { readonly settings: Readonly<Record<string, SettingInput>> }
}

/** Makes the settings of a site; the versions that were lately read are kept with those of records. */
export function makeSettings(
  { store, types, clock, config }: SettingsFeatureDeps,
  media: () => MediaLookup | undefined,
  { bases }: Pick<Deps, 'bases'>,
) {
  const declared = settingsOf(config.settings)
  const settings = new Settings({ store, types, clock, media, declared, bases })
  const past = config.features.revisions ? new GroupPast(settings.groups, store) : undefined
  return {
    offers: settings,
    resources: new SettingResource(settings, declared, past),
    routes: async (app, { api }) => {
      const { settingRoutes } = await import('./routes.ts')
      if (config.features.api) await settingRoutes(app, { settings, revisions: config.features.revisions, ...api })
    },
  } satisfies Feature & { readonly resources: Resources }
}
