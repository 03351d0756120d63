import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeSynced } from '#lib/files/atomic.ts'
import { type Stamp, stampAt } from '#lib/files/stamp.ts'
import { git } from '../process.ts'
import type { Repository } from '../repository.ts'
import { editIndex, type IndexChange } from './edit.ts'
import { type IndexSeen, idLengthOf, indexPath } from './file.ts'

/** The index as it is to become, made beside the author's: only the paths named are changed, what else is staged stays staged. */
export class IndexCopy {
  readonly #repository: Repository
  /** The state of the index that this is a copy of. */
  readonly stamp: Stamp | undefined

  /** Makes the index that was seen anew with these changes; it is on the disk when this resolves. */
  static async prepare(repository: Repository, { stamp, index }: IndexSeen, changes: readonly IndexChange[]): Promise<IndexCopy> {
    const copy = new IndexCopy(repository, stamp)
    const edited = index && editIndex(index, changes)
    if (edited) await writeSynced(copy.path, edited, 'w', 0o666)
    else await copy.#haveEdited(changes)
    return copy
  }

  /** Has git itself edit a copy, where the index has a form that is not for us. */
  async #haveEdited(changes: readonly IndexChange[]): Promise<void> {
    copyFileSync(indexPath(this.#repository), this.path)
    const zero = '0'.repeat(2 * idLengthOf(this.#repository))
    const lines = changes.map(({ path, mode, id }) => (id === undefined ? `0 ${zero}\t${path}\0` : `${mode} ${id}\t${path}\0`))
    // What goes is taken out first: a folder may come where a file was.
    const input = [...lines.filter((line) => line.startsWith('0 ')), ...lines.filter((line) => !line.startsWith('0 '))].join('')
    await git(this.#repository.top, ['update-index', '-z', '--index-info'], { input, env: { GIT_INDEX_FILE: this.path } })
  }

  private constructor(repository: Repository, stamp: Stamp | undefined) {
    this.#repository = repository
    this.stamp = stamp
  }

  /** The absolute path of the copy. */
  get path(): string {
    return copyPath(this.#repository)
  }

  /** Puts the copy in the index's place; the caller holds the index's lock. Returns the state of the index then. */
  put(): Stamp | undefined {
    const path = indexPath(this.#repository)
    renameSync(this.path, path)
    return stampAt(path)
  }

  discard(): void {
    rmSync(this.path, { force: true })
  }
}

/** Returns the path of the copy of the index. */
export function copyPath({ dir }: Repository): string {
  return join(dir, 'cms-index')
}
