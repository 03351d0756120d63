import type { Head } from '#core/document.ts'
import type { Kind } from '#core/key.ts'
import type { Fields } from '#lib/json.ts'

/** Put before the names of fields in documents, where some names have a meaning. */
const PREFIX = 'f_'

/** The private kind of a collection of a module. */
export function kindOf(module: string, collection: string): Kind {
  return `.${module}-${collection}`
}

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
