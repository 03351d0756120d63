import { listMeta } from '../requests/paging.ts'

/** Returns the shape of an answer with one thing. */
export function one<const T>(data: T) {
  return { type: 'object', required: ['data'], additionalProperties: false, properties: { data } } as const
}

/** Returns the shape of an answer with a part of a list, and its position. */
export function many<const T>(items: T) {
  return manyWith(items, listMeta)
}

/** Returns the shape of an answer with a part of a list; `meta` says more than its position. */
export function manyWith<const T, const M>(items: T, meta: M) {
  return {
    type: 'object',
    required: ['data', 'meta'],
    additionalProperties: false,
    properties: { data: { type: 'array', items }, meta },
  } as const
}
