import type { Access } from '#core/access/access.ts'
import type { ModuleDesk } from '../../module-desk.ts'
import type { Resource, Resources } from '../../resource.ts'
import { ModuleResource, type ModuleResourceDeps } from './module-resource.ts'
import { type ModulePagesDeps, moduleDesk } from './pages.ts'

/** The dependencies of what modules bring to the panel. */
export interface ModulePanelDeps extends ModulePagesDeps, ModuleResourceDeps {}

/** Makes the resources, pages and cards that modules bring to the panel. */
export function modulePanel(deps: ModulePanelDeps): { readonly resources: Resources; readonly desk: ModuleDesk } {
  return { resources: new ModuleResources(deps), desk: moduleDesk(deps) }
}

/** The collections of modules that the panel shows, as `x/<module>/<name>`. */
class ModuleResources implements Resources {
  readonly #all: ReadonlyMap<string, ModuleResource>

  constructor(deps: ModulePanelDeps) {
    const made = deps.active.flatMap((one) =>
      (one.module.definition.resources ?? []).map((resource) => new ModuleResource(one, resource, deps)),
    )
    this.#all = new Map(made.map((resource) => [resource.name, resource]))
  }

  async seen(access: Access): Promise<Resource[]> {
    return [...this.#all.values()].filter((resource) => resource.sees(access))
  }

  named(name: string): Resource | undefined {
    return this.#all.get(name)
  }
}
