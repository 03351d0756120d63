import type { Access } from '#core/access/access.ts'
import type { Resource, Row, Tree } from '../../resource.ts'
import { pagerOf, urlOf } from '../resources/list-view.ts'

/** A part of a tree that is shown, and who asks. */
export interface TreeShown {
  readonly resource: Resource
  readonly access: Access
  readonly tree: Tree
  readonly locale: string
  /** The term that is being renamed, and the name that was typed. */
  readonly renamed?: { readonly id: string; readonly name: string } | undefined
}

/** Levels that are drawn further in than those above. */
const DRAWN = 5

/** Returns a place in a tree as a button sends it: the version that the term is in, and the one that it is to be below. */
export function placeText(version: string | undefined, parent: string): string {
  return `${version ?? ''}/${parent}`
}

/** Reads such a place. */
export function placeIn(text: string): { readonly base: string; readonly parent: string } {
  const at = text.indexOf('/')
  return at < 0 ? { base: '', parent: text } : { base: text.slice(0, at), parent: text.slice(at + 1) }
}

/** Returns what the template `terms` shows. */
export function treeView({ resource, access, tree, locale, renamed }: TreeShown): object {
  const url = urlOf(resource)
  const add = resource.create && resource.mayCreate(access)
  const label = `Search ${resource.label.toLowerCase()}`
  return {
    heading: resource.label,
    count: tree.total.toLocaleString(locale),
    buttons: add ? [{ label: `New ${resource.singular}`, url: `${url}/create`, icon: 'plus', tone: 'primary', key: 'c' }] : [],
    search: { action: url, q: '', label, hidden: [] },
    nodes: tree.rows.map((row, n) => nodeView(resource, access, tree.rows, n, renamed?.id === row.id ? renamed.name : undefined)),
    page: String(tree.page),
    pager: pagerOf(resource, {}, tree, locale),
    none: {
      icon: resource.icon,
      title: `No ${resource.label.toLowerCase()} yet`,
      text: 'They appear here as soon as a record has one, or you make one.',
    },
  }
}

function nodeView(resource: Resource, access: Access, rows: Tree['rows'], n: number, typed: string | undefined) {
  const row = rows[n] as Tree['rows'][number]
  const { id, title, version, depth } = row
  const here = `${urlOf(resource)}/${encodeURIComponent(id)}`
  const before = rows.findLast((one, m) => m < n && one.depth <= depth)
  const above = parentOf(row)
  const parent = rows.find((one) => one.id === above)
  const mayChange = resource.update !== undefined && resource.mayUpdate(access, row)
  const isIn = before !== undefined && before.depth === depth
  return {
    id,
    title,
    url: `${here}/edit`,
    version: version ?? '',
    depth: Math.min(depth, DRAWN),
    level: depth,
    note: noteOf(row),
    ...(mayChange && {
      place: `${here}/place`,
      in: isIn ? placeText(version, before.id) : '',
      out: above === '' ? '' : placeText(version, parent ? parentOf(parent) : ''),
      rename: { action: `${here}/rename`, name: typed ?? title, is_open: typed !== undefined },
      merge: `${here}/delete?merge=true`,
    }),
  }
}

function parentOf({ values }: Row): string {
  return typeof values.parent === 'string' ? values.parent : ''
}

function noteOf({ id, title, values }: Row): string {
  const count = Number(values.count)
  const records = count === 1 ? '1 record' : `${count === 0 ? 'No' : count} records`
  return id === title.toLowerCase() ? records : `${records} · ${id}`
}
