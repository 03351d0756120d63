import { setTimeout as pause } from 'node:timers/promises'
import { MEDIA } from '#core/key.ts'
import type { Ledger } from '#core/ledger.ts'
import type { BlobRef, Blobs, PutBlob } from '#core/media/blobs.ts'
import type { Store } from '#core/store.ts'
import { Unavailable } from '#lib/errors.ts'
import { unreadableAt } from '../unreadable-file.ts'

/** Milliseconds after which what a node that died was at counts no more. */
const LIFE = 3_600_000

/** Added to a count while its blob is being removed: more than there are uploads. */
const REMOVING = -1_000_000_000

/** Number of times, and milliseconds between them, that an upload looks whether the removal of the same bytes is over. */
const TRIES = 40
const AGAIN_MS = 50

/** The dependencies of blobs at work; `shared` has the counts of all nodes, where there may be others. */
export interface BlobsAtWorkDeps {
  readonly store: Store
  readonly blobs: () => Blobs
  readonly shared: Ledger | undefined
}

/**
 * The blobs that uploads are at work on, of all nodes: the same bytes are one blob, and an upload that becomes nothing must not
 * take away what another is about to refer to.
 */
export class BlobsAtWork {
  readonly #deps: BlobsAtWorkDeps
  readonly #counts = new Map<BlobRef, number>()
  /** Of this node's uploads alone: how many are at a blob, and whether it came with one of them. */
  readonly #own = new Map<BlobRef, { readonly uploads: number; readonly isNew: boolean }>()

  constructor(deps: BlobsAtWorkDeps) {
    this.#deps = deps
  }

  /** Keeps a blob that was just put until `end`. Throws Unavailable where it is gone again by now, or will be. */
  async begin({ ref, isNew }: PutBlob): Promise<void> {
    for (let tries = 1; ; tries++) {
      const isRemoved = (await this.#add(ref, 1)) < REMOVING / 2
      if (!isRemoved && (await this.#isThere(ref))) break
      await this.#add(ref, -1)
      if (!isRemoved || tries === TRIES) throw new Unavailable('The same bytes are just being removed: send them again.', 1)
      await pause(AGAIN_MS)
    }
    const others = this.#own.get(ref)
    this.#own.set(ref, { uploads: (others?.uploads ?? 0) + 1, isNew: isNew || others?.isNew === true })
  }

  /**
   * Ends what `begin` began, and removes the blob if it came with an upload, no media file refers to it and nobody else is at it.
   * A blob that was kept before may be a past revision's, and is left to the sweep.
   */
  async end(ref: BlobRef): Promise<void> {
    const { uploads = 1, isNew = false } = this.#own.get(ref) ?? {}
    if (uploads > 1) this.#own.set(ref, { uploads: uploads - 1, isNew })
    else this.#own.delete(ref)
    if ((await this.#add(ref, -1)) !== 0 || uploads > 1 || !isNew) return
    // Most have become a media file: nobody has to wait for those.
    if (await this.#isNamed(ref)) return
    const isAlone = (await this.#add(ref, REMOVING)) === REMOVING
    try {
      if (isAlone && !(await this.#isNamed(ref))) await this.#deps.blobs().remove(ref)
    } finally {
      await this.#add(ref, -REMOVING)
    }
  }

  async #add(ref: BlobRef, n: number): Promise<number> {
    const { shared } = this.#deps
    if (shared) return shared.add(`media.at-work.${ref}`, n, LIFE)
    const sum = (this.#counts.get(ref) ?? 0) + n
    if (sum === 0) this.#counts.delete(ref)
    else this.#counts.set(ref, sum)
    return sum
  }

  async #isThere(ref: BlobRef): Promise<boolean> {
    const bytes = await this.#deps.blobs().open(ref, { start: 0, end: 0 })
    bytes?.destroy()
    return bytes !== undefined
  }

  async #isNamed(ref: BlobRef): Promise<boolean> {
    const { store } = this.#deps
    const named = { field: 'checksum', op: 'eq', value: `sha256:${ref}`, as: 'text' } as const
    if ((await store.heads(MEDIA, { where: [named], limit: 0 })).total > 0) return true
    // What was sent may tell places: it is not kept because of a sidecar that names another.
    for (const { severity, file } of await store.problems(MEDIA)) {
      const sidecar = severity === 'error' ? await unreadableAt(store, file, ({ kind }) => kind === MEDIA) : undefined
      if (severity === 'error' && (sidecar?.source?.includes(ref) ?? true)) return true
    }
    return false
  }
}
