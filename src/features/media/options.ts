import type { WriteOptions } from '#http/requests/write-options.ts'

/** The options of a change: `base` is the version it started from, to be merged with what was done since. */
export interface MediaOptions extends WriteOptions {
  readonly base?: string | undefined
}

/** The options of a removal; with `force` also what is used goes. */
export interface RemoveOptions extends WriteOptions {
  readonly force?: boolean | undefined
}
