import type { SentItem } from './input.ts'
import { everyItem, type Item, isSameTarget } from './tree.ts'

/**
 * Returns sent items with ids: one that was sent with an id of `known` is that item; one without an id is the first that says the
 * same and was not sent; any other is new, and gets one by `makeId`. What is not known to the caller is not told by what becomes
 * of its id.
 */
export function withIds(sent: readonly SentItem[], known: readonly (readonly Item[])[], makeId: () => string): Item[] {
  const ids = new Set(known.flatMap((items) => [...everyItem(items)].map(({ id }) => id)))
  const named = new Set([...everyItem(sent)].flatMap(({ id }) => id ?? []))
  const free = new Map<string, string[]>()
  for (const item of everyItem(known[0] ?? [])) {
    if (!named.has(item.id)) free.set(textOf(item), [...(free.get(textOf(item)) ?? []), item.id])
  }
  const idOf = (item: SentItem): string => {
    if (item.id !== undefined) return ids.has(item.id) ? item.id : makeId()
    return free.get(textOf(item))?.shift() ?? makeId()
  }
  const made = (items: readonly SentItem[]): Item[] =>
    items.map((item) => {
      const { label, target, newTab } = item
      return { id: idOf(item), label, target, newTab, children: made(item.children) }
    })
  return made(sent)
}

/** The sent items that lead to a record that they did not lead to before. */
export function newlyLed(sent: readonly SentItem[], known: ReadonlyMap<string, readonly Item[]>): SentItem[] {
  return [...everyItem(sent)].filter(({ id, target }) => {
    if (!target || !('record' in target)) return false
    return !(id !== undefined && known.get(id)?.some((item) => isSameTarget(item.target, target)))
  })
}

function textOf({ label, target }: Pick<Item, 'label' | 'target'>): string {
  if (target === null) return JSON.stringify([label])
  return JSON.stringify('url' in target ? [label, target.url] : [label, target.record.type, target.record.id])
}
