import { BadConfig, Failure, Unavailable } from '#lib/errors.ts'
import { addressOf } from './address.ts'
import { isLost, READ_ONLY } from './failures.ts'

/** The location of a database, without a password. */
export interface Whereabouts {
  /** `host:port`. */
  readonly server: string
  readonly database: string
  readonly schema: string
  readonly user: string
}

/** Returns the parts of a database address that may be shown. */
export function whereaboutsOf(address: string): Whereabouts {
  const { schema, url } = addressOf(address)
  const { hostname, port, pathname, username, searchParams } = new URL(url)
  const user = decodeURIComponent(username)
  return {
    server: `${hostname || searchParams.get('host') || 'localhost'}:${port || searchParams.get('port') || '5432'}`,
    database: decodeURIComponent(pathname.slice(1)) || user,
    schema,
    user,
  }
}

const ADDRESS_HINT = 'Check storage.url of cms.config.yaml, or the variable that it takes the address from (DATABASE_URL).'

const TLS = /SSL|certificate|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|ERR_TLS|CERT_/

/** Opens the database at that address. Errors say how an operator can fix them, without the address's password. */
export async function opening<T>(address: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    throw explained(error, whereaboutsOf(address))
  }
}

function explained(error: unknown, { server, database, schema, user }: Whereabouts): unknown {
  const unread = unreadFile(error instanceof Unavailable ? error.cause : error)
  if (unread) return unread
  if (error instanceof Unavailable) return away(error.cause, server)
  if (error instanceof Failure) return error
  const { code, message = '' } = error as { readonly code?: string; readonly message?: string }
  if (isLost(error)) return away(error, server)
  if (code?.startsWith('28'))
    return new BadConfig(
      `The database at ${server} does not let the user "${user}" in: the name or the password is wrong, or it may not connect from here.`,
      undefined,
      ADDRESS_HINT,
    )
  if (code === '3D000')
    return new BadConfig(
      `There is no database "${database}" at ${server}.`,
      undefined,
      `Make it with \`createdb --encoding=UTF8 ${database}\`, or correct storage.url.`,
    )
  if (code === '42501')
    return new BadConfig(
      `The user "${user}" may not make the tables of the site in the database "${database}" at ${server}.`,
      undefined,
      `Take the address of the user that owns the schema "${schema}" or, where there is none yet, run as the owner of the database: create schema ${schema} authorization "${user}"`,
    )
  if (TLS.test(`${code} ${message}`))
    return new BadConfig(
      `The database at ${server} can't be reached over TLS: ${message}.`,
      undefined,
      'See sslmode and sslrootcert in storage.url.',
    )
  return error
}

/** A certificate or key that the address names, and that the system does not give us. */
function unreadFile(error: unknown): BadConfig | undefined {
  const { code, syscall, path } = (error ?? {}) as NodeJS.ErrnoException
  if (syscall !== 'open' || !path) return undefined
  return new BadConfig(
    `The file ${path} can't be read (${code}).`,
    undefined,
    'See sslrootcert, sslcert and sslkey in storage.url.',
  )
}

function away(cause: unknown, server: string): Unavailable {
  const { code = '' } = (cause ?? {}) as { readonly code?: string }
  if (code === '53300') {
    const hint = 'Let it take more (max_connections), or run fewer servers: each takes up to eleven.'
    return new Unavailable(`The database at ${server} has no connection left.`, 5, hint)
  }
  if (code === '25006') return new Unavailable(`The database at ${server} takes no writes: it is read-only.`, 5, READ_ONLY)
  const why = code === 'ENOTFOUND' ? ': no such host is known' : code === 'ECONNREFUSED' ? ': nothing listens there' : ''
  const hint =
    'See that it runs and takes connections from this machine, and that storage.url (DATABASE_URL) names its host and port.'
  return new Unavailable(`The database at ${server} can't be reached${why}.`, 5, hint)
}
