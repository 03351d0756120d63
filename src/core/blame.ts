import { Conflict } from '#lib/errors.ts'
import { type Key, keyText } from './key.ts'

/**
 * Makes what takes an error in the part of a batch that is about one document, and throws it: of a batch over several, a Conflict
 * says which it is.
 */
export function blaming(key: Key, batch: readonly unknown[]): (error: unknown) => never {
  return (error) => {
    if (batch.length === 1 || !(error instanceof Conflict)) throw error
    throw new Conflict(`${keyText(key)}: ${error.message}`, error.conflict, error.hint)
  }
}
