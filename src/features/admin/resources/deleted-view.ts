import type { Access } from '#core/access/access.ts'
import type { QueryParams } from '#http/requests/query.ts'
import type { Resource, Row, Rows } from '../../resource.ts'
import { pagerOf, urlOf } from './list-view.ts'
import { mayRestore } from './restoring.ts'

/** Returns what the template `list` shows of things that were removed: each with its history, and the way back. */
export function deletedView(resource: Resource, access: Access, params: QueryParams, rows: Rows, locale: string): object {
  const url = urlOf(resource)
  const isRestored = mayRestore(resource, access)
  const columns = [{ label: 'Title' }, { label: 'Deleted' }, ...(isRestored ? [{ label: '', is_end: true }] : [])]
  return {
    crumbs: [{ label: resource.label, url }, { label: 'Deleted' }],
    heading: `Deleted ${resource.label.toLowerCase()}`,
    count: rows.total.toLocaleString(locale),
    note: 'Their revisions are kept. What is restored comes back with the status it had.',
    buttons: [],
    tabs: [],
    chips: [],
    columns,
    rows: rows.rows.map((row) => rowView(url, row, isRestored)),
    ...(isRestored && { post: { id: 'restore', hidden: [{ name: 'base', value: 'absent' }] } }),
    pager: pagerOf(resource, params, rows, locale),
    none: {
      icon: 'trash',
      title: 'Nothing was deleted',
      text: '',
      buttons: [{ label: `All ${resource.label.toLowerCase()}`, url }],
    },
  }
}

function rowView(url: string, { id, title, values }: Row, isRestored: boolean) {
  const here = `${url}/${encodeURIComponent(id)}`
  const { revision, deleted_at: at } = values
  const restore = { label: 'Restore', icon: 'restore', form: 'restore', formaction: `${here}/rollback/${String(revision)}` }
  return {
    id,
    title,
    note: id === title ? '' : id,
    url: `${here}/revisions`,
    cells: [{ kind: 'time', at }, ...(isRestored ? [{ kind: 'buttons', buttons: [restore], is_end: true }] : [])],
  }
}
