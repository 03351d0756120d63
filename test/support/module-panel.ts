import { fieldTypesOf } from '#features/modules/field-types.ts'
import type { LoadedModule, ModuleSet } from '#features/modules/module-set.ts'
import { modulePanel } from '#features/modules/panel/module-panel.ts'
import type { ModuleContext } from '#module/context.ts'
import type { ModuleDefinition } from '#module/module.ts'
import type { OpenedStore } from './stores.ts'

/** A module as the loader would hand it over. */
export function loaded(name: string, definition: Omit<ModuleDefinition, 'api'>): LoadedModule {
  return {
    name,
    version: '1.0.0',
    description: '',
    permissions: ['store'],
    definition: { api: 1, ...definition },
    folder: `/modules/${name}`,
  }
}

/** The modules of a site, all of them on. */
export function setOf(...on: readonly LoadedModule[]): ModuleSet {
  return { on, off: [] }
}

/** Contexts of modules that keep what they log: the panel needs no more of them. */
export class TestContexts {
  readonly lines: string[] = []

  readonly of = (module: LoadedModule): ModuleContext => {
    const note = (message: string) => void this.lines.push(`${module.name}: ${message}`)
    return { log: { info: note, warn: note, error: note }, now: () => 0, config: {} } as unknown as ModuleContext
  }
}

/** What these modules bring to the panel of a site. */
export function panelOfModules(
  { store, types, clock }: OpenedStore,
  modules: ModuleSet,
  { contexts = new TestContexts(), limits }: { contexts?: TestContexts; limits?: { page: number; card: number } } = {},
) {
  const fieldTypes = fieldTypesOf(modules)
  return modulePanel({ modules, contextOf: contexts.of, store, types, clock, fieldTypes, ...(limits && { limits }) })
}
