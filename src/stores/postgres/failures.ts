import pg from 'pg'
import { Failure, NoSpace, Unavailable } from '#lib/errors.ts'

/**
 * The error codes of a connection that is lost or unavailable: of the network, of PostgreSQL (class 08, 57P0x, 53300; 25P03 and
 * 25P04 if it ended the connection over a transaction that made no progress), of the pool.
 */
const LOST = /^(?:08|57P0|25P0[34]|53300|ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ENOENT)/
const LOST_WORDS =
  /Connection terminated|connection timeout|timeout exceeded when trying to connect|not queryable|Client was closed/i

/** A hint on how to fix a database that is open only for reading. */
export const READ_ONLY =
  'A standby takes none: name the primary in storage.url (DATABASE_URL). Or see default_transaction_read_only.'

interface Coded {
  readonly code?: unknown
  readonly message?: unknown
  readonly cause?: unknown
}

/** Returns whether a connection was lost or unavailable. The request may be repeated on another connection. */
export function isLost(error: unknown): boolean {
  const { code, message } = (error ?? {}) as Coded
  return (typeof code === 'string' && LOST.test(code)) || (typeof message === 'string' && LOST_WORDS.test(message))
}

/** Returns whether the error is an answer of the database itself, which goes on afterwards. The request was not done then. */
export function isRefused(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !isLost(error)
}

/** Converts an error of the database into one that a client can act on. Returns others unchanged. */
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

/** Adds the driver's own error as the cause, for the log and for errors at the start. */
function caused(failure: Failure, error: unknown): Failure {
  return Object.assign(failure, { cause: error })
}
