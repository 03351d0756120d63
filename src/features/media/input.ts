import { isDeepStrictEqual } from 'node:util'
import { type FieldErrors, InvalidInput } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import { isLonger } from '#lib/text/characters.ts'
import { nearest } from '#lib/text/nearest.ts'
import type { MediaView } from './schema.ts'
import { focalPointOf } from './sidecar.ts'

/** The most characters of each text that a sidecar may be sent. */
const TEXTS = { alt: 10_000, title: 200, caption: 10_000 } as const
const FIELDS = [...Object.keys(TEXTS), 'focal_point'] as const

/** Reads what is to change of a media file; what is sent as in one of `shown` is no change. Throws InvalidInput with all that is wrong. */
export function readMediaInput(input: Fields, shown: readonly MediaView[]): Fields {
  const errors: FieldErrors = {}
  const sent: Fields = {}
  for (const [name, value] of Object.entries(input)) {
    if (shown.some((view) => isDeepStrictEqual((view as unknown as Fields)[name], value))) continue
    const fault = faultOf(name, value, shown)
    if (fault === undefined) sent[name] = value === '' ? null : value
    else errors[name] = [fault]
  }
  if (Object.keys(errors).length > 0) throw new InvalidInput(errors)
  return sent
}

function faultOf(name: string, value: Json, shown: readonly MediaView[]): string | undefined {
  if (!FIELDS.includes(name)) {
    if (shown.some((view) => name in view)) return `The ${name} is made by Quire and can not be set.`
    const near = nearest(name, FIELDS)
    return `Media have no field "${name}".${near ? ` Did you mean "${near}"?` : ` Those to be set are ${FIELDS.join(', ')}.`}`
  }
  if (value === null) return undefined
  if (name === 'focal_point') {
    const point = focalPointOf(value)
    const isOne = point !== null && Object.keys(value).length === 2
    return isOne ? undefined : 'The focal_point must be {"x": …, "y": …} with numbers from 0 to 1, or null.'
  }
  if (typeof value !== 'string') return `The ${name} must be a text, or null.`
  const most = TEXTS[name as keyof typeof TEXTS]
  return isLonger(value, most) ? `The ${name} must not be greater than ${most} characters.` : undefined
}
