import { MEDIA } from '#core/key.ts'
import type { Ledger } from '#core/ledger.ts'
import type { BlobRef, Blobs } from '#core/media/blobs.ts'
import type { Store } from '#core/store.ts'
import { isObject } from '#frontmatter/changes.ts'
import type { Clock } from '#lib/clock.ts'
import type { Library } from '../library.ts'
import { checksumIn } from '../sidecar.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** The name of the fact that has the blobs which nobody refers to, with the times since when. */
const UNNAMED = 'media.unnamed'
/** Number of blobs that are waited for at once; others have their turn when these are gone. */
const MOST = 1000

/** The dependencies of the sweep. */
export interface BlobSweepDeps {
  readonly store: Store
  readonly ledger: Ledger
  readonly clock: Clock
  readonly library: Library
  readonly blobs: () => Blobs
}

/**
 * Removes the blobs that no media file has referred to for a day: what a killed upload left, and what was replaced or removed. A
 * removal that is taken back loses none, nor does a branch that is checked out: stores in git keep what commits refer to.
 */
export class BlobSweep {
  readonly #deps: BlobSweepDeps
  #timer: NodeJS.Timeout | undefined
  #running: Promise<unknown> = Promise.resolve()

  constructor(deps: BlobSweepDeps) {
    this.#deps = deps
  }

  /** Sweeps every hour from now on. What fails is tried again the next time. What is referred to now is not waited for. */
  begin(): void {
    this.#running = this.#forget().catch(() => undefined)
    const run = () => {
      this.#running = this.run().catch(() => undefined)
    }
    this.#timer = setInterval(run, HOUR).unref()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#running
  }

  /** Lets go of the times since when blobs were not referred to that are by now: no sweep may have seen that. */
  async #forget(): Promise<void> {
    const { ledger } = this.#deps
    const known = await ledger.peek(UNNAMED)
    if (!isObject(known) || Object.keys(known).length === 0) return
    const inUse = await this.#inUse()
    const left = Object.entries(known).filter(([ref]) => !inUse.has(ref))
    if (left.length < Object.keys(known).length) await ledger.put(UNNAMED, Object.fromEntries(left), 30 * DAY)
  }

  /** Sweeps once, and returns how many were removed. None while a sidecar can't be read: it may refer to one. */
  async run(): Promise<number> {
    const { store, ledger, clock, blobs } = this.#deps
    if ((await store.problems(MEDIA)).some(({ severity }) => severity === 'error')) return 0
    const [now, inUse, known] = [clock.now(), await this.#inUse(), await ledger.peek(UNNAMED)]
    const waiting: Record<BlobRef, number> = {}
    const isKept = (ref: BlobRef, at: number) => {
      if (inUse.has(ref)) return true
      const before = isObject(known) ? known[ref] : undefined
      // What was put anew was referred to since, also where no sweep saw that: the server may have been stopped soon after.
      const since = typeof before === 'number' ? Math.max(before, at) : now
      if (now - since >= DAY) return false
      if (Object.keys(waiting).length < MOST) waiting[ref] = since
      return true
    }
    const removed = await blobs().sweep(now - HOUR, isKept)
    await ledger.put(UNNAMED, waiting, 30 * DAY)
    return removed
  }

  /** The blobs that media files are made of; of those whose bytes lie beside their sidecars there is none. */
  async #inUse(): Promise<Set<BlobRef>> {
    const entries = await this.#deps.library.all()
    return new Set(
      entries.flatMap(({ head, file }) => {
        const checksum = head && !file ? checksumIn(head.fields) : null
        return checksum === null ? [] : [checksum.slice('sha256:'.length)]
      }),
    )
  }
}
