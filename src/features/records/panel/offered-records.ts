import type { Access } from '#core/access/access.ts'
import { extentOf, narrowedTo } from '#core/queries/extent.ts'
import type { Condition } from '#core/queries/query.ts'
import type { Store } from '#core/store.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { compareText } from '#lib/text/compare.ts'
import type { Offered, Offering } from '../../offered.ts'

/** Returns some of the records of a type that the reader may see, by title, and the number of all that were asked for. No body is read. */
export async function offeredRecords(
  store: Store,
  access: Access,
  { name }: ContentType,
  { most, q, ids }: Offering,
): Promise<{ offered: Offered[]; total: number }> {
  const where: Condition[] = []
  if (q !== undefined) where.push({ field: 'title', op: 'contains', value: q, as: 'text' })
  if (ids) where.push({ field: 'id', op: 'in', value: [...ids], as: 'text' })
  const { items, total } = await store.heads(name, { ...narrowedTo(extentOf(access, name)), where, limit: most })
  const offered = items.map(({ key, fields }) => ({ value: key.id, label: titleOf(fields.title, key.id) }))
  return { offered: offered.sort((a, b) => compareText(a.label, b.label)), total }
}

/** Returns a title as people are shown it: the id where there is none. */
export function titleOf(title: unknown, id: string): string {
  return typeof title === 'string' && title !== '' ? title : id
}
