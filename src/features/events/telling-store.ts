import type { Author } from '#core/document.ts'
import type { WriteSource } from '#core/history/revision.ts'
import type { Change, Store } from '#core/store.ts'

/** Tells of writes of private things, by changes that are written with them. */
export interface Teller {
  of(changes: readonly Change[], by: Author, source?: WriteSource): Promise<readonly Change[]>
}

/**
 * Returns a store whose writes of private things keep in the same step what is told of them: neither is there without the other. All
 * else is the store's below.
 */
export function tellingStore(store: Store, teller: Teller): Store {
  const write: Store['write'] = async (changes, by, note) => {
    const told = await teller.of(changes, by, note?.source)
    const written = await store.write([...changes, ...told], by, note)
    return told.length === 0 ? written : written.slice(0, written.length - told.length)
  }
  const own: Partial<Store> = { write }
  return new Proxy(store, {
    get: (below, name: keyof Store) => {
      const value = own[name] ?? below[name]
      return typeof value === 'function' ? value.bind(below) : value
    },
  })
}
