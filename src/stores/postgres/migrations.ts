import { sql, type Transaction } from 'kysely'
import { BadConfig } from '#lib/errors.ts'
import { first } from './migrations/1-first.ts'
import { marks } from './migrations/2-marks.ts'
import { search } from './migrations/3-search.ts'
import { revisionsByTime } from './migrations/4-revisions-by-time.ts'
import { siteFiles } from './migrations/5-site-files.ts'
import { jobsAdded } from './migrations/6-jobs-added.ts'
import { changeDetails } from './migrations/7-change-details.ts'
import { audit } from './migrations/8-audit.ts'
import { changeStamps } from './migrations/9-change-stamps.ts'
import type { Tables } from './tables.ts'

/** Every step from an empty schema to this version's tables, in order. A step that was released is never changed. */
const STEPS: readonly { readonly name: string; readonly sql: string }[] = [
  { name: '1-first', sql: first },
  { name: '2-marks', sql: marks },
  { name: '3-search', sql: search },
  { name: '4-latest', sql: revisionsByTime },
  { name: '5-site-files', sql: siteFiles },
  { name: '6-jobs-added', sql: jobsAdded },
  { name: '7-change-details', sql: changeDetails },
  { name: '8-audit', sql: audit },
  { name: '9-change-stamps', sql: changeStamps },
]

/**
 * Brings the tables of the schema up to date; many nodes may ask at once, and one does it. Throws BadConfig if a newer Quire has
 * migrated them, whose tables this one does not know.
 */
export async function migrate(
  schema: string,
  begin: <T>(work: (trx: Transaction<Tables>) => Promise<T>) => Promise<T>,
): Promise<void> {
  await begin(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`quire ${schema}`}, 0))`.execute(trx)
    await begun(trx, schema)
    const done = await trx.selectFrom('migrations').select('name').execute()
    const unknown = done.find(({ name }) => !STEPS.some((step) => step.name === name))
    if (unknown) {
      throw new BadConfig(
        `A newer version of Quire has been at work on the database (${unknown.name}).`,
        undefined,
        'Install that version on this machine as well.',
      )
    }
    for (const step of STEPS.slice(done.length)) {
      await sql.raw(step.sql).execute(trx)
      await trx.insertInto('migrations').values({ name: step.name, at: new Date().toISOString() }).execute()
    }
  })
}

/**
 * Makes the schema and the table of migrations if they do not exist: a user who may only use what an operator made needs no right
 * to make more.
 */
async function begun(trx: Transaction<Tables>, schema: string): Promise<void> {
  const found = await sql<{ schema: boolean; migrations: boolean }>`
    select to_regnamespace(${schema}) is not null as schema, to_regclass('migrations') is not null as migrations`.execute(trx)
  const [there] = found.rows
  if (!there?.schema) await sql`create schema ${sql.id(schema)}`.execute(trx)
  if (!there?.migrations) await sql`create table migrations (name text primary key, at text not null)`.execute(trx)
}
