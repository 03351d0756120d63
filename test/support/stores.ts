import type { Test } from 'tap'
import type { ContentTypes } from '../../src/core/content-type.ts'
import type { Ledger } from '../../src/core/ledger.ts'
import type { Store } from '../../src/core/store.ts'
import { TestClock } from './clock.ts'
import { MemoryLedger, MemoryStore } from './model.ts'
import { plainTypes } from './types.ts'

/** What a test of any store is given: the store, its clock and types, and the files it began with. */
export interface OpenedStore {
  name: 'files' | 'memory'
  store: Store
  ledger: Ledger
  clock: TestClock
  types: ContentTypes
}

/** What is there at the start: files by path from the site's root, types (else those of a site without configuration), the time. */
export interface StoreOptions {
  files?: Readonly<Record<string, string>>
  types?: ContentTypes
  now?: string
}

/** Runs `body` as a subtest for each store there is. */
export async function eachStore(
  t: Test,
  options: StoreOptions,
  body: (t: Test, opened: OpenedStore) => Promise<void>,
): Promise<void> {
  for (const open of [openMemory]) {
    const opened = await open(options)
    await t.test(opened.name, async (t) => {
      t.teardown(() => opened.store.close())
      await body(t, opened)
    })
  }
}

/** The in-memory model as an opened store. */
export async function openMemory(options: StoreOptions): Promise<OpenedStore> {
  const clock = new TestClock(options.now)
  const types = options.types ?? plainTypes()
  const store = new MemoryStore({ types, clock, files: options.files ?? {} })
  return { name: 'memory', store, ledger: new MemoryLedger(clock), clock, types }
}
