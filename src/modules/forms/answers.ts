import { Nearest } from '#lib/text/nearest.ts'
import { type FieldErrors, type Fields, type Json, ModuleError } from '#module/module.ts'
import type { FieldKind, Form, FormField } from './form.ts'

/** A field that people don't see and don't fill in. It is one of the form where that declares it. */
export const TRAP = 'website'

/** Most characters of the texts of a kind. */
const MOST: Readonly<Record<FieldKind, number>> = {
  text: 200,
  'long text': 5000,
  email: 254,
  url: 2000,
  number: 30,
  date: 10,
  choice: 200,
  tick: 5,
}

/** Answers to a form by the names of its fields, in its order. */
export type Answers = Fields

/** Returns whether a program has filled in what people don't see. */
export function isTrapped({ fields }: Form, body: Fields): boolean {
  if (fields.some(({ name }) => name === TRAP)) return false
  return body[TRAP] !== undefined && body[TRAP] !== '' && body[TRAP] !== null
}

/**
 * Returns what was sent for the fields of a form, checked. Values are those of JSON, or the texts that a form in a browser sends
 * for them; an empty text is none. Throws a ModuleError with status 422.
 */
export function answersTo(form: Form, body: Fields): Answers {
  const errors: Record<string, string[]> = {}
  const answers: Fields = {}
  const names = new Set([TRAP, ...form.fields.map(({ name }) => name)])
  const hints = new Nearest(form.fields.map(({ name }) => name))
  for (const name of Object.keys(body)) if (!names.has(name)) errors[name] = [unknown(name, hints)]
  for (const field of form.fields) {
    const sent = body[field.name] ?? ''
    if (isNothing(field, sent)) {
      if (field.isRequired) errors[field.name] = [`${field.label} is required.`]
      continue
    }
    const value = keptValue(field, sent)
    if (value === undefined) errors[field.name] = [`${field.label} must be ${expected(field)}.`]
    else answers[field.name] = value
  }
  if (Object.keys(errors).length > 0) throw new ModuleError(422, 'The message is not valid.', errors satisfies FieldErrors)
  return answers
}

function isNothing({ kind }: FormField, sent: Json): boolean {
  if (kind === 'tick') return sent === false || sent === '' || sent === 'off'
  return typeof sent === 'string' && sent.trim() === ''
}

/** Returns a value as it is kept; undefined where it is none of the field's kind. */
function keptValue(field: FormField, sent: Json): Json | undefined {
  if (field.kind === 'tick') return sent === true || sent === 'on' || sent === 'true' ? true : undefined
  if (field.kind === 'number' && typeof sent === 'number') return Number.isFinite(sent) ? sent : undefined
  if (typeof sent !== 'string' || [...sent].length > mostOf(field) || hasControls(sent)) return undefined
  const text = field.kind === 'long text' ? sent.replaceAll('\r\n', '\n') : sent.trim()
  if (field.kind === 'number') return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined
  return FORMS[field.kind](text, field) ? text : undefined
}

/** A character that no text of a person has: any control but those between lines and words. */
function hasControls(text: string): boolean {
  return /[^\P{Cc}\t\r\n]/u.test(text)
}

const FORMS: Readonly<Record<Exclude<FieldKind, 'tick' | 'number'>, (text: string, field: FormField) => boolean>> = {
  text: (text) => !/[\r\n]/.test(text),
  'long text': () => true,
  email: (text) => /^[^\s@<>(),;:"\\]+@[^\s@<>(),;:"\\]+\.[^\s@<>(),;:"\\]+$/.test(text),
  url: (text) => /^https?:\/\/[^\s<>"]+$/i.test(text) && URL.canParse(text),
  date: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true,
  choice: (text, { options }) => options.includes(text),
}

function mostOf({ kind, max }: FormField): number {
  return Math.min(max ?? MOST[kind], MOST['long text'])
}

function expected(field: FormField): string {
  const most = `at most ${mostOf(field)} characters`
  const words: Readonly<Record<FieldKind, string>> = {
    text: `one line of ${most}`,
    'long text': `a text of ${most}`,
    email: 'an e-mail address, such as ann@example.org',
    url: 'an address that begins with https:// or http://',
    number: 'a number',
    date: 'a day, such as 2026-11-28',
    choice: `one of ${field.options.join(', ')}`,
    tick: 'ticked or not',
  }
  return words[field.kind]
}

function unknown(name: string, hints: Nearest): string {
  const near = hints.to(name)
  return `The form has no field "${name.slice(0, 100)}".${near ? ` Did you mean "${near}"?` : ''}`
}
