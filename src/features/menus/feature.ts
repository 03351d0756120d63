import type { Feature, FeatureDeps } from '../feature.ts'
import type { Deps } from '../records/parts.ts'
import type { Resources } from '../resource.ts'
import { ChangedMenus } from './changes.ts'
import { Menus } from './menus.ts'
import { MenuPast } from './panel/menu-past.ts'
import { MenuResource } from './panel/resources.ts'

/** Makes the menus of a site; the versions that were lately read are kept with those of records. */
export function makeMenus({ store, types, config }: FeatureDeps, { bases, histories }: Pick<Deps, 'bases' | 'histories'>) {
  const menus = new Menus({ store, types, bases, histories })
  return {
    resources: new MenuResource(menus, config.features.revisions ? new MenuPast(menus, store) : undefined),
    offers: { changes: new ChangedMenus({ store, types }) },
    routes: async (app, { api }) => {
      const { menuRoutes } = await import('./routes.ts')
      if (config.features.api) await menuRoutes(app, { menus, revisions: config.features.revisions, ...api })
    },
  } satisfies Feature & { readonly resources: Resources }
}
