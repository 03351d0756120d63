import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Unavailable } from '#lib/errors.ts'
import { syncFolder } from '#lib/files/atomic.ts'
import { type Stamp, stampAt } from '#lib/files/stamp.ts'
import type { IndexCopy } from '../index/copy.ts'
import { indexPath } from '../index/file.ts'
import { lockIndex } from '../index/lock.ts'
import { git } from '../process.ts'
import { type Head, inProgress, type Repository, readHead, readRef } from '../repository.ts'
import type { Journal, JournalFile, MovedFile } from './journal.ts'
import type { RefUpdater } from './ref-updater.ts'
import type { Staged } from './staged.ts'

/** For how long the index is left to others after a write, in milliseconds: an author's git that finds it locked gives up at once. */
const GAP_MS = 20
/** Time in milliseconds to wait for a branch that another process has locked, and the pause between two attempts. */
const PATIENCE_MS = 3_000
const PAUSE_MS = 50

/** The steps of a landing, as each is about to begin. */
export type LandingStep = 'journal' | 'lock' | 'move' | 'files' | 'index' | 'settle' | 'done'

/** The content of a landing: commits that are already made, and the files and the index in their new state. */
export interface Cargo {
  /** HEAD at the time when all this was worked out. */
  readonly head: Head & { readonly ref: string }
  readonly tip: string
  readonly files: { holds(): Promise<boolean>; put(): Promise<boolean>; settle(): Promise<void> }
  readonly index: IndexCopy
  readonly journal: readonly JournalFile[]
  readonly moved?: readonly MovedFile[]
}

interface Deps {
  repository: Repository
  refs: RefUpdater
  journal: Journal
  staged: Staged
  onStep: (step: LandingStep) => void
  /** Told of the index that was put in place of another, by their stamps. */
  onIndex: (from: Stamp | undefined, to: Stamp | undefined) => void
}

/**
 * Moves a branch to commits that are made, and with it the working tree and the index, so that an author's git sees all of it or none; what a crash
 * leaves half done is in the journal. The caller holds the lock of the repository's writers.
 */
export class Landing {
  readonly #deps: Deps
  #released = 0

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** True when it is all there, and on the disk. False, with nothing changed, where the repository or a file is no longer as it was. */
  async land(cargo: Cargo): Promise<boolean> {
    const { repository, journal, onStep } = this.#deps
    const { head, tip, index, moved } = cargo
    onStep('journal')
    await journal.write({ ref: head.ref, base: head.commit ?? null, tip, files: cargo.journal, ...(moved?.length && { moved }) })
    await pause(Math.max(0, this.#released + GAP_MS - performance.now()))
    onStep('lock')
    const unlock = await this.#lock()
    let isIndexed = false
    try {
      if (!(await this.#isUnchanged(cargo)) || !(await this.#move(cargo))) {
        journal.remove()
        return false
      }
      onStep('files')
      if (!(await this.#putFiles(cargo))) return false
      onStep('index')
      isIndexed = this.#putIndex(index, cargo)
    } finally {
      unlock()
      this.#released = performance.now()
    }
    onStep('settle')
    const folders = new Set([repository.dir, dirname(join(repository.common, head.ref))])
    await Promise.all([cargo.files.settle(), ...[...folders].map(syncFolder)]).catch(() => {
      throw unsure()
    })
    onStep('done')
    // An index that is behind is mended by the next write, or the next start.
    if (isIndexed) journal.remove()
    return true
  }

  #putIndex(index: IndexCopy, { tip, journal }: Cargo): boolean {
    try {
      const paths = journal.map(({ path }) => path)
      const stamp = index.put()
      this.#deps.staged.settled(tip, stamp, paths)
      this.#deps.onIndex(index.stamp, stamp)
      return true
    } catch {
      return false
    }
  }

  async #lock(): Promise<() => void> {
    try {
      return await lockIndex(this.#deps.repository)
    } catch (error) {
      this.#deps.journal.remove()
      throw error
    }
  }

  async #isUnchanged({ head, files, index }: Cargo): Promise<boolean> {
    const { repository } = this.#deps
    const now = await readHead(repository)
    if (now.ref !== head.ref || now.commit !== head.commit || inProgress(repository) !== undefined) return false
    return stampAt(indexPath(repository)) === index.stamp && (await files.holds())
  }

  async #move({ head, tip }: Cargo): Promise<boolean> {
    const { repository, refs, onStep } = this.#deps
    onStep('move')
    const end = performance.now() + PATIENCE_MS
    for (;;) {
      const moved = await refs.move(head.ref, tip, head.commit).catch(async (error: unknown) => {
        // Whatever went wrong, the branch says whether it was moved: then it can't be answered as a failure any more. Where it was not, the journal
        // stays: the git that failed may have left locks, which are found by it.
        if (await this.#isOn(head.ref, tip)) return 'done'
        throw error
      })
      if (moved !== 'locked') return moved === 'done'
      if (performance.now() > end) throw this.#locked(repository, head.ref)
      await pause(PAUSE_MS)
    }
  }

  #locked({ dir, common }: Repository, ref: string): Unavailable {
    this.#deps.journal.remove()
    const locks = [join(common, `${ref}.lock`), join(dir, 'HEAD.lock')].filter((path) => existsSync(path))
    return new Unavailable(
      'Another git command holds the branch, so nothing can be saved.',
      3,
      `Wait for it to end; if none runs, remove ${locks.join(' and ') || 'its lock'}.`,
    )
  }

  async #isOn(ref: string, tip: string): Promise<boolean> {
    const { repository } = this.#deps
    const now = readRef(repository, ref)
    if (now === undefined || now === tip) return now === tip
    const args = ['merge-base', '--is-ancestor', '--end-of-options', tip, now]
    return git(repository.top, args).then(
      () => true,
      () => false,
    )
  }

  /**
   * Files that can't be put in place take the branch back with them; where that fails too, the journal is left to the next start.
   * False where they are no longer as they were.
   */
  async #putFiles(cargo: Cargo): Promise<boolean> {
    try {
      if (await cargo.files.put()) return true
    } catch (error) {
      await this.#takeBack(cargo)
      throw error
    }
    await this.#takeBack(cargo)
    return false
  }

  async #takeBack({ head, tip }: Cargo): Promise<void> {
    const { refs, journal } = this.#deps
    const back = head.commit === undefined ? 'elsewhere' : await refs.move(head.ref, head.commit, tip).catch(() => 'locked')
    if (back !== 'done') throw unsure()
    journal.remove()
  }
}

/** The branch has moved, and so the write may be there: it is not to be tried again by us, and the journal is left to the next write or start. */
function unsure(): Unavailable {
  return new Unavailable('The disk failed in the middle of this write: look whether it was kept before trying again.', 2)
}
