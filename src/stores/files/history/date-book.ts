import { type Key, keyText } from '#core/key.ts'
import type { LoggedCommit } from '#git/history/log.ts'
import { parseMessage } from '../committing/message.ts'
import { borneNumber } from './numbers.ts'

/**
 * The times when a record was created and last changed, in milliseconds since 1970; absent if unknown. A record that was removed
 * has no `updated`; it has `gone`, the time of its removal, unless it was moved.
 */
export interface Stamps {
  readonly created?: number | undefined
  readonly updated?: number | undefined
  readonly gone?: number | undefined
}

/** The effect of a commit on dates. Paths are from the site's root. */
export interface DatedCommit {
  readonly at: number
  /** The text of the key a record was moved from. */
  readonly from: string | undefined
  readonly changes: readonly { readonly path: string; readonly isGone: boolean }[]
  /** True if the history before it is unknown: the end of a shallow clone. */
  readonly isEnd?: boolean
}

/** A commit of the log as one for dates. `prefix` is the site's folder in the repository. */
export function datedCommit(logged: LoggedCommit, prefix: string, shallow: ReadonlySet<string>): DatedCommit {
  const { number, from } = parseMessage(logged.message)
  const changes = logged.changes.map(({ path, blob }) => ({ path: path.slice(prefix.length), isGone: blob === undefined }))
  return { at: borneNumber(number) ?? logged.seconds * 1000, from, changes, isEnd: shallow.has(logged.commit) }
}

/**
 * The dates of every path there ever was, built up commit by commit, oldest first. A record that was moved keeps when it came to
 * be; one that comes back, too.
 */
export class DateBook {
  readonly #stamps = new Map<string, Stamps>()
  readonly #keyAt: (path: string) => Key | undefined

  constructor(keyAt: (path: string) => Key | undefined, stamps: Iterable<readonly [string, Stamps]> = []) {
    this.#keyAt = keyAt
    for (const [path, stamp] of stamps) this.#set(path, stamp)
  }

  /** Undefined where there never was such a path. */
  of(path: string): Stamps | undefined {
    return this.#stamps.get(path)
  }

  all(): IterableIterator<[string, Stamps]> {
    return this.#stamps.entries()
  }

  /** Takes in the next commit; what it did before changes nothing when it is taken in again. */
  take(commit: DatedCommit): void {
    const { at, from, changes, isEnd } = commit
    const moved = from === undefined ? undefined : this.#moved(commit, from)
    const origin = moved === undefined ? undefined : (this.#stamps.get(moved) ?? {})
    for (const { path, isGone } of changes) {
      const before = this.#stamps.get(path)
      if (isGone) this.#set(path, { created: before?.created, gone: path === moved ? undefined : at })
      else if (!isEnd) this.#set(path, { created: createdOf(before, origin, at), updated: at })
      else if (!before) this.#set(path, {})
    }
  }

  /** Of a path that is new, who knows of places is asked: a record that is gone is found by the places that were seen. */
  #set(path: string, stamps: Stamps): void {
    if (!this.#stamps.has(path)) this.#keyAt(path)
    this.#stamps.set(path, stamps)
  }

  /** The path that a record was moved from. */
  #moved({ changes }: DatedCommit, from: string): string | undefined {
    const gone = changes.find(({ path, isGone }) => {
      const key = isGone ? this.#keyAt(path) : undefined
      return key && keyText(key) === from
    })
    return gone?.path
  }
}

/** Returns the known creation of a path that existed before; of a new one, that of the path it was moved from, if any. */
function createdOf(before: Stamps | undefined, origin: Stamps | undefined, at: number): number | undefined {
  if (origin && before?.updated === undefined) return origin.created
  return before ? before.created : at
}
