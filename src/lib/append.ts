/** Adds items to the end of a list, any number of them: with 100,000 `push(...items)` is more than the stack holds. */
export function append<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item)
}
