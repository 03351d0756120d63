import { Conflict } from '#lib/errors.ts'
import type { Database } from '../database.ts'

/** The progress of a site that is moved into a database, as `site.arriving` holds it. */
export interface Arriving {
  readonly fingerprint: string
  /** Number of its writes that are here. */
  readonly writes: number
}

/** Parses `site.arriving`. Undefined if nothing arrives. */
export function arrivingOf(text: string | null): Arriving | undefined {
  return text === null ? undefined : (JSON.parse(text) as Arriving)
}

/** Throws Conflict where the site of this database was moved away, or is still arriving. With `force`, only the latter. */
export async function refuseMoved(database: Database, force = false): Promise<void> {
  const site = await database.read((db) => db.selectFrom('site').select(['arriving', 'moved_to', 'moved_at']).executeTakeFirst())
  if (site && site.arriving !== null) {
    throw new Conflict(
      'A migration into this database has not ended.',
      undefined,
      'Run it again: `cms storage:migrate --to postgres` goes on where it was.',
    )
  }
  if (!site || site.moved_to === null || force) return
  throw new Conflict(
    `This site was moved to ${site.moved_to} at ${site.moved_at ?? ''}.`,
    undefined,
    'Set `storage.driver: files` in cms.config.yaml to go on there; --force opens what was left here.',
  )
}
