import type { Fields, Json, StoredItem } from '#module/module.ts'

/** The kinds of fields that a form has. */
export const KINDS = ['text', 'long text', 'email', 'url', 'number', 'date', 'choice', 'tick'] as const

export type FieldKind = (typeof KINDS)[number]

/** The names of forms and of their fields. */
export const FORM_NAME = /^[a-z0-9][a-z0-9-]{0,63}$/
export const FIELD_NAME = /^[a-z][a-z0-9_-]{0,63}$/

/** Days that messages are kept where the form does not say. */
export const DAYS = 365

/** A field of a form. */
export interface FormField {
  readonly name: string
  readonly label: string
  readonly kind: FieldKind
  readonly isRequired: boolean
  /** Most characters, of a text; undefined for those of its kind. */
  readonly max: number | undefined
  /** The values of a choice. */
  readonly options: readonly string[]
}

/** A form: what is asked, where letters go, and for how long messages are kept. */
export interface Form {
  readonly name: string
  readonly label: string
  readonly fields: readonly FormField[]
  /** The address that is told of each message; undefined where nobody is. */
  readonly mailTo: string | undefined
  readonly days: number
  /** The sentence that is answered. */
  readonly thanks: string
}

/** Reads a form from its document. Fields that can't be are left out: the panel checks them when they are saved. */
export function readForm({ fields }: StoredItem): Form {
  const name = textOf(fields.name) ?? ''
  const all = Array.isArray(fields.fields) ? fields.fields : []
  return {
    name,
    label: textOf(fields.label) ?? name,
    fields: all.flatMap((field) => readField(field) ?? []),
    mailTo: textOf(fields.mail_to),
    days: typeof fields.days === 'number' && fields.days >= 1 ? fields.days : DAYS,
    thanks: textOf(fields.thanks) ?? 'Thank you for your message.',
  }
}

function readField(field: Json): FormField | undefined {
  if (typeof field !== 'object' || field === null || Array.isArray(field)) return undefined
  const { required, max, options, ...rest } = field as Fields
  const name = textOf(rest.name)
  if (name === undefined || !FIELD_NAME.test(name)) return undefined
  return {
    name,
    label: textOf(rest.label) ?? name,
    kind: KINDS.find((kind) => kind === rest.kind) ?? 'text',
    isRequired: required === true,
    max: typeof max === 'number' && max >= 1 ? max : undefined,
    options: Array.isArray(options) ? options.flatMap((option) => textOf(option) ?? []) : [],
  }
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
