import type { Access } from '#core/access/access.ts'
import { DEEPEST, MOST_ITEMS } from '#core/menu.ts'
import { Conflict, InvalidInput } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import type { Picks } from './merge.ts'
import { isOpenTo } from './sight.ts'
import { byId, everyItem, type Item } from './tree.ts'
import { itemView, type KnownMenu, labelOf } from './view.ts'

/** Throws InvalidInput where a merge makes a menu larger than menus are. */
export function mustFit(items: readonly Item[], before: readonly Item[]): void {
  const [count, was] = [items, before].map((tree) => [...everyItem(tree)].length)
  const [depth, had] = [depthOf(items), depthOf(before)]
  const isOver = Number(count) > Math.max(MOST_ITEMS, Number(was)) || depth > Math.max(DEEPEST, had)
  if (isOver)
    throw new InvalidInput({
      items: [`With what others added, the menu has more than ${MOST_ITEMS} items or ${DEEPEST} levels.`],
    })
}

function depthOf(items: readonly Item[]): number {
  return items.length === 0 ? 0 : 1 + Math.max(...items.map(({ children }) => depthOf(children)))
}

/** The label to be written; undefined where it stays. */
export function mergedLabel(
  label: string | null | undefined,
  base: KnownMenu | undefined,
  now: KnownMenu,
  picks?: Picks,
): string | null | undefined {
  const [was, is] = [base, now].map((one) => (one ? labelOf(one.document.fields.label) : undefined))
  if (label === undefined || label === is || label === was) return undefined
  if (base && was === is) return label
  const side = picks?.get('label')
  if (side) return side === 'yours' ? label : undefined
  const sides = { base: base ? { label: was ?? null } : null, yours: { label }, theirs: { label: is ?? null } }
  throw new Conflict(conflictWords(base !== undefined, ['label']), { fields: ['label'], ...sides })
}

/** Does two merges; throws one Conflict for both. */
export function bothMerged<A, B>(one: () => A, other: () => B): readonly [A, B] {
  const [first, second] = [outcomeOf(one), outcomeOf(other)]
  if ('value' in first && 'value' in second) return [first.value, second.value]
  if ('value' in first) throw (second as { readonly error: Conflict }).error
  if ('value' in second) throw first.error
  const [a, b] = [first.error.conflict as Sides, second.error.conflict as Sides]
  const fields = [...a.fields, ...b.fields]
  throw new Conflict(conflictWords(a.base !== null, fields), {
    fields,
    base: a.base && b.base && { ...a.base, ...b.base },
    yours: { ...a.yours, ...b.yours },
    theirs: { ...a.theirs, ...b.theirs },
  })
}

interface Sides {
  readonly fields: readonly string[]
  readonly base: Fields | null
  readonly yours: Fields
  readonly theirs: Fields
}

function outcomeOf<T>(work: () => T): { readonly value: T } | { readonly error: Conflict } {
  try {
    return { value: work() }
  } catch (error) {
    if (error instanceof Conflict) return { error }
    throw error
  }
}

function conflictWords(isKnown: boolean, fields: readonly string[]): string {
  return isKnown
    ? `Others changed the same since you began: ${fields.join(', ')}.`
    : 'The version you began from is not known any more, and the menu has changed since.'
}

/** The conflict of two edits. How an item was that leads to a record is shown to readers from whom nothing of its type is hidden. */
export function overlap(
  access: Access,
  fields: readonly string[],
  sides: { readonly base: KnownMenu | null; readonly yours: readonly Item[]; readonly now: KnownMenu },
): Conflict {
  const { base, yours, now } = sides
  const isOpen = ({ target }: Item) => isOpenTo(access, target)
  return new Conflict(conflictWords(base !== null, fields), {
    fields: [...fields],
    base: base && valuesOf(fields, base.shown, isOpen),
    yours: valuesOf(fields, yours),
    theirs: valuesOf(fields, now.shown),
  })
}

function valuesOf(fields: readonly string[], items: readonly Item[], isOpen: (item: Item) => boolean = () => true): Fields {
  const known = byId([items])
  return Object.fromEntries(
    fields.map((name) => {
      const [, id = '', field = ''] = name.split('.')
      const all = [...known.values()].flat()
      if (id === '') return [name, all.every(isOpen) ? items.map(itemView) : null]
      const item = known.get(id)?.[0]
      return [name, item && isOpen(item) ? ((itemView(item) as unknown as Fields)[field] ?? null) : null]
    }),
  ) as Fields
}
