import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { Unavailable } from '#lib/errors.ts'
import { failureOf, isRefused } from './failures.ts'
import type { Tables } from './tables.ts'

/** Time in milliseconds during which the outcome of a write is queried, and the pause between two queries. */
const OUTCOME_MS = 15_000
const OUTCOME_PAUSE_MS = 100

/** The error code of `pg_xact_status` for a transaction number that was not assigned yet: a crash took it back. */
const IN_FUTURE = '22023'

/**
 * A mark that a write leaves in the database beside its data, so that it can be recognized there. The number of its transaction
 * is not enough: one that a crash took back is assigned to the next.
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

/**
 * Returns whether a write with an unknown outcome was committed. Asks until the database answers, and throws Unavailable if it
 * does not in time.
 */
export async function wasKept(db: Kysely<Tables>, { slot, nth }: Mark, transaction: string): Promise<boolean> {
  const end = performance.now() + OUTCOME_MS
  while (performance.now() < end) {
    try {
      if (!(await isUnderWay(db, transaction))) {
        // A query of its own, after the first: its snapshot is not from before the end.
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
