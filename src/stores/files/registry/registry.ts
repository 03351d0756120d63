import type { Head, Problem } from '#core/document.ts'
import { type Key, keyText } from '#core/key.ts'
import type { Stamp } from '#lib/files/stamp.ts'

/** A known file: its state when it was read, and the head that was read. */
export interface Entry {
  readonly folder: string
  readonly name: string
  readonly extension: string
  readonly head: Head
  stamp: Stamp
  /** Time it was read, in milliseconds since 1970. */
  readAt: number
  /** Its state when this process wrote it, if it did. */
  written?: Stamp
}

/** The ids that files claim. An id that two files claim belongs to neither: both are unreadable until one is renamed. */
export class Registry {
  readonly #claims = new Map<string, Entry | Entry[]>()
  readonly #upper = new Map<string, Set<string>>()
  /** The texts of the keys that several files claim. */
  readonly #doubles = new Set<string>()

  /** Puts an entry in the place of another, for the same key; returns the head of that key before. */
  replace(before: Entry | undefined, entry: Entry | undefined): Head | undefined {
    const key = (entry ?? before)?.head.key
    const former = key && this.head(key)
    if (before) this.remove(before)
    if (entry) this.add(entry)
    return former
  }

  add(entry: Entry): void {
    const text = keyText(entry.head.key)
    const before = this.#claims.get(text)
    this.#claims.set(text, before === undefined ? entry : Array.isArray(before) ? [...before, entry] : [before, entry])
    if (before !== undefined) this.#doubles.add(text)
    const lower = text.toLowerCase()
    if (lower === text) return
    this.#upper.set(lower, (this.#upper.get(lower) ?? new Set()).add(text))
  }

  remove(entry: Entry): void {
    const text = keyText(entry.head.key)
    const left = this.claims(entry.head.key).filter((claim) => claim !== entry)
    const [only] = left
    if (only) this.#claims.set(text, left.length === 1 ? only : left)
    else this.#claims.delete(text)
    if (left.length < 2) this.#doubles.delete(text)
    if (!only) this.#upper.get(text.toLowerCase())?.delete(text)
  }

  /** The files that claim an id: none, the one that has it, or several that none may have it. */
  claims(key: Key): readonly Entry[] {
    const found = this.#claims.get(keyText(key))
    if (!found) return []
    return Array.isArray(found) ? found : [found]
  }

  /** Returns the head for a key: that of its file, one with a problem if several claim it, or undefined. */
  head(key: Key): Head | undefined {
    const claims = this.claims(key)
    const [first, second] = claims
    if (!first || !second) return first?.head
    return { key, fields: {}, version: first.head.version, problem: this.#doubled(first, claims) }
  }

  /** Returns the problem of a file: its own, or that another file has the same id. */
  problem(entry: Entry): Problem | undefined {
    // All problems of a site are asked for at once: its files are looked up only where there are ids to look for.
    if (this.#doubles.size === 0) return entry.head.problem
    const claims = this.claims(entry.head.key)
    return claims.length > 1 ? this.#doubled(entry, claims) : entry.head.problem
  }

  /** Returns whether a file claims this id, or one that differs only in case. */
  isTaken(key: Key): boolean {
    const lower = keyText(key).toLowerCase()
    return this.#claims.has(keyText(key)) || this.#claims.has(lower) || (this.#upper.get(lower)?.size ?? 0) > 0
  }

  /** The texts of the keys that differ from this key's in nothing but case. */
  caseTwins(key: Key): string[] {
    const text = keyText(key)
    const lower = text.toLowerCase()
    const twins = [...(this.#claims.has(lower) ? [lower] : []), ...(this.#upper.get(lower) ?? [])]
    return twins.filter((other) => other !== text)
  }

  #doubled(entry: Entry, claims: readonly Entry[]): Problem {
    const others = claims.filter((claim) => claim !== entry).map(pathOf)
    return {
      file: pathOf(entry),
      message: `The id "${entry.head.key.id}" is also that of ${others.join(' and ')}.`,
      hint: 'Rename or remove one of them.',
      severity: 'error',
    }
  }
}

/** The path of an entry's file from the site's root. */
export function pathOf(entry: { folder: string; name: string }): string {
  return `${entry.folder}/${entry.name}`
}
