import { type FSWatcher, watch } from 'node:fs'
import { dirname, join } from 'node:path'
import { identityAt } from '#lib/files/stamp.ts'
import { type Head, inProgress, type Repository, readHead } from './repository.ts'

/** Hints that come within this time are looked into together, in milliseconds. */
const SETTLE_MS = 50
/** Milliseconds between two checks of HEAD, with or without a hint. */
const EVERY_MS = 10_000
/** Longest time in milliseconds that a check waits for a write of ours to end. */
const PATIENCE_MS = 1_000
/** Many a git command writes these, and none of them says where HEAD stands. */
const NOISE = /\.lock$|^(?:cms|index|config|description|COMMIT_EDITMSG|FETCH_HEAD|gc\.pid)/

/** The state of the repository: HEAD, and the operation that the author is in the middle of (`merge`, `rebase`…). */
export interface HeadState extends Head {
  readonly operation: string | undefined
}

interface Deps {
  repository: Repository
  /** Returns whether a write of ours is under way: it may then have moved HEAD. */
  isWriting(): boolean
  /** Told after another's hand has moved HEAD, to another commit or branch: what the files hold may be anything. */
  moved(now: HeadState, before: HeadState): void
}

/**
 * Notices where HEAD stands and whether an operation is in progress. The repository's folders are watched, but that is a hint; the truth is the
 * look that follows it, and one every while. Only moves by others are told of: our own commits say what they did.
 */
export class HeadWatch {
  readonly #deps: Deps
  readonly #watchers = new Map<string, { watcher: FSWatcher; identity: string | undefined }>()
  #standing: HeadState | undefined
  #timer: NodeJS.Timeout | undefined
  #soon: NodeJS.Timeout | undefined
  #hinted = 0
  #looking: Promise<void> | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The state of the repository when it was last checked. */
  get standing(): HeadState | undefined {
    return this.#standing
  }

  /** Looks at HEAD, and watches it from now on. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => this.#lookAnyway(), EVERY_MS).unref()
    await this.look()
  }

  /** A commit of ours moved the branch from `base` to `tip`. */
  own(base: string | undefined, tip: string): void {
    // From anywhere else, another moved it before us: that is found by the next look, which comes at once.
    if (this.#standing?.commit === base && this.#standing) this.#standing = { ...this.#standing, commit: tip }
    else this.#hint()
  }

  /** Looks at once where HEAD stands; listeners know of a move when it resolves. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  close(): void {
    clearInterval(this.#timer)
    clearTimeout(this.#soon)
    this.#timer = undefined
    for (const folder of [...this.#watchers.keys()]) this.#stop(folder)
  }

  async #look(): Promise<void> {
    const { repository, moved } = this.#deps
    const before = this.#standing
    const head = await readHead(repository).catch(() => undefined)
    // Being made anew at this moment, or a commit of ours has come meanwhile: the next look finds what there is.
    if (!head || before !== this.#standing) {
      this.#hint()
      return
    }
    const now = { ...head, operation: inProgress(repository) }
    this.#standing = now
    this.#follow(head.ref)
    const isClosed = this.#timer === undefined
    if (before && !isClosed && (before.ref !== now.ref || before.commit !== now.commit)) moved(now, before)
  }

  /** A branch's file is in a folder of its own, which git makes when it needs it; moves are written down in `logs`, too. */
  #follow(ref: string | undefined): void {
    if (this.#timer === undefined) return
    const { dir, common } = this.#deps.repository
    const branch = ref === undefined ? common : dirname(join(common, ref))
    const wanted = new Set([dir, common, join(dir, 'logs'), join(common, 'refs', 'heads'), branch])
    for (const [folder, { identity }] of [...this.#watchers]) {
      // A folder of branches goes with the last of them, and another of its name is not the one that is watched.
      if (!wanted.has(folder) || identity !== identityAt(folder)) this.#stop(folder)
    }
    for (const folder of wanted) if (!this.#watchers.has(folder)) this.#watch(folder)
  }

  #watch(folder: string): void {
    try {
      const identity = identityAt(folder)
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (name === null || !NOISE.test(name)) this.#hint()
      })
      watcher.on('error', () => this.#stop(folder))
      this.#watchers.set(folder, { watcher, identity })
    } catch {
      // Not there yet, or no watches left: the regular look goes on.
    }
  }

  #stop(folder: string): void {
    this.#watchers.get(folder)?.watcher.close()
    this.#watchers.delete(folder)
  }

  #hint(): void {
    if (this.#soon !== undefined || this.#timer === undefined) return
    this.#hinted = performance.now()
    this.#soon = setTimeout(() => this.#answer(), SETTLE_MS).unref()
  }

  /** While a write of ours is under way it can't be told whose move it is; when it is over the write has said so. */
  #answer(): void {
    this.#soon = undefined
    const waits = this.#isWriting() && performance.now() - this.#hinted < PATIENCE_MS
    if (waits) this.#soon = setTimeout(() => this.#answer(), SETTLE_MS).unref()
    else this.#lookAnyway()
  }

  /** In a repository that may not be read just now nobody can tell: a timer that throws would end the process. */
  #isWriting(): boolean {
    try {
      return this.#deps.isWriting()
    } catch {
      return false
    }
  }

  /** Checks, and leaves what a failed check missed to the next one. */
  #lookAnyway(): void {
    this.look().catch(() => undefined)
  }
}
