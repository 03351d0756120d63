import { sql } from 'kysely'
import type { HealthProblem } from '#core/backend.ts'
import type { Clock } from '#lib/clock.ts'
import { counted } from '#lib/text/counted.ts'
import type { Database } from './database.ts'
import type { Whereabouts } from './opening.ts'

/** A clock that is off by more than this, in milliseconds, makes dates and ends of life wrong. */
const SKEW_MS = 1_000

/** An answer that takes longer than this, in milliseconds, is felt in every request. */
const SLOW_MS = 50

/** The part of all connections from which on it gets tight. */
const TIGHT = 0.8

const MIB = 1024 * 1024

interface Figures {
  readonly version: string
  /** Milliseconds since 1970. */
  readonly now: number
  readonly standby: boolean
  readonly used: number
  readonly ours: number
  readonly most: number
  readonly bytes: number
  readonly records: number
  readonly others: number
  readonly revisions: number
  readonly step: string
}

/** Examines the database of a site: its health, size, distance and clock. */
export async function examine(database: Database, clock: Clock, at: Whereabouts): Promise<HealthProblem[]> {
  // The first query may have to connect first, which is not to be measured.
  await database.read((db) => sql`select 1`.execute(db))
  const began = clock.now()
  await database.read((db) => sql`select 1`.execute(db))
  const latency = clock.now() - began
  const asked = clock.now()
  const figures = await figuresOf(database)
  const skew = asked - figures.now
  return [
    standing(figures, at, latency),
    tables(figures),
    connections(figures),
    clocks(skew, latency),
    { name: 'secret', state: 'ok', says: 'CMS_SECRET is set.' },
  ]
}

async function figuresOf(database: Database): Promise<Figures> {
  const { rows } = await database.read((db) =>
    sql<Figures>`
      select current_setting('server_version') as version,
        (extract(epoch from clock_timestamp()) * 1000)::bigint as now,
        pg_is_in_recovery() as standby,
        (select count(*) from pg_stat_activity where backend_type = 'client backend') as used,
        (select count(*) from pg_stat_activity where application_name = 'quire' and datname = current_database()) as ours,
        current_setting('max_connections')::bigint as most,
        (select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint from pg_class c join pg_namespace n on n.oid = c.relnamespace
          where n.nspname = ${database.schema} and c.relkind = 'r') as bytes,
        (select count(*) from documents where kind not like '.%') as records,
        (select count(*) from documents where kind like '.%') as others,
        (select count(*) from revisions) as revisions,
        (select name from migrations order by at desc, name desc limit 1) as step`.execute(db),
  )
  const [figures] = rows
  if (!figures) throw new Error('The database says nothing of itself.')
  return figures
}

function standing({ version, standby }: Figures, { server, database, schema }: Whereabouts, latency: number): HealthProblem {
  const name = 'database'
  const says = `PostgreSQL ${version.split(' ')[0]} at ${server}, database ${database}, schema ${schema}; it answers in ${latency} ms.`
  if (standby)
    return { name, state: 'todo', says: `${says} It takes no writes.`, hint: 'storage.url leads to a standby: name the primary.' }
  if (latency <= SLOW_MS) return { name, state: 'ok', says }
  return { name, state: 'note', says, hint: 'Every request that it is asked for waits as long: bring the two nearer.' }
}

function tables({ bytes, records, others, revisions, step }: Figures): HealthProblem {
  const size = `${Math.ceil(bytes / MIB).toLocaleString('en')} MiB`
  const counts = [counted(records, 'record'), counted(others, 'private document'), counted(revisions, 'revision')].join(', ')
  return { name: 'tables', state: 'ok', says: `Up to date (${step}); ${counts}, ${size}.` }
}

function connections({ used, ours, most }: Figures): HealthProblem {
  const name = 'connections'
  const says = `${used} of ${most} ${used === 1 ? 'is' : 'are'} in use, ${ours} by Quire.`
  if (used < most * TIGHT) return { name, state: 'ok', says }
  return { name, state: 'todo', says, hint: 'Raise max_connections: each server takes up to eleven.' }
}

function clocks(skew: number, latency: number): HealthProblem {
  const name = 'clock'
  if (Math.abs(skew) <= SKEW_MS + latency) return { name, state: 'ok', says: 'This machine and the database agree on the time.' }
  const says = `The clock of this machine is ${(Math.abs(skew) / 1000).toFixed(1)} s ${skew > 0 ? 'ahead of' : 'behind'} that of the database.`
  return { name, state: 'todo', says, hint: 'Have both follow a time server (timedatectl set-ntp true).' }
}
