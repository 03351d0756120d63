import type { Readable } from 'node:stream'
import type { BlobRef, Blobs, ByteRange, PutBlob } from '#core/media/blobs.ts'
import { namedInHistory } from '#git/history/named-in-history.ts'
import { BlobIds } from '#git/objects/blob-id.ts'
import { git } from '#git/process.ts'
import type { Repository } from '#git/repository.ts'
import type { FilesBlobs } from './blobs.ts'

/** The sidecars of media, wherever the content was. */
const SIDECARS = '**/media/**/*.yaml'

/**
 * Blobs of a site in git, of which those that a commit on any branch or in a stash names are never swept: nothing else has their
 * bytes. What a sidecar that is checked out names does not tell.
 */
export class HeldBlobs implements Blobs {
  readonly #blobs: Blobs
  readonly #repository: Repository
  readonly #copied: { readonly own: FilesBlobs; readonly most: number } | undefined

  /** `copied` are the blobs of which those of up to `most` bytes are in commits, too; absent where none are. */
  constructor(blobs: Blobs, repository: Repository, copied?: { readonly own: FilesBlobs; readonly most: number }) {
    this.#blobs = blobs
    this.#repository = repository
    this.#copied = copied
  }

  put(content: AsyncIterable<Uint8Array>, max: number): Promise<PutBlob> {
    return this.#blobs.put(content, max)
  }

  open(ref: BlobRef, range?: ByteRange): Promise<Readable | undefined> {
    return this.#blobs.open(ref, range)
  }

  remove(ref: BlobRef): Promise<void> {
    return this.#blobs.remove(ref)
  }

  async sweep(before: number, isNamed: (ref: BlobRef, at: number) => boolean): Promise<number> {
    const due = new Set<BlobRef>()
    await this.#blobs.sweep(before, (ref, at) => {
      if (!isNamed(ref, at)) due.add(ref)
      return true
    })
    if (due.size === 0) return 0
    const held = await this.#held(due)
    return this.#blobs.sweep(before, (ref, at) => !due.has(ref) || held.has(ref) || isNamed(ref, at))
  }

  async #held(refs: ReadonlySet<BlobRef>): Promise<ReadonlySet<BlobRef>> {
    const held = await namedInHistory(this.#repository, SIDECARS, refs)
    for (const ref of await this.#inCommits([...held])) held.delete(ref)
    return held
  }

  /** Those whose bytes git has. */
  async #inCommits(refs: readonly BlobRef[]): Promise<BlobRef[]> {
    const { own, most = 0 } = this.#copied ?? {}
    const small = refs.flatMap((ref) => {
      const bytes = own?.fileOf(ref)
      return bytes && bytes.size <= most ? [{ ref, bytes }] : []
    })
    if (small.length === 0) return []
    const ids = new BlobIds(this.#repository)
    await ids.prepare(small.map(({ bytes }) => bytes))
    const input = small.map(({ bytes }) => `${ids.of(bytes)}\n`).join('')
    const found = (await git(this.#repository.top, ['cat-file', '--batch-check'], { input })).toString('latin1').split('\n')
    return small.flatMap(({ ref }, at) => (/ blob \d+$/.test(found[at] ?? '') ? [ref] : []))
  }
}
