import type { ModuleDefinition } from '#module/module.ts'

/** A module that ships: loaded where its switch of `features` is on. */
export interface ShippedModule {
  readonly name: string
  /** Its switch in `features` of the configuration. */
  readonly switch: string
  readonly description: string
  /** As in a manifest. */
  readonly permissions: readonly string[]
  /** Resolves with a definition of its own for each site that is opened. */
  readonly load: () => Promise<ModuleDefinition>
}

/** The modules that ship, in the order of their lives. */
export const SHIPPED: readonly ShippedModule[] = []
