import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Arrival } from './out-arrival.ts'
import { streamTo } from './out-bytes.ts'
import { exchanged } from './out-exchange.ts'
import { nameBeside, tidy } from './out-leftovers.ts'
import { writtenManifest } from './out-manifest.ts'
import { isWithin, LEFT_IN_PLACE, MANIFEST } from './out-place.ts'
import { finishSwitch, NEW, removeEmpty, stageIn, switchFiles } from './out-switch.ts'

/** A site of up to so many files is replaced whole whenever more than one of them changes. */
const FEW = 1_000
/** A larger one where at least one file in so many changes: to make it anew takes as long as many pages. */
const SHARE = 10

/**
 * The output of a build, kept beside its folder until it is complete. Then the folder is exchanged for one that has the new files
 * and, under a second name, all files that stay. If that is not possible, or if few files of many change, these are switched in the
 * folder that is there: see `switchFiles`. The leftovers of a killed process are removed, or completed, by the next build.
 */
export class Landing implements Arrival {
  readonly #path: string
  #beside: string
  readonly #isBeside: boolean
  readonly #files = new Set<string>()
  readonly #adopted = new Set<string>()

  /** Puts right what a dead build left of `path`. */
  static open(path: string): Landing {
    tidy(path)
    return new Landing(path)
  }

  private constructor(path: string) {
    this.#path = path
    this.#isBeside = canBeReplaced(path)
    this.#beside = this.#isBeside ? nameBeside(path) : join(stageIn(path), NEW)
  }

  get files(): ReadonlySet<string> {
    return this.#files
  }

  get made(): string {
    return this.#beside
  }

  note(file: string): void {
    this.#files.add(file)
  }

  async copy(file: string, content: AsyncIterable<Buffer>): Promise<{ path: string; print: string }> {
    const path = join(this.#beside, file)
    mkdirSync(dirname(path), { recursive: true })
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
      this.#arrive()
      if (changes > 1) switchFiles(this.#path, this.#beside, [...this.#files], stale)
      else this.#fill(stale, all)
    } finally {
      this.discard()
    }
  }

  discard(): void {
    rmSync(this.#beside, { recursive: true, force: true })
    finishSwitch(this.#path, stageIn(this.#path))
  }

  /** Replaces the folder; false, with nothing changed, where it can't be. */
  #replace(stale: ReadonlySet<string>): boolean {
    const aside = `${this.#beside}-old`
    try {
      if (existsSync(this.#path)) {
        this.#adopt(this.#path, this.#beside, stale)
        this.#exchange(aside)
      } else renameSync(this.#beside, this.#path)
    } catch {
      return false
    }
    if (!existsSync(aside)) return true
    // What others put there in the meantime.
    this.#adopt(aside, this.#path, stale)
    remove(aside)
    return true
  }

  /** Puts the new folder in the place of the old one, which is aside then. Throws, with both where they were, if that can't be. */
  #exchange(aside: string): void {
    // By this name a process that was killed before is known to have left nothing that is missed, and after it an old site.
    renameSync(this.#beside, aside)
    if (exchanged(aside, this.#path)) return
    renameSync(aside, this.#beside)
    renameSync(this.#path, aside)
    try {
      renameSync(this.#beside, this.#path)
    } catch (error) {
      renameSync(aside, this.#path)
      throw error
    }
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
   * Renames the one file that changes to its place, or takes it away. The list of what there is, without prints, comes first, and last
   * as it then is: a file that no build knows of would be in the way for ever.
   */
  #fill(stale: readonly string[], all: readonly string[]): void {
    const files = [...this.#files].filter((file) => file !== MANIFEST)
    for (const file of files) mkdirSync(join(this.#path, dirname(file)), { recursive: true })
    if (this.#files.has(MANIFEST) && files.length > 0) {
      const list = join(this.#beside, `${MANIFEST}.all`)
      writeFileSync(list, writtenManifest(new Map(all.map((file) => [file, undefined]))), { flush: true })
      renameSync(list, join(this.#path, MANIFEST))
    }
    for (const file of files) renameSync(join(this.#beside, file), join(this.#path, file))
    for (const file of stale) rmSync(join(this.#path, file), { force: true })
    if (this.#files.has(MANIFEST)) renameSync(join(this.#beside, MANIFEST), join(this.#path, MANIFEST))
    for (const file of stale) removeEmpty(dirname(file), this.#path)
  }

  /** Has the new files where they can be renamed from. A folder of the same disk may be mounted separately. */
  #arrive(): void {
    mkdirSync(this.#path, { recursive: true })
    if (!this.#isBeside) return
    const [probe, target] = [join(this.#beside, '.probe'), join(this.#path, `.quire-${process.pid}.tmp`)]
    mkdirSync(this.#beside, { recursive: true })
    writeFileSync(probe, '')
    try {
      renameSync(probe, target)
      rmSync(target)
    } catch {
      rmSync(probe)
      const inside = join(stageIn(this.#path), NEW)
      cpSync(this.#beside, inside, { recursive: true })
      rmSync(this.#beside, { recursive: true })
      this.#beside = inside
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
