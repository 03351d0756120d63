import type { Resource, Row } from '../../resource.ts'
import type { FieldView } from '../forms/field-view.ts'
import type { FormFields, FormValue } from '../forms/form-values.ts'
import type { Titles } from '../forms/titles.ts'
import { urlOf } from '../resources/list-view.ts'
import { type FlatItem, flatItems, levelled, type Move, moved, movesOf, placeOf, treeOf } from './flat-menu.ts'
import type { MenuErrors } from './menu-errors.ts'

/** A menu as a form has it. */
export interface MenuForm {
  readonly label: string
  readonly items: readonly FlatItem[]
}

const MOVE = /^(up|down|in|out|remove|place):(.+)$/s

/** Returns the form of a menu as it is. */
export function menuFormOf({ values }: Row): MenuForm {
  return { label: typeof values.label === 'string' ? values.label : '', items: flatItems(values.items) }
}

/** Reads a form of a menu: its items stand in the order of their fields. */
export function readMenuForm(sent: FormFields): MenuForm {
  const items = isFields(sent.items) ? Object.values(sent.items).filter(isFields) : []
  return {
    label: textOf(sent.label).trim(),
    items: items.map((item) => ({
      id: textOf(item.id),
      depth: Math.max(0, Math.trunc(Number(textOf(item.depth)) || 0)),
      label: textOf(item.label).trim(),
      url: textOf(item.url).trim(),
      record: textOf(item.record).trim(),
      isNewTab: textOf(item.new_tab) === 'true',
    })),
  }
}

/** Does what a button says: moves or removes an item, or adds the one that was typed. Returns what was done, to be said. */
export function act(form: MenuForm, action: string, sent: FormFields): { readonly form: MenuForm; readonly says: string } {
  const [, move, id = ''] = MOVE.exec(action) ?? []
  if (move === undefined) return added(form, sent)
  // It was dragged: the fields are in their new order.
  const items = move === 'place' ? levelled(form.items) : moved(form.items, id, move as Move)
  const gone = form.items.find((item) => item.id === id)
  return { form: { ...form, items }, says: move === 'remove' ? `${gone?.label || 'The link'} is taken out` : placeOf(items, id) }
}

/** Returns the values that the API takes. */
export function valuesOf({ label, items }: MenuForm) {
  return { label: label === '' ? null : label, items: treeOf(items) }
}

/** Returns the items as lines of text, each as deep as it is. */
export function outlineOf({ items }: MenuForm): string {
  return items.map(({ depth, label, record, url }) => `${'  '.repeat(depth)}${label || record || url}`).join('\n')
}

/** The version that a form began from, what was done to it, and what is wrong with it. */
interface MenuShown {
  readonly base: string
  readonly says: string
  readonly mayWrite: boolean
  readonly titles: Titles
  readonly errors: MenuErrors
}

/** Returns what the template `menu` shows. */
export function menuView(
  resource: Resource,
  row: Row,
  form: MenuForm,
  { base, says, mayWrite, titles, errors }: MenuShown,
): object {
  const here = `${urlOf(resource)}/${encodeURIComponent(row.id)}`
  const roots = form.items.filter(({ depth }) => depth === 0)
  const levels = Math.max(0, ...form.items.map(({ depth }) => depth + 1))
  return {
    crumbs: [{ label: resource.label, url: urlOf(resource) }, { label: row.title }],
    heading: row.title,
    count: `${form.items.length} ${form.items.length === 1 ? 'link' : 'links'}${levels > 1 ? `, ${levels} levels` : ''}`,
    form: { action: here, method: 'PUT', base, hidden: [] },
    items: form.items.map((item, n) => itemView(form.items, item, n, { titles, errors })),
    errors: errors.lines,
    fields: [textField('label', 'f-label', 'Label', form.label, `Templates call it ${row.id}.`)],
    add: {
      fields: [
        textField('add[label]', 'f-add-label', 'Label', ''),
        textField('add[url]', 'f-add-url', 'Address', '', 'A path such as /blog, or an address elsewhere.'),
        textField(
          'add[record]',
          'f-add-record',
          'Or a record',
          '',
          'Such as posts/hello-world: the link follows it wherever it goes.',
        ),
      ],
    },
    ...(says !== '' && { unsaved: `Unsaved: ${says}.` }),
    reads: roots.map((item) => item.label || item.url || titleOf(item.record, titles) || item.record).join(', '),
    is_read_only: !mayWrite,
  }
}

function itemView(
  items: readonly FlatItem[],
  item: FlatItem,
  n: number,
  { titles, errors }: Pick<MenuShown, 'titles' | 'errors'>,
) {
  const name = `items[i${n}]`
  const id = `f-items-${n}`
  const inputs: FieldView[] = [
    textField(
      `${name}[label]`,
      `${id}-label`,
      'Label',
      item.label,
      item.record === '' ? undefined : 'Empty: the title of its record.',
    ),
    textField(`${name}[url]`, `${id}-url`, 'Address', item.url),
    textField(`${name}[record]`, `${id}-record`, 'Or a record', item.record),
    { ...textField(`${name}[new_tab]`, `${id}-tab`, 'Opens in a new tab', item.isNewTab ? 'true' : ''), kind: 'checkbox' },
  ]
  const fields = inputs.map((field): FieldView => {
    const error = errors.byId.get(field.id)
    return error === undefined ? field : { ...field, error }
  })
  return {
    id: item.id,
    label: item.label || titleOf(item.record, titles) || item.record || item.url || 'Without a label',
    address:
      (isMissing(item.record, titles) ? `${item.record}: there is no such record` : item.record) || item.url || 'A heading',
    icon: item.record !== '' ? 'file-text' : /^https?:/.test(item.url) ? 'external' : 'link',
    depth: item.depth,
    can: movesOf(items, item.id),
    is_open: fields.some(({ error }) => error !== undefined),
    hidden: [
      { name: `${name}[id]`, value: item.id },
      { name: `${name}[depth]`, value: String(item.depth) },
    ],
    fields,
  }
}

/** Returns the ids of the records that items lead to, by type. */
export function recordsIn({ items }: MenuForm): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const { record } of items) {
    const [type, id] = partsOf(record)
    if (type !== '' && id !== '') found.set(type, (found.get(type) ?? new Set()).add(id))
  }
  return found
}

function titleOf(record: string, titles: Titles): string | undefined {
  return titles.of(...partsOf(record))
}

function isMissing(record: string, titles: Titles): boolean {
  return titles.isMissing(...partsOf(record))
}

/** The type and the id in `posts/hello`. */
function partsOf(record: string): [type: string, id: string] {
  const slash = record.indexOf('/')
  return [record.slice(0, Math.max(0, slash)), record.slice(slash + 1)]
}

function added(form: MenuForm, sent: FormFields): { form: MenuForm; says: string } {
  const { label, url, record } = isFields(sent.add) ? sent.add : {}
  const [name, address, target] = [label, url, record].map((value) => textOf(value).trim()) as [string, string, string]
  if (name === '' && address === '' && target === '') return { form, says: 'type a label, an address or a record first' }
  const known = new Set(form.items.map(({ id }) => id))
  let number = form.items.length + 1
  while (known.has(`new-${number}`)) number++
  const item = { id: `new-${number}`, depth: 0, label: name, url: address, record: target, isNewTab: false }
  return { form: { ...form, items: [...form.items, item] }, says: `${name || address || target} is added at the end` }
}

function textField(name: string, id: string, label: string, value: string, help?: string): FieldView {
  return { kind: 'text', name, id, label, value, required: false, isReadOnly: false, ...(help !== undefined && { help }) }
}

function isFields(value: FormValue | undefined): value is FormFields {
  return typeof value === 'object' && !Array.isArray(value)
}

function textOf(value: FormValue | undefined): string {
  return typeof value === 'string' ? value : ''
}
