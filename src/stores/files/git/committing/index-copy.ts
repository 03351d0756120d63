import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Stamp, stampAt } from '../../disk/tree.ts'
import { git } from '../process.ts'
import type { Repository } from '../repository.ts'
import { indexPath } from './index-file.ts'

/** What the index is to have of a path from the top of the working tree; without `id`, nothing. */
export interface IndexChange {
  readonly path: string
  readonly mode: string
  readonly id: string | undefined
}

/** The index as it is to become, made beside the author's: only the paths named are changed, what else is staged stays staged. */
export class IndexCopy {
  readonly #repository: Repository
  /** The state of the index that this is a copy of. */
  readonly stamp: Stamp | undefined

  /** Copies the index and changes the copy; it is on the disk when this resolves. */
  static async prepare(repository: Repository, stamp: Stamp | undefined, changes: readonly IndexChange[]): Promise<IndexCopy> {
    const copy = new IndexCopy(repository, stamp)
    if (stamp === undefined) rmSync(copy.#path, { force: true })
    else copyFileSync(indexPath(repository), copy.#path)
    const zero = '0'.repeat(repository.format === 'sha256' ? 64 : 40)
    const lines = changes.map(({ path, mode, id }) => (id === undefined ? `0 ${zero}\t${path}\0` : `${mode} ${id}\t${path}\0`))
    // What goes is taken out first: a folder may come where a file was.
    const input = [...lines.filter((line) => line.startsWith('0 ')), ...lines.filter((line) => !line.startsWith('0 '))].join('')
    await git(repository.top, ['update-index', '-z', '--index-info'], { input, env: { GIT_INDEX_FILE: copy.#path } })
    return copy
  }

  private constructor(repository: Repository, stamp: Stamp | undefined) {
    this.#repository = repository
    this.stamp = stamp
  }

  get #path(): string {
    return copyPath(this.#repository)
  }

  /** Puts the copy in the index's place; the caller holds the index's lock. Returns the state of the index then. */
  put(): Stamp | undefined {
    const path = indexPath(this.#repository)
    renameSync(this.#path, path)
    return stampAt(path)
  }

  discard(): void {
    rmSync(this.#path, { force: true })
  }
}

/** Where the copy of the index is made. */
export function copyPath({ dir }: Repository): string {
  return join(dir, 'cms-index')
}
