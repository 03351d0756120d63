import { isDeepStrictEqual } from 'node:util'
import { isRequired, say } from '#core/rules/checks.ts'
import type { Field } from '#core/types/content-type.ts'
import { isObject } from '#frontmatter/changes.ts'
import type { FieldErrors } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import { withLf } from '#lib/text/line-endings.ts'
import type { FormValue } from './form-values.ts'
import { meaningOf, textOf } from './leaves.ts'
import { groupOf, isNothing, listOf, markOf, plain, type SentList, textsOf } from './lists.ts'
import { itemShape, type Shape, shapeOf } from './shapes.ts'

/** A value in what was sent: its path, and whether what it stands in is new. */
interface Place {
  readonly path: string
  readonly isNew: boolean
}

/** Reads what a form sent for declared fields, beside the values that the record has. */
export class Reading {
  /** Errors that no rule would tell of, by the path of the value. */
  readonly errors: FieldErrors = {}
  readonly #zone: string

  constructor(zone: string) {
    this.#zone = zone
  }

  /** Returns the value of a field: `held` itself where it was not changed, undefined for none. */
  field(field: Field, sent: FormValue, held: Json | undefined, place: Place): Json | undefined {
    return this.#value(field, shapeOf(field, held), sent, held, place)
  }

  /** Returns the value of an item of a list. */
  item(item: Field, sent: FormValue, held: Json | undefined, place: Place): Json {
    const shape = itemShape(item, held)
    const value = this.#value(item, shape, sent, held, place)
    if (shape.is === 'kept') return value ?? null
    return value ?? (item.multiple || item.type === 'list' ? [] : (NOTHING[item.type] ?? ''))
  }

  #value(field: Field, shape: Shape, sent: FormValue, held: Json | undefined, place: Place): Json | undefined {
    switch (shape.is) {
      case 'kept':
        return this.#kept(sent, held, place)
      case 'leaf':
        return typeof sent === 'string' ? this.#leaf(field, sent, held, place) : plain(sent)
      case 'several':
        return several(field, sent, held)
      case 'list': {
        const list = listOf(sent)
        return list ? this.#list(shape.item, list, held, place) : plain(sent)
      }
      case 'object':
        return this.#object(shape.fields, sent, held, place)
    }
  }

  #kept(sent: FormValue, held: Json | undefined, { path }: Place): Json | undefined {
    if (markOf(sent) === undefined)
      this.errors[path] = [say(path, "can't be changed in a form. Change it in its file, or over the API.")]
    return held
  }

  #leaf(field: Field, sent: string, held: Json | undefined, { path, isNew }: Place): Json | undefined {
    const meaning = meaningOf(field, sent, held, this.#zone)
    if ('fault' in meaning) {
      this.errors[path] = [say(path, meaning.fault)]
      return sent
    }
    // What must be there, and is not ticked, is false: it can't be said otherwise.
    const isFalse = field.type === 'boolean' && isNew && isRequired(field) && sent !== ''
    return meaning.value === undefined && isFalse ? false : meaning.value
  }

  #list(item: Field, list: SentList, held: Json | undefined, { path }: Place): Json | undefined {
    const before = Array.isArray(held) ? held : []
    const plainItem = plainItems(item, before, this.#zone)
    const values = list.items.map(({ value }, n) => {
      const mark = markOf(value)
      const one = mark !== undefined ? before[mark] : typeof value === 'string' ? plainItem(value, n) : undefined
      return this.item(item, value, one, { path: `${path}.${n}`, isNew: one === undefined })
    })
    return values.length === 0 && (held ?? null) === null ? undefined : values
  }

  #object(fields: readonly Field[], sent: FormValue, held: Json | undefined, { path, isNew }: Place): Json | undefined {
    const parts = groupOf(sent)
    if (!parts && sent !== '') return plain(sent)
    const before: Readonly<Fields> = isObject(held) ? held : {}
    const made: Fields = { ...before }
    for (const field of fields) {
      const { name } = field
      const text = parts?.[name]
      if (text === undefined) continue
      const old = Object.hasOwn(before, name) ? before[name] : undefined
      const value = this.field(field, text, old, { path: `${path}.${name}`, isNew })
      if (isDeepStrictEqual(value ?? null, old ?? null)) continue
      if (value === undefined || (field.type === 'object' && isNothing(field, value))) delete made[name]
      else made[name] = value
    }
    return Object.keys(made).length === 0 && (held ?? null) === null ? undefined : made
  }
}

/** Values that stand for nothing in a list. */
const NOTHING: Readonly<Partial<Record<Field['type'], Json>>> = { boolean: false, object: {} }

/** Choices have no order of their own: the same ones are no change. References are in the order in which they were sent. */
function several({ type }: Field, sent: FormValue, held: Json | undefined): Json | undefined {
  const texts = textsOf(sent)
  if (!texts) return plain(sent)
  const before = Array.isArray(held) ? held : []
  if (texts.length === 0 && (held ?? null) === null) return undefined
  const chosen = new Set<Json>(texts)
  if (type !== 'select') return isDeepStrictEqual([...chosen], [...new Set(before)]) ? held : [...chosen]
  const known = new Set(before)
  const made = [...before.filter((one) => chosen.has(one)), ...[...chosen].filter((one) => !known.has(one))]
  return isDeepStrictEqual(made, before) ? held : made
}

/** Finds the value that a text in a list was shown for: the one in its place, else any other of the same text, else the one there. */
function plainItems(item: Field, before: readonly Json[], zone: string): (sent: string, n: number) => Json | undefined {
  let known: Map<string, Json> | undefined
  const isPlain = (value: Json | undefined): value is Json => value !== undefined && itemShape(item, value).is !== 'kept'
  return (sent, n) => {
    const here = isPlain(before[n]) ? before[n] : undefined
    const text = withLf(sent)
    if (here !== undefined && textOf(item, here, zone) === text) return here
    known ??= new Map(before.filter(isPlain).map((value) => [textOf(item, value, zone), value]))
    return known.get(text) ?? here
  }
}
