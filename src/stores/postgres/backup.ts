import { BadRequest } from '../../core/errors.ts'
import { whereaboutsOf } from './opening.ts'

/** Says how the database of a site is backed up, which its own tools do best; always throws. */
export function backUpPostgres(address: string): never {
  const { server, database, schema, user } = whereaboutsOf(address)
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(server) ?? []
  const flags = [`--host=${host}`, `--port=${port}`, ...(user === '' ? [] : [`--username=${user}`]), `--schema=${schema}`]
  throw new BadRequest(
    'The records are in a database, and the tools of PostgreSQL back that up.',
    `Run: pg_dump ${flags.join(' ')} --format=custom --file=${schema}.dump ${database} — pg_restore brings it back. Keep CMS_SECRET, too.`,
  )
}
