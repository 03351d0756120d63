import type { ContentType } from '#core/content-type.ts'
import type { Head } from '#core/document.ts'
import { unheededKeys } from '#frontmatter/hiding-words.ts'

/** Names the fields of a live record by which other tools keep a text from the public at `now`, and Quire does not. */
export function hidingWords(type: ContentType, { fields }: Pick<Head, 'fields'>, now: number): string[] {
  const { statuses, fields: declared, taxonomies } = type
  if (statuses.get(String(fields.status))?.live !== true) return []
  const isOwn = (name: string) => declared.has(name) || taxonomies.some((taxonomy) => taxonomy.name === name)
  return unheededKeys(fields, now).filter((name) => !isOwn(name))
}
