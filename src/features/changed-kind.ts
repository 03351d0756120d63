import type { Access } from '#core/access/access.ts'
import type { Head } from '#core/document.ts'
import type { Revision } from '#core/history/revision.ts'
import type { Key, Kind } from '#core/key.ts'

/** The last revision of a document, and its head where it is still there. */
export interface LastChange {
  readonly key: Key
  readonly revision: Revision
  readonly head: Head | undefined
}

/** The kinds of thing that changes are told of. */
export const CHANGED_THINGS = ['record', 'term', 'menu', 'setting', 'media'] as const

/** The last change of a thing, in full, for a reader who may see the thing. */
export interface SeenChange {
  readonly kind: (typeof CHANGED_THINGS)[number]
  readonly type: string
  readonly id: string
  /** Null where it is not known; of what was removed it is looked up. */
  readonly title: string | null
  readonly revision: Revision
  /** The part of the commit's message that the reader may see. */
  readonly message: string | null
  /** True of what was removed, for a reader who is told its type and id alone. */
  readonly isGone?: boolean
}

/** A kind of documents beside records and terms, and what is told of their changes. */
export interface ChangedKind {
  readonly kind: Kind
  /** The things in a document that changed, as far as they exist for the reader. */
  seen(access: Access, change: LastChange): Promise<readonly SeenChange[]>
}
