import { Cache } from '#lib/cache.ts'
import { BadRequest } from '#lib/errors.ts'
import { nearest } from '#lib/text/nearest.ts'
import { pairsOf } from './url-encoded.ts'

/** The parameters of a URL's query by name. Each has one value: a name that comes twice is a fault. */
export type QueryParams = Readonly<Record<string, string>>

/** Queries that are typed by hand or made by a client's paging are short. */
const LONGEST_KEPT = 256
const FAULT = Symbol('fault')
const NONE: QueryParams = Object.freeze(Object.create(null) as Record<string, string>)

/**
 * A parser of queries that knows those of late again; a fault (broken encoding, a name that comes twice) is kept for
 * `queryCheck`, since a router can't answer errors.
 */
export function queryParser(): (text: string) => QueryParams {
  const late = new Cache<QueryParams>({ most: 500 })
  return (text) => {
    if (text === '') return NONE
    const known = late.get(text)
    if (known) return known
    const params = Object.freeze(parse(text))
    if (text.length <= LONGEST_KEPT) late.set(text, params)
    return params
  }
}

function parse(text: string): QueryParams {
  const params = Object.create(null) as Record<string | typeof FAULT, string>
  for (const [name, value] of pairsOf(text)) {
    if (name === undefined || value === undefined || name.includes('\0') || value.includes('\0'))
      params[FAULT] = 'The query is not well encoded.'
    else if (name in params) params[FAULT] = `The parameter "${name}" is there twice.`
    else params[name] = value
  }
  return params
}

/**
 * The part of a JSON Schema that says which parameters a route takes; with `additionalProperties: true` the feature checks them.
 */
export interface QuerySchema {
  readonly properties?: Readonly<Record<string, unknown>>
  readonly additionalProperties?: boolean
}

/** Checks the names of a query's parameters: BadRequest for one that the route does not take, naming the nearest that it does. */
export function queryCheck({
  properties = {},
  additionalProperties = true,
}: QuerySchema): (query: unknown) => true | { error: Error } {
  const known = Object.keys(properties)
  return (query) => {
    if (query === NONE) return true
    const params = query as Record<string | typeof FAULT, string>
    if (params[FAULT] !== undefined) return { error: new BadRequest(params[FAULT]) }
    const unknown = additionalProperties ? undefined : Object.keys(params).find((name) => !known.includes(name))
    return unknown === undefined ? true : { error: unknownParameter(unknown, known) }
  }
}

function unknownParameter(name: string, known: readonly string[]): BadRequest {
  const near = nearest(name, known)
  if (near) return new BadRequest(`There is no parameter "${name}". Did you mean "${near}"?`)
  return new BadRequest(
    `There is no parameter "${name}". ${known.length > 0 ? `Known are ${known.join(', ')}.` : 'This address takes none.'}`,
  )
}
