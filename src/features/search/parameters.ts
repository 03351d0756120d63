import { type Paging, pagingIn } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { type FieldErrors, InvalidInput } from '#lib/errors.ts'
import { isLonger } from '#lib/text/characters.ts'
import { composed } from '#lib/text/normal-form.ts'

/** A search that is asked for, checked. */
export interface Asking extends Paging {
  /** In NFC. */
  readonly q: string
  readonly type?: string
  readonly status?: string
}

/** The most characters that may be searched for. */
export const LONGEST_Q = 256

/** Checks the parameters of a search: InvalidInput for values, all at once. */
export function askingOf(params: QueryParams): Asking {
  const errors: FieldErrors = {}
  const asking = {
    q: wordsOf(params.q, errors),
    ...nameIn(params, 'type', errors),
    ...nameIn(params, 'status', errors),
    ...pagingIn(params, errors),
  }
  if (Object.keys(errors).length > 0) throw new InvalidInput(errors)
  return asking
}

function wordsOf(q: string | undefined, errors: FieldErrors): string {
  if (q === undefined) errors.q = ['The q is required: the words to search for.']
  else if (q.trim() === '') errors.q = ['The q must not be empty.']
  else if (isLonger(q, LONGEST_Q)) errors.q = [`The q must have at most ${LONGEST_Q} characters.`]
  return composed(q ?? '')
}

function nameIn<const N extends 'type' | 'status'>(params: QueryParams, name: N, errors: FieldErrors): { [K in N]?: string } {
  const value = params[name]
  if (value === undefined) return {}
  if (value.trim() === '') errors[name] = [`The ${name} must not be empty.`]
  return { [name]: value } as { [K in N]?: string }
}
