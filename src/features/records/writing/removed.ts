import type { Access } from '#core/access/access.ts'
import type { Head } from '#core/document.ts'
import type { PastHead } from '#core/history/past.ts'
import { noHistory, revisionText } from '#core/history/revision-name.ts'
import type { Store } from '#core/store.ts'
import type { PastListGate } from '#http/past/list-gate.ts'
import { type ListMeta, metaOf, pagingOf } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { compareText } from '#lib/text/compare.ts'

/** A document that was removed, as it last was. */
export interface Removed {
  readonly head: Head
  readonly deletedAt: string
  /** The name of the revision that a rollback brings it back with. */
  readonly revision: string
}

/** A list of removed documents that is asked for. */
export interface RemovedAsked {
  readonly store: Store
  readonly kind: string
  readonly params: QueryParams
  readonly gate: PastListGate
  /** Returns whether one that was removed is there for the reader. */
  isThere(head: Head): boolean
}

/** Resolves with a part of what was removed of a kind, the last one first. Throws NotFound where no revisions are kept. */
export async function removedPart(
  access: Access,
  { store, kind, params, gate, isThere }: RemovedAsked,
): Promise<{ data: Removed[]; meta: ListMeta }> {
  const { page = '1', per_page = '25' } = params
  const paging = pagingOf({ page, per_page })
  return gate.runFor(access, async () => {
    const past = await store.past(kind, { removed: true })
    if (!past) throw noHistory()
    const all = past.heads.filter(({ head }) => isThere(head)).sort(latestFirst)
    const first = (paging.page - 1) * paging.perPage
    return { data: all.slice(first, first + paging.perPage).map(removed), meta: metaOf(all.length, paging) }
  })
}

function latestFirst(one: PastHead, other: PastHead): number {
  return compareText(other.removedAt ?? '', one.removedAt ?? '') || compareText(one.head.key.id, other.head.key.id)
}

function removed({ head, number, removedAt = '' }: PastHead): Removed {
  return { head, deletedAt: removedAt, revision: revisionText({ number }) }
}
