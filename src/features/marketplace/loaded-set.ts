/** The modules that were loaded when the site was opened, and those that could not be; see `ModuleSet`. */
export interface LoadedSet {
  readonly on: readonly {
    readonly name: string
    readonly version: string
    readonly description: string
    /** Undefined of one that ships. */
    readonly folder: string | undefined
  }[]
  readonly off: readonly {
    readonly name: string
    readonly version?: string
    readonly reason: string
    readonly hint?: string
  }[]
}
