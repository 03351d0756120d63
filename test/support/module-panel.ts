import type { ActiveModule } from '#features/modules/host.ts'
import type { LoadedModule, ModuleSet } from '#features/modules/module-set.ts'
import type { ModuleContext } from '#module/context.ts'
import type { ModuleDefinition } from '#module/module.ts'

/** A module as the loader would hand it over. */
export function loaded(name: string, definition: Omit<ModuleDefinition, 'api'>): LoadedModule {
  return {
    ...{ name, version: '1.0.0', description: '', permissions: ['store'] },
    ...{ definition: { api: 1, ...definition }, folder: `/modules/${name}` },
  }
}

/** The modules of a site, all of them on. */
export function setOf(...on: readonly LoadedModule[]): ModuleSet {
  return { on, off: [] }
}

/** Modules at work whose lines are kept: pages of a site ask no more of them. */
export function adding(set: ModuleSet, lines: string[] = []): readonly Pick<ActiveModule, 'module' | 'context'>[] {
  return set.on.map((module) => {
    const note = (message: string) => void lines.push(`${module.name}: ${message}`)
    return { module, context: { log: { info: note, warn: note, error: note } } as unknown as ModuleContext }
  })
}
