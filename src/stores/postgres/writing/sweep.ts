import { sql, type Transaction } from 'kysely'
import type { Tables } from '../tables.ts'
import { REMEMBERED } from './once.ts'

/** Number of changes of the feed that are kept. A reader that is further behind reads everything anew. */
const KEPT_CHANGES = 250_000

/** Number of changes after which old ones are looked for. */
const SWEEP_EVERY = 1000

/** Lets go of what is too old, every so often as the sequence goes on from one to another. */
export async function forgetOld(trx: Transaction<Tables>, from: number, to: number, now: number): Promise<void> {
  if (Math.floor(from / SWEEP_EVERY) === Math.floor(to / SWEEP_EVERY)) return
  await sql`delete from changes where place <= ${to - KEPT_CHANGES}`.execute(trx)
  await sql`delete from once where at <= ${now - REMEMBERED}`.execute(trx)
  // Of processes that have ended: one that lives and writes has a new one.
  await sql`delete from marks where at < now() - interval '1 day'`.execute(trx)
}
