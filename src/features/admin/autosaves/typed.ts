import { BadRequest } from '#lib/errors.ts'
import type { Json } from '#lib/json.ts'
import { formValues } from '../forms/form-values.ts'
import type { Pairs } from './autosaves.ts'
import { type FormIds, formIdsIn } from './form-ids.ts'

/** Names that the panel itself gives to fields of its forms: what an answer to a conflict says is of that page alone. */
const OWN = /^(?:_csrf|_method|_form|_from|_back|base|do|_(?:settle|own)\[.*)$/s

/** Most values of a form. */
const MOST = 5000

/** The form that a script sent: what was typed, and the version that the edit began from. */
export interface Typed {
  readonly pairs: Pairs
  readonly base: string | undefined
  readonly forms: FormIds | undefined
}

/**
 * Reads `{fields, base, form}`. The fields are pairs of name and value as a form sends them, or an object: of such names, or of values
 * as the API has them. Throws BadRequest for anything else.
 */
export function typedIn(body: unknown): Typed {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw notTyped()
  const { fields, base, form } = body as { readonly fields?: Json; readonly base?: Json; readonly form?: Json }
  if (typeof fields !== 'object' || fields === null) throw notTyped()
  if (base !== undefined && base !== null && typeof base !== 'string') throw notTyped()
  const forms = typeof form === 'string' ? formIdsIn(form) : undefined
  if (form !== undefined && !forms) throw notTyped()
  const all = Array.isArray(fields) ? fields.map(pairOf) : Object.entries(fields).flatMap(([name, value]) => pairsOf(name, value))
  const pairs = typedOf(all)
  if (pairs.length > MOST) throw new BadRequest(`The form has more than ${MOST.toLocaleString('en')} fields.`)
  // What can't be shown again is not kept.
  formValues(pairs)
  return { pairs, base: typeof base === 'string' && base !== '' ? base : undefined, forms }
}

/** Returns what of a form was typed, or may have been. */
export function typedOf(pairs: Pairs): Pairs {
  return pairs.filter(([name]) => !OWN.test(name))
}

function pairOf(pair: Json): readonly [string, string] {
  const [name, value] = Array.isArray(pair) && pair.length === 2 ? pair : []
  if (typeof name !== 'string' || typeof value !== 'string') throw notTyped()
  return [name, value]
}

function pairsOf(name: string, value: Json): (readonly [string, string])[] {
  if (value === null) return [[name, '']]
  if (typeof value !== 'object') return [[name, String(value)]]
  const parts = Array.isArray(value) ? value.map((item, n) => partOf(name, n, item)) : Object.entries(value)
  return parts.flatMap(([part, inner]) => pairsOf(Array.isArray(value) ? part : `${name}[${part}]`, inner))
}

/** The names of a list's items: `tags[]` of texts, `gallery[0]` of all others. */
function partOf(name: string, n: number, item: Json): [string, Json] {
  if (typeof item === 'object' && item !== null) return [`${name}[${n}]`, item]
  return [name.endsWith('[]') ? name : `${name}[]`, item]
}

function notTyped(): BadRequest {
  return new BadRequest(
    'Send {"fields": {…}, "base": "…", "form": "…"}: the fields of the form, the version that the edit began from, and the id of the form.',
  )
}
