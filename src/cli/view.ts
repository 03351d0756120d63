import type { Document } from '#core/document.ts'
import type { Fields } from '#lib/json.ts'

/** A record as the API has it, for --json. */
export function recordData(answer: { readonly json: Buffer }): Fields {
  return JSON.parse(answer.json.toString('utf8'))
}

/** A field of a record for a column or a sentence: lists joined, nothing for null. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(cell).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value).replace(/\s+/g, ' ')
}

/** Returns the name of a record for messages: `posts/hello-world`. */
export function nameOf(document: Document): string {
  return `${document.key.kind}/${document.key.id}`
}
