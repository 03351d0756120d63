import { CLOCK_STATUSES } from '#core/status.ts'
import type { ContentType, Field } from '#core/types/content-type.ts'
import { labelOf } from '#core/types/fields.ts'
import type { FilterKind, ListFilter } from '../../offered.ts'
import { indexFault } from '../names.ts'

/** The most filters for which the values that there are can be asked for at once. */
const MOST_SUGGESTED = 5

/** The way in which values of each type are compared; none of those that are no single values. */
const KINDS: Readonly<Record<Field['type'], FilterKind | undefined>> = {
  text: 'text',
  markdown: 'text',
  slug: 'text',
  email: 'text',
  url: 'text',
  color: 'text',
  media: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'yes',
  date: 'day',
  datetime: 'time',
  select: 'choice',
  reference: 'name',
  list: 'text',
  object: undefined,
  json: undefined,
}

/** Returns the values by which the list of a type can be narrowed: those that all records have, then its own. */
export function recordFilters(type: ContentType): ListFilter[] {
  const statuses = [...type.statuses.keys(), ...CLOCK_STATUSES]
  const standard: ListFilter[] = [
    { name: 'status', label: 'Status', kind: 'choice', parameter: 'status', options: statuses.map(optionOf) },
    { name: 'author', label: 'Author', kind: 'name' },
    ...type.taxonomies.map(
      ({ name, singular }): ListFilter => ({ name, label: labelOf(name), kind: 'terms', parameter: singular }),
    ),
    { name: 'published_at', label: 'Published', kind: 'time' },
    { name: 'updated_at', label: 'Changed', kind: 'time' },
  ]
  const known = new Set([...standard.map(({ name }) => name), 'title', 'body'])
  const own = [...type.fields.values()].flatMap((field): ListFilter[] => {
    const kind = KINDS[field.type]
    if (!kind || known.has(field.name) || indexFault(type, field.name) !== undefined) return []
    const isPlain = field.type !== 'list' || (field.of !== undefined && KINDS[field.of.type] !== undefined)
    const { name, label, options } = field
    return isPlain ? [{ name, label, kind, ...(options && { options: options.map(optionOf) }) }] : []
  })
  return [...standard, ...own]
}

/** Returns the names of the filters whose values can be asked for. */
export function suggestedFilters(filters: readonly ListFilter[]): string[] {
  return filters
    .filter(({ kind }) => kind === 'name' || kind === 'terms')
    .map(({ name }) => name)
    .slice(0, MOST_SUGGESTED)
}

function optionOf(value: string) {
  return { value, label: labelOf(value) }
}
