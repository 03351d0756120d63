import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Held } from './held.ts'
import { listIn, type Manifest, printOf, readManifest, type Written, writtenManifest } from './out-manifest.ts'
import { MANIFEST } from './out-place.ts'
import { stampAt } from './out-stamps.ts'

/** The list in a folder: its bytes, their hash, and the files that are in it. */
export interface Listed {
  readonly bytes: Buffer
  readonly print: string
  readonly files: Manifest
}

/** The list of what builds wrote into a folder, as it is there. */
export class OutList {
  readonly #path: string
  readonly #held: Held<Listed> | undefined
  /** Of the file, before it was read. */
  readonly #stamp: string | undefined
  #now: Listed
  /** The files in it, as the build before left them. */
  readonly before: Manifest
  /** True if this process wrote it, or has read it in another build. */
  readonly isHeld: boolean
  #isBelieved = false

  constructor(folder: string, held?: Held<Listed>) {
    this.#path = join(folder, MANIFEST)
    this.#held = held
    const known = held?.at(this.#path)
    this.#stamp = held && stampAt(this.#path)
    this.isHeld = known !== undefined
    this.#now = known ?? read(folder)
    this.before = this.#now.files
  }

  /** The hash of its bytes: once it was renewed, of those it has then. */
  get print(): string {
    return this.#now.print
  }

  get isBelieved(): boolean {
    return this.#isBelieved
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
    const isThere = existsSync(this.#path)
    const isSame = () => [...files].every(([file, written]) => written && written === this.before.get(file))
    if (isThere && files.size === this.before.size && isSame()) return undefined
    const bytes = Buffer.from(writtenManifest(files))
    const isOther = !isThere || !bytes.equals(this.#now.bytes)
    this.#now = { bytes, print: printOf(bytes), files }
    return isOther ? bytes : undefined
  }

  /** Holds it for the next build, once it is in its place; `stamp` is that of the file, where it was written now. */
  hold(stamp = this.#stamp): void {
    this.#held?.keep(this.#path, stamp, this.#now)
  }
}

function read(folder: string): Listed {
  const bytes = listIn(folder)
  return { bytes, print: printOf(bytes), files: readManifest(folder, bytes) }
}
