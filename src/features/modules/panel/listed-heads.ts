import type { Head } from '#core/document.ts'
import type { Kind } from '#core/key.ts'
import { matches } from '#core/queries/operators.ts'
import type { Page, Sort } from '#core/queries/query.ts'
import type { Store } from '#core/store.ts'
import { FIELD_TYPES, type Field } from '#core/types/content-type.ts'
import type { Paging } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { BadRequest, InvalidInput } from '#lib/errors.ts'
import { nameInDocument } from '../context/collections.ts'

/** Most documents that a search looks at, and most characters of it. */
const MOST_SEARCHED = 20_000
const LONGEST = 256

/** The parameters that a list takes. */
const PARAMETERS: ReadonlySet<string> = new Set(['page', 'per_page', 'sort', 'q'])

/** The documents that a list is of, and the field that stands for `title`. */
export interface Listed {
  readonly store: Store
  readonly kind: Kind
  readonly fields: ReadonlyMap<string, Field>
  readonly title: string
}

/** The part of a list of documents that parameters ask for, in their order, and with their words in a field that is text. */
export async function listedHeads(listed: Listed, params: QueryParams, { page, perPage }: Paging): Promise<Page<Head>> {
  const unknown = Object.keys(params).find((name) => !PARAMETERS.has(name))
  if (unknown !== undefined) throw new BadRequest(`This list takes no parameter "${unknown}".`)
  const { store, kind } = listed
  const sort = sortOf(listed, params.sort)
  const offset = (page - 1) * perPage
  const words = (params.q ?? '').trim()
  if (words === '') return store.heads(kind, { sort, offset, limit: perPage })
  if (words.length > LONGEST) throw new InvalidInput({ q: [`Search for at most ${LONGEST} characters.`] })
  const { items } = await store.heads(kind, { sort, limit: MOST_SEARCHED })
  const searched = [...listed.fields.values()].filter(({ type }) => FIELD_TYPES[type].as === 'text')
  const found = items.filter((head) => searched.some(({ name }) => hasWords(head, name, words)))
  return { items: found.slice(offset, offset + perPage), total: found.length }
}

function hasWords({ fields }: Head, name: string, words: string): boolean {
  const field = nameInDocument(name)
  return matches(fields[field], { field, op: 'contains', value: words, as: 'text' })
}

function sortOf({ fields, title }: Listed, asked: string | undefined): Sort[] {
  if (asked === undefined || asked === '') return []
  const name = asked.replace(/^-/, '')
  const field = name === 'title' ? title : name
  const declared = fields.get(field)
  if (!declared && field !== 'id') throw new BadRequest(`This list can't be sorted by "${name}".`)
  const as = declared ? FIELD_TYPES[declared.type].as : 'text'
  return [{ field: nameInDocument(field), descending: asked.startsWith('-'), as }]
}
