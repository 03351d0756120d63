import pg from 'pg'
import { Failure, NoSpace, Unavailable } from '#lib/errors.ts'

/**
 * What a connection that is lost, or can't be had, comes with: of the network, of PostgreSQL (class 08, 57P0x, 53300; 25P03 and 25P04 where it ended the
 * connection over a transaction that nothing came of), of the pool.
 */
const LOST = /^(?:08|57P0|25P0[34]|53300|ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ENOENT)/
const LOST_WORDS =
  /Connection terminated|connection timeout|timeout exceeded when trying to connect|not queryable|Client was closed/i

/** How one mends that the database is open for reading alone. */
export const READ_ONLY =
  'A standby takes none: name the primary in storage.url (DATABASE_URL). Or see default_transaction_read_only.'

interface Coded {
  readonly code?: unknown
  readonly message?: unknown
  readonly cause?: unknown
}

/** Whether a connection was lost or could not be had: what was asked may be asked again on another. */
export function isLost(error: unknown): boolean {
  const { code, message } = (error ?? {}) as Coded
  return (typeof code === 'string' && LOST.test(code)) || (typeof message === 'string' && LOST_WORDS.test(message))
}

/** Whether it is what the database itself answered and goes on from: then what was asked was not done. */
export function isRefused(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !isLost(error)
}

/** What a client can act on of an error of the database; others come back as they are. */
export function failureOf(error: unknown): unknown {
  if (error instanceof Failure) return error
  if (isLost(error)) return caused(new Unavailable('The database is away; try again.', 2), error)
  const { code } = (error ?? {}) as Coded
  if (code === '55P03' || code === '57014') return new Unavailable('The database is busy; try again.', 2)
  if (code === '40001' || code === '40P01') return new Unavailable('The database is busy; try again.', 1)
  if (code === '25006') return caused(new Unavailable('The database takes no writes now.', 10, READ_ONLY), error)
  if (code === '53100') return new NoSpace('The disk of the database is full.')
  return error
}

/** With the driver's own error, for the log and for who asks at the start why. */
function caused(failure: Failure, error: unknown): Failure {
  return Object.assign(failure, { cause: error })
}
