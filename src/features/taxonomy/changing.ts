import type { Store } from '#core/store.ts'
import { termId } from '#core/terms/terms.ts'
import type { ContentTypes, Taxonomy } from '#core/types/content-type.ts'
import type { Fields } from '#lib/json.ts'
import { Batch } from './batch.ts'
import type { TermInput } from './input.ts'
import { typesWith } from './kinds.ts'
import { checkFree, placeBelow } from './placing.ts'
import type { TermCounts } from './term-counts.ts'

interface Place {
  readonly store: Store
  readonly types: ContentTypes
}

/** Plans the change of a term, with all that it changes elsewhere, and says it for the history. */
export async function planChange(
  place: Place,
  counts: TermCounts,
  id: string,
  change: TermInput,
): Promise<{ readonly batch: Batch; readonly message: string }> {
  const { taxonomy, terms } = counts
  const batch = new Batch(taxonomy, terms)
  const term = terms.get(id)
  const to = change.id ?? id
  if (to !== id) checkFree(counts, id, to)
  const set = { ...stated(counts, change), ...(await aliasesOf(place, counts, id, change)) }
  if (term) batch.change(term, set, to)
  else batch.declare(to, { name: counts.nameOf(id), ...set })
  if (to !== id) {
    batch.moveChildren(id, () => to)
    await replaceTerm(place, batch, taxonomy, { id, by: to })
  }
  placeBelow(counts, batch, id, change.parent)
  const message = to === id ? `Update ${taxonomy.name}/${id}` : `Rename ${taxonomy.name}/${id} to ${to}`
  return { batch, message }
}

/** Puts a term in the place of another in all records that bear it; undefined takes it out. */
export async function replaceTerm(
  { store, types }: Place,
  batch: Batch,
  taxonomy: Taxonomy,
  { id, by }: { readonly id: string; readonly by: string | undefined },
): Promise<void> {
  await batch.replace(store, await typesWith(store, types, taxonomy), id, by)
}

/** Returns the fields of a term's document for an input. */
export function stated(counts: TermCounts, { name, description, parent }: TermInput): Fields {
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(parent !== undefined && { parent: parent && counts.meantBy(parent) }),
  }
}

/**
 * The earlier ids of a term that changes, where there are more: files that say it by its old id, or by its old name, still mean
 * it.
 */
async function aliasesOf(place: Place, counts: TermCounts, id: string, { id: to = id, name }: TermInput): Promise<Fields> {
  const term = counts.terms.get(id)
  const before = new Set(term?.aliases)
  const aliases = new Set([...before].filter((alias) => alias !== to))
  if (to !== id) aliases.add(id)
  const called = term === undefined || name === undefined ? to : termId(term.name)
  if (called !== to && counts.meantBy(called) === id && (await isSaid(place, counts, called))) aliases.add(called)
  return [...aliases].every((alias) => before.has(alias)) ? {} : { aliases: [...aliases] }
}

/** Checks whether a record may refer to a term by this value. The condition `contains` compares with the values in files. */
async function isSaid({ store, types }: Place, { taxonomy }: TermCounts, value: string): Promise<boolean> {
  const where = [{ field: taxonomy.name, op: 'contains' as const, value, as: 'text' as const }]
  for (const type of await typesWith(store, types, taxonomy)) {
    if ((await store.heads(type.name, { where, limit: 0 })).total > 0) return true
  }
  return false
}
