import type { Condition } from '../../core/query.ts'
import type { Store } from '../../core/store.ts'
import { termId } from '../../core/terms.ts'
import type { TermChoice } from './parameters.ts'

/** The condition that a record has one of the chosen terms or of those below them. */
export async function descendants(store: Store, { kind, hierarchical, terms }: TermChoice): Promise<Condition> {
  const wanted = new Set(terms.map((term) => termId(term)))
  if (hierarchical) await addChildren(store, kind, wanted)
  return { field: kind, op: 'in', value: [...wanted], as: 'text' }
}

async function addChildren(store: Store, kind: string, wanted: Set<string>): Promise<void> {
  const { items } = await store.heads(`taxonomy/${kind}`, {})
  const children = new Map<string, string[]>()
  for (const { key, fields } of items) {
    if (typeof fields.parent !== 'string') continue
    const parent = termId(fields.parent)
    children.set(parent, [...(children.get(parent) ?? []), key.id])
  }
  // A set that grows while it is gone through visits what is added, each once: circles end by themselves.
  for (const term of wanted) for (const child of children.get(term) ?? []) wanted.add(child)
}
