import type { Problem } from '#core/document.ts'
import { fileName } from '#core/files/layout.ts'
import { isPrivate, type Key, type Kind } from '#core/key.ts'
import { PRIVATE, type Tree } from '../disk/tree.ts'
import type { FilesOptions } from '../options.ts'
import { privateProblems } from '../problems/private.ts'
import type { FileRegistry } from './file-registry.ts'

/** Milliseconds that the known state of a private folder is taken as true. */
const TRUST_MS = 50

/**
 * Private kinds are read when first asked for, and looked at again when their folder's time says that a process put something
 * there: a token that another process revoked is gone at once, whether or not a watcher works; and when git tracks other private
 * files than before.
 */
export class Privates {
  readonly #tree: Tree
  readonly #registry: FileRegistry
  readonly #root: string
  readonly #onProblem: FilesOptions['onProblem']
  #told: ReadonlySet<string> = new Set()
  readonly #looked = new Map<Kind, { at: number; time: bigint | undefined; settled: boolean; trusted: number }>()

  constructor(tree: Tree, registry: FileRegistry, { root, onProblem }: Pick<FilesOptions, 'root' | 'onProblem'>) {
    this.#tree = tree
    this.#registry = registry
    this.#root = root
    this.#onProblem = onProblem
  }

  /** Brings a private kind up to date; nothing to do for any other. */
  freshen(kind: Kind): void {
    if (!isPrivate(kind)) return
    const before = this.#looked.get(kind)
    if (before && performance.now() - before.at < TRUST_MS) return
    const folder = `${PRIVATE}/${kind.slice(1)}`
    const at = performance.now()
    const time = this.#tree.folderTime(folder)
    // A folder's time has the coarseness of the system's tick: two changes in quick succession may leave the same.
    const settled = time === undefined || Date.now() - Number(time / 1_000_000n) > TRUST_MS
    const trusted = this.#tree.trust.refresh()
    if (before && before.trusted !== trusted) this.tell()
    const isSame = before !== undefined && before.time === time && before.settled && before.trusted === trusted
    if (!isSame) this.#registry.look(folder)
    this.#looked.set(kind, { at, time, settled, trusted })
  }

  /** Looks for a private document that is not known, whenever its folder was last looked at, and reads it. */
  find<Found>(key: Key, read: () => Found): Found | undefined {
    if (!isPrivate(key.kind)) return undefined
    // A token that another process has just made is good in the same moment.
    this.#registry.lookAtSome(`${PRIVATE}/${key.kind.slice(1)}`, [fileName(key)])
    return read()
  }

  /** Returns a problem for each private file that git tracks. */
  problems(): Problem[] {
    return privateProblems(this.#tree.trust, this.#root)
  }

  /** Reports each of these problems, once. */
  tell(): void {
    const problems = this.#onProblem ? this.problems() : []
    for (const problem of problems) if (!this.#told.has(problem.file)) this.#onProblem?.(problem)
    this.#told = new Set(problems.map(({ file }) => file))
  }
}
