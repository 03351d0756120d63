import { closeSync, fstatSync, fsyncSync, lstatSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { printOf } from './out-manifest.ts'
import { MANIFEST } from './out-place.ts'
import { stampAt, stampOf, stampWith } from './out-stamps.ts'

/** A file that a build made. */
export interface Taken {
  /** True if the folder has it with these bytes. */
  readonly isSame: boolean
  /** The hash of its bytes; see `printOf`. */
  readonly print: string
  /** Of the file, where it is kept; see `stampWith`. */
  readonly stamp: string | undefined
}

/** The reason why a file was not taken in; `code` as Node has it. */
export interface Refused {
  readonly message: string
  readonly code?: string | undefined
}

/** Returns what a file that is put comes to, an error too. */
export function tried(put: () => Taken): Taken | Refused {
  try {
    return put()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return { message: error.message, code: (error as NodeJS.ErrnoException).code }
  }
}

/** Compares files that a build makes with those of its folder, and writes those that differ to another, where one is given. */
export class Writing {
  readonly #path: string
  readonly #made: string | undefined
  /** The folders of the output that were looked at, each with whether it was there. */
  readonly #there = new Map<string, boolean>([['.', true]])
  readonly #folders = new Set<string>()

  constructor(path: string, made: string | undefined) {
    this.#path = path
    this.#made = made
  }

  /** Takes in a file, by its path below the folder with `/`. Throws where it can't be written, or not there. */
  put(file: string, body: Buffer): Taken {
    const target = join(this.#path, file)
    const found = this.check(dirname(file)) ? lstatSync(target, { throwIfNoEntry: false }) : undefined
    if (found?.isDirectory()) throw new Error('a folder is in its place')
    const isSame = found?.isFile() === true && found.size === body.length && readFileSync(target).equals(body)
    const stamp = isSame ? stampAt(target) : this.write(file, body)
    const print = printOf(body)
    return { isSame, print, stamp: stampWith(stamp, print) }
  }

  /** Writes a file, whatever is there, and returns its stamp, without its print. */
  write(file: string, body: Buffer): string | undefined {
    if (this.#made === undefined) return undefined
    const path = join(this.#made, file)
    this.#make(dirname(path))
    const open = openSync(path, 'w')
    try {
      writeFileSync(open, body)
      // After a power cut the pages of a build must be known from what others have there.
      if (file === MANIFEST) fsyncSync(open)
      return stampOf(fstatSync(open))
    } finally {
      closeSync(open)
    }
  }

  /**
   * Returns whether a folder of the output is there. Throws where something is in its way; a link in its place would lead the files
   * elsewhere.
   */
  check(folder: string): boolean {
    const known = this.#there.get(folder)
    if (known !== undefined) return known
    const found = this.check(dirname(folder)) ? lstatSync(join(this.#path, folder), { throwIfNoEntry: false }) : undefined
    if (found?.isSymbolicLink()) throw new Error('it is a link')
    if (found && !found.isDirectory()) throw new Error('a file is where its folder must be')
    this.#there.set(folder, found !== undefined)
    return found !== undefined
  }

  /** A folder that was made is not looked at again. */
  #make(folder: string): void {
    if (this.#folders.has(folder)) return
    mkdirSync(folder, { recursive: true })
    this.#folders.add(folder)
  }
}
