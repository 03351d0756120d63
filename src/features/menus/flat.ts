import type { MenuTarget } from '#core/menu.ts'
import type { Item } from './tree.ts'

/** The name of the place above all items. No item has it. */
export const TOP = ''

/** The values of an item, apart from where it stands. */
export interface Values {
  readonly label: string | null
  readonly target: MenuTarget | null
  readonly newTab: boolean
}

/** A tree taken apart: values by id, the item above each, and the order of those right below one. */
export interface Flat {
  readonly values: Map<string, Values>
  readonly parents: Map<string, string>
  readonly orders: Map<string, string[]>
}

/** Returns a tree taken apart; each id is in it once. */
export function flatten(items: readonly Item[]): Flat {
  const flat: Flat = { values: new Map(), parents: new Map(), orders: new Map() }
  const take = (level: readonly Item[], parent: string) => {
    flat.orders.set(
      parent,
      level.map(({ id }) => id),
    )
    for (const { id, label, target, newTab, children } of level) {
      flat.values.set(id, { label, target, newTab })
      flat.parents.set(id, parent)
      take(children, id)
    }
  }
  take(items, TOP)
  return flat
}

/** Returns the tree of its parts. */
export function unflatten({ values, orders }: Flat, parent = TOP): Item[] {
  return (orders.get(parent) ?? []).flatMap((id) => {
    const one = values.get(id)
    return one ? { id, ...one, children: unflatten({ values, orders, parents: new Map() }, id) } : []
  })
}
