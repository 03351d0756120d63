import type { Access } from '#core/access/access.ts'
import type { ContentType, Field } from '#core/types/content-type.ts'
import { fieldOf } from '#core/types/fields.ts'
import type { Json } from '#lib/json.ts'
import type { Row } from '../../resource.ts'

/** The fields that records have without declaring them, as a form shows them. */
const TITLE = fieldOf('title', { type: 'text', rules: 'max:200' })
const BODY = fieldOf('body', { type: 'markdown' })
const SLUG = fieldOf('slug', { type: 'slug', label: 'Address', rules: 'max:100', help: 'Made of the title while it is empty.' })
const PUBLISHED_AT = fieldOf('published_at', { type: 'datetime', label: 'Published', help: 'A time to come schedules it.' })
const AUTHOR = fieldOf('author', { type: 'text' })

/** The fields of a form for a record of a type, or a new one, that the reader may write, in the order of the form. */
export function recordFields(access: Access, type: ContentType, of?: Row): Field[] {
  const own = (standard: Field) => type.fields.get(standard.name) ?? standard
  const terms = type.taxonomies.map(({ name }) => type.fields.get(name) ?? termsField(name, of?.values[name]))
  // Only who may write all records gives one to another author.
  const authors = access.may('content:write', type.name) ? [own(AUTHOR)] : []
  const standard = [own(TITLE), own(BODY), own(SLUG), own(PUBLISHED_AT), ...terms, ...authors]
  const names = new Set([...standard.map(({ name }) => name), 'status', 'author'])
  const others = [...type.fields.values()].filter(({ name }) => !names.has(name))
  const writable = access.writable(type.name)
  return [...standard, ...others].filter(({ name }) => !writable || writable.has(name))
}

/** Terms stand beside each other, as references do; those of a record that has numbers among them are a list, which shows each as it is. */
function termsField(name: string, held: Json | undefined): Field {
  const isPlain = held === undefined || (Array.isArray(held) && held.every((term) => typeof term === 'string'))
  return fieldOf(
    name,
    isPlain ? { type: 'reference', to: `taxonomy/${name}`, multiple: true } : { type: 'list', of: { type: 'text' } },
  )
}
