import type { Head } from '#core/document.ts'
import type { Fields } from '#lib/json.ts'
import { PREFIX } from '../context/collections.ts'

/** The name of a field in a document. */
export function nameInDocument(field: string): string {
  return field === 'id' ? field : PREFIX + field
}

/** The fields of a document by the names that the module gave them. */
export function fieldsOfDocument({ fields }: Pick<Head, 'fields'>): Fields {
  const own = Object.entries(fields).filter(([name]) => name.startsWith(PREFIX))
  return Object.fromEntries(own.map(([name, value]) => [name.slice(PREFIX.length), value]))
}

/** Fields as a document has them. */
export function documentFields(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [PREFIX + name, value]))
}
