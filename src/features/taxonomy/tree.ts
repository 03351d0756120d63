import { MOST_LEVELS } from '#core/terms/tree.ts'
import { type ListMeta, metaOf, pagingOf } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { append } from '#lib/append.ts'
import { compareText } from '#lib/text/compare.ts'
import type { TermView } from './schema.ts'
import type { TermCounts } from './term-counts.ts'

/** A term in a tree; those that are below none have depth 0. */
export interface TermNode {
  readonly view: TermView
  readonly depth: number
  /** The version of its document; undefined where it has none. */
  readonly version: string | undefined
}

/** A part of a taxonomy's tree, each term after the one that it is below. */
export interface TermTree {
  readonly data: readonly TermNode[]
  readonly meta: ListMeta
}

/** The part of a tree that `params` ask for (`page per_page`), siblings by name. */
export async function treeOf(counts: TermCounts, params: QueryParams): Promise<TermTree> {
  const paging = pagingOf(params)
  const { page, perPage } = paging
  const places = placesIn(counts)
  const data: TermNode[] = []
  for (const { id, depth } of places.slice((page - 1) * perPage, page * perPage))
    data.push({ view: await counts.view(id), depth, version: counts.terms.get(id)?.heads[0].version })
  return { data, meta: metaOf(places.length, paging) }
}

/** All terms in the order of the tree. Those that files put in a circle begin with one that is below none of what is shown. */
function placesIn(counts: TermCounts): { readonly id: string; readonly depth: number }[] {
  const ids = [...counts.ids].sort((a, b) => compareText(counts.nameOf(a), counts.nameOf(b)) || compareText(a, b))
  const known = new Set(ids)
  const below = new Map<string | undefined, string[]>()
  for (const id of ids) {
    const above = counts.parentOf(id)
    const parent = above !== undefined && known.has(above) ? above : undefined
    const siblings = below.get(parent)
    if (siblings) siblings.push(id)
    else below.set(parent, [id])
  }
  const places: { id: string; depth: number }[] = []
  const placed = new Set<string>()
  const begin = (roots: readonly string[]) => {
    const waiting = roots.map((id) => ({ id, depth: 0 })).reverse()
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { id, depth } = next
      if (placed.has(id)) continue
      placed.add(id)
      places.push({ id, depth })
      const children = (below.get(id) ?? []).map((one) => ({ id: one, depth: Math.min(depth + 1, MOST_LEVELS) }))
      append(waiting, children.reverse())
    }
  }
  begin(below.get(undefined) ?? [])
  for (const id of ids) if (!placed.has(id)) begin([id])
  return places
}
