import type { Author } from '#core/document.ts'
import type { Kind } from '#core/key.ts'

/** A sort of private documents whose writes make events, since no feed tells of them. */
export interface PrivateThing {
  readonly kind: Kind
  /** The first word of its events, and their `data.type`. */
  readonly sort: 'user' | 'subscription' | 'module'
  /** The names of fields as answers have them, by those in documents. A write that changes no other makes no event. */
  readonly names: Readonly<Record<string, string>>
  /** The last words of its events, where they are others: of a new one, of one that is changed. */
  readonly deeds?: { readonly created: string; readonly updated: string }
  /** The author of what the clock brings about. */
  readonly byClock?: Author
}
