import { Conflict, Failure, InvalidInput, Stale, Unavailable } from '#lib/errors.ts'
import { ModuleError } from '#module/module.ts'

/** Runs what a module asked of the site, and makes of a failure that it can act on an error of its own kind. */
export async function asked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw askedFault(error)
  }
}

/** Returns the error that a module gets for what went wrong with what it asked. */
export function askedFault(error: unknown): unknown {
  if (!(error instanceof Failure)) return error
  if (error instanceof InvalidInput) return new ModuleError(422, error.message, error.errors)
  if (error instanceof Conflict || error instanceof Stale) return new ModuleError(409, error.message)
  if (error instanceof Unavailable) return new ModuleError(503, error.message)
  if (error.status === 404 || error.status === 413) return new ModuleError(error.status, error.message)
  // A right that the module lacks is no mistake of who called it.
  return error
}
