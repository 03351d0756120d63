import { composed } from '#lib/text/normal-form.ts'
import { slugify } from '#lib/text/slug.ts'

/** The id of the term called `name`: its slug, or its letters and digits in lower case where transliterating leaves nothing. */
export function termId(name: string): string {
  const slug = slugify(name)
  if (slug !== '') return slug
  return composed(name)
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
}
