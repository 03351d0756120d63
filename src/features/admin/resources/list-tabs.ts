import type { QueryParams } from '#http/requests/query.ts'
import type { Resource } from '../../resource.ts'
import { addressWith } from './list-address.ts'

/** Parameters that begin anew with every other list. */
export const FRESH = { page: '', filters: '' }

/** The list that tabs are of. */
export interface Tabbed {
  readonly resource: Resource
  readonly params: QueryParams
  /** True where what was removed can be listed. */
  readonly hasDeleted?: boolean
  /** Numbers of those that the reader may see, by status, where they are to be said. */
  readonly counts?: ReadonlyMap<string, number> | undefined
}

/** Returns the tabs of a list: all, each status with the number of those in it, and what was removed. */
export function tabsOf({ resource, params, hasDeleted, counts }: Tabbed, locale: string): object[] {
  const { name, statuses = [] } = resource
  if (statuses.length === 0) return []
  const now = params.status ?? ''
  const tabs = ['', ...statuses].map((status) => ({
    label: status === '' ? 'All' : wordOf(status),
    url: addressWith(`/admin/${name}`, { ...params, ...FRESH, status }),
    is_current: status === now,
    ...((counts?.get(status) ?? 0) > 0 && { count: counts?.get(status)?.toLocaleString(locale) }),
  }))
  return hasDeleted ? [...tabs, { label: 'Deleted', url: `/admin/${name}?deleted=true`, is_current: false }] : tabs
}

function wordOf(status: string): string {
  return `${status.charAt(0).toUpperCase()}${status.slice(1)}`.replaceAll('_', ' ')
}
