import { labelOf } from '#core/types/fields.ts'
import type { RevisionView } from '#http/past/revisions.ts'
import type { ListMeta } from '#http/requests/paging.ts'
import { clockOf, dayOf } from '../rendering/days.ts'
import type { Telling } from '../rendering/moments.ts'

/** A part of the revisions of one thing, and the one that is shown of it. */
export interface TimelineShown {
  /** The address of the revisions. */
  readonly url: string
  readonly revisions: readonly RevisionView[]
  readonly meta: ListMeta
  /** The revision that is shown. */
  readonly ts: string | undefined
  readonly telling: Telling
}

/** Returns the revisions by day, as the template `history` shows them. */
export function timelineOf({ url, revisions, meta, ts, telling }: TimelineShown) {
  const days = new Map<string, object[]>()
  for (const revision of revisions) {
    const label = dayOf(revision.created_at, telling)
    const version = {
      title: titleOf(revision),
      note: `${revision.author.name} · ${clockOf(revision.created_at, telling)}`,
      url: pageOf(`${url}/${revision.ts}`, meta.current_page),
      is_current: revision.ts === ts,
      is_now: revision.current,
    }
    days.set(label, [...(days.get(label) ?? []), version])
  }
  const older = meta.current_page < meta.last_page ? { older_url: pageOf(url, meta.current_page + 1) } : {}
  return { days: [...days].map(([label, versions]) => ({ label, versions })), ...older }
}

/** Returns an address with the number of a page; the first one needs none. */
export function pageOf(url: string, page: number): string {
  return page > 1 ? `${url}?page=${page}` : url
}

/** Says what was done in a revision: "Changed title, body". */
export function titleOf({ action, changed }: Pick<RevisionView, 'action' | 'changed'>): string {
  const names = (changed ?? []).map((name) => labelOf(name).toLowerCase())
  const told = names.length > 4 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ')
  return action === 'updated' && told !== '' ? `Changed ${told}` : TITLES[action]
}

const TITLES: Readonly<Record<RevisionView['action'], string>> = {
  created: 'Created',
  updated: 'Saved',
  published: 'Published',
  unpublished: 'Unpublished',
  moved: 'Moved',
  deleted: 'Deleted',
  rolled_back: 'Restored an earlier version',
  restored: 'Brought back',
  external: 'Changed outside Quire',
}
