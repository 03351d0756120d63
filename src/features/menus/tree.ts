import { hash } from 'node:crypto'
import { DEEPEST, type MenuNode, type MenuTarget, MOST_ITEMS, readMenu } from '#core/menu.ts'
import type { Json } from '#lib/json.ts'

/** An item of a menu, with what it is told from the others by. */
export interface Item {
  readonly id: string
  readonly label: string | null
  readonly target: MenuTarget | null
  readonly newTab: boolean
  readonly children: readonly Item[]
}

/** An entry of a menu's file: its places in the lists, from the outermost. Anything but an object is no item, and is shown to nobody. */
export interface FileItem extends Item {
  readonly from: readonly number[]
  readonly isItem: boolean
  /** False where the file has no id for it: then it is made of what the item says. */
  readonly hasId: boolean
  readonly children: readonly FileItem[]
}

/** The kind of the documents of menus. */
export const KIND = 'menus'

/** Matches an id that an item may have in a file. */
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const LENGTH = 8

/**
 * Returns the items of a menu's document. One without an id, or with that of one before it, has an id made of its label and its
 * target: it stays when the item is moved, and is the one that is written with the menu.
 */
export function itemsOf(said: Json | undefined): FileItem[] {
  const nodes = readMenu(said)
  const taken = new Set<string>()
  const own = new Map<MenuNode, string>()
  for (const node of everyNode(nodes)) {
    const id = idIn(node)
    if (id === undefined || taken.has(id)) continue
    taken.add(id)
    own.set(node, id)
  }
  const naming = { own, taken, next: new Map() }
  return nodes.map((node, n) => identified(node, [n], naming))
}

/** Returns an id for an item, of random bytes; the same bytes make another one with each number below 26 to the eighth. */
export function idOf(bytes: Uint8Array, n = 0): string {
  let id = ''
  let left = n
  for (let at = 0; at < LENGTH; at++) {
    const digit = left % LETTERS.length
    left = (left - digit) / LETTERS.length
    id += LETTERS[((bytes[at] ?? 0) + digit) % LETTERS.length]
  }
  return id
}

/** Each item of a tree, one before those below it. */
export function* everyItem<T extends { readonly children: readonly T[] }>(items: readonly T[]): Generator<T> {
  for (const item of items) {
    yield item
    yield* everyItem(item.children)
  }
}

/** The items of some trees by their ids. */
export function byId(trees: readonly (readonly Item[])[]): Map<string, Item[]> {
  const found = new Map<string, Item[]>()
  for (const items of trees) for (const item of everyItem(items)) found.set(item.id, [...(found.get(item.id) ?? []), item])
  return found
}

/** The items of a menu that are shown: the first, as deep as menus go, without those that `isShown` refuses and what is below them. */
export function shownOf(items: readonly FileItem[], isShown: (item: FileItem) => boolean): Item[] {
  let left = MOST_ITEMS
  const shown = (level: readonly FileItem[], depth: number, isHidden: boolean): Item[] => {
    if (depth > DEEPEST) return []
    const made: Item[] = []
    for (const item of level) {
      if (left === 0) break
      left--
      const isOut = isHidden || !item.isItem || !isShown(item)
      const children = shown(item.children, depth + 1, isOut)
      const { id, label, target, newTab } = item
      if (!isOut) made.push({ id, label, target, newTab, children })
    }
    return made
  }
  return shown(items, 1, false)
}

/** Returns whether two items lead to the same place. */
export function isSameTarget(one: MenuTarget | null, other: MenuTarget | null): boolean {
  return targetText(one) === targetText(other)
}

interface Naming {
  readonly own: ReadonlyMap<MenuNode, string>
  readonly taken: Set<string>
  /** Of items that say the same: the bytes that their ids are made of, and the number of the next one. */
  readonly next: Map<string, { readonly bytes: Uint8Array; n: number }>
}

function identified(node: MenuNode, from: readonly number[], naming: Naming): FileItem {
  const { isItem, label, target, newTab } = node
  const own = naming.own.get(node)
  const id = own ?? impliedId(node, naming)
  const children = node.children.map((child, n) => identified(child, [...from, n], naming))
  return { id, from, isItem, hasId: own !== undefined, label, target, newTab, children }
}

function impliedId({ label, target }: MenuNode, { taken, next }: Naming): string {
  const text = JSON.stringify([label, targetText(target)])
  // A file may have 70,000 that say the same: one digest is enough for all of them.
  const same = next.get(text) ?? { bytes: hash('sha256', text, 'buffer'), n: 0 }
  next.set(text, same)
  for (;;) {
    const id = idOf(same.bytes, same.n++)
    if (taken.has(id)) continue
    taken.add(id)
    return id
  }
}

function idIn({ said, isItem }: MenuNode): string | undefined {
  const id = isItem ? (said as Readonly<Record<string, Json>>).id : undefined
  const text = typeof id === 'number' ? String(id) : id
  return typeof text === 'string' && ID.test(text) ? text : undefined
}

function everyNode(nodes: readonly MenuNode[]): Generator<MenuNode> {
  return everyItem(nodes)
}

function targetText(target: MenuTarget | null): string {
  if (target === null) return ''
  return JSON.stringify('url' in target ? [target.url] : [target.record.type, target.record.id])
}
