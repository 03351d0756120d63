import type { Document } from '../../core/document.ts'
import { Stale } from '../../core/errors.ts'
import type { Asked } from '../../core/revision.ts'

/** Preconditions of a write, and where it comes from. */
export interface WriteOptions {
  /** What `If-Match` lists: ETags without quotes, or `*`. One must name the record's version before its `-`. */
  readonly ifMatch?: readonly string[] | undefined
  readonly asked?: Asked | undefined
}

/** How often a write that another came before is done anew. */
const TRIES = 20

/** Does `work`, and does it anew where another write came before it (Stale), unless the request says which version it is for. */
export async function untilFirst<T>({ ifMatch }: WriteOptions, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Stale) || ifMatch || tries === TRIES) throw error
    }
  }
}

/** Throws Stale where `If-Match` names no version that the record has now; one that is not there has none. */
export function checkMatch(document: Document | undefined, { ifMatch }: WriteOptions): void {
  if (!ifMatch) return
  if (document && ifMatch.some((tag) => tag === '*' || tag.split('-', 1)[0] === document.version)) return
  throw new Stale()
}
