import type { Fields, Json } from '#lib/json.ts'

/** An item of a menu in a form: its place is that in the list, and its depth. */
export interface FlatItem {
  readonly id: string
  readonly depth: number
  readonly label: string
  /** An address, or a path of the site; empty for a mere heading. */
  readonly url: string
  /** The record that it leads to, `posts/hello`; empty for none. */
  readonly record: string
  readonly isNewTab: boolean
}

/** A move of an item. */
export type Move = 'up' | 'down' | 'in' | 'out' | 'remove'

/** The moves that an item can make. */
export type Moves = Readonly<Record<'up' | 'down' | 'in' | 'out', boolean>>

/** Levels that a menu may have. */
export const DEEPEST_ITEM = 7

/** Returns the items of a menu, as the API answers them, each after its parent. */
export function flatItems(items: Json | undefined, depth = 0): FlatItem[] {
  if (!Array.isArray(items)) return []
  return items.flatMap((item): FlatItem[] => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return []
    const { id, label, url, record, new_tab: isNewTab, children } = item
    const one = {
      id: textOf(id),
      depth,
      label: textOf(label),
      url: textOf(url),
      record: recordText(record),
      isNewTab: isNewTab === true,
    }
    return [one, ...flatItems(children, depth + 1)]
  })
}

/** Returns the items of a menu as the API takes them. An item that is deeper than its place allows is below the one before it. */
export function treeOf(items: readonly FlatItem[]): Fields[] {
  const roots: Fields[] = []
  const levels: Fields[][] = [roots]
  for (const { id, depth, label, url, record, isNewTab } of items) {
    const level = Math.min(depth, levels.length - 1)
    const children: Fields[] = []
    const [, type = '', target = ''] = /^([^/]+)\/(.+)$/.exec(record) ?? []
    const leadsTo = record === '' ? { url: url === '' ? null : url } : { record: { type, id: target } }
    levels[level]?.push({ id, label: label === '' ? null : label, ...leadsTo, new_tab: isNewTab, children: children as Json })
    levels.splice(level + 1, Number.POSITIVE_INFINITY, children)
  }
  return roots
}

/** Returns the items with none deeper than its place allows: below the one before it, and at the deepest level at most. */
export function levelled(items: readonly FlatItem[]): FlatItem[] {
  let most = 0
  return items.map((item) => {
    const depth = Math.min(item.depth, most, DEEPEST_ITEM)
    most = depth + 1
    return { ...item, depth }
  })
}

/** Returns the items with one moved, and all that is below it. At the ends nothing changes. */
export function moved(items: readonly FlatItem[], id: string, move: Move): FlatItem[] {
  const at = items.findIndex((item) => item.id === id)
  const item = items[at]
  if (!item) return [...items]
  const end = endOf(items, at)
  const family = items.slice(at, end)
  const without = [...items.slice(0, at), ...items.slice(end)]
  const shifted = (by: number) => family.map((one) => ({ ...one, depth: one.depth + by }))
  const put = (place: number, what: readonly FlatItem[]) => [...without.slice(0, place), ...what, ...without.slice(place)]
  if (move === 'remove') return without
  const can = movesOf(items, id)
  if (!can[move]) return [...items]
  if (move === 'in') return put(at, shifted(1))
  if (move === 'out') return put(endOf(without, parentAt(items, at)), shifted(-1))
  if (move === 'up') return put(siblingBefore(items, at), family)
  return put(endOf(without, at), family)
}

/** Returns the moves that an item can make. */
export function movesOf(items: readonly FlatItem[], id: string): Moves {
  const at = items.findIndex((item) => item.id === id)
  const depth = items[at]?.depth ?? 0
  const end = endOf(items, at)
  const deepest = Math.max(depth, ...items.slice(at, end).map((item) => item.depth))
  const hasBefore = siblingBefore(items, at) >= 0
  return {
    up: hasBefore,
    down: items[end]?.depth === depth,
    in: hasBefore && deepest < DEEPEST_ITEM,
    out: depth > 0,
  }
}

/** Says where an item is: "Harbours, now second under Stories". */
export function placeOf(items: readonly FlatItem[], id: string): string {
  const at = items.findIndex((item) => item.id === id)
  const item = items[at]
  if (!item) return ''
  const parent = items[parentAt(items, at)]
  const siblings = items.slice(0, at).filter((one, n) => one.depth === item.depth && parentAt(items, n) === parentAt(items, at))
  const place = ORDINALS[siblings.length] ?? `number ${siblings.length + 1}`
  return `${item.label || item.url || item.record}, now ${place}${parent ? ` under ${parent.label || parent.url}` : ''}`
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth']

/** The place after an item and all that is below it. */
function endOf(items: readonly FlatItem[], at: number): number {
  const depth = items[at]?.depth ?? 0
  const next = items.findIndex((item, n) => n > at && item.depth <= depth)
  return next < 0 ? items.length : next
}

function parentAt(items: readonly FlatItem[], at: number): number {
  const depth = items[at]?.depth ?? 0
  return items.findLastIndex((item, n) => n < at && item.depth < depth)
}

/** The place of the item before it that has the same parent; -1 where it is the first. */
function siblingBefore(items: readonly FlatItem[], at: number): number {
  const depth = items[at]?.depth ?? 0
  const before = items.findLastIndex((item, n) => n < at && item.depth <= depth)
  return items[before]?.depth === depth ? before : -1
}

/** Returns the text for a record that an item leads to: `posts/hello`; empty for none. */
export function recordText(record: Json | undefined): string {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return ''
  return `${textOf(record.type)}/${textOf(record.id)}`
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}
