import { setImmediate } from 'node:timers/promises'
import type { Document } from './document.ts'
import type { Kind } from './key.ts'
import type { Store } from './store.ts'

/** Number of documents that are read before other work may run: each may have a text of 1 MiB. */
const AT_ONCE = 25

/**
 * The readable documents of a kind, in parts between which other work runs. What is written meanwhile may be left out, and shifts
 * none of the others.
 */
export async function* everyDocument(store: Store, kind: Kind): AsyncGenerator<Document> {
  // Parts by `gt` would each compare with all ids there are.
  const { items: heads } = await store.heads(kind, {})
  const ids = heads.map(({ key }) => key.id)
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    const where = [{ field: 'id', op: 'in' as const, value: ids.slice(start, start + AT_ONCE), as: 'text' as const }]
    const { items } = await store.browse(kind, { where })
    yield* items
    await setImmediate()
  }
}
