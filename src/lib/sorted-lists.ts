/** Changes from so many on are sorted in together, not one by one. */
const MANY = 32

/**
 * Returns a list in an order without some of its items and with others, in that order: the list itself where there are none. No two
 * items may be alike in the order; `gone` are items of the list. It takes as long as the list is to be copied, and little more.
 */
export function sortedWith<T>(
  list: readonly T[],
  { gone, come }: { readonly gone: readonly T[]; readonly come: readonly T[] },
  compare: (a: T, b: T) => number,
): readonly T[] {
  if (gone.length + come.length === 0) return list
  if (gone.length + come.length > MANY) {
    const out = new Set(gone)
    const left = out.size === 0 ? list : list.filter((item) => !out.has(item))
    return [...left, ...come].sort(compare)
  }
  const made = [...list]
  for (const item of gone) made.splice(placeIn(made, item, compare), 1)
  for (const item of come) made.splice(placeIn(made, item, compare), 0, item)
  return made
}

/** Returns the number of items in a list that come before one in its order: where that is, if it is in the list. */
export function placeIn<T>(list: readonly T[], item: T, compare: (a: T, b: T) => number): number {
  let [from, to] = [0, list.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (compare(list[middle] as T, item) < 0) from = middle + 1
    else to = middle
  }
  return from
}
