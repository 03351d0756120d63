import type { Stamp } from '#lib/files/stamp.ts'
import { git } from '../process.ts'
import type { Repository } from '../repository.ts'

const EMPTY_TREE = {
  sha1: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  sha256: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
}

/**
 * A cache of the paths that are staged otherwise than they are committed. It takes a process to find out, but after a write of
 * ours we know the state we left. Git is asked again only if someone else has touched the index or moved HEAD.
 */
export class Staged {
  readonly #repository: Repository
  #known: { commit: string | undefined; stamp: Stamp | undefined; paths: Set<string> } | undefined

  constructor(repository: Repository) {
    this.#repository = repository
  }

  /** The staged paths, from the top of the working tree, of an index in this state against this commit. */
  async against(commit: string | undefined, stamp: Stamp | undefined): Promise<ReadonlySet<string>> {
    if (this.#known && this.#known.commit === commit && this.#known.stamp === stamp) return this.#known.paths
    const { top, format } = this.#repository
    const args = ['diff-index', '--cached', '--name-only', '--no-renames', '-z', '--end-of-options', commit ?? EMPTY_TREE[format]]
    const paths = new Set((await git(top, args)).toString('utf8').split('\0').filter(Boolean))
    this.#known = { commit, stamp, paths }
    return paths
  }

  /** Says that the index is now in this state, and these paths in it as they are in the commit. */
  settled(commit: string, stamp: Stamp | undefined, paths: Iterable<string>): void {
    if (!this.#known) return
    for (const path of paths) this.#known.paths.delete(path)
    this.#known = { commit, stamp, paths: this.#known.paths }
  }
}
