import type { Condition } from '../../core/query.ts'
import type { Store } from '../../core/store.ts'
import { childrenOf, declaredTerms, family } from '../../core/term-tree.ts'
import { termId } from '../../core/terms.ts'
import type { TermChoice } from './parameters.ts'

/** The condition that a record has one of the chosen terms or of those below them. */
export async function descendants(store: Store, { kind, hierarchical, terms }: TermChoice): Promise<Condition> {
  const chosen = terms.map((term) => termId(term))
  const { items } = hierarchical ? await store.heads(`taxonomy/${kind}`, {}) : { items: [] }
  const wanted = family(chosen, childrenOf(declaredTerms({ hierarchical }, items)))
  return { field: kind, op: 'in', value: [...wanted], as: 'text' }
}
