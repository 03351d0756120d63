import { termId } from '#core/terms/terms.ts'
import type { Taxonomy } from '#core/types/content-type.ts'
import { withoutComments } from '../comments.ts'
import { textOf } from '../folder.ts'
import type { Item } from '../item.ts'
import type { Page } from '../pages.ts'

/** Returns whether a file is the page of a term, or of all terms of a taxonomy: `tags/news/_index.md`. */
export function isTermFile(path: string, taxonomies: readonly Taxonomy[]): boolean {
  const [first = '', ...rest] = path.split('/')
  return taxonomies.some(({ name }) => name === first) && /^_index\.\w+$/.test(rest.at(-1) ?? '') && rest.length <= 2
}

/** Returns the term of such a file; the page of all terms is left out, as is one that was not public. */
export function termOf(path: string, shown: string, { data, body, isHidden }: Page & { readonly isHidden: boolean }): Item {
  const [taxonomy = '', term = '', last] = path.split('/')
  if (last === undefined) return { is: 'left', from: shown, reason: 'pages of all terms: the site makes its own' }
  if (isHidden) return { is: 'left', from: shown, reason: 'pages of terms that were not public' }
  const description = textOf(data.description) ?? textOf(withoutComments(body, 'hugo'))
  const name = textOf(data.title) ?? term
  return {
    is: 'data',
    from: shown,
    kind: `taxonomy/${taxonomy}`,
    id: termId(term) || term,
    set: { name, ...(description && { description }) },
  }
}
