import { termId } from '#core/terms/terms.ts'
import { lineage, MOST_LEVELS } from '#core/terms/tree.ts'
import type { Taxonomy } from '#core/types/content-type.ts'
import { Conflict, InvalidInput } from '#lib/errors.ts'
import type { Batch } from './batch.ts'
import type { TermCounts } from './term-counts.ts'

/** Checks that a term and all below it may go below another, and has that stay so until it is written. */
export function placeBelow(counts: TermCounts, batch: Batch, id: string, below: string | null | undefined): void {
  if (below === undefined || below === null) return
  const parent = counts.meantBy(below)
  const { singular } = counts.taxonomy
  const line = lineage(parent, counts.terms)
  if (!counts.has(parent)) throw new InvalidInput({ parent: [`There is no ${singular} "${parent}".`] })
  if (line.includes(id)) throw new InvalidInput({ parent: [`The ${singular} "${parent}" is the term itself, or below it.`] })
  if (line.length + levelsOf(counts, id) > MOST_LEVELS)
    throw new InvalidInput({ parent: [`Terms nest at most ${MOST_LEVELS} levels deep.`] })
  batch.holdLine(parent)
}

/** Counts the levels that a term and those below it take up. */
function levelsOf(counts: TermCounts, id: string): number {
  const seen = new Set([id])
  let levels = 0
  for (let level = [id]; level.length > 0; levels++) {
    level = level.flatMap((one) => counts.below(one)).filter((one) => !seen.has(one))
    for (const one of level) seen.add(one)
  }
  return levels
}

/** Throws Conflict where a term can't have another id. */
export function checkFree(counts: TermCounts, id: string, to: string): void {
  const { taxonomy, terms } = counts
  const second = terms.get(id)?.heads[1]
  if (second) throw new Conflict(`"${second.key.id}" declares the same ${taxonomy.singular}: remove one of the two first.`)
  if (counts.has(to)) throw taken(taxonomy, to, `; to merge into it, delete this one with ?replace_with=${to}`)
}

/** The error for an id that a term has already. */
export function taken({ singular }: Taxonomy, id: string, more = ''): Conflict {
  return new Conflict(`The ${singular} "${id}" is there already${more}.`)
}

/** The id of the term that is to take another's place; throws InvalidInput. */
export function replacement(counts: TermCounts, id: string, name: string): string {
  const other = counts.meantBy(termId(name))
  const { singular } = counts.taxonomy
  if (other === id) throw new InvalidInput({ replace_with: [`A ${singular} can't take its own place.`] })
  if (!counts.has(other)) throw new InvalidInput({ replace_with: [`There is no ${singular} "${name}".`] })
  return other
}

/** Adds the removal of a term to a batch, with its effects on the documents of others. */
export function removeFrom(counts: TermCounts, batch: Batch, id: string, other: string | undefined): void {
  const { terms } = counts
  const [term, heir] = [terms.get(id), other === undefined ? undefined : terms.get(other)]
  // What is between the two can't go below the other: it would be below itself.
  const between = other === undefined ? [] : lineage(other, terms)
  const above = term?.parent
  if (term) batch.remove(term)
  batch.moveChildren(id, (child) => {
    if (other !== undefined && !between.includes(child)) return other
    return above === child ? undefined : above
  })
  if (heir)
    batch.change(heir, { aliases: [...new Set([...heir.aliases, ...(term?.aliases ?? []), id])].filter((one) => one !== other) })
}
