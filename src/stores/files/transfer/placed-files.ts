import { constants, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolders, syncFolder, writeSynced } from '#lib/files/atomic.ts'

/** Number of files that are written at once. */
const AT_ONCE = 32
/** Over what is there, unless that is a link. */
const OVER = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW

/** Puts files in their places, many at once, and sees to it that they are on the disk. */
export class PlacedFiles {
  readonly #writing = new Set<Promise<void>>()
  readonly #folders = new Set<string>()
  #failure: { readonly error: unknown } | undefined

  /** Begins to write a file below a folder, over what is there; waits while many are on the way. */
  async put(root: string, file: string, bytes: Buffer, reach: 'public' | 'private'): Promise<void> {
    const path = join(root, file)
    this.#make(root, dirname(path), reach === 'private' ? 0o700 : 0o777)
    const writing = writeSynced(path, bytes, OVER, reach === 'private' ? 0o600 : 0o666)
      .catch((error: unknown) => {
        this.#failure ??= { error }
      })
      .finally(() => this.#writing.delete(writing))
    this.#writing.add(writing)
    if (this.#writing.size >= AT_ONCE) await Promise.race(this.#writing)
    if (this.#failure) throw this.#failure.error
  }

  /** Resolves when all of them are on the disk. */
  async end(): Promise<void> {
    await Promise.all(this.#writing)
    if (this.#failure) throw this.#failure.error
    for (const folder of this.#folders) await syncFolder(folder)
  }

  #make(root: string, folder: string, mode: number): void {
    if (this.#folders.has(folder)) return
    mkdirSync(root, { recursive: true, mode })
    for (const made of makeFolders(root, folder, mode)) this.#folders.add(dirname(made))
    this.#folders.add(folder)
  }
}
