import { isDeepStrictEqual } from 'node:util'
import type { Document, Head, Problem } from '#core/document.ts'
import { readHead } from '#core/format/read.ts'
import { versionOf } from '#core/format/version.ts'
import type { Key, Kind } from '#core/key.ts'
import { isLive } from '#core/status.ts'
import type { ContentTypes, Shape } from '#core/types/content-type.ts'
import type { Stamp } from '#lib/files/stamp.ts'
import { isAsMade, isOfMaking, type Reading, type Tree } from '../disk/tree.ts'
import { Compactor } from '../index/compact.ts'
import { accessProblem, sizeProblem } from './faults.ts'
import type { Places } from './places.ts'
import { type Entry, pathOf } from './registry.ts'
import type { KeptHead } from './snapshot.ts'

/** The most bytes a content file may have. */
export const MAX_FILE_BYTES = 2 * 1024 * 1024

/** The location of a file, and the key it represents. */
export type Where = { folder: string; name: string; extension: string; key: Key }

/** A file that this process has just put in place, and what it wrote. */
export interface Written {
  readonly name: string
  /** The state of the file before it got its name; undefined where it was removed. */
  readonly made: Stamp | undefined
  readonly document: Document | undefined
}

/** Marks a file that is as this process made it. Somebody may have saved it since. */
export function markWritten(entry: Entry | undefined, made: Stamp | undefined): void {
  if (entry && made !== undefined && isOfMaking(made, entry.stamp)) entry.written = entry.stamp
}

/** Reads files as what the index keeps of them. */
export class EntryReader {
  readonly #tree: Tree
  readonly #types: ContentTypes
  readonly #places: Places
  readonly #shapes = new Map<Kind, Shape>()
  readonly #compactor = new Compactor()
  #readings = 0

  constructor(tree: Tree, types: ContentTypes, places: Places) {
    this.#tree = tree
    this.#places = places
    this.#types = types
  }

  /** Number of files that have been read. */
  get readings(): number {
    return this.#readings
  }

  shape(kind: Kind): Shape {
    const shape = this.#shapes.get(kind) ?? this.#types.shape(kind)
    this.#shapes.set(kind, shape)
    return shape
  }

  /** Returns whether the record of a file is public now. */
  readonly isLive = ({ head: { key, fields } }: Entry): boolean => isLive(fields, this.shape(key.kind).statuses, Date.now())

  /**
   * The entry of a file that had this stamp a moment ago: the one from `before` where the bytes are the same, else a new one;
   * undefined where it is gone. `kept` is what an earlier run knew.
   */
  read(at: Where, stamp: Stamp, before: Entry | undefined, kept: KeptHead | undefined): Entry | undefined {
    const keptHead = kept && { key: at.key, ...kept.head }
    if (keptHead && kept.stamp === stamp)
      return entryOf(at, this.#compactor.head(keptHead, true), stamp, Number.POSITIVE_INFINITY)
    const readAt = Date.now()
    const reading = this.#readBytes(at, stamp)
    if (!reading) return undefined
    this.#readings++
    const isRead = !('problem' in reading)
    const head = isRead ? this.#head(at, reading, keptHead) : unread(at.key, reading.problem)
    const now = isRead ? reading.stamp : stamp
    return saysTheSame(before, head, now) ? Object.assign(before, { stamp: now, readAt }) : entryOf(at, head, now, readAt)
  }

  /**
   * The entry of a file that was written a moment ago and has this stamp now: the one from `before` where it was seen already;
   * undefined where that does not prove what it holds. It was written before its last change of state, so that a change since
   * would show: it need not be read again.
   */
  written(at: Where, { made, document }: Written, stamp: Stamp | undefined, before: Entry | undefined): Entry | undefined {
    if (!document || made === undefined || stamp === undefined || !isAsMade(made, stamp)) return undefined
    const { body: _, source, saidElsewhere: _said, ...head } = document
    if (!source || source.length > MAX_FILE_BYTES) return undefined
    const readAt = Number.POSITIVE_INFINITY
    const isKnown = saysTheSame(before, head, stamp)
    return isKnown ? Object.assign(before, { stamp, readAt }) : entryOf(at, this.#compactor.head(head), stamp, readAt)
  }

  #readBytes(at: Where, seen: Stamp): Reading | { problem: Problem } | undefined {
    try {
      return this.#tree.read(pathOf(at), MAX_FILE_BYTES, seen)
    } catch (error) {
      return { problem: accessProblem(pathOf(at), error) }
    }
  }

  /** A head kept from an earlier run holds for the same bytes: a fresh clone has other times, and nothing else. */
  #head({ key, ...at }: Where, { bytes }: Reading, kept: Head | undefined): Head {
    const file = pathOf(at)
    if (bytes.length > MAX_FILE_BYTES) return unread(key, sizeProblem(file))
    if (kept && kept.version === versionOf(bytes)) return this.#compactor.head(kept, true)
    return this.#compactor.head(readHead(key, this.shape(key.kind), bytes, this.#places.formOf(key.kind, file), file))
  }
}

/** Returns whether a file is unchanged: by its bytes; or, if they are not known, by its stamp and its problem. */
function saysTheSame(before: Entry | undefined, head: Head, stamp: Stamp): before is Entry {
  if (before?.head.version !== head.version) return false
  return head.version !== '' || (before.stamp === stamp && isDeepStrictEqual(before.head.problem, head.problem))
}

function unread(key: Key, problem: Problem): Head {
  return { key, fields: {}, version: '', problem }
}

function entryOf({ folder, name, extension }: Where, head: Head, stamp: Stamp, readAt: number): Entry {
  return { folder, name, extension, head, stamp, readAt }
}
