import { versionOf } from '#core/format/version.ts'
import { type Key, keyText } from '#core/key.ts'
import type { Changed } from '#core/store.ts'
import { changesOf, type Outcome } from '../../engine/changes.ts'
import type { ChangeFeed } from '../following/feed.ts'
import type { Edit, Step } from './plan.ts'
import type { Keeping, Planned } from './writer.ts'

/** Keeps batches as another one does, and has the feed say what was done. */
export class Announcing implements Keeping {
  readonly most: number
  readonly #keeping: Keeping
  readonly #feed: ChangeFeed

  constructor(keeping: Keeping, feed: ChangeFeed) {
    this.most = keeping.most
    this.#keeping = keeping
    this.#feed = feed
  }

  calm(): Promise<() => boolean> {
    return this.#keeping.calm()
  }

  keep(batches: readonly Planned[], steps: readonly Step[]): Promise<boolean> {
    return this.#feed.making(batches.flatMap(changesIn), () => this.#keeping.keep(batches, steps))
  }
}

function changesIn({ edits, by, note, from }: Planned): Changed[] {
  return changesOf({ outcomes: outcomesOf(edits), by, note, from })
}

/** One of each document: its file may have got another name. */
function outcomesOf(edits: readonly Edit[]): Outcome[] {
  const outcomes = new Map<string, { key: Key; existed: boolean; version: string | undefined }>()
  for (const { key, existed, after } of edits) {
    const other = outcomes.get(keyText(key))
    const version = after ? versionOf(after) : other?.version
    outcomes.set(keyText(key), { key, existed: existed || other?.existed === true, version })
  }
  return [...outcomes.values()]
}
