import { join } from 'node:path'
import type { Synced, SyncOptions } from '#core/backend.ts'
import { type Apart, apart, hasCommonPast } from '#git/history/apart.ts'
import type { Refuse } from '#git/landing/advance.ts'
import { differencesOf } from '#git/landing/differences.ts'
import { standing } from '#git/landing/standing.ts'
import { Objects } from '#git/objects/objects.ts'
import { commitMerge, forgetMerge } from '#git/remote/merge-commit.ts'
import { Remote } from '#git/remote/remote.ts'
import type { Repository } from '#git/repository.ts'
import type { Clock } from '#lib/clock.ts'
import { Conflict, Failure, Stale, Unavailable } from '#lib/errors.ts'
import { identityText, messageText } from '../committing/message.ts'
import type { GitSettings } from '../committing/settings.ts'
import { FileLock } from '../disk/lock.ts'
import { PrivatePaths } from '../disk/private-paths.ts'
import { filesLeftAlone } from './left-alone.ts'
import type { RecordAt } from './merge-conflict.ts'
import { type Reconciled, reconcile } from './reconciliation.ts'
import { abandoned, conflictsOf, intrusion, noRemote, outdated, overlapping, strangers, unborn } from './sync-failures.ts'
import { SyncNotes } from './sync-notes.ts'

/** Number of times that a sync is begun anew because one of the two sides has moved meanwhile. */
const TRIES = 3
/** Time in milliseconds to wait for another process that syncs. */
const PATIENCE = 30_000

/**
 * Moves the branch from `base` to its descendant `tip`, and the working tree and the index with it. Throws Stale where HEAD is no
 * longer at `base`, Conflict where the author has uncommitted edits in files that would change, and what `refuse` throws when it
 * is given the paths that would.
 */
export type Advance = (base: string, tip: string, refuse: Refuse) => Promise<void>

/** The dependencies of a sync. */
export interface SyncDeps {
  readonly repository: Repository
  readonly settings: GitSettings
  readonly clock: Clock
  /** The private folder, absolute. */
  readonly privateDir: string
  readonly recordAt: RecordAt
  /** The folder of content, from the site's. */
  readonly content: string
  /** Does `work` while nobody writes. */
  exclusively<T>(work: (advance: Advance) => Promise<T>): Promise<T>
}

interface Run {
  readonly options: SyncOptions
  readonly branch: string
  pulled: number
  readonly merged: string[]
  readonly chosen: string[]
}

/** The tip of our branch after a pull, and by how many commits it is ahead. */
interface Pulled {
  readonly tip: string
  readonly ahead: number
}

/** Brings a branch and that of the same name on the remote together. */
export class Sync {
  readonly remote: Remote
  readonly notes: SyncNotes
  readonly #deps: SyncDeps
  readonly #lock: FileLock

  constructor(deps: SyncDeps) {
    this.#deps = deps
    this.remote = new Remote(deps.repository, deps.settings.remote)
    this.notes = new SyncNotes(deps.privateDir)
    this.#lock = new FileLock(join(deps.privateDir, 'sync.lock'), { patience: PATIENCE })
  }

  /**
   * Fetches, merges and pushes; one at a time, over all processes of the site. Throws Conflict with `{conflicts}` where both
   * sides changed the same, or an author's uncommitted edits are in the way: then nothing is changed, and nothing pushed. Throws
   * Unavailable where the remote or the repository is not in a state for it.
   */
  async run(options: SyncOptions = {}): Promise<Synced> {
    const release = await this.#lock.acquire()
    try {
      const synced = await this.#tried(options)
      const isFree = options.byHand === true && options.push !== false
      await this.notes.change({ conflicts: 0, error: null, last_sync_at: this.#now(), ...(isFree && { held: false }) })
      return { ...synced, held: synced.held && !isFree }
    } catch (error) {
      await this.#noteFailure(error)
      throw error
    } finally {
      release()
    }
  }

  async #tried(options: SyncOptions): Promise<Synced> {
    const { branch } = await this.#head()
    if (!(await this.remote.exists())) throw noRemote(this.remote.name)
    const run: Run = { options, branch, pulled: 0, merged: [], chosen: [] }
    for (let tries = 0; tries < TRIES; tries++) {
      const synced = await this.#once(run, tries > 0)
      if (synced) return synced
    }
    throw new Unavailable(`${branch} moves on all the time, here or on ${this.remote.name}.`, 10, 'Try again in a moment.')
  }

  /** Undefined where one of the two sides has moved meanwhile; only the other one can where ours is held. */
  async #once(run: Run, isHeld: boolean): Promise<Synced | undefined> {
    const { options, branch } = run
    const theirs = await this.remote.fetch(branch, options.signal)
    const { commit: ours } = await this.#head(branch)
    if (ours === undefined) return this.#unborn(run, theirs)
    const distance = await apart(this.#deps.repository.top, ours, theirs)
    if (distance.behind > 0 && options.pull === false) return this.#left(run, distance)
    if (distance.behind === 0 || theirs === undefined) return this.#push(run, ours, distance)
    const pulled = await (isHeld ? this.#pullHeld(run, theirs) : this.#pull(run, ours, theirs, distance))
    return pulled && this.#push(run, pulled.tip, { ahead: pulled.ahead, behind: 0 })
  }

  /** Pulls while nobody writes: a server may write more often than two sides can be merged. */
  #pullHeld(run: Run, theirs: string): Promise<Pulled | undefined> {
    return this.#deps.exclusively(async (advance) => {
      const { commit: ours } = await this.#head(run.branch)
      if (ours === undefined) return undefined
      return this.#pull(run, ours, theirs, await apart(this.#deps.repository.top, ours, theirs), advance)
    })
  }

  async #push(run: Run, tip: string, { ahead, behind }: Apart): Promise<Synced | undefined> {
    const { options, branch } = run
    const isHeld = this.notes.read().held
    const wanted = options.push !== false && (options.byHand === true || !isHeld)
    if (ahead === 0 || behind > 0 || !wanted) return this.#synced(run, 0, ahead, isHeld)
    const answer = await this.remote.push(branch, tip, options.signal)
    return answer === 'done' ? this.#synced(run, ahead, 0, isHeld) : undefined
  }

  /** Undefined where our branch was moved by somebody else meanwhile. */
  async #pull(run: Run, ours: string, theirs: string, { ahead, behind }: Apart, advance?: Advance): Promise<Pulled | undefined> {
    const { exclusively, repository } = this.#deps
    // git ends in the middle of a merge that has such paths.
    if (ahead > 0) await differencesOf(repository, ours, theirs)
    const made = ahead > 0 ? await this.#merge(run, ours, theirs) : undefined
    const tip = made?.commit ?? theirs
    const refuse = this.#refusing(run)
    try {
      await (advance ? advance(ours, tip, refuse) : exclusively((move) => move(ours, tip, refuse)))
    } catch (error) {
      if (error instanceof Stale) return undefined
      throw error
    } finally {
      if (made) await forgetMerge(repository.top)
    }
    run.pulled += behind
    run.merged.push(...(made?.merged ?? []).map((path) => this.#sitePath(path)))
    run.chosen.push(...(made?.chosen ?? []).map((path) => this.#sitePath(path)))
    return { tip, ahead: ahead === 0 ? 0 : ahead + 1 }
  }

  /**
   * Nothing that comes by git may become an account, a token or a key here, whatever name it comes by; and a picture that is in no
   * commit would be public where its record goes.
   */
  #refusing({ branch }: Run): Refuse {
    const { repository, privateDir } = this.#deps
    return async (paths, gone) => {
      const found = paths.filter(new PrivatePaths(repository.top, privateDir).have)
      if (found.length > 0) throw intrusion(found, `${this.remote.name}/${branch}`)
      const left = await filesLeftAlone(this.#deps, paths, gone)
      if (left.length > 0) throw abandoned(left, `${this.remote.name}/${branch}`)
    }
  }

  async #merge(run: Run, ours: string, theirs: string): Promise<{ commit: string; merged: string[]; chosen: string[] }> {
    const { repository, recordAt, content, settings, clock } = this.#deps
    const { top, prefix } = repository
    if (!(await hasCommonPast(top, ours, theirs))) throw await strangers(top, this.remote.name)
    const objects = new Objects(top)
    const reconciled = await reconcile({ top, prefix, content, objects, recordAt }, ours, theirs, run.options.prefer).finally(
      () => objects.close(),
    )
    if (reconciled.conflicts.length > 0) throw overlapping(reconciled.conflicts, this.remote.name)
    const { tree, edits, merged, chosen } = reconciled
    const now = clock.now()
    const commit = await commitMerge(top, {
      ...{ ours, theirs, tree, edits },
      author: identityText(run.options.by ?? settings.author),
      committer: identityText(settings.author),
      seconds: Math.floor(now / 1000),
      message: messageText({
        text: this.#message(run, reconciled),
        number: now,
        action: 'updated',
        request: undefined,
        from: undefined,
      }),
    })
    return { commit, merged, chosen }
  }

  #message({ branch, options }: Run, { merged, chosen, followed }: Reconciled): string {
    const paths = (list: readonly string[]) => list.map((path) => `- ${this.#sitePath(path)}`).join('\n')
    const parts = [`Merge ${branch} of ${this.remote.name}`]
    if (merged.length > 0) parts.push(`Both sides changed, merged by field and paragraph:\n${paths(merged)}`)
    if (chosen.length > 0) parts.push(`Both sides changed the same, ${options.prefer} taken:\n${paths(chosen)}`)
    if (followed.length > 0) parts.push(`Files that followed their records:\n${paths(followed)}`)
    return parts.join('\n\n')
  }

  #sitePath(path: string): string {
    const { prefix } = this.#deps.repository
    return path.startsWith(prefix) ? path.slice(prefix.length) : `/${path}`
  }

  #unborn(run: Run, theirs: string | undefined): Synced {
    if (theirs === undefined) return this.#synced(run, 0, 0, this.notes.read().held)
    throw unborn(run.branch, this.remote.name)
  }

  #left(run: Run, { ahead, behind }: Apart): Synced {
    if (ahead === 0) return this.#synced(run, 0, 0, this.notes.read().held)
    throw outdated(this.remote.name, behind)
  }

  #synced({ branch, pulled, merged, chosen }: Run, pushed: number, unpushed: number, held: boolean): Synced {
    return { remote: this.remote.name, branch, pulled, pushed, merged, chosen, unpushed, held }
  }

  /** The branch and its commit; throws Unavailable where nothing may be committed now, or `expected` is no longer checked out. */
  async #head(expected?: string): Promise<{ branch: string; commit: string | undefined }> {
    const { repository, settings } = this.#deps
    const { ref, commit } = await standing(repository, expected ?? settings.branch)
    return { branch: ref.replace('refs/heads/', ''), commit }
  }

  async #noteFailure(error: unknown): Promise<void> {
    const conflicts = error instanceof Conflict ? conflictsOf(error).length : undefined
    const says = error instanceof Failure ? error.message : 'Something went wrong inside Quire.'
    // The error is reported in any case; a failure to note it must not hide it.
    await this.notes.change({ error: says, ...(conflicts === undefined ? {} : { conflicts }) }).catch(() => undefined)
  }

  #now(): string {
    return new Date(this.#deps.clock.now()).toISOString()
  }
}
