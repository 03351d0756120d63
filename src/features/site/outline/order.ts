import type { Head } from '#core/document.ts'
import type { Key } from '#core/key.ts'
import { compareKeys, fieldOf, type SortKey, sortable } from '#core/queries/comparison.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { compareText } from '#lib/text/compare.ts'

/** The parts of a record by which lists are ordered. */
interface Ordered {
  readonly key: Key
  readonly type: ContentType
  readonly published: number | undefined
  readonly order?: readonly SortKey[]
}

/** Returns whether the lists of a type begin with what is greatest or newest, as they do where it says nothing else. */
export function isDescending({ sort }: ContentType): boolean {
  return sort[0]?.descending === true
}

/** Returns whether the records of a type are in the order of their dates, the newest first. */
export function isNewestFirst({ sort: [first, ...more] }: ContentType): boolean {
  return first?.field === 'published_at' && first.descending && more.length === 0
}

/** The order of records by their dates, the newest first; ties by id. */
export function newestFirst(a: Ordered, b: Ordered): number {
  return (b.published ?? Number.NEGATIVE_INFINITY) - (a.published ?? Number.NEGATIVE_INFINITY) || byId(a, b)
}

/** The order of the records of a type as its `sort` has it: what is not said is last both ways, ties by id. */
export function asSorted(a: Ordered, b: Ordered): number {
  return compareOrders(a.type, keysOf(a), keysOf(b)) || byId(a, b)
}

/** The order of two lists of sort keys of a type, without ties. */
export function compareOrders({ sort }: ContentType, a: readonly SortKey[], b: readonly SortKey[]): number {
  for (const [n, { descending }] of sort.entries()) {
    const order = compareKeys(a[n], b[n], descending)
    if (order !== 0) return order
  }
  return 0
}

/** The sort keys of a record. */
export function keysOf({ order, published }: Pick<Ordered, 'order' | 'published'>): readonly SortKey[] {
  return order ?? [published]
}

/** The sort keys of a record by its head. */
export function sortKeysOf({ sort }: ContentType, head: Head): SortKey[] {
  const status = String(head.fields.status ?? '')
  return sort.map(({ field, as }) => sortable(fieldOf(head, field, status), as))
}

/** The order of records by id, then by type. */
export function byId(a: Pick<Ordered, 'key' | 'type'>, b: Pick<Ordered, 'key' | 'type'>): number {
  return compareText(a.key.id, b.key.id) || compareText(a.type.name, b.type.name)
}
