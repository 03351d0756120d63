import { isDeepStrictEqual } from 'node:util'
import type { Field } from '#core/types/content-type.ts'
import type { FieldErrors } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import { acted } from './acting.ts'
import { Drawing, type DrawingWords, idPart } from './drawing.ts'
import type { FieldView } from './field-view.ts'
import type { FormFields } from './form-values.ts'
import { group } from './lists.ts'
import { Reading } from './reading.ts'
import { settled } from './settling.ts'
import { inputsOf } from './sizes.ts'

/** The fields of a form: those that are declared, and the values of the record in the version that the form begins from. */
export interface RecordFormInput {
  readonly fields: readonly Field[]
  /** Undefined for a new record: it begins with the defaults of the fields. */
  readonly record: Readonly<Fields> | undefined
  /** IANA zone that times are shown in, and meant in. */
  readonly zone: string
  isReadOnly?(field: Field): boolean
}

/** The content of a form to be drawn, where it is another than the record's own. */
export interface Shown extends DrawingWords {
  /** Values that were typed, as they were sent. */
  readonly sent?: FormFields
  /** Messages by the path of a value: `parts.0.name`. */
  readonly errors?: FieldErrors
}

/** The views of fields; `others` are the messages that belong to none of them. */
export interface DrawnForm {
  readonly fields: readonly FieldView[]
  readonly others: readonly string[]
}

/** A change that a form asks for. */
export interface FormChange {
  /** The fields that were changed, as the API takes them: null for one that has no value any more. */
  readonly set: Fields
  /** Errors beside those that the rules of the fields find. */
  readonly errors: FieldErrors
  /** The values that were sent, with lists as `set` has them: to be drawn again with errors, whose paths are those of `set`. */
  readonly sent: FormFields
}

/** Names that the panel itself gives to fields of its forms. */
const OWN_NAMES: ReadonlySet<string> = new Set(['_csrf', '_method', 'base', 'do'])
/** A form takes 5,000 fields: what is behind so many is kept as it is. */
const MOST_INPUTS = 4500

/** A form for the fields of a record: what it shows, and what is to change by what it sends. */
export class RecordForm {
  readonly #fields: readonly Field[]
  readonly #record: Readonly<Fields> | undefined
  readonly #zone: string
  readonly #isReadOnly: (field: Field) => boolean
  /** Names of fields whose values no form can show. */
  readonly #kept: ReadonlySet<string>

  constructor({ fields, record, zone, isReadOnly = () => false }: RecordFormInput) {
    this.#fields = fields
    this.#record = record
    this.#zone = zone
    this.#isReadOnly = isReadOnly
    this.#kept = this.#keptNames()
  }

  /** Returns the views of all fields, in their order; a field that is to be `confirmed` comes with a second one. */
  draw({ sent, errors = {}, ...words }: Shown = {}): DrawnForm {
    const drawing = new Drawing(this.#zone, words)
    const fields = this.#fields.flatMap((field) => {
      const { name } = field
      const place = { name, id: `f-${idPart(name)}`, path: name, isReadOnly: this.#isReadOnly(field) }
      if (this.#kept.has(name)) return [drawing.kept(field, place, this.#held(field))]
      const views = [drawing.draw(field, place, this.#held(field), own(sent, name))]
      const again = confirmationOf(field)
      if (!again || place.isReadOnly) return views
      const second = { ...place, name: again.name, id: `f-${idPart(again.name)}`, path: again.name }
      return [...views, drawing.draw(again, second, undefined, own(sent, again.name))]
    })
    return { fields, others: placeErrors(drawing, errors) }
  }

  /** Reads what was sent: the fields that are not as the form showed them. */
  read(sent: FormFields): FormChange {
    const reading = new Reading(this.#zone)
    const set: Fields = {}
    const parts = new Map(Object.entries(sent))
    for (const field of this.#fields) {
      const { name } = field
      const raw = own(sent, name)
      if (raw === undefined || this.#kept.has(name) || this.#isReadOnly(field)) continue
      const held = this.#held(field)
      const value = settled(field, raw, held, this.#zone)
      parts.set(name, value)
      const read = reading.field(field, value, held, { path: name, isNew: this.#record === undefined })
      const made = isEmptied(read, held) ? null : (read ?? null)
      if (isDeepStrictEqual(made, this.#record?.[name] ?? null)) continue
      set[name] = made
      const again = confirmationOf(field)
      if (again) set[again.name] = confirmed(again, own(sent, again.name))
    }
    return { set, errors: reading.errors, sent: group(parts) }
  }

  /** Returns what was sent with a list changed as a button (`add:gallery`, `up:gallery.2`) says; BadRequest where there is none. */
  act(sent: FormFields, action: string): FormFields {
    const fields = this.#fields.filter((field) => !this.#kept.has(field.name) && !this.#isReadOnly(field))
    return acted(fields, sent, action, (field) => this.#held(field))
  }

  #held({ name, default: first }: Field): Json | undefined {
    if (!this.#record) return first as Json | undefined
    return Object.hasOwn(this.#record, name) ? this.#record[name] : undefined
  }

  #keptNames(): ReadonlySet<string> {
    let left = MOST_INPUTS
    const kept = this.#fields.filter((field) => {
      const count = OWN_NAMES.has(field.name) ? left + 1 : inputsOf(field, this.#held(field), left)
      if (count > left) return true
      left -= count
      return false
    })
    return new Set(kept.map(({ name }) => name))
  }
}

function own(sent: FormFields | undefined, name: string): FormFields[string] | undefined {
  return sent && Object.hasOwn(sent, name) ? sent[name] : undefined
}

/** An object that has lost all it had is no value any more. */
function isEmptied(value: Json | undefined, held: Json | undefined): boolean {
  const isBare = typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
  return isBare && !isDeepStrictEqual(value, held)
}

/** The second field of one that is typed twice. */
function confirmationOf({ name, label, type, rules }: Field): Field | undefined {
  const isAsked = rules.some((rule) => rule.name === 'confirmed')
  return isAsked ? { name: `${name}_confirmation`, label: `${label}, again`, type, rules: [] } : undefined
}

function confirmed(field: Field, sent: FormFields[string] | undefined): Json {
  return new Reading('UTC').field(field, sent ?? '', undefined, { path: field.name, isNew: true }) ?? null
}

/** Sets messages at the views of their paths, else at those of what they are in; returns those of no view. */
function placeErrors({ byPath }: Drawing, errors: FieldErrors): string[] {
  const others: string[] = []
  for (const [path, messages] of Object.entries(errors)) {
    let at = path
    while (!byPath.has(at) && at.includes('.')) at = at.slice(0, at.lastIndexOf('.'))
    const view = byPath.get(at)
    if (view) view.error = [...(view.error === undefined ? [] : [view.error]), ...messages.map(worded(byPath, at))].join(' ')
    else others.push(...messages)
  }
  return others
}

/** Returns the words of an error of a field within others as its form calls them: `Name (Steps 2)` for `The steps.1.name`. */
function worded(byPath: Drawing['byPath'], path: string): (message: string) => string {
  const label = byPath.get(path)?.label
  const around = byPath.get(path.slice(0, Math.max(0, path.lastIndexOf('.'))))?.label
  const begin = `The ${path} `
  return (message) =>
    label !== undefined && around !== undefined && message.startsWith(begin)
      ? `${label} (${around}) ${message.slice(begin.length)}`
      : message
}
