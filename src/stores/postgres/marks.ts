import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { Unavailable } from '#lib/errors.ts'
import { failureOf, isRefused } from './failures.ts'
import type { Tables } from './tables.ts'

/** How long, in milliseconds, it is asked what became of a write, and how long is waited between two questions. */
const OUTCOME_MS = 15_000
const OUTCOME_PAUSE_MS = 100

/** What `pg_xact_status` answers for a number that was not given out yet: a crash took it back. */
const IN_FUTURE = '22023'

/**
 * What a write leaves in the database beside what it writes, so that it is known again there. The number of its transaction does not do: one that a
 * crash took back is given to the next.
 */
export interface Mark {
  readonly slot: string
  readonly nth: number
}

/** The marks of one process: a slot, which is a row, for as many writes as there are at once. */
export class Marks {
  readonly #free: Mark[] = []

  /** A mark that nothing else has or had. */
  next(): Mark {
    const { slot, nth } = this.#free.pop() ?? { slot: randomUUID(), nth: 0 }
    return { slot, nth: nth + 1 }
  }

  /** Lets the next write have the slot of one whose end is known; that of another is never used again. */
  over(mark: Mark): void {
    this.#free.push(mark)
  }
}

/** Whether a write whose end was not heard of was kept; asked until the database answers. Throws Unavailable where it does not in time. */
export async function wasKept(db: Kysely<Tables>, { slot, nth }: Mark, transaction: string): Promise<boolean> {
  const end = performance.now() + OUTCOME_MS
  while (performance.now() < end) {
    try {
      if (!(await isUnderWay(db, transaction))) {
        // A question of its own, after the first: what it sees then is not from before the end.
        const { rows } = await sql`select 1 from marks where slot = ${slot} and nth = ${nth}`.execute(db)
        return rows.length > 0
      }
    } catch (error) {
      if (isRefused(error)) throw failureOf(error)
    }
    await pause(OUTCOME_PAUSE_MS)
  }
  throw new Unavailable('The database went away in the middle of this write: look whether it was kept before trying again.', 5)
}

async function isUnderWay(db: Kysely<Tables>, transaction: string): Promise<boolean> {
  try {
    const { rows } = await sql<{ status: string | null }>`select pg_xact_status(${transaction}::xid8) as status`.execute(db)
    return rows[0]?.status === 'in progress'
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === IN_FUTURE) return false
    throw error
  }
}
