import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isRecordName } from '#core/files/layout.ts'
import type { RemovedFile } from '#git/history/removed-files.ts'
import { type FileBytes, fileBytesAt } from '#lib/files/bytes.ts'
import { composed } from '#lib/text/normal-form.ts'
import { goesAway, MOST_ALONG } from '#stores/engine/along.ts'

/**
 * The bytes of files that come back from the history, in a folder of their own until they are in their places: not all of them in
 * memory at once. One at a time may use the folder.
 */
export class Returning {
  readonly #folder: string
  #count: number | undefined

  /** `folder` is absolute, and made when there is something to keep. */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** Keeps what git has of a file; undefined where that is gone. */
  async keep({ copyTo }: RemovedFile): Promise<FileBytes | undefined> {
    if (this.#count === undefined) {
      // What a process left that was killed.
      await rm(this.#folder, { recursive: true, force: true })
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    }
    this.#count = (this.#count ?? 0) + 1
    const real = join(this.#folder, `${this.#count}`)
    return (await copyTo(real)) ? fileBytesAt(real) : undefined
  }

  async discard(): Promise<void> {
    if (this.#count !== undefined) await rm(this.#folder, { recursive: true, force: true })
    this.#count = undefined
  }
}

/** Those of the files removed from a record's folder that were its own; `isRecord` tells of a folder in it that is a record's now. */
export function returningFiles(removed: readonly RemovedFile[], isRecord: (folder: string) => boolean): RemovedFile[] {
  const indexes = removed.filter(({ path }) => /\/index\.[^/]+$/.test(path) && isRecordName(path))
  const folders = new Set(indexes.map(({ path }) => composed(path.slice(0, path.lastIndexOf('/')))))
  const own = removed.filter(({ path }) => goesAway(composed(path), (one) => folders.has(one) || isRecord(one)))
  return own.length > MOST_ALONG ? [] : own
}
