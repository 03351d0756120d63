import { BadConfig } from '../../core/errors.ts'

/** The schema that a site's tables are in, where the address names none. */
const SCHEMA = 'quire'

/** Where the database is: `postgres://user:password@host/name`, `?schema=` for a schema of another name. */
export interface Address {
  readonly schema: string
  /** The address without what is Quire's own. */
  readonly url: string
}

/** Reads the address of a database; throws BadConfig where it is none. The message never holds the address, which may hold a password. */
export function addressOf(text: string): Address {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^postgres(?:ql)?:$/.test(url.protocol)) {
    throw new BadConfig(
      'storage.url is no address of a PostgreSQL.',
      undefined,
      'Write postgres://user:password@host:5432/database.',
    )
  }
  const schema = url.searchParams.get('schema') ?? SCHEMA
  url.searchParams.delete('schema')
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new BadConfig(`"${schema}" is no name for a schema.`, undefined, 'Take small letters, digits and underscores.')
  }
  return { schema, url: url.href }
}
