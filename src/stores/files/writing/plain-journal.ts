import { lstatSync, readFileSync, renameSync, rmSync, unlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isRecordName } from '#core/files/layout.ts'
import { Unavailable } from '#lib/errors.ts'
import { syncFolder, writeSynced } from '#lib/files/atomic.ts'
import { orAbsent, type Stamp, stampAt } from '#lib/files/stamp.ts'
import { isOfMaking, PRIVATE, type Tree } from '../disk/tree.ts'

/** The change of one file that a write is about to make. */
export interface JournalStep {
  /** From the site's root. */
  readonly path: string
  /** The name, in the same folder, of the file that is to get this one's name; null where the file is removed. */
  readonly beside: string | null
  /** The state of the file that is there; null where there is none. */
  readonly before: Stamp | null
}

/** The journal's name in the private folder. */
const NAME = 'write.journal'
const BESIDE = /^\.quire-[0-9a-f]{12}\.tmp$/

/**
 * The changes that a write of several files is about to make, where no git keeps them, as what is private: so that one which was
 * killed is whole, or not there. Who calls holds the lock of the site's writers.
 */
export class PlainJournal {
  readonly #tree: Tree

  constructor(tree: Tree) {
    this.#tree = tree
  }

  /** Resolves when the steps are on the disk: from then on the write is done, whatever happens. */
  async write(steps: readonly JournalStep[]): Promise<void> {
    const begun = `${this.#path}.new`
    await writeSynced(begun, Buffer.from(`${JSON.stringify(steps)}\n`), 'w', 0o600)
    renameSync(begun, this.#path)
    await syncFolder(dirname(this.#path))
  }

  remove(): void {
    rmSync(this.#path, { force: true })
  }

  /**
   * Finishes the write of a process that was killed: what others have changed since stays. Returns the paths of its files, none
   * where there was no such write.
   */
  async finish(): Promise<string[]> {
    const steps = this.#read()
    if (!steps) return []
    // Where somebody has another file there by now, nothing that was to go is lost.
    if (steps.filter(({ beside }) => beside !== null).every((step) => this.#put(step))) {
      for (const step of steps) if (step.beside === null) this.#takeAway(step)
    }
    const folders = new Set(steps.map(({ path }) => dirname(this.#tree.real(path))))
    await Promise.all([...folders].map((folder) => syncFolder(folder).catch(() => undefined)))
    this.remove()
    return steps.map(({ path }) => path)
  }

  /** False where the file can't be put: another is there. One that is not beside any more was put, and maybe changed since. */
  #put({ path, beside, before }: JournalStep): boolean {
    const real = this.#tree.real(path)
    const made = join(dirname(real), beside ?? '')
    if (stampAt(made) === undefined) return true
    if (!isAsItWas(real, before)) return false
    renameSync(made, real)
    return true
  }

  #takeAway({ path, before }: JournalStep): void {
    const real = this.#tree.real(path)
    if (before !== null && isAsItWas(real, before)) unlinkSync(real)
  }

  /** Only what a write of ours may have noted: files of documents, and none behind a link. */
  #read(): JournalStep[] | undefined {
    const text = orAbsent(() => readFileSync(this.#path, 'utf8'))
    if (text === undefined) return undefined
    const isTrusted = this.#counts(NAME)
    try {
      const steps: JournalStep[] = JSON.parse(text)
      return steps.filter((step) => this.#isOurs(step, isTrusted))
    } catch (error) {
      if (error instanceof Unavailable) throw error
      return []
    }
  }

  /**
   * Returns whether a file of the private folder may say what becomes private: what came by git may not. Throws Unavailable while
   * that is not known.
   */
  #counts(name: string): boolean {
    const { trust } = this.#tree
    const stats = orAbsent(() => lstatSync(this.#tree.real(`${PRIVATE}/${name}`), { bigint: true, throwIfNoEntry: false }))
    if (!stats || trust.has(name, stats)) return true
    if (!trust.isTracked(name)) throw new Unavailable('A git command is changing the files of the site.', 2)
    return false
  }

  #isOurs({ path, beside }: JournalStep, isTrusted: boolean): boolean {
    const isBelow = path.startsWith(`${this.#tree.content}/`) || (isTrusted && this.#isPrivate(path, beside))
    const isPlain = isBelow && !path.split('/').includes('..') && this.#tree.isPlain(dirname(path))
    return isPlain && (beside === null || (BESIDE.test(beside) && basename(beside) === beside))
  }

  /** Returns whether a path is that of a private document, whose new file did not come by git. */
  #isPrivate(path: string, beside: string | null): boolean {
    const [top, ...below] = path.split('/')
    if (top !== PRIVATE || below.length < 2 || !isRecordName(basename(path))) return false
    return beside === null || this.#counts([...below.slice(0, -1), beside].join('/'))
  }

  get #path(): string {
    return this.#tree.real(`${PRIVATE}/${NAME}`)
  }
}

/** A second name that a file had for a moment does not count. */
function isAsItWas(real: string, before: Stamp | null): boolean {
  const now = stampAt(real)
  return before === null ? now === undefined : now !== undefined && isOfMaking(before, now)
}
