import type { Kysely } from 'kysely'
import type { KnownDates } from '#core/dates.ts'
import type { Tables } from '../tables.ts'

/** Number of revisions that are read at once. */
const AT_ONCE = 20_000

/**
 * Reads the times when each record was created and last changed from all its revisions, by the text of its key. A record that was
 * moved, or came back, keeps its creation date.
 */
export async function datesByHistory(db: Kysely<Tables>): Promise<Map<string, KnownDates>> {
  const dates = new Map<string, KnownDates>()
  let after = 0
  for (let rows = await some(db, after); rows.length > 0; rows = await some(db, after)) {
    for (const row of rows) {
      const key = `${row.kind}/${row.id}`
      dates.set(key, datesOf(row, row.moved_from === null ? dates.get(key) : (dates.get(row.moved_from) ?? {})))
    }
    after = rows.at(-1)?.place ?? after
  }
  return dates
}

type Row = Awaited<ReturnType<typeof some>>[number]

function datesOf({ at: time, is_end, isGone }: Row, before: KnownDates | undefined): KnownDates {
  const at = new Date(time).toISOString()
  const createdAt = before ? before.createdAt : is_end ? undefined : at
  return { ...(createdAt !== undefined && { createdAt }), ...(!is_end && !isGone && { updatedAt: at }) }
}

/** Whole writes, so that none is read in two parts. */
async function some(db: Kysely<Tables>, after: number) {
  const rows = await db
    .selectFrom('revisions')
    .innerJoin('writes', 'writes.place', 'revisions.place')
    .select(['kind', 'id', 'revisions.place', 'writes.at', 'is_end', 'revisions.moved_from'])
    .select((eb) => eb('version', 'is', null).as('isGone'))
    .where('revisions.place', '>', after)
    .where('revisions.place', '<=', (eb) =>
      eb.fn.coalesce(
        eb.selectFrom('writes').select('place').where('place', '>', after).orderBy('place').offset(AT_ONCE).limit(1),
        eb.val(Number.MAX_SAFE_INTEGER),
      ),
    )
    .orderBy('revisions.place')
    .execute()
  return rows
}
