import type { Ledger } from '#core/ledger.ts'

/** Name of what one node of several does at a time, and the milliseconds after which another takes it over from one that died. */
export interface Claimed {
  readonly name: string
  readonly life: number
}

/**
 * Does `work` where no other node has it in hand, else `elsewhere`. Both look first whether it is done: the other node may be done by
 * now. Within a process those that come at once wait for each other by a mutex of the caller's.
 */
export async function underClaim<T>(
  ledger: Ledger,
  { name, life }: Claimed,
  work: () => Promise<T>,
  elsewhere: () => Promise<T>,
): Promise<T> {
  const claim = `${name}.claim`
  if ((await ledger.add(claim, 1, life)) > 1) return elsewhere()
  try {
    return await work()
  } finally {
    // What was done stays so where this can't be done, and the claim ends by itself.
    await ledger.take(claim).catch(() => undefined)
  }
}
