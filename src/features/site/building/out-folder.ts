import { lstatSync, readFileSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import type { Readable } from 'node:stream'
import type { Problem } from '#core/document.ts'
import { BadRequest, Conflict, NoSpace, Unavailable } from '#lib/errors.ts'
import type { Held } from './held.ts'
import type { Arrival, Counts } from './out-arrival.ts'
import { printOfFile, streamTo } from './out-bytes.ts'
import { Landing } from './out-landing.ts'
import { tryToMake } from './out-leftovers.ts'
import { type Listed, OutList } from './out-list.ts'
import { PRINT, readManifest, type Shows, type Written } from './out-manifest.ts'
import { faultOf, MANIFEST, realPath } from './out-place.ts'
import { stampAt, stampWith } from './out-stamps.ts'
import { type Body, Writer } from './out-writer.ts'
import type { Refused } from './out-writing.ts'
import { Trial } from './trial.ts'

/** Number of files that a message names. */
const SHOWN = 3

/**
 * A folder a site is built into: knows which of its files an earlier build wrote, and touches no others. What is put is made
 * beside, and takes its place with `finish`, when all of it is there.
 */
export class OutFolder {
  readonly path: string
  readonly problems: Problem[] = []
  readonly #landing: Arrival
  readonly #writer: Writer
  /** The list of what earlier builds wrote. */
  readonly list: OutList
  readonly #files = new Map<string, Written | undefined>()
  readonly #kept = new Set<string>()
  #unchanged = 0
  #isSeen = false

  private constructor(path: string, isTrial: boolean, held: Held<Listed> | undefined) {
    this.path = path
    this.#landing = isTrial ? new Trial() : Landing.open(path)
    this.#writer = new Writer(path, this.#landing.made)
    this.list = new OutList(path, held)
  }

  /**
   * Opens the folder, which need not be there; what a build that was killed left beside it is put right. Throws BadRequest where
   * a site must not be written: over the site's root or sources, into a folder outside that holds other things, or where no folder
   * can be made. In a trial nothing on the disk is changed, now or by what follows. The list of its files is taken from `held`, and
   * kept there.
   */
  static open(out: string, root: string, sources: readonly string[], isTrial = false, held?: Held<Listed>): OutFolder {
    const path = realPath(resolve(root, out))
    const fault = faultOf(
      path,
      realPath(root),
      sources.map((source) => realPath(resolve(root, source))),
    )
    if (fault)
      throw new BadRequest(`The site can't be built into ${path}: ${fault}.`, 'Choose a folder of its own, such as public.')
    if (!isTrial) tryToMake(path)
    return new OutFolder(path, isTrial, held)
  }

  /**
   * Takes in one file, by its path below the folder with `/`, unless it has these bytes already. `shows` is kept with it; `then` is
   * called with its stamp, at the latest by the end of `settled`, if the file is or will be there.
   */
  put(file: string, body: Body, shows?: Shows, then?: (stamp: string) => void): void {
    this.#writer.put(file, body, (taken) => {
      if ('message' in taken) return this.#refuse(file, taken)
      if (taken.isSame) this.#unchanged++
      else this.#landing.note(file)
      this.#files.set(file, { print: taken.print, shows })
      if (taken.stamp !== undefined) then?.(taken.stamp)
    })
  }

  /** To be awaited now and then: resolves when there is room for more. Rejects where the site can't be written. */
  room(): Promise<void> | undefined {
    return this.#writer.room()
  }

  /** Resolves when all that was put is taken in: before `finish`, and before what is kept is asked for. Rejects as `room`. */
  settled(): Promise<void> {
    return this.#writer.settled()
  }

  /**
   * As `put`, of a file of `size` bytes, which is never held whole: `open` gives its bytes, none where it is gone. Throws what
   * reading them does.
   */
  async copy(file: string, size: number, open: () => Promise<Readable | undefined>): Promise<string | undefined> {
    const target = join(this.path, file)
    try {
      this.#writer.here.check(dirname(file))
      const found = lstatSync(target, { throwIfNoEntry: false })
      if (found?.isDirectory()) throw new Error('a folder is in its place')
      const there = found?.isFile() && found.size === size ? printOfFile(target) : undefined
      const compared = there === undefined ? undefined : await open()
      if (compared && (await streamTo(compared, undefined)) === there) {
        this.#unchanged++
        this.#files.set(file, { print: there })
        return stampWith(stampAt(target), there)
      }
      const content = await open()
      if (!content) return undefined
      const { path, print } = await this.#landing.copy(file, content)
      this.#files.set(file, { print })
      return stampWith(stampAt(path), print)
    } catch (error) {
      if (error instanceof Unavailable) throw error
      return this.#refuse(file, error as Error, 'file')
    }
  }

  /** Takes the files whose stamps are remembered as they were seen last, if this process has left them and their list there. */
  takeAsSeen(isRememberedHere: boolean): void {
    this.#isSeen = isRememberedHere && this.list.isHeld && this.list.isBelieved
  }

  /**
   * Leaves a file as it is, if it has the stamp that `put` gave for it: that is quicker than to compare. One that was copied since,
   * as the folder of another machine is, has it by its bytes. Returns the stamp that it has now; undefined if it is another file.
   * `shows` is asked for where the list in the folder does not have it.
   */
  leave(file: string, stamp: string, shows?: () => Shows): string | undefined {
    const path = this.path + sep + file
    const isSeen = this.#isSeen && this.list.before.has(file)
    const found = !isSeen && this.list.before.has(file) ? stampAt(path) : undefined
    const print = stamp.slice(-PRINT)
    const now = isSeen ? stamp : stampWith(found, print)
    if (now === undefined || (now !== stamp && printOfFile(path) !== print)) return undefined
    this.#files.set(file, this.list.wordsOn(file, print) ?? { print, shows: shows?.() })
    this.#unchanged++
    return now
  }

  /** The names that are on a file, if the list in the folder has them of one with this stamp, and is believed. */
  shownOn(file: string, stamp: string): Shows | undefined {
    return this.list.wordsOn(file, stamp.slice(-PRINT))?.shows
  }

  /** Leaves a file as it is, since it could not be made. */
  keep(file: string): void {
    if (!this.list.before.has(file)) return
    this.#files.set(file, this.list.before.get(file))
    this.#kept.add(file)
  }

  /** The files that stay since they could not be made, each with what it shows, where that is known. */
  get kept(): ReadonlyMap<string, Shows | undefined> {
    return new Map([...this.#kept].map((file) => [file, this.#files.get(file)?.shows]))
  }

  /** The text of a file that an earlier build wrote; '' where it is gone. */
  textOf(file: string): string {
    return this.#isPlain(file) ? readFileSync(join(this.path, file), 'utf8') : ''
  }

  /** Takes away a file that was kept. */
  drop(file: string): void {
    this.#files.delete(file)
    this.#kept.delete(file)
  }

  /**
   * Puts in place what this build made, removes what an earlier one made and this one did not, and remembers what there is. Throws
   * Conflict, with the folder as it was, where that would replace what no build wrote.
   */
  finish(): Counts {
    this.#refuseOthers()
    const written = [...this.#landing.files].sort()
    const left = [...this.list.before.keys()].filter((file) => !this.#files.has(file) && this.#isPlain(file))
    const changed = new Set(left.filter((file) => !this.#isAsBuilt(file)))
    for (const file of changed) this.#noteChanged(file)
    const stale = left.filter((file) => !changed.has(file))
    const list = this.list.renewed(this.#files)
    const stamp = list && this.#writer.here.write(MANIFEST, list)
    if (list) this.#landing.note(MANIFEST)
    this.#landing.land(stale, [...new Set([...this.list.before.keys(), ...this.#files.keys()])])
    this.list.hold(stamp)
    const isListed = this.#landing.files.has(MANIFEST)
    return {
      ...{ written: written.length, unchanged: this.#unchanged, removed: stale.length },
      changes: { written, removed: stale.sort(), isListed },
    }
  }

  /** Leaves the folder as it was: for a build that is broken off. */
  async abandon(): Promise<void> {
    if (this.#writer.isAway) await this.#writer.close()
    this.#landing.discard()
  }

  #refuseOthers(): void {
    const unknown = [...this.#landing.files]
      .filter((file) => !this.list.before.has(file) && isThere(join(this.path, file)))
      .sort()
    // Another build may have come to its end meanwhile.
    const built = unknown.length > 0 ? readManifest(this.path) : undefined
    const others = unknown.filter((file) => !built?.has(file))
    if (others.length === 0) return
    this.#landing.discard()
    const first = others.slice(0, SHOWN).join(', ')
    const named = others.length > SHOWN ? `${first} and ${others.length - SHOWN} more` : first
    throw new Conflict(
      `The site is not built: in ${this.path} there are files that no build wrote, where its own would be: ${named}.`,
      undefined,
      'Move them away, or choose another folder: --out dist, or build.out in the configuration. Pages of a build whose .quire-build is lost can be removed.',
    )
  }

  /** Returns whether a file has the bytes that a build wrote, as far as that is known. In an empty one nothing is lost. */
  #isAsBuilt(file: string): boolean {
    const written = this.list.before.get(file)
    if (!written) return true
    const path = join(this.path, file)
    return lstatSync(path).size === 0 || printOfFile(path) === written.print
  }

  /** It stays in the list: the next build, too, says that it is there. */
  #noteChanged(file: string): void {
    this.#files.set(file, this.list.before.get(file))
    const message = 'A build wrote this file, and it was changed since: it stays, though nothing makes it any more.'
    const hint = `Remove it, or take its line out of ${MANIFEST} to keep it.`
    this.problems.push({ file: join(this.path, file), message, hint, severity: 'error' })
  }

  #isPlain(file: string): boolean {
    const path = join(this.path, file)
    return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true && realPath(dirname(path)) === dirname(path)
  }

  /** Leaves a file as it was, and says so. */
  #refuse(file: string, error: Refused & { readonly hint?: string }, what: 'page' | 'file' = 'page'): undefined {
    if (error.code === 'ENOSPC')
      throw new NoSpace('The disk is full: the site is not built, and stays as it was.', 'Make room, then build again.')
    this.keep(file)
    const message = `The ${what} can't be written: ${error.message}.`
    const { hint = 'Remove what is in its place.' } = error
    this.problems.push({ file: join(this.path, file), message, hint, severity: 'error' })
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}
