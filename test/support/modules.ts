import type { Test } from 'tap'
import type { ModuleLine } from '#features/modules/module-log.ts'
import type { ModuleSet } from '#features/modules/module-set.ts'
import { type AppOptions, TestApp } from './app.ts'
import { loadedModule, type TestModule } from './misbehaving.ts'
import type { OpenedStore } from './stores.ts'

/** Returns modules as a site has them. */
export function moduleSet(...modules: readonly TestModule[]): ModuleSet {
  return { on: modules.map(loadedModule), off: [] }
}

/** The app of a site with modules, and what they said. */
export function appWith(
  t: Test,
  opened: OpenedStore,
  modules: readonly TestModule[],
  { config, deps, ...options }: AppOptions = {},
): { app: TestApp; lines: ModuleLine[] } {
  const lines: ModuleLine[] = []
  const features = {
    api: true,
    revisions: true,
    search: true,
    auth: true,
    settings: true,
    events: true,
    modules: true,
    ...config?.features,
  }
  const app = new TestApp(opened, {
    ...options,
    undescribed: /^\/api\/(?:x|contacts)\b/,
    config: { ...config, features },
    deps: { modules: moduleSet(...modules), moduleLog: (line) => lines.push(line), ...deps },
  })
  t.teardown(() => app.close())
  return { app, lines }
}
