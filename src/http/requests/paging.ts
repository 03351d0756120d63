import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import { type FieldErrors, InvalidInput } from '#lib/errors.ts'
import type { QueryParams } from './query.ts'

const MAX_PER_PAGE = 100
const PER_PAGE = 15

/** The part of a list that is asked for: pages count from 1. */
export interface Paging {
  readonly page: number
  readonly perPage: number
}

/** The shape of the position of a part in its list. */
export const listMeta = {
  title: 'ListMeta',
  type: 'object',
  required: ['total', 'per_page', 'current_page', 'last_page'],
  additionalProperties: false,
  properties: {
    total: { type: 'integer' },
    per_page: { type: 'integer' },
    current_page: { type: 'integer' },
    last_page: { type: 'integer' },
  },
} as const satisfies JSONSchema

/** The position of a part in its list. */
export type ListMeta = FromSchema<typeof listMeta>

/** Parameters of a list that has no others. */
export const pagingQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    page: { type: 'integer', minimum: 1, default: 1 },
    per_page: { type: 'integer', minimum: 1, maximum: MAX_PER_PAGE, default: PER_PAGE },
  },
} as const satisfies JSONSchema

/** The part that `page` and `per_page` ask for; throws InvalidInput. */
export function pagingOf(params: QueryParams): Paging {
  const errors: FieldErrors = {}
  const paging = pagingIn(params, errors)
  if (Object.keys(errors).length > 0) throw new InvalidInput(errors)
  return paging
}

/** The part that `page` and `per_page` ask for; faults go into `errors`. */
export function pagingIn({ page, per_page }: QueryParams, errors: FieldErrors): Paging {
  return {
    page: wholeNumber('page', page, 1, errors),
    perPage: Math.min(MAX_PER_PAGE, wholeNumber('per_page', per_page, PER_PAGE, errors)),
  }
}

/** Returns the position of a part in a list of `total`. */
export function metaOf(total: number, { page, perPage }: Paging): ListMeta {
  return { total, per_page: perPage, current_page: page, last_page: Math.max(1, Math.ceil(total / perPage)) }
}

function wholeNumber(name: string, text: string | undefined, preset: number, errors: FieldErrors): number {
  if (text === undefined) return preset
  if (/^[0-9]{1,15}$/.test(text) && Number(text) >= 1) return Number(text)
  errors[name] = [`The ${name} must be a whole number from 1 on.`]
  return preset
}
