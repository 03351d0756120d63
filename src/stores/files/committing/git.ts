import { join } from 'node:path'
import type { Author } from '#core/document.ts'
import { isRecordName } from '#core/files/layout.ts'
import { Conversions } from '#git/files/conversions.ts'
import { excludeUnfinished } from '#git/files/exclude.ts'
import { ignoredIn } from '#git/files/ignored.ts'
import { HeadWatch } from '#git/head-watch.ts'
import { type FolderBefore, folderBefore } from '#git/history/removed-files.ts'
import { advance, type Refuse } from '#git/landing/advance.ts'
import { isAtWork } from '#git/landing/checkout.ts'
import { Journal } from '#git/landing/journal.ts'
import { Landing, type LandingStep } from '#git/landing/landing.ts'
import { isLittered, recover, sweep } from '#git/landing/recovery.ts'
import { RefUpdater } from '#git/landing/ref-updater.ts'
import { Staged } from '#git/landing/staged.ts'
import { FastImport } from '#git/objects/fast-import.ts'
import { keptPacks } from '#git/objects/kept-packs.ts'
import { Objects } from '#git/objects/objects.ts'
import { Upkeep, type UpkeepState } from '#git/objects/upkeep.ts'
import { gitText } from '#git/process.ts'
import type { Repository } from '#git/repository.ts'
import { type RepositoryState, repositoryState } from '#git/repository-state.ts'
import type { Clock } from '#lib/clock.ts'
import { Unavailable } from '#lib/errors.ts'
import { FileLock } from '../disk/lock.ts'
import type { Tree } from '../disk/tree.ts'
import { HistoryReader } from '../history/reader.ts'
import type { FileRegistry } from '../registry/file-registry.ts'
import type { Keeping } from '../writing/writer.ts'
import type { Committed } from './committed.ts'
import { Committer } from './committer.ts'
import { Lookups, type Provisional } from './lookups.ts'
import { Numbering } from './numbering.ts'
import { refusedByGit } from './refusals.ts'
import type { GitSettings } from './settings.ts'

/** The steps of a write, as each is about to begin. */
export type WriteStep = 'check' | 'make' | LandingStep

/** The dependencies and options of `Git`. */
export interface GitOptions {
  readonly repository: Repository
  readonly settings: GitSettings
  readonly tree: Tree
  readonly registry: FileRegistry
  readonly clock: Clock
  /** The absolute path of the file in which the dates of records are kept for the next run. */
  readonly datesFile: string
  /** See `DatesDeps`. */
  readonly onDates: (paths: readonly string[] | undefined) => Promise<void>
  /** True if many writes are to be expected. */
  readonly serving: boolean
  /** A callback for each step of a write, as it is about to begin. */
  readonly onStep?: ((step: WriteStep) => void) | undefined
  /** A callback before an author's own, perhaps unfinished edits are committed. */
  readonly onKeep?: (() => Promise<void>) | undefined
  readonly provisional?: Provisional | undefined
  /** Throws where nothing may be written any more; called with the lock held. */
  readonly check: () => void
}

/** Moves the branch from `base` to `tip`, and the files with it; `refuse` throws where one of the paths is not to change. */
type Move = (base: string, tip: string, refuse: Refuse) => Promise<void>

/** The history of a site in its repository: how writes get into it, and what can be read from it. */
export class Git {
  readonly repository: Repository
  /** Keeps batches as commits. The writer holds `lock` meanwhile. */
  readonly keeping: Keeping
  /** One writer at a time on a repository, whatever its working tree or site. */
  readonly lock: FileLock
  /** Lookups of documents that another git may be changing. */
  readonly lookups: Lookups
  /** All that is read from history. */
  readonly history: HistoryReader
  readonly #options: GitOptions
  readonly #objects: Objects
  readonly #conversions: Conversions
  readonly #fastImport: FastImport
  readonly #refs: RefUpdater
  readonly #staged: Staged
  readonly #journal: Journal
  readonly #landing: Landing
  readonly #upkeep: Upkeep
  #headWatch: HeadWatch | undefined
  #excludes = false

  constructor(options: GitOptions) {
    const { repository, settings, serving, provisional, onStep = () => undefined } = options
    this.#options = options
    this.repository = repository
    this.lookups = new Lookups(repository, provisional)
    this.lock = new FileLock(join(repository.common, 'cms.lock'), { isPrivate: false, check: options.check })
    this.#objects = new Objects(repository.top)
    this.#fastImport = new FastImport(repository, serving)
    this.#refs = new RefUpdater(repository.top, settings.author)
    this.#staged = new Staged(repository)
    this.#journal = new Journal(repository)
    const onIndex = options.tree.trust.indexed.bind(options.tree.trust, repository.dir)
    this.#landing = new Landing({ repository, refs: this.#refs, journal: this.#journal, staged: this.#staged, onStep, onIndex })
    this.#conversions = new Conversions(repository, this.#objects)
    const [objects, conversions] = [this.#objects, this.#conversions]
    this.history = new HistoryReader({ ...options, objects, conversions })
    this.#upkeep = new Upkeep(repository)
    this.keeping = new Committer({
      ...options,
      onStep,
      objects,
      conversions,
      staged: this.#staged,
      fastImport: this.#fastImport,
      landing: this.#landing,
      numbering: new Numbering(),
      localAuthor: async () => (await this.localAuthor()) ?? settings.author,
      onCommitted: (commits, old, tip) => this.#committed(commits, old, tip),
      mend: () => this.#mend(),
    })
  }

  /** Finishes or forgets what a crash left half done. */
  async begin(): Promise<void> {
    const state = this.lock.state()
    const parts = this.#recovery
    // The holder of the lock is at work on it.
    if (
      state === 'held' ||
      (state === 'free' && !isLittered(parts) && !(this.#options.serving && keptPacks(this.repository).length > 0))
    )
      return
    const release = await this.lock.acquire()
    try {
      // Where another's lock is in the way, the next write goes on with it: reading need not wait for that.
      await recover(parts).catch((error: unknown) => {
        if (!(error instanceof Unavailable)) throw error
      })
      sweep(this.#options.tree.real(this.#options.tree.content))
    } finally {
      release()
    }
  }

  /**
   * From now on follows what others do with the repository, and keeps it quick. `moved` is called after another's hand has moved
   * HEAD.
   */
  async follow(moved: () => Promise<void>): Promise<void> {
    const { repository, lock } = this
    this.#headWatch = new HeadWatch({
      repository,
      isWriting: () => lock.state() === 'held',
      moved: ({ commit }) => {
        // A failure to read the files or the history anew occurs again, and is reported, when they are next read.
        moved().catch(() => undefined)
        if (commit !== undefined) this.history.moved(commit).catch(() => undefined)
      },
    })
    this.#upkeep.start()
    await this.#headWatch.start()
  }

  /** Tells that an author's git is changing the files. */
  get isAtWork(): boolean {
    return isAtWork(this.repository)
  }

  /** Returns the state of the repository, for an operator. */
  async state(): Promise<RepositoryState & UpkeepState> {
    return { ...(await repositoryState(this.repository, this.#options.settings.branch)), ...this.#upkeep.state() }
  }

  /** Returns the user that the repository's configuration names, or undefined if it names none. */
  async localAuthor(): Promise<Author | undefined> {
    const { top } = this.repository
    const text = await gitText(top, ['config', '-z', '--get-regexp', '^user\\.(name|email)$']).catch(() => '')
    const values = new Map(
      text.split('\0').map((one): [string, string] => [one.split('\n')[0] ?? '', one.slice(one.indexOf('\n') + 1)]),
    )
    const [name, email] = [values.get('user.name'), values.get('user.email')]
    return name === undefined || email === undefined ? undefined : { name, email }
  }

  /**
   * Does `work` while nobody else writes. It is given the way to move the branch, the working tree and the index; see `advance`.
   */
  async exclusively<T>(work: (move: Move) => Promise<T>): Promise<T> {
    const parts = {
      repository: this.repository,
      branch: this.#options.settings.branch,
      objects: this.#objects,
      conversions: this.#conversions,
      staged: this.#staged,
      landing: this.#landing,
      mend: () => this.#mend(),
      // The files of a record are another's, and public, where it is not there.
      leads: isRecordName,
    }
    const release = await this.lock.acquire()
    return work((base, tip, refuse) => advance({ ...parts, refuse }, base, tip)).finally(release)
  }

  /** Returns a folder of the site's as it was before a commit. */
  folderBefore(commit: string, folder: string): FolderBefore {
    return folderBefore({ repository: this.repository, objects: this.#objects }, commit, `${this.repository.prefix}${folder}`)
  }

  async close(): Promise<void> {
    await this.history.close()
    this.#headWatch?.close()
    await this.#upkeep.close()
    await Promise.all([this.#fastImport.clear(), this.#refs.close(), this.#objects.close()])
  }

  /** The bytes that a checkout would leave in place of these, in a file from the site's root that git has nothing of yet. */
  checkedOut(path: string, bytes: Buffer): Promise<Buffer> {
    return this.#conversions.anew(`${this.repository.prefix}${path}`, bytes).catch((error) => {
      throw refusedByGit(error)
    })
  }

  /** Returns those of the files from the site's root that git is told to ignore, and does not hold. */
  async ignored(paths: readonly string[]): Promise<ReadonlySet<string>> {
    const { prefix } = this.repository
    const found = await ignoredIn(
      this.repository,
      paths.map((path) => `${prefix}${path}`),
    )
    return new Set(found.map((path) => path.slice(prefix.length)))
  }

  get #recovery() {
    const { repository } = this
    return { repository, objects: this.#objects, conversions: this.#conversions, journal: this.#journal }
  }

  #committed(commits: readonly Committed[], old: string | undefined, tip: string): void {
    this.#headWatch?.own(old, tip)
    this.#upkeep.committed(commits.length)
    this.history.committed(commits, old, tip)
  }

  /**
   * Before a write: what another process left when it crashed while this one was running, and what an author's git is not to see.
   */
  async #mend(): Promise<void> {
    if (!this.#excludes) excludeUnfinished(this.repository)
    this.#excludes = true
    const parts = this.#recovery
    if (isLittered(parts)) await recover(parts)
  }
}
