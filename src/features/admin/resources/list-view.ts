import type { Access } from '#core/access/access.ts'
import { isClockStatus } from '#core/status.ts'
import type { Field } from '#core/types/content-type.ts'
import type { QueryParams } from '#http/requests/query.ts'
import type { FieldErrors } from '#lib/errors.ts'
import type { ListFilter } from '../../offered.ts'
import type { Resource, Row, Rows } from '../../resource.ts'
import { chipsOf } from '../filters/chips.ts'
import { filterForm } from '../filters/filter-form.ts'
import type { Titles } from '../forms/titles.ts'
import { avatarOf } from '../rendering/avatar.ts'
import type { Telling } from '../rendering/moments.ts'
import { cellOf, labelOfColumn } from './cells.ts'
import { addressWith } from './list-address.ts'
import { FRESH, type Tabbed, tabsOf } from './list-tabs.ts'

/** The part of a list that an address asks for, and who asks. */
export interface ListShown extends Tabbed {
  readonly access: Access
  /** The names of the columns beside the title. */
  readonly columns: readonly string[]
  readonly rows: Rows
  /** The titles of the records that these refer to. */
  readonly titles: Titles
  readonly telling: Telling
  /** True where the reader has chosen the columns. */
  readonly areChosen?: boolean
  /** The rows that are ticked from the start. */
  readonly ticked?: 'all' | ReadonlySet<string> | undefined
  /** The form of filters, where it is open: what can be chosen from, and what is wrong with the filters of the address. */
  readonly filtering?: { readonly suggestions: ReadonlyMap<string, readonly string[]>; readonly errors: FieldErrors } | undefined
}

/** Most things that are changed at once. */
export const MOST_SELECTED = 100

/** Statuses with a glyph of their own. */
const GLYPHS: ReadonlySet<string> = new Set([
  'draft',
  'in_review',
  'scheduled',
  'published',
  'archived',
  'expired',
  'unreadable',
  'deleted',
])

/** Returns what the template `list` shows. */
export function listView(shown: ListShown): object {
  const { resource, access, params, rows, telling } = shown
  const { locale } = telling
  const url = urlOf(resource)
  const filters = resource.filters?.(access) ?? []
  const fields = new Map(resource.fields(access).map((field) => [field.name, field]))
  const isTab = (resource.statuses ?? []).includes(params.status ?? '')
  const chips = chipsOf(params, { url, filters, telling, hidden: new Set(isTab ? ['status'] : []) })
  const isNarrowed = chips.length > 0 || (params.q ?? '') !== '' || (params.status ?? '') !== ''
  const total = rows.total.toLocaleString(locale)
  const add = resource.create && resource.mayCreate(access) ? newButton(resource) : undefined
  const isEmpty = !isNarrowed && rows.total === 0
  return {
    heading: resource.label,
    count: isNarrowed ? '' : total,
    ...(isNarrowed && { found: `${total} found` }),
    buttons: [...(shown.hasDeleted && !resource.statuses ? [deletedButton(resource)] : []), ...(add && !isEmpty ? [add] : [])],
    tabs: tabsOf(shown, locale),
    ...(resource.isSearched && !isEmpty && { search: searchOf(resource, params) }),
    ...(!isEmpty && { sort: sortOf(resource, params), columns_of: columnsOf(shown) }),
    chips,
    ...(filters.length > 0 && { filter: filterOf(shown, filters, chips.length) }),
    ...((chips.length > 0 || (params.q ?? '') !== '') && {
      clear_url: addressWith(url, { status: isTab ? (params.status ?? '') : '' }),
    }),
    columns: headsOf(shown, fields),
    rows: rows.rows.map((row) => rowView(shown, row, fields)),
    ...(rows.rows.some((row) => lockOf(shown, row) === undefined) && { picks: picksOf(shown) }),
    pager: pagerOf(resource, params, rows, locale),
    none: emptyOf(resource, isNarrowed, add),
  }
}

/** The address of a resource's list. */
export function urlOf({ name }: Resource): string {
  return `/admin/${name}`
}

/** Returns the status of a template: its glyph, and its word. */
export function statusView(status: string, isLive = false): { glyph: string; label: string } {
  const label = capital(status.replaceAll('_', ' '))
  return { glyph: GLYPHS.has(status) || isClockStatus(status) ? status : isLive ? 'published' : 'draft', label }
}

function newButton(resource: Resource) {
  return { label: `New ${resource.singular}`, url: `${urlOf(resource)}/create`, icon: 'plus', tone: 'primary', key: 'c' }
}

/** The way to what was removed, where no tabs lead there. */
export function deletedButton(resource: Resource) {
  return { label: 'Deleted', url: `${urlOf(resource)}?deleted=true`, icon: 'trash', tone: 'quiet' }
}

function searchOf(resource: Resource, params: QueryParams) {
  const label = `Search ${resource.label.toLowerCase()}`
  return { action: urlOf(resource), q: params.q ?? '', label, hidden: hiddenOf(params, ['q']) }
}

function filterOf({ resource, params, telling, filtering }: ListShown, filters: readonly ListFilter[], count: number) {
  const url = urlOf(resource)
  return {
    count,
    url: addressWith(url, { ...params, filters: filtering ? '' : 'open' }),
    is_open: filtering !== undefined,
    ...(filtering && { form: filterForm({ url, params, filters, zone: telling.timezone, ...filtering }) }),
  }
}

function sortOf(resource: Resource, params: QueryParams) {
  if (resource.sorts.length < 2) return undefined
  const now = params.sort ?? ''
  const items = resource.sorts.flatMap((name) => {
    const label = labelOfColumn(resource, name)
    const isTime = name.endsWith('_at')
    return [isTime ? `-${name}` : name, isTime ? name : `-${name}`].map((sort) => ({
      label: isTime
        ? `${label}, ${sort === name ? 'oldest' : 'newest'} first`
        : `${label}, ${sort === name ? 'A to Z' : 'Z to A'}`,
      url: addressWith(urlOf(resource), { ...params, ...FRESH, sort }),
      is_current: sort === now,
    }))
  })
  return { label: items.find((item) => item.is_current)?.label ?? 'Sort', icon: 'sort', items }
}

function columnsOf({ resource, access, params, columns, areChosen }: ListShown) {
  const declared = resource.fields(access).filter(({ type }) => type !== 'markdown' && type !== 'object' && type !== 'json')
  const names = [
    ...new Set([
      ...(resource.statuses ? ['status'] : []),
      ...resource.columns,
      ...declared.map(({ name }) => name),
      ...resource.sorts,
    ]),
  ]
  const choices = names
    .filter((name) => name !== 'title')
    .map((name) => ({ name, label: labelOfColumn(resource, name), is_shown: columns.includes(name) }))
  const back = addressWith(urlOf(resource), { ...params, columns: '' })
  const isOwn = areChosen === true || (params.columns ?? '') !== ''
  return choices.length > 1 ? { list: resource.name, back, choices, is_own: isOwn } : undefined
}

function headsOf({ resource, params, columns }: ListShown, types: ReadonlyMap<string, Field>) {
  const sort = params.sort ?? ''
  return ['title', ...columns].map((name) => {
    const isSorted = sort === name || sort === `-${name}`
    const url = addressWith(urlOf(resource), { ...params, ...FRESH, sort: sort === name ? `-${name}` : name })
    return {
      label: labelOfColumn(resource, name),
      ...(isSorted && { sort: sort.startsWith('-') ? 'descending' : 'ascending' }),
      ...(resource.sorts.includes(name) && { url }),
      ...((name.endsWith('_at') || types.get(name)?.type === 'date') && { is_end: true }),
    }
  })
}

/** Returns why a row can't be ticked. */
function lockOf({ resource, access }: ListShown, row: Row): string | undefined {
  const isTheirs = resource.mayUpdate(access, row) || resource.mayRemove?.(access, row) === true
  return row.problem ?? (isTheirs ? undefined : `You may not change this ${resource.singular}.`)
}

function rowView(shown: ListShown, row: Row, fields: ReadonlyMap<string, Field>) {
  const { resource, columns } = shown
  const lock = lockOf(shown, row)
  return {
    id: row.id,
    title: row.title,
    ...(row.person && { person: avatarOf(row.person) }),
    url: `${urlOf(resource)}/${encodeURIComponent(row.id)}/edit`,
    ...(lock !== undefined && { lock }),
    ...((shown.ticked === 'all' || shown.ticked?.has(row.id)) && { is_ticked: true }),
    ...(row.problem !== undefined && { note: row.problem }),
    cells: columns.map((name) =>
      name === 'status'
        ? { kind: 'status', status: statusView(row.status ?? '') }
        : cellOf(row.values[name], name, fields.get(name), shown.titles),
    ),
  }
}

function picksOf({ resource, access, params, rows, ticked, telling }: ListShown) {
  const actions = (resource.actions ?? []).filter((action) => action.on === 'many' && action.may(access, undefined))
  if (actions.length === 0) return undefined
  return {
    action: addressWith(urlOf(resource), params),
    ...(ticked !== 'all' && rows.total > 1 && { select_all: selectAll(resource, params, rows.total, telling.locale) }),
    actions: actions.map(({ name, label, isDangerous }) => ({
      label,
      name: 'action',
      value: name,
      ...(isDangerous && { tone: 'danger' }),
    })),
  }
}

/** The way to a page on which as many are ticked as an action takes. */
function selectAll(resource: Resource, params: QueryParams, total: number, locale: string) {
  const label = total > MOST_SELECTED ? `Select the first ${MOST_SELECTED}` : `Select all ${total.toLocaleString(locale)}`
  return { label, url: addressWith(urlOf(resource), { ...params, page: '', per_page: String(MOST_SELECTED), selected: 'all' }) }
}

/** Returns the part of a list that is shown, and the ways to the others; undefined where there is one part. */
export function pagerOf(resource: Resource, params: QueryParams, { page, perPage, total, rows }: Rows, locale: string) {
  const last = Math.max(1, Math.ceil(total / perPage))
  if (last === 1 && page === 1) return undefined
  const to = (number: number) => addressWith(urlOf(resource), { ...params, page: number === 1 ? '' : String(number) })
  const first = rows.length === 0 ? 0 : (page - 1) * perPage + 1
  const told = [first, Math.max(0, first + rows.length - 1), total].map((number) => number.toLocaleString(locale))
  return {
    text: `${told[0]}–${told[1]} of ${told[2]}`,
    previous: { label: 'Newer', ...(page > 1 && { url: to(Math.min(page - 1, last)) }) },
    next: { label: 'Older', ...(page < last && { url: to(page + 1) }) },
  }
}

function emptyOf(resource: Resource, isNarrowed: boolean, add: object | undefined) {
  if (isNarrowed)
    return {
      icon: 'search',
      title: 'Nothing found',
      text: 'Nothing here is like that.',
      buttons: [{ label: `All ${resource.label.toLowerCase()}`, url: urlOf(resource) }],
    }
  return {
    icon: resource.icon,
    title: `No ${resource.label.toLowerCase()} yet`,
    text: resource.empty ?? '',
    buttons: add ? [add] : [],
  }
}

function hiddenOf(params: QueryParams, without: readonly string[]) {
  const left = Object.entries(params).filter(([name, value]) => !without.includes(name) && name !== 'page' && value !== '')
  return left.map(([name, value]) => ({ name, value }))
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
