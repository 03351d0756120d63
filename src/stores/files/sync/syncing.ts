import type { Synced, SyncOptions } from '#core/backend.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import { apart } from '#git/history/apart.ts'
import { readHead } from '#git/repository.ts'
import type { Clock } from '#lib/clock.ts'
import { parseDuration } from '#lib/duration.ts'
import type { Git } from '../committing/git.ts'
import type { GitSettings } from '../committing/settings.ts'
import { recordsIn } from './record-at.ts'
import { type Advance, Sync } from './sync.ts'
import { SyncLoop, type SyncTimes } from './sync-loop.ts'

/** The relation of the site to its remote, as far as it is known without asking the remote. */
export type RemoteState = {
  readonly remote: string
  /** Null where HEAD is on none. */
  readonly branch: string | null
  /** Commits that only one side has; null where the remote's branch has not been seen yet. */
  readonly ahead: number | null
  readonly behind: number | null
  /** Files that both sides changed in ways that only a person can bring together. */
  readonly conflicts: number
  /** `held`: until somebody runs `cms sync`, for an author's unfinished edit has been committed. */
  readonly push: 'on' | 'off' | 'held'
  /** RFC 3339 UTC. */
  readonly last_sync_at: string | null
  /** The reason why the last sync failed. */
  readonly error: string | null
}

/** The dependencies for the work with a remote. */
export interface SyncingDeps {
  readonly git: Pick<Git, 'repository' | 'exclusively'>
  readonly settings: GitSettings
  readonly clock: Clock
  readonly types: ContentTypes
  /** The folder of content, from the site's. */
  readonly content: string
  /** The private folder, absolute. */
  readonly privateDir: string
  /** True if it is to pull and push at the intervals of the configuration. */
  readonly serving: boolean
  /** A callback after a sync has changed files; it is a part of the sync. */
  readonly moved: () => Promise<void>
  /** As in `FilesOptions`. */
  readonly onSync?: ((error: Error | undefined) => void) | undefined
}

/** A site's work with its remote: when told to, and by itself where the configuration says so. */
export class Syncing {
  readonly #deps: SyncingDeps
  readonly #sync: Sync
  readonly #loop: SyncLoop | undefined
  #failed: string | undefined
  #counted: { of: string; ahead: number; behind: number } | undefined

  constructor(deps: SyncingDeps) {
    this.#deps = deps
    const { content, types, settings, clock, serving } = deps
    const { repository } = deps.git
    const recordAt = recordsIn({ prefix: repository.prefix, content, types })
    this.#sync = new Sync({ ...deps, repository, recordAt, exclusively: (work) => this.#exclusively(work) })
    const times = timesOf(settings)
    const isWanted = serving && (times.pull !== undefined || times.push !== undefined)
    this.#loop = isWanted ? new SyncLoop({ clock, sync: (options) => this.#told(options) }, times) : undefined
    this.#loop?.start()
  }

  /** As `Sync.run`. */
  sync(options: SyncOptions): Promise<Synced> {
    return this.#sync.run(options)
  }

  /** Lets nothing be pushed until a person syncs, over restarts. */
  holdPush(): Promise<void> {
    return this.#sync.notes.change({ held: true })
  }

  /** Returns the state of the sync, or undefined if the repository has no such remote. */
  async state(): Promise<RemoteState | undefined> {
    if (!(await this.#sync.remote.exists())) return undefined
    const { ref, commit } = await readHead(this.#deps.git.repository)
    const branch = ref?.replace('refs/heads/', '') ?? null
    const { held, conflicts, last_sync_at, error } = this.#sync.notes.read()
    const push = held ? 'held' : timesOf(this.#deps.settings).push === undefined ? 'off' : 'on'
    const distance = await this.#distance(commit, branch)
    return { remote: this.#sync.remote.name, branch, ...distance, conflicts, push, last_sync_at, error }
  }

  async close(): Promise<void> {
    await this.#loop?.close()
  }

  /** Syncs, and tells where that goes otherwise than the last time. */
  async #told(options: SyncOptions): Promise<Synced> {
    const tell = (error: Error | undefined) => {
      if (this.#failed === error?.message) return
      this.#failed = error?.message
      this.#deps.onSync?.(error)
    }
    try {
      const synced = await this.#sync.run(options)
      tell(undefined)
      return synced
    } catch (error) {
      if (!options.signal?.aborted) tell(error instanceof Error ? error : new Error(String(error)))
      throw error
    }
  }

  async #exclusively<T>(work: (advance: Advance) => Promise<T>): Promise<T> {
    const result = await this.#deps.git.exclusively(work)
    await this.#deps.moved()
    return result
  }

  /** Counted anew only when one of the two has moved: health is asked for often. */
  async #distance(ours: string | undefined, branch: string | null): Promise<{ ahead: number | null; behind: number | null }> {
    const theirs = branch === null ? undefined : this.#sync.remote.known(branch)
    if (ours === undefined || theirs === undefined) return { ahead: null, behind: null }
    const of = `${ours} ${theirs}`
    if (this.#counted?.of !== of) this.#counted = { of, ...(await apart(this.#deps.git.repository.top, ours, theirs)) }
    const { ahead, behind } = this.#counted
    return { ahead, behind }
  }
}

function timesOf({ pull = 'off', push = 'off' }: GitSettings): SyncTimes {
  const [pullTime, pushTime] = [parseDuration(pull), parseDuration(push)]
  return { ...(pullTime && { pull: pullTime }), ...(pushTime && { push: pushTime }) }
}
