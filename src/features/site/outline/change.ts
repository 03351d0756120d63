import type { Entry } from './entry.ts'

/** The records that an outline has no more, and those that it has anew. One that was changed is among both, as it was and as it is. */
export interface Change {
  readonly gone: readonly Entry[]
  readonly come: readonly Entry[]
}

/** Returns the part of a change that is about some records. */
export function changeOf({ gone, come }: Change, isOf: (entry: Entry) => boolean): Change {
  return { gone: gone.filter(isOf), come: come.filter(isOf) }
}
