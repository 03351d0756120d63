import { isObject } from '#frontmatter/changes.ts'
import type { SearchText } from '#fulltext/segments/search-text.ts'
import type { Json } from '#lib/json.ts'
import type { Document } from '../document.ts'
import { type ContentType, FIELD_TYPES, type Field } from '../types/content-type.ts'

/** Fields that contain no text for people in a record without a schema, or that are searched by other fields. */
const NO_TEXT: ReadonlySet<string> = new Set(
  'id type title slug status author authors permalink url link aliases layout template theme path version image cover icon lang locale weight order body'.split(
    ' ',
  ),
)
/** Matches values that are not text: they begin like a time, or are an address or a path. */
const NO_WORDS = /^(?:\d{4}-\d\d-\d\d|[a-z][a-z0-9+.-]*:\/\/|mailto:|\.{0,2}\/)\S*$/i
/** Deeper than this nothing of an object is read: its file's limits are well below. */
const MOST_LEVELS = 32

/** The properties of a type that are used here. */
type Typed = Pick<ContentType, 'taxonomies' | 'fields'>

/**
 * Returns the searchable texts of a document, in their source form: its title, the ids of its terms, its body and the texts of
 * other fields.
 */
export function searchTextOf(type: Typed, document: Pick<Document, 'fields' | 'body'>): SearchText {
  const { fields, body } = document
  const taxonomies = type.taxonomies.map(({ name }) => name)
  const texts: string[] = body === '' ? [] : [body]
  for (const [name, value] of Object.entries(fields)) {
    if (taxonomies.includes(name) || !isText(type, name)) continue
    const field = type.fields.get(name)
    if (field) gatherField(field, value, texts)
    else gather(value, texts, 0)
  }
  return {
    title: typeof fields.title === 'string' ? fields.title : '',
    tags: taxonomies.flatMap((name) => termsIn(fields[name])),
    body: texts,
  }
}

function isText(type: Typed, name: string): boolean {
  if (NO_TEXT.has(name) || name.endsWith('_at')) return false
  const field = type.fields.get(name)
  return field ? FIELD_TYPES[field.type].isSearched : type.fields.size === 0
}

/** Of a list or an object that says what it holds, the texts are those of the fields within that are searched. */
function gatherField(field: Field, value: Json, texts: string[]): void {
  const { type, of, fields } = field
  if (!FIELD_TYPES[type].isSearched) return
  if (of && Array.isArray(value)) {
    for (const item of value) gatherField(of, item, texts)
  } else if (fields && isObject(value)) {
    for (const [name, part] of Object.entries(value)) {
      const within = fields.get(name)
      if (within) gatherField(within, part, texts)
    }
  } else gather(value, texts, 0)
}

function termsIn(value: Json | undefined): string[] {
  const list = Array.isArray(value) ? value : []
  return list.filter((term): term is string => typeof term === 'string')
}

function gather(value: Json, texts: string[], level: number): void {
  if (typeof value === 'string') {
    if (value !== '' && !NO_WORDS.test(value)) texts.push(value)
    return
  }
  if (typeof value !== 'object' || value === null || level >= MOST_LEVELS) return
  for (const item of Object.values(value)) gather(item, texts, level + 1)
}
