import { BadConfig } from '#lib/errors.ts'
import { nearest } from '#lib/text/nearest.ts'

/** The schema that a site's tables are in, where the address names none. */
const SCHEMA = 'quire'

/**
 * The parameters after the `?` of an address that matter here. Others belong to the driver or a provider and are passed through.
 */
const PARAMETERS = ['schema', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey']

/** The driver checks the certificate with all of the second list, and warns in its own words of what it will do one day. */
const UNCHECKED = ['disable', 'no-verify']
const CHECKED = ['prefer', 'require', 'verify-ca', 'verify-full']

/** The address of the database: `postgres://user:password@host/name`, with `?schema=` for a schema of another name. */
export interface Address {
  readonly schema: string
  /** The address without what is Quire's own. */
  readonly url: string
}

/**
 * Reads the address of a database; throws BadConfig where it is none. The message never holds the address, which may hold a
 * password.
 */
export function addressOf(text: string): Address {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^postgres(?:ql)?:$/.test(url.protocol)) {
    throw new BadConfig(
      'storage.url is no address of a PostgreSQL.',
      undefined,
      'Write postgres://user:password@host:5432/database.',
    )
  }
  checkParameters(url.searchParams)
  const schema = url.searchParams.get('schema') ?? SCHEMA
  url.searchParams.delete('schema')
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new BadConfig(`"${schema}" is no name for a schema.`, undefined, 'Take small letters, digits and underscores.')
  }
  return { schema, url: url.href }
}

/** A mistyped name would lead to the tables of another site, or to a connection that is less safe than it was meant to be. */
function checkParameters(parameters: URLSearchParams): void {
  for (const name of parameters.keys()) {
    const near = PARAMETERS.includes(name) ? undefined : nearest(name, PARAMETERS)
    if (near) throw new BadConfig(`The address of the database says "${name}=".`, undefined, `Did you mean ${near}=?`)
  }
  const mode = parameters.get('sslmode')
  if (mode === null || UNCHECKED.includes(mode) || parameters.has('uselibpqcompat')) return
  if (!CHECKED.includes(mode)) {
    const hint = `Take one of ${[...CHECKED, ...UNCHECKED].join(', ')}.`
    throw new BadConfig(`The address of the database says "sslmode=${mode}", which there is not.`, undefined, hint)
  }
  parameters.set('sslmode', 'verify-full')
}
