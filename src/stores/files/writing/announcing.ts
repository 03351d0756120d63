import { changesOf } from '#stores/engine/changes.ts'
import type { ChangeFeed } from '../following/feed.ts'
import type { Step } from './steps.ts'
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
    return this.#feed.making(batches.flatMap(changesOf), () => this.#keeping.keep(batches, steps))
  }
}
