import type { ListMeta } from '#http/requests/paging.ts'
import type { Slices } from '#lib/concurrency/slices.ts'
import { MOST_BYTES } from '../records/reading/omission.ts'
import { type ListedMedia, type MediaListMeta, type MediaView, OMITTED } from './schema.ts'

/** Returns the answer with a part of a list, without its longest fields where it would be too long with them. */
export async function fitting(
  views: readonly MediaView[],
  meta: ListMeta,
  slices: Slices,
): Promise<{ data: readonly ListedMedia[]; meta: MediaListMeta }> {
  const sizes = new Map<keyof MediaView, number>()
  let size = 0
  for (const view of views) {
    if (slices.isOver) await slices.pause()
    size += sizeOf(view)
    for (const field of OMITTED) sizes.set(field, (sizes.get(field) ?? 0) + sizeOf(view[field]))
  }
  const omitted: (typeof OMITTED)[number][] = []
  for (const field of OMITTED) {
    if (size <= MOST_BYTES) break
    omitted.push(field)
    size -= sizes.get(field) ?? 0
  }
  if (omitted.length === 0) return { data: views, meta }
  const isLeft = ([name]: [string, unknown]) => !omitted.some((field) => field === name)
  const data = views.map((view) => Object.fromEntries(Object.entries(view).filter(isLeft)) as unknown as ListedMedia)
  return { data, meta: { ...meta, omitted } }
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
