import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { listIn, type Manifest, printOf, readManifest, type Written, writtenManifest } from './out-manifest.ts'
import { MANIFEST } from './out-place.ts'

/** The list of what builds wrote into a folder, as it is there. */
export class OutList {
  readonly #folder: string
  #bytes: Buffer
  /** The files in it, as the build before left them. */
  readonly before: Manifest
  #isBelieved = false

  constructor(folder: string) {
    this.#folder = folder
    this.#bytes = listIn(folder)
    this.before = readManifest(folder, this.#bytes)
  }

  /** The hash of its bytes: once it was renewed, of those it has then. */
  get print(): string {
    return printOf(this.#bytes)
  }

  /** Takes its words on files that stay for true, if it has this hash. */
  believe(print: string | undefined): void {
    this.#isBelieved = print !== undefined && print === this.print
  }

  /** The words on a file with these bytes, if they are believed. */
  wordsOn(file: string, print: string): Written | undefined {
    const written = this.#isBelieved ? this.before.get(file) : undefined
    return written?.print === print ? written : undefined
  }

  /** Returns the list of these files; undefined where the one that is there says the same. */
  renewed(files: Manifest): Buffer | undefined {
    const isThere = existsSync(join(this.#folder, MANIFEST))
    const isSame = () => [...files].every(([file, written]) => written && written === this.before.get(file))
    if (isThere && files.size === this.before.size && isSame()) return undefined
    const bytes = Buffer.from(writtenManifest(files))
    const isOther = !isThere || !bytes.equals(this.#bytes)
    this.#bytes = bytes
    return isOther ? bytes : undefined
  }
}
