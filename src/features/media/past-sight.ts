import { isDeepStrictEqual } from 'node:util'
import type { Access } from '#core/access/access.ts'
import type { Document } from '#core/document.ts'
import type { Revision } from '#core/history/revision.ts'
import { Forbidden } from '#lib/errors.ts'
import type { Histories, History } from '../records/histories.ts'
import type { MediaView } from './schema.ts'
import { isOwn } from './sight.ts'
import { pastView, typeOf } from './view.ts'

/** The part of a file's past that a reader may know: all, what was their own, or what is said of it now. */
export type PastExtent = 'all' | 'own' | 'now'

/** The revisions of a media file for one reader. `visible` are those that exist for the reader. */
export interface MediaHistory extends History {
  readonly extent: PastExtent
}

/** The fields of a media file that revisions are compared by. */
export const FIELDS = [
  ...(['mime_type', 'size', 'width', 'height', 'duration', 'checksum'] as const),
  ...(['alt', 'title', 'caption', 'focal_point', 'uploaded_by'] as const),
] as const

/**
 * Returns the history as far as it exists for a reader. What used a file in the past is not known, so that it may have been a
 * draft's alone: others than its owner know of it from its last removal on, and of a revision what is said now as well.
 */
export async function historyFor(
  histories: Histories,
  history: History,
  { access, extent }: { readonly access: Access; readonly extent: PastExtent },
): Promise<MediaHistory> {
  if (extent === 'all') return { ...history, extent }
  const visible: Revision[] = []
  let before: Document | undefined
  for (const revision of history.all.toReversed()) {
    const document = await histories.document(history, revision)
    const isGone = revision.version === undefined
    if (extent === 'own') {
      if (isOwn(access, { head: isGone ? before : document })) visible.push(revision)
    } else if (isGone) visible.length = 0
    else if (document && document.problem?.severity !== 'error') visible.push(revision)
    before = document
  }
  return { ...history, visible: visible.reverse(), extent }
}

/** Returns a file as it was in a revision, as far as the reader may know: without what is another by now, where that may be hidden. */
export function toldOf({ extent, document }: MediaHistory, then: Document): MediaView {
  const view = pastView(then)
  if (extent !== 'now') return view
  const hidden = hiddenIn(view, document).map((field) => [field, field === 'mime_type' ? typeOf(view.id) : null])
  // A version stands for all that its file says.
  return { ...view, ...Object.fromEntries(hidden), version: view.version === document?.version ? view.version : null }
}

/** Throws Forbidden where a file may not become what it was, for who would learn by it what is hidden from them. */
export function mustBeTold({ extent, document }: MediaHistory, then: Document): void {
  if (extent !== 'now' || hiddenIn(pastView(then), document).length === 0) return
  throw new Forbidden('To roll it back to this revision needs the right content:drafts for all types.')
}

function hiddenIn(then: MediaView, document: Document | undefined): (typeof FIELDS)[number][] {
  const now = document && pastView(document)
  return FIELDS.filter((field) => then[field] !== null && !isDeepStrictEqual(then[field], now?.[field] ?? null))
}
