import { isRequired } from '#core/rules/checks.ts'
import type { Field } from '#core/types/content-type.ts'
import { isObject } from '#frontmatter/changes.ts'
import type { Fields, Json } from '#lib/json.ts'
import { withLf } from '#lib/text/line-endings.ts'
import type { FieldKind, FieldOption, FieldView } from './field-view.ts'
import type { FormValue } from './form-values.ts'
import { limitsOf } from './input-limits.ts'
import { kindOf } from './kinds.ts'
import { textOf } from './leaves.ts'
import { groupOf, listOf, markOf, plain, textsOf } from './lists.ts'
import { chosenOf, mediaView, type ReferenceWords, type Referred, referralOf } from './reference-view.ts'
import { itemShape, KEPT, shapeOf } from './shapes.ts'

/** The words that a form has from elsewhere. */
export interface DrawingWords extends Partial<ReferenceWords> {
  /** Returns the values that a field offers with their labels; undefined for those that it declares, or has. */
  optionsOf?(field: Field): readonly { readonly value: string; readonly label: string }[] | undefined
  /** Returns the label of a value: the title of the record that a reference leads to. */
  labelOf?(field: Field, value: string): string | undefined
}

/** The place of a field in a form. `mark`: the number of the record's item that an item is. */
export interface DrawnPlace {
  readonly name: string
  readonly id: string
  readonly path: string
  readonly isReadOnly: boolean
  readonly isItem?: boolean
  readonly label?: string
  readonly mark?: number | undefined
}

/** Most parts of a JSON value that are shown by name. */
const MOST_STATED = 100

type Made = { -readonly [K in keyof FieldView]: FieldView[K] }

/** Makes the views of fields. */
export class Drawing {
  /** Views by the path of their values. */
  readonly byPath = new Map<string, Made>()
  /** Names of things that references may lead to, so far. */
  #named = 0
  readonly #zone: string
  readonly #words: DrawingWords

  constructor(zone: string, words: DrawingWords) {
    this.#zone = zone
    this.#words = words
  }

  /** Returns the view of a field with what was sent for it, else with the value it has. */
  draw(field: Field, place: DrawnPlace, held: Json | undefined, sent: FormValue | undefined): FieldView {
    if (place.isReadOnly && field.type === 'json' && isFlat(held)) return this.#stated(field, place, held)
    const shape = place.isItem ? itemShape(field, held) : shapeOf(field, held)
    switch (shape.is) {
      case 'kept':
        return this.kept(field, place, held)
      case 'leaf':
        return this.#leaf(field, place, held, sent)
      case 'several':
        return this.#several(field, place, held, sent)
      case 'list':
        return this.#list(field, shape.item, place, held, sent)
      case 'object': {
        const parts = groupOf(sent)
        const old = (name: string) => (isObject(held) && Object.hasOwn(held, name) ? held[name] : undefined)
        const fields = shape.fields.map((part) => this.draw(part, partOf(place, part.name), old(part.name), parts?.[part.name]))
        const others = shape.others.map((name) =>
          this.kept({ name, label: name, type: 'json', rules: [] }, partOf(place, name), old(name)),
        )
        return this.#made(field, place, { kind: 'object', fields: [...fields, ...others], ...markIn(place) })
      }
    }
  }

  /** Returns the view of a value that the form can't show. */
  kept(field: Field, place: DrawnPlace, held: Json | undefined): FieldView {
    const value = JSON.stringify(held ?? null, null, 2)
    return this.#made(field, place, { kind: 'kept', value, required: false, ...markIn(place) })
  }

  /** Returns a value that nobody is to change by the names in it, not as JSON. */
  #stated(field: Field, place: DrawnPlace, held: Fields): FieldView {
    const fields = Object.entries(held).map(([name, value]) => {
      const text = typeof value === 'boolean' ? (value ? 'Yes' : 'No') : value
      return this.#leaf({ name, label: name, type: 'text', rules: [] }, partOf(place, name), text, undefined)
    })
    return this.#made(field, place, { kind: 'object', fields })
  }

  #leaf(field: Field, place: DrawnPlace, held: Json | undefined, sent: FormValue | undefined): FieldView {
    const typed = typeof sent === 'string' || sent === undefined ? sent : JSON.stringify(plain(sent))
    if (field.type === 'boolean') {
      const isOn = typed === undefined ? held === true : typed === 'true' || typed === 'on'
      const hidden = place.isReadOnly ? {} : { hidden: { name: place.name, value: 'false' } }
      return this.#made(field, place, { kind: 'checkbox', value: isOn ? 'true' : '', required: false, ...hidden })
    }
    const value = typed === undefined ? textOf(field, held, this.#zone) : withLf(typed)
    const referred = this.#referred(field)
    const kind = referred?.isWhole ? 'select' : kindOf(field, value)
    return this.#made(field, place, {
      kind,
      value,
      ...this.#offered(field, value, referred),
      ...(kind === 'datetime' && { zone: this.#zone }),
    })
  }

  #offered(field: Field, value: string, referred: Referred | undefined): Partial<FieldView> {
    if (field.type === 'media') return mediaView(field, value, this.#words.media)
    if (field.type !== 'select' && field.type !== 'reference') return {}
    const chosen = value === '' ? [] : [value]
    if (field.type === 'reference' && !referred?.isWhole)
      return { options: this.#options(field, chosen, []), ...referralOf(referred) }
    const options = referred ? chosenOf(referred.offered, value) : this.#options(field, chosen, this.#declared(field))
    const isOptional = !isRequired(field) || value === ''
    const blank = { value: '', label: this.#words.blankOf?.(field) ?? '', isSelected: value === '' }
    return { options: isOptional ? [blank, ...options] : options, ...referralOf(referred) }
  }

  /** The things that a reference may lead to, without names once a form has enough of them: a list may have many items. */
  #referred(field: Field): Referred | undefined {
    const referred = field.type === 'reference' ? this.#words.referredBy?.(field) : undefined
    if (!referred) return undefined
    this.#named += referred.offered.length
    return this.#named <= MOST_NAMED ? referred : { ...referred, offered: [], isWhole: false }
  }

  #several(field: Field, place: DrawnPlace, held: Json | undefined, sent: FormValue | undefined): FieldView {
    const chosen = (sent === undefined ? undefined : textsOf(sent)) ?? (Array.isArray(held) ? held.map(String) : [])
    const isSelect = field.type === 'select'
    const options = this.#options(field, chosen, this.#declared(field))
    const name = `${place.name}[]`
    return this.#made(
      field,
      { ...place, name },
      {
        kind: isSelect ? 'choices' : 'reference',
        options,
        ...referralOf(this.#referred(field)),
        ...presenceIn(place),
      },
    )
  }

  /** References come in their order, what is offered beside behind them. */
  #options(field: Field, chosen: readonly string[], declared: readonly { value: string; label: string }[]): FieldOption[] {
    const isChosen = new Set(chosen)
    const known = this.#words.referredBy?.(field)?.offered ?? []
    const labels = new Map([...known, ...declared].map(({ value, label }) => [value, label]))
    const own = [...isChosen]
      .filter((value) => field.type === 'reference' || !labels.has(value))
      .map((value) => ({
        value,
        label: labels.get(value) ?? this.#words.labelOf?.(field, value) ?? value,
        isSelected: true,
      }))
    const others = declared
      .filter(({ value }) => field.type !== 'reference' || !isChosen.has(value))
      .map(({ value, label }) => ({ value, label, isSelected: isChosen.has(value) }))
    return field.type === 'reference' ? [...own, ...others] : [...others, ...own]
  }

  #declared(field: Field): readonly { value: string; label: string }[] {
    const offered = this.#words.optionsOf?.(field)
    return offered ?? (field.options ?? []).map((value) => ({ value, label: this.#words.labelOf?.(field, value) ?? value }))
  }

  #list(field: Field, item: Field, place: DrawnPlace, held: Json | undefined, sent: FormValue | undefined): FieldView {
    const before = Array.isArray(held) ? held : []
    const at = (key: string | number, n: number, mark?: number) => ({
      ...partOf(place, String(key)),
      isItem: true,
      label: `${item.label} ${n + 1}`,
      mark,
    })
    const list = sent === undefined ? undefined : listOf(sent)
    const items = list
      ? list.items.map(({ value }, n) => {
          const mark = markOf(value)
          return this.draw(item, at(n, n, mark), mark === undefined ? undefined : before[mark], value)
        })
      : before.map((value, n) => this.draw(item, at(n, n, n), value, undefined))
    const blank = place.isReadOnly
      ? {}
      : { blank: new Drawing(this.#zone, this.#words).draw(item, at('__n__', items.length), undefined, undefined) }
    return this.#made(field, place, { kind: 'list', items, ...blank, ...presenceIn(place) })
  }

  #made(
    field: Field,
    { name, id, path, isReadOnly, label = field.label }: DrawnPlace,
    own: Partial<FieldView> & { kind: FieldKind },
  ): FieldView {
    // Hints are for who may follow them.
    const help = field.help === undefined || isReadOnly ? {} : { help: field.help }
    const view: Made = {
      name,
      id,
      label,
      ...help,
      required: isRequired(field) && !isReadOnly,
      isReadOnly,
      value: '',
      ...limitsOf(field, own.kind),
      ...own,
    }
    this.byPath.set(path, view)
    return view
  }
}

/** Returns whether a value is an object of some texts, numbers and the like. */
function isFlat(value: Json | undefined): value is Fields {
  if (!isObject(value)) return false
  const values = Object.values(value)
  return values.length > 0 && values.length <= MOST_STATED && values.every((one) => typeof one !== 'object' || one === null)
}

/** The place of what stands within. */
function partOf({ name, id, path, isReadOnly }: DrawnPlace, key: string): DrawnPlace {
  return { name: `${name}[${key}]`, id: `${id}-${idPart(key)}`, path: `${path}.${key}`, isReadOnly }
}

/** Returns a part of an id: what it can't have, and the sign that marks it, as the number of the character. */
export function idPart(key: string): string {
  return key.replaceAll(/[^\p{L}\p{N}_-]/gu, (character) => `.${character.codePointAt(0)?.toString(16)}.`)
}

function markIn({ name, mark, isReadOnly }: DrawnPlace): Partial<FieldView> {
  return mark === undefined || isReadOnly ? {} : { hidden: { name: `${name}[${KEPT}]`, value: String(mark) } }
}

/** Says that the field was in the form: nothing else is sent of it where it is empty. */
function presenceIn(place: DrawnPlace): Partial<FieldView> {
  if (place.isReadOnly || place.mark !== undefined) return markIn(place)
  return { hidden: { name: `${place.name}[]`, value: '' } }
}

/** Most names of things that the references of a form may lead to. */
const MOST_NAMED = 5000
