import type { ModuleDefinition } from '#module/module.ts'

/** A module that is loaded. */
export interface LoadedModule {
  readonly name: string
  readonly version: string
  readonly description: string
  /** As its manifest has them: `store`, `records:content:read@posts`, `routes:/api/contacts`. */
  readonly permissions: readonly string[]
  readonly definition: ModuleDefinition
  /** The folder it lies in, absolute; undefined of one that ships. */
  readonly folder: string | undefined
  /** The folder that its code was loaded from, absolute: stacks of its errors name it. Absent of one that ships. */
  readonly code?: string
  /** The hash of its files; undefined of one that ships, which is as old as the program. */
  readonly tree?: string | undefined
  /** The address of the file that it was loaded from, for threads to load it, too; undefined of one that ships. */
  readonly entry?: string | undefined
}

/** A module that is enabled, and not loaded: a sentence says why, and a hint how to mend it. */
export interface ModuleOff {
  readonly name: string
  readonly version?: string
  readonly reason: string
  readonly hint?: string
}

/** The modules of a site, as they were loaded when it was opened, in the order of `modules.enabled` after those that ship. */
export interface ModuleSet {
  readonly on: readonly LoadedModule[]
  readonly off: readonly ModuleOff[]
}

/** A site without modules. */
export const NO_MODULES: ModuleSet = { on: [], off: [] }
