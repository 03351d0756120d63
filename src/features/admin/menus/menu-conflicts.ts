import type { FastifyRequest } from 'fastify'
import type { Version } from '#core/document.ts'
import type { Field } from '#core/types/content-type.ts'
import { fieldOf } from '#core/types/fields.ts'
import type { Conflict } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { Row } from '../../resource.ts'
import { answeredIn, type EditsOf, pickedAt } from '../resources/conflict-pages.ts'
import { type FlatItem, flatItems, recordText } from './flat-menu.ts'
import type { MenuForm } from './menu-page.ts'

/** The answers to the conflicts of a menu: the sides that were picked, and the form with what was written in the place of both. */
export interface MenuAnswers {
  readonly picks: ReadonlyMap<string, 'yours' | 'theirs'>
  readonly form: MenuForm
}

/** The name of a conflict: of a field of an item, `items.<id>.<field>`. */
const NAME = /^items\.([^.]+)\.([a-z_]+)$/

const LABELS: Readonly<Record<string, string>> = {
  label: 'label',
  url: 'address',
  record: 'record',
  new_tab: 'opens in a new tab',
}

/** Returns the answers that were sent to the conflicts of a menu. */
export function menuAnswers(request: FastifyRequest, form: MenuForm): MenuAnswers {
  const picks = new Map<string, 'yours' | 'theirs'>()
  let made = form
  for (const name of answeredIn(request)) {
    const { side, own } = pickedAt(request, name)
    if (side === 'theirs') picks.set(name, 'theirs')
    else if (side === 'mine') picks.set(name, 'yours')
    else if (side === 'own' && own !== undefined) {
      picks.set(name, 'yours')
      made = withOwn(made, name, own.trim())
    }
  }
  return { picks, form: made }
}

/** Returns the two edits of a menu as the page of conflicts shows them: each conflict is a field. */
export function menuEdits(error: Conflict, row: Row, form: MenuForm, from: Version): EditsOf {
  const { fields: named = [], base, yours, theirs } = error.conflict as Sides
  const labels = new Map([...flatItems(row.values.items), ...form.items].map((item) => [item.id, labelIn(item)]))
  return {
    row: { ...row, values: shown(theirs) },
    before: base === null ? undefined : shown(base),
    set: shown(yours),
    named,
    from,
    fields: named.map((name) => fieldNamed(name, labels)),
  }
}

interface Sides {
  readonly fields: readonly string[]
  readonly base: Fields | null
  readonly yours: Fields
  readonly theirs: Fields
}

function fieldNamed(name: string, labels: ReadonlyMap<string, string>): Field {
  if (name === 'items') return fieldOf(name, { type: 'list', label: 'Order and nesting', of: { type: 'object' } })
  const [, id = '', field = ''] = NAME.exec(name) ?? []
  const type = field === 'new_tab' ? 'boolean' : 'text'
  return fieldOf(name, { type, label: id === '' ? 'Label of the menu' : `${labels.get(id) ?? id}: ${LABELS[field] ?? field}` })
}

/** The values as texts of the form: a record is `posts/hello`. */
function shown(values: Fields): Fields {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]): [string, Json] => [name, name.endsWith('.record') ? recordText(value) : value]),
  )
}

function withOwn(form: MenuForm, name: string, text: string): MenuForm {
  if (name === 'label') return { ...form, label: text }
  const [, id = '', field = ''] = NAME.exec(name) ?? []
  const set = ownOf(field, text)
  return { ...form, items: form.items.map((item) => (item.id === id ? { ...item, ...set } : item)) }
}

function ownOf(field: string, text: string): Partial<FlatItem> {
  if (field === 'label') return { label: text }
  if (field === 'url') return { url: text, record: '' }
  return field === 'record' ? { record: text, url: '' } : {}
}

function labelIn({ label, record, url }: FlatItem): string {
  return label || record || url || 'Without a label'
}
