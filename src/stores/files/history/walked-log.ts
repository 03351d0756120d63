import { type LoggedCommit, logOf, type PathChange } from '#git/history/log.ts'
import type { Objects } from '#git/objects/objects.ts'
import { gitText } from '#git/process.ts'
import type { Repository } from '#git/repository.ts'
import type { LogSource } from './record-log.ts'

/** Number of commits whose ancestors are kept. */
const KEPT = 64

/**
 * The history of the content, read once and whole: what git would say of one path is answered from memory, so that the revisions
 * of all records there ever were can be asked for.
 */
export class WalkedLog implements LogSource {
  /** Every commit that touches the content, oldest first, parents before children. */
  readonly commits: readonly LoggedCommit[]
  readonly #tip: string
  readonly #objects: Objects
  readonly #byHash: ReadonlyMap<string, LoggedCommit>
  readonly #byPath: ReadonlyMap<string, readonly LoggedCommit[]>
  readonly #parents: ReadonlyMap<string, readonly string[]>
  readonly #nth = new Map<string, number>()
  readonly #before = new Map<string, ReadonlySet<string>>()

  /** `content` is the folder of content from the top of the working tree, `tip` a full hash. */
  static async read({ top }: Repository, content: string, tip: string, objects: Objects): Promise<WalkedLog> {
    const [commits, parents] = await Promise.all([logOf(top, { tip, paths: [content], oldestFirst: true }), parentsOf(top, tip)])
    const merged = commits.some(({ parents }) => parents.length > 1)
    const merges = merged ? await logOf(top, { tip, paths: [content], mergesByParent: true }) : []
    return new WalkedLog({ tip, commits, merges, objects, parents })
  }

  private constructor(parts: {
    tip: string
    commits: readonly LoggedCommit[]
    merges: readonly LoggedCommit[]
    objects: Objects
    parents: ReadonlyMap<string, readonly string[]>
  }) {
    this.commits = parts.commits
    this.#tip = parts.tip
    this.#objects = parts.objects
    this.#parents = parts.parents
    this.#byHash = new Map(parts.commits.map((logged) => [logged.commit, logged]))
    this.#byPath = byPath(parts.commits, parts.merges)
    for (const [at, { commit }] of parts.commits.entries()) this.#nth.set(commit, at)
  }

  /** Every path that ever was. */
  paths(): IterableIterator<string> {
    return this.#byPath.keys()
  }

  has(path: string): boolean {
    return this.#byPath.has(path)
  }

  /** A commit that touches the content, by its hash. */
  commit(hash: string): LoggedCommit | undefined {
    return this.#byHash.get(hash)
  }

  /** Returns the position of the commit, counted from the oldest. */
  nth(hash: string): number {
    return this.#nth.get(hash) ?? -1
  }

  async ofPath(tip: string, path: string): Promise<LoggedCommit[]> {
    const all = this.#byPath.get(path) ?? []
    if (tip === this.#tip) return all.toReversed()
    const known = this.#ancestors(tip)
    return all.filter(({ commit }) => known.has(commit)).reverse()
  }

  async changesOf(commit: string): Promise<readonly PathChange[]> {
    return this.#byHash.get(commit)?.changes ?? []
  }

  async lastOf(tip: string, paths: readonly string[]): Promise<LoggedCommit | undefined> {
    const last = await Promise.all(paths.map(async (path) => (await this.ofPath(tip, path))[0]))
    return last
      .flatMap((logged) => (logged ? [logged] : []))
      .sort((a, b) => this.nth(b.commit) - this.nth(a.commit))
      .at(0)
  }

  async blobAt(commit: string, path: string): Promise<string | undefined> {
    return (await this.#objects.info(`${commit}:${path}`))?.id
  }

  /** A commit, and all that it came after. */
  #ancestors(commit: string): ReadonlySet<string> {
    const kept = this.#before.get(commit)
    if (kept) return kept
    const found = new Set<string>([commit])
    for (const one of found) for (const parent of this.#parents.get(one) ?? []) found.add(parent)
    if (this.#before.size >= KEPT) this.#before.clear()
    this.#before.set(commit, found)
    return found
  }
}

async function parentsOf(top: string, tip: string): Promise<Map<string, readonly string[]>> {
  const text = await gitText(top, ['rev-list', '--parents', tip])
  return new Map(
    text.split('\n').map((line) => {
      const [commit = '', ...parents] = line.split(' ')
      return [commit, parents]
    }),
  )
}

/** Groups what git lists by path: of a merge, also a state that only some of its parents have. */
function byPath(commits: readonly LoggedCommit[], merges: readonly LoggedCommit[]): Map<string, LoggedCommit[]> {
  const apart = new Map<string, Set<string>>()
  for (const { commit, changes } of merges) {
    const paths = apart.get(commit) ?? new Set()
    for (const { path } of changes) paths.add(path)
    apart.set(commit, paths)
  }
  const found = new Map<string, LoggedCommit[]>()
  for (const logged of commits) {
    for (const path of new Set([...logged.changes.map((one) => one.path), ...(apart.get(logged.commit) ?? [])])) {
      const known = found.get(path)
      if (known) known.push(logged)
      else found.set(path, [logged])
    }
  }
  return found
}
