import { parseRevisionName } from '#core/history/revision-name.ts'
import type { Condition, Sort } from '#core/queries/query.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { comparisonOf } from '#core/types/types.ts'
import { type Paging, pagingIn } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { BadRequest, type FieldErrors, InvalidInput } from '#lib/errors.ts'
import { isLonger } from '#lib/text/characters.ts'
import { nearest } from '#lib/text/nearest.ts'
import { fieldFault, includeFault, indexFault, sortFault } from '../names.ts'
import { filterOf } from './filters.ts'

/** Terms that are asked for: any of `terms` of one taxonomy, by id or by name. */
export interface TermChoice {
  readonly kind: string
  readonly hierarchical: boolean
  readonly terms: readonly string[]
}

/** A list that is asked for, checked. `sort` undefined is the type's own order, `fields` undefined is all. */
export interface Plan extends Paging {
  readonly where: readonly Condition[]
  readonly terms: readonly TermChoice[]
  readonly sort: readonly Sort[] | undefined
  readonly facets: readonly string[]
  /** Search query for the records, as a person wrote it. */
  readonly q: string | undefined
  /** The time it is a list as of, as a request names one. */
  readonly at: string | undefined
  /** True if the list is of removed records. */
  readonly removed: boolean
  readonly selection: Selection
}

/** The selection of a record's fields and references for a response. */
export interface Selection {
  readonly fields: readonly string[] | undefined
  readonly include: readonly string[]
  /** Left out of all records, since the answer would be too long with them; bodies then of included records, too. */
  readonly omitted?: readonly string[]
}

/** Nothing chosen: the record whole. */
export const WHOLE: Selection = { fields: undefined, include: [] }

const MAX_FILTERS = 10
const MAX_SORTS = 5
const MAX_FACETS = 5
const MAX_QUERY = 256
const PLAIN = ['page', 'per_page', 'status', 'sort', 'fields', 'include', 'facets', 'q', 'at', 'deleted'] as const

/**
 * Checks the parameters of a list: BadRequest for one that is not known, naming the nearest; InvalidInput for values, all at
 * once.
 */
export function planOf(type: ContentType, params: QueryParams): Plan {
  const names = Object.keys(params)
  const singles = type.taxonomies.map((kind) => kind.singular)
  const filters = names.filter((name) => name.startsWith('filter[')).map((name) => filterOf(type, name, params[name] ?? ''))
  checkNames(names, [...PLAIN, ...singles])
  const errors: FieldErrors = {}
  for (const { name, fault } of filters) if (fault) errors[name] = [fault]
  if (filters.length > MAX_FILTERS) errors.filter = [`At most ${MAX_FILTERS} filters are allowed.`]
  const plan = {
    ...pagingIn(params, errors),
    where: [...statusCondition(params.status, errors), ...filters.flatMap(({ condition }) => condition ?? [])],
    terms: termChoices(type, params, errors),
    sort: sortOf(type, params.sort, errors),
    facets: facetFields(type, params.facets, errors),
    ...kindOfList(params, errors),
    selection: selectionOf(type, params, errors),
  }
  if (Object.keys(errors).length > 0) throw new InvalidInput(errors)
  return plan
}

/** Returns whether a list is requested as of an earlier time, or of removed records. Both need a history. */
export function isHistorical(params: QueryParams): boolean {
  return params.at !== undefined || params.deleted === 'true'
}

/** Checks `fields` and `include` of a single record; faults go into `errors`, or are thrown where none is given. */
export function selectionOf(type: ContentType, params: { fields?: string; include?: string }, errors?: FieldErrors): Selection {
  const found: FieldErrors = errors ?? {}
  const fields = params.fields === undefined ? undefined : listOf('fields', params.fields, found)
  const include = params.include === undefined ? [] : listOf('include', params.include, found)
  addFaults('fields', fields ?? [], (name) => fieldFault(type, name), found)
  addFaults('include', include, (name) => includeFault(type, name), found)
  if (!errors && Object.keys(found).length > 0) throw new InvalidInput(found)
  return fields === undefined && include.length === 0 ? WHOLE : { fields, include }
}

function checkNames(names: readonly string[], known: readonly string[]): void {
  const unknown = names.find((name) => !known.includes(name) && !name.startsWith('filter['))
  if (unknown === undefined) return
  const near = nearest(unknown, known)
  throw new BadRequest(
    `There is no parameter "${unknown}". ${near ? `Did you mean "${near}"?` : `Known are ${known.join(', ')} and filter[…].`}`,
  )
}

/**
 * Reads the parameters that select a kind of list. A search only finds current records, and a list of removed records can't be
 * combined with a time.
 */
function kindOfList({ q, at, deleted }: QueryParams, errors: FieldErrors): Pick<Plan, 'q' | 'at' | 'removed'> {
  if (q !== undefined && (q.trim() === '' || isLonger(q, MAX_QUERY))) errors.q = [`The q must have 1 to ${MAX_QUERY} characters.`]
  if (deleted !== undefined && deleted !== 'true' && deleted !== 'false') errors.deleted = ['The deleted must be true or false.']
  const removed = deleted === 'true'
  if (at !== undefined) addThrown(errors, () => parseRevisionName('at', at))
  if (at !== undefined && removed) errors.at = ['The parameters at and deleted do not go together.']
  if (q !== undefined && (at !== undefined || removed))
    errors.q = ['The parameter q finds what is there now: without at and deleted.']
  return { q, at, removed }
}

function addThrown(errors: FieldErrors, check: () => void): void {
  try {
    check()
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    Object.assign(errors, error.errors)
  }
}

function facetFields(type: ContentType, text: string | undefined, errors: FieldErrors): string[] {
  if (text === undefined) return []
  const names = listOf('facets', text, errors)
  if (names.length > MAX_FACETS) errors.facets = [`At most ${MAX_FACETS} facets are allowed.`]
  addFaults('facets', names, (name) => indexFault(type, name), errors)
  return names
}

function statusCondition(status: string | undefined, errors: FieldErrors): Condition[] {
  if (status === undefined) return []
  if (status.trim() === '') errors.status = ['The status must not be empty.']
  return [{ field: 'status', op: 'eq', value: status, as: 'text' }]
}

function termChoices(type: ContentType, params: QueryParams, errors: FieldErrors): TermChoice[] {
  return type.taxonomies.flatMap(({ name, singular, hierarchical }) => {
    const text = params[singular]
    return text === undefined ? [] : { kind: name, hierarchical, terms: listOf(singular, text, errors) }
  })
}

function sortOf(type: ContentType, text: string | undefined, errors: FieldErrors): Sort[] | undefined {
  if (text === undefined) return undefined
  const keys = listOf('sort', text, errors)
  const odd = keys.find((key) => key === '-' || key.startsWith('--'))
  if (odd !== undefined) errors.sort = [`The sort key "${odd}" names no field: write title, or -title for the other way round.`]
  if (keys.length > MAX_SORTS) errors.sort = [`At most ${MAX_SORTS} sort keys are allowed.`]
  const sorts = keys.map((key) => ({ field: key.replace(/^-/, ''), descending: key.startsWith('-') }))
  addFaults('sort', odd === undefined ? sorts.map(({ field }) => field) : [], (name) => sortFault(type, name), errors)
  return sorts.map(({ field, descending }) => ({ field, descending, as: comparisonOf(field, type.fields) }))
}

function listOf(name: string, text: string, errors: FieldErrors): string[] {
  const items = text.split(',').map((item) => item.trim())
  if (items.includes('')) errors[name] = [`The ${name} must be a list with commas, without an empty place.`]
  return [...new Set(items)]
}

function addFaults(
  name: string,
  items: readonly string[],
  faultOf: (item: string) => string | undefined,
  errors: FieldErrors,
): void {
  const faults = items.filter((item) => item !== '').flatMap((item) => faultOf(item) ?? [])
  if (faults.length > 0) errors[name] = [...(errors[name] ?? []), ...faults]
}
