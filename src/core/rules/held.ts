import { isDeepStrictEqual } from 'node:util'
import { isObject } from '#frontmatter/changes.ts'
import type { Json } from '#lib/json.ts'

/** The values that a part of an object has in each of some objects; undefined for each that lacks it. */
export function heldAt(held: readonly (Json | undefined)[], name: string): (Json | undefined)[] {
  return held.flatMap((one) => (isObject(one) ? [Object.hasOwn(one, name) ? one[name] : undefined] : []))
}

/** The items of some lists, to find those of another list among them. */
export class HeldItems {
  readonly #lists: readonly (readonly Json[])[]
  readonly #isInList: boolean
  #texts: ReadonlySet<string> | undefined

  /** In lists that are in a list themselves (`isInList`), an item is only looked for in its place: they may be many. */
  constructor(held: readonly (Json | undefined)[], isInList: boolean) {
    this.#lists = held.filter((one) => Array.isArray(one))
    this.#isInList = isInList
  }

  /** Returns the items in the nth place. */
  at(n: number): Json[] {
    return this.#lists.flatMap((list) => (n < list.length ? [list[n] ?? null] : []))
  }

  /** Returns whether one of the lists has this item: in the nth place, or word for word in any other. */
  has(item: Json, n: number): boolean {
    if (this.#lists.length === 0) return false
    if (this.at(n).some((one) => isDeepStrictEqual(one, item))) return true
    if (this.#isInList) return false
    this.#texts ??= new Set(this.#lists.flat().map((one) => JSON.stringify(one)))
    return this.#texts.has(JSON.stringify(item))
  }
}
