import type { Field } from '#core/types/content-type.ts'
import { isObject } from '#frontmatter/changes.ts'
import { BadRequest } from '#lib/errors.ts'
import type { Json } from '#lib/json.ts'
import type { FormFields, FormValue } from './form-values.ts'
import { group, groupOf, listOf, marked, markOf, type SentItem, sentList } from './lists.ts'
import { shapeOf } from './shapes.ts'

/** A button of a list: `up:gallery.2`; `move:gallery.2.0` is the third item, dragged to the first place. */
interface Action {
  readonly verb: 'add' | 'remove' | 'up' | 'down' | 'move'
  /** The names and numbers that lead to the list, with dots between them: `parts.0.names`. */
  readonly path: string
  /** The number of the item; undefined for a new one. */
  readonly key: string | undefined
  /** The new place of an item that is moved. */
  readonly to: number
}

/** Returns what was sent with a list changed as a button says. Throws BadRequest where the form has no such list. */
export function acted(
  fields: readonly Field[],
  sent: FormFields,
  text: string,
  held: (field: Field) => Json | undefined,
): FormFields {
  const action = actionOf(text)
  const [field, path = ''] = action ? stepIn(fields, action.path) : []
  const name = field?.name ?? ''
  const value = Object.hasOwn(sent, name) ? sent[name] : undefined
  const made = action && field && value !== undefined ? changed(field, value, held(field), path, action) : undefined
  if (made === undefined) throw new BadRequest(`The form has no list for "${text.slice(0, 100)}".`)
  return group([...Object.entries(sent).filter(([one]) => one !== name), [name, made]])
}

function actionOf(text: string): Action | undefined {
  const [, verb, said = ''] = /^(add|remove|up|down|move):(.+)$/s.exec(text) ?? []
  if (verb === undefined) return undefined
  const [, moved, to = '0'] = verb === 'move' ? (/^(.+)\.(\d{1,9})$/s.exec(said) ?? []) : []
  const whole = moved ?? said
  const dot = verb === 'add' ? whole.length : whole.lastIndexOf('.')
  const key = verb === 'add' ? undefined : whole.slice(dot + 1)
  return { verb: verb as Action['verb'], path: whole.slice(0, Math.max(dot, 0)), key, to: Number(to) }
}

/** Returns the field that a path begins with, and what is behind it. Names may have dots: the longest one that fits it is. */
function stepIn(fields: readonly Field[], path: string): [Field | undefined, string] {
  const fits = fields.filter(({ name }) => path === name || path.startsWith(`${name}.`))
  const field = fits.reduce<Field | undefined>(
    (best, one) => (best && best.name.length > one.name.length ? best : one),
    undefined,
  )
  return [field, path.slice((field?.name.length ?? 0) + 1)]
}

function changed(field: Field, sent: FormValue, held: Json | undefined, path: string, action: Action): FormValue | undefined {
  const shape = shapeOf(field, held)
  if (shape.is === 'object') {
    const [part, rest] = stepIn(shape.fields, path)
    const old = isObject(held) && part && Object.hasOwn(held, part.name) ? held[part.name] : undefined
    return part && replaced(sent, part.name, (value) => changed(part, value, old, rest, action))
  }
  const list = shape.is === 'list' ? listOf(sent) : undefined
  if (shape.is !== 'list' || !list) return undefined
  const made = path === '' ? listWith(shape.item, list.items, action) : listIn(shape.item, list.items, held, path, action)
  return made && marked(made, markOf(sent))
}

/** A list in one of whose items another is changed. */
function listIn(
  item: Field,
  items: readonly SentItem[],
  held: Json | undefined,
  path: string,
  action: Action,
): FormValue | undefined {
  const [step = '', ...rest] = path.split('.')
  const at = items.findIndex(({ key }) => key === step)
  const sent = items[at]?.value
  const mark = sent === undefined ? undefined : markOf(sent)
  const old = Array.isArray(held) && mark !== undefined ? held[mark] : undefined
  const made = sent === undefined ? undefined : changed(item, sent, old, rest.join('.'), action)
  return made === undefined ? undefined : sentList(items.map(({ value }, n) => (n === at ? made : value)))
}

function replaced(sent: FormValue, name: string, change: (value: FormValue) => FormValue | undefined): FormValue | undefined {
  const parts = groupOf(sent)
  const value = parts?.[name]
  const made = value === undefined ? undefined : change(value)
  return made === undefined
    ? undefined
    : group(Object.entries(parts ?? {}).map(([one, old]) => [one, one === name ? made : old] as const))
}

/** At the ends, up and down change nothing. */
function listWith(item: Field, items: readonly SentItem[], { verb, key, to }: Action): FormValue | undefined {
  const values = items.map(({ value }) => value)
  if (verb === 'add') return sentList([...values, blankOf(item)])
  const at = items.findIndex((one) => one.key === key)
  if (at < 0) return undefined
  const [taken = ''] = values.splice(at, 1)
  if (verb === 'up') values.splice(Math.max(at - 1, 0), 0, taken)
  else if (verb === 'down') values.splice(at + 1, 0, taken)
  else if (verb === 'move') values.splice(to, 0, taken)
  return sentList(values)
}

function blankOf(item: Field): FormValue {
  const shape = shapeOf(item, undefined)
  if (shape.is === 'object') return group([])
  return shape.is === 'list' || shape.is === 'several' ? sentList([]) : ''
}
