import type { Access } from '#core/access/access.ts'
import { parseKey } from '#core/key.ts'
import { CaseConflict, Conflict } from '#lib/errors.ts'
import type { Deps } from '../parts.ts'
import { isKnown } from '../rights.ts'

/**
 * Runs `work`. If it fails since a record's id differs from another's only in case, the error names that one to a caller who may
 * know of it.
 */
export async function namingTwin<T>({ store, types, clock }: Deps, access: Access, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof CaseConflict)) throw error
    const type = types.get(error.kind)
    const key = parseKey(error.kind, error.twin)
    const twin = key && (await store.get(key))
    if (!type || !twin || !isKnown(access, type, twin, clock.now())) throw error
    throw new Conflict(`The id "${error.id}" differs only in case from that of "${error.kind}/${error.twin}".`)
  }
}
