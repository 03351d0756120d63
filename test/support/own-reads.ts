import type { Key, Kind } from '#core/key.ts'
import type { Store } from '#core/store.ts'

/** Kinds that are one team's. */
const OWN_KINDS: readonly unknown[] = ['.teams', '.subscriptions', '.invoices', '.checkouts']

/**
 * Has the reads of what is a team's kept as texts, with the number of documents that came of each; returns a way to take them out.
 * Of answers that look at the same, none takes longer than another.
 */
export function readsOf(store: Store): () => string[] {
  const reads: string[] = []
  for (const method of ['get', 'head', 'heads', 'browse'] as const) {
    // biome-ignore lint/suspicious/noExplicitAny: all of them are called alike
    const read = (store[method] as any).bind(store)
    const counted = async (of: Kind | Key, ...rest: unknown[]) => {
      const found = await read(of, ...rest)
      const kind = typeof of === 'string' ? of : of.kind
      const many = found === undefined ? 0 : (found.items?.length ?? 1)
      if (OWN_KINDS.includes(kind)) reads.push(`${method} ${JSON.stringify([of, ...rest])}: ${many}`)
      return found
    }
    Object.assign(store, { [method]: counted })
  }
  return () => reads.splice(0)
}
