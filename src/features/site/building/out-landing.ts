import {
  accessSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  cpSync,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Arrival } from './out-arrival.ts'
import { streamTo } from './out-bytes.ts'
import { nameBeside, tidy } from './out-leftovers.ts'
import { writtenManifest } from './out-manifest.ts'
import { isWithin, LEFT_IN_PLACE, MANIFEST } from './out-place.ts'

/** A site of up to so many files is replaced whole whenever more than one of them changes. */
const FEW = 1_000
/** A larger one where at least one file in so many changes: to make it anew takes as long as many pages. */
const SHARE = 10

/**
 * The output of a build, kept beside its folder until it is complete. Then the folder is replaced by one that has the new files
 * and, under a second name, all files that stay. This takes two renames, the first of which moves the old folder aside. If that
 * is not possible, or if few files of many change, each file is renamed to its place, at the end and in one go. The leftovers of
 * a killed process are removed, or completed, by the next build.
 */
export class Landing implements Arrival {
  readonly #path: string
  readonly #beside: string
  readonly #isBeside: boolean
  readonly #files = new Set<string>()
  readonly #adopted = new Set<string>()
  readonly #folders = new Set<string>()
  #inside: string | undefined

  /** Puts right what a dead build left of `path`. */
  static open(path: string): Landing {
    tidy(path)
    return new Landing(path)
  }

  private constructor(path: string) {
    this.#path = path
    this.#isBeside = canBeReplaced(path)
    this.#beside = this.#isBeside ? nameBeside(path) : join(path, `.quire-${process.pid}`)
  }

  get files(): ReadonlySet<string> {
    return this.#files
  }

  put(file: string, body: Buffer): Stats {
    const target = join(this.#beside, file)
    this.#make(dirname(target))
    const open = openSync(target, 'w')
    try {
      writeFileSync(open, body)
      // After a power cut the pages of a build must be known from what others have there.
      if (file === MANIFEST) fsyncSync(open)
      this.#files.add(file)
      return fstatSync(open)
    } finally {
      closeSync(open)
    }
  }

  async copy(file: string, content: AsyncIterable<Buffer>): Promise<{ path: string; print: string }> {
    const path = join(this.#beside, file)
    this.#make(dirname(path))
    try {
      const print = await streamTo(content, path)
      this.#files.add(file)
      return { path, print }
    } catch (error) {
      rmSync(path, { force: true })
      throw error
    }
  }

  land(stale: readonly string[], all: readonly string[]): void {
    const listed = this.#files.has(MANIFEST) ? 1 : 0
    const changes = this.#files.size - listed + stale.length
    const isWorthIt = changes > 1 && (all.length <= FEW || changes * SHARE >= all.length)
    try {
      if (changes + listed === 0 || (this.#isBeside && isWorthIt && this.#replace(new Set(stale)))) return
      this.#fill(stale, all)
    } finally {
      this.discard()
    }
  }

  discard(): void {
    for (const folder of [this.#beside, this.#inside]) if (folder) rmSync(folder, { recursive: true, force: true })
  }

  #make(folder: string): void {
    if (this.#folders.has(folder)) return
    mkdirSync(folder, { recursive: true })
    this.#folders.add(folder)
  }

  /** Replaces the folder; false, with nothing changed, where it can't be. */
  #replace(stale: ReadonlySet<string>): boolean {
    const aside = `${this.#beside}-old`
    try {
      if (existsSync(this.#path)) {
        this.#adopt(this.#path, this.#beside, stale)
        renameSync(this.#path, aside)
      }
    } catch {
      return false
    }
    try {
      renameSync(this.#beside, this.#path)
    } catch {
      if (existsSync(aside)) renameSync(aside, this.#path)
      return false
    }
    if (!existsSync(aside)) return true
    // What others put there in the meantime.
    this.#adopt(aside, this.#path, stale)
    remove(aside)
    return true
  }

  /**
   * Gives what stays a second name in the new folder. Throws where something can't have one, or must not: a repository goes by
   * its own names.
   */
  #adopt(old: string, made: string, stale: ReadonlySet<string>, folder = ''): void {
    const entries = readdirSync(join(old, folder), { withFileTypes: true })
    if (folder !== '' && entries.length === 0) mkdirSync(join(made, folder), { recursive: true })
    for (const entry of entries) {
      const file = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.name === '.git') throw new Error('a repository')
      if (entry.isDirectory()) {
        this.#adopt(old, made, stale, file)
        continue
      }
      if (this.#files.has(file) || this.#adopted.has(file) || stale.has(file) || LEFT_IN_PLACE.test(entry.name)) continue
      this.#adopted.add(file)
      const [from, to] = [join(old, file), join(made, file)]
      mkdirSync(dirname(to), { recursive: true })
      if (entry.isSymbolicLink()) symlinkSync(readlinkSync(from), to)
      else linkSync(from, to)
    }
    if (existsSync(join(made, folder))) keepRights(join(old, folder), join(made, folder))
  }

  /**
   * Renames each file to its place. The list of what there is, without prints, comes first, and last as it then is: a file that no
   * build knows of would be in the way for ever.
   */
  #fill(stale: readonly string[], all: readonly string[]): void {
    const files = [...this.#files].filter((file) => file !== MANIFEST)
    const from = this.#within()
    for (const folder of new Set([...this.#files].map((file) => dirname(file))))
      mkdirSync(join(this.#path, folder), { recursive: true })
    if (this.#files.has(MANIFEST) && files.length > 0) {
      const list = join(from, `${MANIFEST}.all`)
      writeFileSync(list, writtenManifest(new Map(all.map((file) => [file, undefined]))), { flush: true })
      renameSync(list, join(this.#path, MANIFEST))
    }
    for (const file of files) renameSync(join(from, file), join(this.#path, file))
    for (const file of stale) rmSync(join(this.#path, file), { force: true })
    if (this.#files.has(MANIFEST)) renameSync(join(from, MANIFEST), join(this.#path, MANIFEST))
    for (const file of stale) this.#removeEmpty(dirname(join(this.#path, file)))
  }

  /** Returns the folder from which files can be renamed. A folder of the same disk may be mounted separately. */
  #within(): string {
    mkdirSync(this.#path, { recursive: true })
    if (!this.#isBeside) return this.#beside
    const [probe, target] = [join(this.#beside, '.probe'), join(this.#path, `.quire-${process.pid}.tmp`)]
    writeFileSync(probe, '')
    try {
      renameSync(probe, target)
      rmSync(target)
      return this.#beside
    } catch {
      this.#inside = join(this.#path, `.quire-${process.pid}`)
      cpSync(this.#beside, this.#inside, { recursive: true })
      return this.#inside
    }
  }

  #removeEmpty(folder: string): void {
    for (let path = folder; path !== this.#path && existsSync(path); path = dirname(path)) {
      if (readdirSync(path).length > 0) return
      rmdirSync(path)
    }
  }
}

/**
 * Gives a folder the owner and the mode of another. Throws where that can't be, or where what is in it could not be taken away.
 */
function keepRights(old: string, made: string): void {
  const [was, is] = [statSync(old), statSync(made)]
  if ((was.mode & 0o300) !== 0o300) throw new Error('a folder that must not be changed')
  if (was.uid !== is.uid || was.gid !== is.gid) chownSync(made, was.uid, was.gid)
  if (was.mode !== is.mode) chmodSync(made, was.mode & 0o7777)
}

/** Returns whether a folder can be moved aside: it is ours, nothing is mounted on it, and the process is not in it. */
function canBeReplaced(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  const above = statSync(dirname(path))
  const isOurs = !found || process.getuid === undefined || found.uid === process.getuid()
  return isOurs && (!found || found.dev === above.dev) && !isWithin(process.cwd(), path) && isWritable(dirname(path))
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Under another name first: what is half removed must not be taken for a site that was. */
function remove(aside: string): void {
  const gone = aside.replace(/-old$/, '-gone')
  renameSync(aside, gone)
  rmSync(gone, { recursive: true, force: true })
}
