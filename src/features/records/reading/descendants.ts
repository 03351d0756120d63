import type { Condition } from '#core/queries/query.ts'
import type { Store } from '#core/store.ts'
import { termId } from '#core/terms/terms.ts'
import { childrenOf, declaredTerms, family, synonymsOf } from '#core/terms/tree.ts'
import type { TermChoice } from './parameters.ts'

/** The condition that a record has one of the chosen terms or of those below them. */
export async function descendants(store: Store, { kind, hierarchical, terms }: TermChoice): Promise<Condition> {
  const { items } = await store.heads(`taxonomy/${kind}`, {})
  const declared = declaredTerms({ hierarchical }, items)
  const synonyms = synonymsOf(declared)
  const chosen = terms.map(termId).map((id) => synonyms.get(id) ?? id)
  const wanted = family(chosen, childrenOf(declared))
  return { field: kind, op: 'in', value: [...wanted], as: 'text' }
}
