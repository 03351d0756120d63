import { type Key, keyText } from './key.ts'
import type { Cursor, Store } from './store.ts'

/** The documents that changed after a cursor, each once; `isLost` where the store can't tell, and all is to be read anew. */
export interface ChangedKeys {
  readonly keys: readonly Key[]
  readonly next: Cursor | undefined
  readonly isLost: boolean
}

/** Reads the feed of changes from a cursor to its end, `atOnce` at a time; without a cursor all is lost. */
export async function changedKeys(
  store: Pick<Store, 'changes'>,
  cursor: Cursor | undefined,
  atOnce: number,
): Promise<ChangedKeys> {
  const keys = new Map<string, Key>()
  let isLost = cursor === undefined
  let next = cursor
  for (;;) {
    const feed = await store.changes(next, atOnce)
    const isOver = feed.changes.length === 0 || feed.next === next
    next = feed.next
    isLost ||= feed.reset
    for (const { key } of feed.changes) keys.set(keyText(key), key)
    if (isOver) return { keys: [...keys.values()], next, isLost }
  }
}
