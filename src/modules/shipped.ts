import type { ModuleDefinition } from '#module/module.ts'

/** A module that ships: loaded where its switch of `features` is on, or where `modules.enabled` names it. */
export interface ShippedModule {
  readonly name: string
  /** Its switch in `features` of the configuration; undefined of one that has none. */
  readonly switch: string | undefined
  readonly description: string
  /** As in a manifest. */
  readonly permissions: readonly string[]
  /** Resolves with a definition of its own for each site that is opened. */
  readonly load: () => Promise<ModuleDefinition>
}

/** The modules that ship, in the order of their lives. */
export const SHIPPED: readonly ShippedModule[] = [
  {
    name: 'analytics',
    switch: 'analytics',
    description: 'Counts visits of the site’s pages, without cookies.',
    permissions: ['store', 'site', 'jobs', 'routes:/api/analytics'],
    load: async () => (await import('./analytics/analytics.ts')).makeAnalytics(),
  },
  {
    name: 'forms',
    switch: undefined,
    description: 'Takes messages by forms that the panel declares.',
    permissions: ['store', 'mail', 'jobs'],
    load: async () => (await import('./forms/forms.ts')).makeForms(),
  },
]
