import { Conflict } from './errors.ts'
import { type Key, keyText } from './key.ts'

/** Does the part of a batch that is about one document; of a batch over several, a Conflict says which it is. */
export function blaming<T>(key: Key, batch: readonly unknown[], work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (batch.length === 1 || !(error instanceof Conflict)) throw error
    throw new Conflict(`${keyText(key)}: ${error.message}`, error.conflict, error.hint)
  }
}
