import type { ContentType } from '#core/types/content-type.ts'
import { targetOf } from '#core/types/fields.ts'
import { nearest } from '#lib/text/nearest.ts'
import type { Quire } from '../open/site.ts'

/** Most authors that one sentence names. */
const MOST_NAMED = 10

/**
 * Returns the type that the authors of a type may be records of, and need not be: a record belongs to the user whose handle is its
 * author, with or without a record of that id. Undefined where a rule of the field asks for one.
 */
export function looseAuthorsOf({ fields }: ContentType): string | undefined {
  const author = fields.get('author')
  const rules = [...(author?.rules ?? []), ...(author?.of?.rules ?? [])]
  return author && !rules.some(({ name }) => name === 'exists') ? targetOf(author) : undefined
}

/** Sentences, one a type, about authors that are no records of the type which authors refer to. Nothing is wrong where they are handles of users. */
export async function handleNotes(site: Quire): Promise<string[]> {
  const notes: string[] = []
  for (const kind of await site.store.kinds()) {
    const type = site.types.get(kind)
    const to = type && looseAuthorsOf(type)
    if (to === undefined) continue
    const counts = new Map<string, number>()
    for (const { fields, problem } of (await site.store.heads(kind, {})).items) {
      const authors = problem?.severity === 'error' ? [] : [fields.author].flat()
      for (const one of authors) if (typeof one === 'string' && one !== '') counts.set(one, (counts.get(one) ?? 0) + 1)
    }
    const known = new Set((await site.store.heads(to, {})).items.map(({ key }) => key.id))
    const others = [...counts].filter(([author]) => !known.has(author)).sort(([a], [b]) => (a < b ? -1 : 1))
    const [first] = others
    if (!first) continue
    const named = others.slice(0, MOST_NAMED).map(([author, count]) => {
      const near = nearest(author, known)
      return `${author} (${count}${near === undefined ? '' : `; did you mean ${near}?`})`
    })
    const rest = others.length > MOST_NAMED ? ` and ${others.length - MOST_NAMED} more` : ''
    notes.push(
      `${kind}: authors who have no record in ${to}: ${named.join(', ')}${rest}. The handle of a user needs none; one gives them a name on pages: cms new ${to} "Their name" --field slug=${first[0]}`,
    )
  }
  return notes
}
