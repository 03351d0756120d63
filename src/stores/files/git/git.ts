import { join } from 'node:path'
import type { Clock } from '../../../core/clock.ts'
import type { Author } from '../../../core/document.ts'
import type { Key } from '../../../core/key.ts'
import type { Page } from '../../../core/query.ts'
import type { Revision, RevisionNumber } from '../../../core/revision.ts'
import type { Part } from '../../../core/store.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { pathOf } from '../catalog/registry.ts'
import { FileLock } from '../disk/lock.ts'
import type { Tree } from '../disk/tree.ts'
import type { Keeping } from '../writing/writer.ts'
import { advance } from './advance.ts'
import { type Committed, Committer } from './committer.ts'
import { FastImport } from './fast-import.ts'
import { HeadWatch } from './head-watch.ts'
import { History, type PastBytes } from './history.ts'
import { Journal } from './journal.ts'
import { Landing, type LandingStep } from './landing.ts'
import { Numbering } from './numbering.ts'
import { Objects } from './objects.ts'
import { gitText } from './process.ts'
import type { RecordPlaces } from './record-log.ts'
import { isLittered, recover, sweep } from './recovery.ts'
import { RefUpdater } from './ref-updater.ts'
import type { Repository } from './repository.ts'
import { type RepositoryState, repositoryState } from './repository-state.ts'
import { Staged } from './staged.ts'
import { Upkeep, type UpkeepState } from './upkeep.ts'

/** `git` of the configuration, as far as the store goes by it. */
export interface GitSettings {
  readonly enabled: boolean | 'auto'
  /** The only branch that is written to; null follows HEAD. */
  readonly branch: string | null
  readonly remote: string
  /** How often a served site pulls and pushes: `off`, or a length of time such as `60s`. */
  readonly pull?: string
  readonly push?: string
  /** What becomes of an author's unsaved edit of a file that is written: committed first, or the write refused. */
  readonly local_edits: 'keep' | 'refuse'
  /** Who commits; the author of a commit is the acting user. */
  readonly author: Author
}

/** The steps of a write, as each is about to begin. */
export type WriteStep = 'check' | 'make' | LandingStep

/** What the room is made of. */
export interface GitOptions {
  readonly repository: Repository
  readonly settings: GitSettings
  readonly tree: Tree
  readonly catalog: Catalog
  readonly clock: Clock
  /** Whether many writes are to be expected. */
  readonly serving: boolean
  /** Told of each step of a write, as it is about to begin. */
  readonly onStep?: ((step: WriteStep) => void) | undefined
}

/** The history of a site in its repository: how writes get into it, and what can be read from it. */
export class Git {
  readonly repository: Repository
  /** Keeps batches as commits. The writer holds `lock` meanwhile. */
  readonly keeping: Keeping
  /** One writer at a time on a repository, whatever its working tree or site. */
  readonly lock: FileLock
  readonly #options: GitOptions
  readonly #objects: Objects
  readonly #fastImport: FastImport
  readonly #refs: RefUpdater
  readonly #staged: Staged
  readonly #journal: Journal
  readonly #landing: Landing
  readonly #history: History
  readonly #upkeep: Upkeep
  #headWatch: HeadWatch | undefined

  constructor(options: GitOptions) {
    const { repository, settings, serving, onStep = () => undefined } = options
    this.#options = options
    this.repository = repository
    this.lock = new FileLock(join(repository.common, 'cms.lock'), { isPrivate: false })
    this.#objects = new Objects(repository.top)
    this.#fastImport = new FastImport(repository.top, serving)
    this.#refs = new RefUpdater(repository.top, settings.author)
    this.#staged = new Staged(repository)
    this.#journal = new Journal(repository)
    this.#landing = new Landing({ repository, refs: this.#refs, journal: this.#journal, staged: this.#staged, onStep })
    const { tree, catalog } = options
    const places = placesOf(catalog)
    this.#history = new History({ repository, objects: this.#objects, content: tree.content, places })
    this.#upkeep = new Upkeep(repository)
    this.keeping = new Committer({
      ...options,
      onStep,
      objects: this.#objects,
      staged: this.#staged,
      fastImport: this.#fastImport,
      landing: this.#landing,
      numbering: new Numbering(),
      localAuthor: () => this.localAuthor(),
      onCommitted: (commits, old, tip) => this.#committed(commits, old, tip),
      mend: () => this.#mend(),
    })
  }

  /** Finishes or forgets what a crash left half done. */
  async begin(): Promise<void> {
    const state = this.lock.state()
    const parts = { repository: this.repository, objects: this.#objects, journal: this.#journal }
    // Whoever holds the lock now is at work on it.
    if (state === 'held' || (state === 'free' && !isLittered(parts))) return
    const release = await this.lock.acquire()
    try {
      await recover(parts)
      sweep(this.#options.tree.real(this.#options.tree.content))
    } finally {
      release()
    }
  }

  /** From now on follows what others do with the repository, and keeps it quick. `moved` is called after another's hand has moved HEAD. */
  async follow(moved: () => Promise<void>): Promise<void> {
    const { repository, lock } = this
    this.#headWatch = new HeadWatch({
      repository,
      isWriting: () => lock.state() === 'held',
      moved: ({ commit }) => {
        // A failure to read the files or the history anew is met again, and told of, by whoever asks for them.
        moved().catch(() => undefined)
        if (commit !== undefined) this.moved(commit).catch(() => undefined)
      },
    })
    this.#upkeep.start()
    await this.#headWatch.start()
  }

  /** Where the repository stands, for an operator. */
  async state(): Promise<RepositoryState & UpkeepState> {
    return { ...(await repositoryState(this.repository, this.#options.settings.branch)), ...this.#upkeep.state() }
  }

  /** As `Store.history`. */
  history(key: Key, part: Part): Promise<Page<Revision>> {
    return this.#history.list(key, part)
  }

  /** The bytes of a revision, and where and when they were; undefined where there are none. */
  bytesAt(key: Key, number: RevisionNumber): Promise<PastBytes | undefined> {
    return this.#history.bytesAt(key, number)
  }

  /** HEAD was found to be at `tip` by someone else's hand. */
  async moved(tip: string): Promise<void> {
    await this.#history.moved(tip)
  }

  /** Who the repository's own configuration says is at work here, else who commits for Quire. */
  async localAuthor(): Promise<Author> {
    const { top } = this.repository
    const ask = (name: string) => gitText(top, ['config', '--get', name]).catch(() => '')
    const [name, email] = await Promise.all([ask('user.name'), ask('user.email')])
    return name === '' || email === '' ? this.#options.settings.author : { name, email }
  }

  /** Moves the branch, the working tree and the index from `base` to its descendant `tip`; see `advance`. */
  async advance(base: string | undefined, tip: string): Promise<void> {
    const { repository } = this
    const { branch } = this.#options.settings
    const parts = {
      repository,
      branch,
      objects: this.#objects,
      staged: this.#staged,
      landing: this.#landing,
      mend: () => this.#mend(),
    }
    const release = await this.lock.acquire()
    await advance(parts, base, tip).finally(release)
  }

  async close(): Promise<void> {
    this.#headWatch?.close()
    await this.#upkeep.close()
    await Promise.all([this.#fastImport.close(), this.#refs.close(), this.#objects.close()])
  }

  #committed(commits: readonly Committed[], old: string | undefined, tip: string): void {
    this.#headWatch?.own(old, tip)
    this.#upkeep.committed(commits.length)
    this.#history.committed(commits, old, tip)
  }

  /** What another process left when it crashed while this one was running. */
  async #mend(): Promise<void> {
    const parts = { repository: this.repository, objects: this.#objects, journal: this.#journal }
    if (isLittered(parts)) await recover(parts)
  }
}

function placesOf(catalog: Catalog): RecordPlaces {
  return {
    present: (key) => {
      const [entry] = catalog.claims(key)
      return entry && pathOf(entry)
    },
    candidates: (key) => catalog.places.candidates(key),
    keyAt: (path) => catalog.places.keyAt(path),
  }
}
