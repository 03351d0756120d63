import { isDeepStrictEqual } from 'node:util'
import type { Fields, Json } from '#lib/json.ts'
import type { Head } from '../document.ts'
import type { Changed, ChangedState } from '../store.ts'

/** Most names of fields that a change lists, and most characters of each: others are left out. */
const MOST = 100
const LONGEST = 200
/** Most characters of a status, an instant or an author that is kept, and most authors. */
const LONGEST_WORD = 100
const MOST_AUTHORS = 20

/** The part of a change that stores keep as one text beside its key, action and version. */
export type ChangeDetail = Pick<Changed, 'was' | 'is' | 'changed' | 'source' | 'at'>

/** Returns the state that a head is in, as the feed tells it. */
export function stateOf({ fields, version }: Pick<Head, 'fields' | 'version'>): ChangedState {
  const word = (value: Json | undefined) => typeof value === 'string' && value.length <= LONGEST_WORD
  const kept = (['status', 'published_at', 'expires_at'] as const).filter((name) => word(fields[name]))
  const { author } = fields
  const isKept = Array.isArray(author) ? author.length <= MOST_AUTHORS && author.every(word) : word(author)
  return {
    version,
    ...Object.fromEntries(kept.map((name) => [name, fields[name]])),
    ...(isKept && author !== undefined && { author }),
  }
}

/** Returns the names of the fields that differ, in code point order, at most 100. */
export function changedFields(before: Readonly<Fields>, after: Readonly<Fields>): string[] {
  if (before === after) return []
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const differs = (name: string) => name.length <= LONGEST && !isDeepStrictEqual(before[name], after[name])
  return [...names].filter(differs).sort().slice(0, MOST)
}

/** Returns the text of what a change has beside its key, action and version: one line, empty where it has nothing else. */
export function detailText({ was, is, changed, source, at }: ChangeDetail): string {
  const detail = {
    ...(was && { was }),
    ...(is && { is }),
    ...(changed && { changed }),
    ...(source && { source }),
    ...(at && { at }),
  }
  return Object.keys(detail).length === 0 ? '' : JSON.stringify(detail)
}

/** Returns what the text says; nothing where it is not one of `detailText`, as of a release that kept none. */
export function readDetail(text: string | null | undefined): ChangeDetail {
  if (!text) return {}
  try {
    const found: unknown = JSON.parse(text)
    return typeof found === 'object' && found !== null ? (found as ChangeDetail) : {}
  } catch {
    return {}
  }
}
