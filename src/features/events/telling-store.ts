import type { Store } from '#core/store.ts'
import type { NewEventWriter } from './new-events.ts'

/**
 * Returns a store whose writes of private things keep their events in the same step: neither is there without the other. All else is
 * the store's below.
 */
export function tellingStore(store: Store, events: NewEventWriter): Store {
  const write: Store['write'] = async (changes, by, note) => {
    const told = await events.of(changes, by, note?.source)
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
