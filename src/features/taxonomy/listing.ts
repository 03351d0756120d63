import { setImmediate } from 'node:timers/promises'
import { termId } from '#core/terms/terms.ts'
import { type ListMeta, metaOf, pagingOf } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { InvalidInput } from '#lib/errors.ts'
import { compareText } from '#lib/text/compare.ts'
import type { TermView } from './schema.ts'
import type { TermCounts } from './term-counts.ts'

/** A part of the list of a taxonomy's terms. */
export interface TermListing {
  readonly data: readonly TermView[]
  readonly meta: ListMeta
}

const ORDERS = ['name', '-name', 'count', '-count'] as const

type Order = (typeof ORDERS)[number]

/** Number of counts after which other work runs. */
const COUNTS_AT_ONCE = 100

/**
 * The part that `params` ask for (`page per_page sort parent`) of the terms whose name or id has a text; InvalidInput for values that
 * are not allowed.
 */
export async function listTerms(counts: TermCounts, params: QueryParams, text = ''): Promise<TermListing> {
  const paging = pagingOf(params)
  const { page, perPage } = paging
  const order = orderOf(params.sort)
  const ids = await sorted(counts, named(counts, chosen(counts, params.parent), text.toLowerCase()), order)
  const part = ids.slice((page - 1) * perPage, page * perPage)
  const data: TermView[] = []
  for (const id of part) data.push(await counts.view(id))
  return { data, meta: metaOf(ids.length, paging) }
}

function orderOf(text: string | undefined): Order {
  const order = text === undefined ? 'name' : ORDERS.find((known) => known === text)
  if (!order) throw new InvalidInput({ sort: [`The sort must be one of ${ORDERS.join(', ')}.`] })
  return order
}

/** All terms, or those right below one; `null` asks for those that are below none. */
function chosen(counts: TermCounts, parent: string | undefined): string[] {
  if (parent === undefined) return [...counts.ids]
  if (parent === 'null') return [...counts.ids].filter((id) => counts.parentOf(id) === undefined)
  return [...counts.below(counts.meantBy(termId(parent)))]
}

function named(counts: TermCounts, ids: readonly string[], text: string): readonly string[] {
  return text === '' ? ids : ids.filter((id) => id.includes(text) || counts.nameOf(id).toLowerCase().includes(text))
}

async function sorted(terms: TermCounts, ids: readonly string[], order: Order): Promise<string[]> {
  const counts = order.endsWith('count') ? await countsOf(terms, ids) : undefined
  const sign = order.startsWith('-') ? -1 : 1
  const rank = (id: string) => counts?.get(id) ?? 0
  const names = new Map(ids.map((id) => [id, terms.nameOf(id)]))
  const byName = (a: string, b: string) => compareText(names.get(a) ?? a, names.get(b) ?? b)
  return [...ids].sort((a, b) => {
    const first = counts ? rank(a) - rank(b) : byName(a, b)
    return first * sign || (counts ? byName(a, b) : 0) || compareText(a, b)
  })
}

async function countsOf(terms: TermCounts, ids: readonly string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const id of ids) {
    counts.set(id, await terms.count(id))
    if (counts.size % COUNTS_AT_ONCE === 0) await setImmediate()
  }
  return counts
}
