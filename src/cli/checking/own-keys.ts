import type { Head } from '#core/document.ts'
import { isObject } from '#frontmatter/changes.ts'
import type { Quire } from '../open/site.ts'

/**
 * Sentences, one a type, about keys of its files that are names of what Quire makes and mean something else: the API has them in
 * `own`.
 */
export async function ownKeyNotes(site: Quire): Promise<string[]> {
  const notes: string[] = []
  for (const kind of await site.store.kinds()) {
    if (!site.types.get(kind)) continue
    const { items } = await site.store.heads(kind, {})
    const counts = countsOf(items)
    const keys = [...counts].map(([key, count]) => `${key} (${count})`).join(', ')
    if (keys !== '')
      notes.push(`${kind}: files have keys of their own that are names of Quire's: ${keys}. The API has them in "own".`)
  }
  return notes
}

function countsOf(heads: readonly Head[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { key, fields } of heads) {
    for (const [name, value] of isObject(fields.own) ? Object.entries(fields.own) : []) {
      const isSame = (name === 'id' && value === key.id) || (name === 'type' && value === key.kind)
      if (!isSame) counts.set(name, (counts.get(name) ?? 0) + 1)
    }
  }
  return counts
}
