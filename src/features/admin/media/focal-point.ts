import { type FieldErrors, InvalidInput } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { FormFields } from '../forms/form-values.ts'

/** A focal point as a form has it: percents from the left and from the top, empty where there is none. */
export interface FocalText {
  readonly x: string
  readonly y: string
}

/** Returns how a form shows a focal point. */
export function focalTextOf(value: Json | undefined): FocalText {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { x: '', y: '' }
  return { x: percentOf(value.x), y: percentOf(value.y) }
}

/** Returns the focal point that was typed; undefined where the form has none. */
export function focalSent({ focal_x: x, focal_y: y }: FormFields): FocalText | undefined {
  return typeof x === 'string' && typeof y === 'string' ? { x: x.trim(), y: y.trim() } : undefined
}

/** Reads what was typed: nothing where it is as it was shown. Throws InvalidInput for what is no point. */
export function focalChange(sent: FocalText | undefined, before: Json | undefined): Fields {
  const shown = focalTextOf(before)
  if (!sent || (sent.x === shown.x && sent.y === shown.y)) return {}
  if (sent.x === '' && sent.y === '') return { focal_point: null }
  const [x, y] = [shareOf(sent.x), shareOf(sent.y)]
  const wrong = 'It is a number from 0 to 100, such as 68; both fields are empty where there is none.'
  const errors: FieldErrors = { ...(x === undefined && { focal_x: [wrong] }), ...(y === undefined && { focal_y: [wrong] }) }
  if (x === undefined || y === undefined) throw new InvalidInput(errors)
  return { focal_point: { x, y } }
}

function percentOf(share: Json | undefined): string {
  return typeof share === 'number' ? String(Math.round(share * 10_000) / 100) : ''
}

function shareOf(text: string): number | undefined {
  const percent = /^\d{1,3}(?:[.,]\d{1,6})?$/.test(text) ? Number(text.replace(',', '.')) : Number.NaN
  return percent >= 0 && percent <= 100 ? Math.round(percent * 10_000) / 1_000_000 : undefined
}
