import { isLonger } from '#lib/characters.ts'
import { type FieldErrors, InvalidInput } from '#lib/errors.ts'

/** The parameters of a search as they were sent, by name: `q`, `type`, `status`, `page`, `per_page`. */
export type SearchParams = Readonly<Record<string, string>>

/** A search that is asked for, checked. */
export interface Asking {
  /** In NFC. */
  readonly q: string
  readonly type?: string
  readonly status?: string
  readonly page: number
  readonly perPage: number
}

/** The most characters that may be searched for. */
export const LONGEST_Q = 256

const MOST_PER_PAGE = 100

/** Checks the parameters of a search: InvalidInput for values, all at once. */
export function askingOf(params: SearchParams): Asking {
  const errors: FieldErrors = {}
  const asking = {
    q: wordsOf(params.q, errors),
    ...nameIn(params, 'type', errors),
    ...nameIn(params, 'status', errors),
    page: wholeNumber('page', params.page, 1, errors),
    perPage: Math.min(MOST_PER_PAGE, wholeNumber('per_page', params.per_page, 15, errors)),
  }
  if (Object.keys(errors).length > 0) throw new InvalidInput(errors)
  return asking
}

function wordsOf(q: string | undefined, errors: FieldErrors): string {
  if (q === undefined) errors.q = ['The q is required: the words to search for.']
  else if (q.trim() === '') errors.q = ['The q must not be empty.']
  else if (isLonger(q, LONGEST_Q)) errors.q = [`The q must have at most ${LONGEST_Q} characters.`]
  return (q ?? '').normalize('NFC')
}

function nameIn<const N extends 'type' | 'status'>(params: SearchParams, name: N, errors: FieldErrors): { [K in N]?: string } {
  const value = params[name]
  if (value === undefined) return {}
  if (value.trim() === '') errors[name] = [`The ${name} must not be empty.`]
  return { [name]: value } as { [K in N]?: string }
}

function wholeNumber(name: string, text: string | undefined, preset: number, errors: FieldErrors): number {
  if (text === undefined) return preset
  if (/^[0-9]{1,15}$/.test(text) && Number(text) >= 1) return Number(text)
  errors[name] = [`The ${name} must be a whole number from 1 on.`]
  return preset
}
