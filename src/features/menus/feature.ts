import type { Feature, FeatureDeps } from '../feature.ts'
import { Menus } from './menus.ts'

/** Makes the menus of a site. */
export function makeMenus({ store, types, config }: FeatureDeps) {
  const menus = new Menus({ store, types })
  return {
    offers: menus,
    routes: async (app, { api }) => {
      const { menuRoutes } = await import('./routes.ts')
      if (config.features.api) await menuRoutes(app, { menus, ...api })
    },
  } satisfies Feature
}
