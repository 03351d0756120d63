import { join, resolve } from 'node:path'
import type { Synced, SyncOptions } from '#core/backend.ts'
import type { Author, Document, Head, Problem } from '#core/document.ts'
import { EditThread } from '#core/format/edit-thread.ts'
import type { PastList, PastMoment } from '#core/history/past.ts'
import type { Note, Revision, RevisionNumber } from '#core/history/revision.ts'
import { isPrivate, type Key, type Kind } from '#core/key.ts'
import type { Page } from '#core/queries/query.ts'
import type { Change, Changed, Health, Part, Store } from '#core/store.ts'
import { type Examination, examine } from '#git/examination.ts'
import { steadiness } from '#git/landing/checkout.ts'
import { openRepository, type Repository, type Without } from '#git/repository.ts'
import { arePrivate } from '../engine/batch.ts'
import { offerPrivateDir } from '../engine/private-folder.ts'
import { Checkup } from './checkup.ts'
import { Git } from './committing/git.ts'
import { FileLock } from './disk/lock.ts'
import type { PrivateTrust } from './disk/private-trust.ts'
import { Tree } from './disk/tree.ts'
import { ChangeLog } from './following/change-log.ts'
import { ChangeFeed } from './following/feed.ts'
import { FeedKeeper } from './following/keeper.ts'
import { Reconciler } from './following/reconcile.ts'
import { BrowseIndex } from './index/browse-index.ts'
import { Lists } from './index/lists.ts'
import type { FilesOptions } from './options.ts'
import { Dating } from './registry/dating.ts'
import { Documents } from './registry/documents.ts'
import { FileRegistry } from './registry/file-registry.ts'
import { Privates } from './registry/privates.ts'
import { pathOf } from './registry/registry.ts'
import { Snapshot } from './registry/snapshot.ts'
import { SnapshotKeeper } from './registry/snapshot-keeper.ts'
import { walkWhole } from './registry/walk.ts'
import { Syncing } from './sync/syncing.ts'
import { movedSince } from './transfer/moved.ts'
import { Announcing } from './writing/announcing.ts'
import { PlainKeeping } from './writing/plain.ts'
import { type Keeping, Writer } from './writing/writer.ts'

/** Documents in a folder of Markdown and YAML, listed from an index in memory. */
export class FilesStore implements Store {
  readonly #options: FilesOptions
  readonly #tree: Tree
  readonly #registry: FileRegistry
  readonly #index: BrowseIndex
  readonly #dating: Dating
  readonly #documents: Documents
  readonly #privates: Privates
  /** Tells which private files count. */
  readonly trust: PrivateTrust
  readonly #feed: ChangeFeed
  readonly #editing = new EditThread()
  /** For what is private; for all, where no history is kept. */
  readonly #plainWriter: Writer
  readonly #writer: Writer
  readonly #reconciler: Reconciler
  readonly #lists: Lists
  readonly #keeper: SnapshotKeeper
  readonly #git: Git | undefined
  readonly #syncing: Syncing | undefined
  readonly #checkup: Checkup
  /** The reason why no history is kept, if none is. */
  readonly without: Without['without'] | undefined
  readonly changes: Store['changes'] = (after, limit) => this.#feed.reader.changes(after, limit)
  readonly subscribe: Store['subscribe'] = (listener) => this.#feed.reader.subscribe(listener)
  readonly latest: Store['latest'] = async (part) => this.#git?.history.latest(part)
  readonly repository = (): Repository | undefined => this.#git?.repository
  readonly misnamed: Store['misnamed'] = async (kind, id) => this.#registry.misnamed.find(kind, id)
  #started = false

  /** Opens a site; every file of its content has been looked at when it resolves. */
  static async open(options: FilesOptions): Promise<FilesStore> {
    const found = options.git ? await openRepository(options.root, options.git.enabled) : ({ without: 'off' } as const)
    const store = new FilesStore(options, found)
    await store.#git?.begin()
    await store.#plainWriter.begin()
    await store.#begin()
    return store
  }

  private constructor(options: FilesOptions, found: Repository | Without) {
    this.without = 'without' in found ? found.without : undefined
    const repository = 'without' in found ? undefined : found
    const { root, content, types, clock, watch, follows = watch, git, onStep } = options
    const privateDir = resolve(root, options.privateDir)
    offerPrivateDir(privateDir)
    this.#options = options
    const tree = new Tree(root, content, privateDir)
    const index = new BrowseIndex(types, clock)
    const watchOthers = () => (this.#started && repository ? steadiness(repository) : undefined)
    const others = { watch: watchOthers, isFollowing: () => watch && this.#started, putOff: () => this.#reconciler.lookAgain() }
    const registry = new FileRegistry(tree, types, (...change) => this.#changed(...change), others)
    const dating = new Dating((path) => this.#git?.history.datesOf(path))
    const documents = new Documents(tree, registry, dating, () => this.#git?.isAtWork === true)
    this.#tree = tree
    this.#index = index
    this.#registry = registry
    this.#dating = dating
    this.#documents = documents
    this.#privates = new Privates(tree, registry, options)
    this.trust = tree.trust
    const keeper = follows ? new FeedKeeper(new ChangeLog(join(privateDir, 'changes.log'), tree.content), registry) : undefined
    const explained = async (changes: readonly Changed[]) => this.#git?.history.explained(changes) ?? changes
    this.#feed = new ChangeFeed({ versionOf: (key) => registry.head(key)?.version, explained, keeper, now: () => clock.now() })
    this.#reconciler = new Reconciler({ tree, registry, repository, told: [this.#privates, this.#feed] })
    const check = movedSince(privateDir)
    this.#git =
      git &&
      repository &&
      new Git({
        ...{ repository, settings: git, tree, registry, clock, serving: watch, onStep, check, provisional: options.provisional },
        datesFile: join(privateDir, 'cache', 'dates'),
        onKeep: async () => this.#syncing?.holdPush(),
        onDates: (paths) => dating.apply({ registry, index, documents }, paths),
      })
    const sources = { index, documents, privates: this.#privates, reconciler: this.#reconciler }
    this.#lists = new Lists({ ...sources, feed: this.#feed, git: this.#git })
    const syncing = { ...options, privateDir, content: tree.content, serving: watch, moved: () => this.reconcile() }
    this.#syncing = this.#git && git && new Syncing({ ...syncing, settings: git, git: this.#git })
    const parts = { ...options, tree, registry, index, documents, editing: this.#editing, inGit: this.#git }
    const lock = new FileLock(join(privateDir, 'write.lock'), { check })
    const writer = (lock: FileLock, keeping: Keeping) =>
      new Writer({ ...parts, lock, keeping: new Announcing(keeping, this.#feed) })
    this.#plainWriter = writer(lock, new PlainKeeping(tree, registry))
    this.#writer = this.#git ? writer(this.#git.lock, this.#git.keeping) : this.#plainWriter
    const repositories = { git: this.#git, syncing: this.#syncing, without: () => this.without }
    const writers = [this.#plainWriter, this.#writer]
    this.#checkup = new Checkup({ registry, reconciler: this.#reconciler, writers, ...repositories })
    this.#keeper = new SnapshotKeeper(registry, new Snapshot(join(privateDir, 'cache', 'heads.ndjson'), options.fingerprint))
  }

  async #begin(): Promise<void> {
    const { snapshot, watch, onProblem, onProgress } = this.#options
    const known = snapshot === false || this.trust.isTracked('cache/heads.ndjson') ? undefined : this.#keeper.load()
    const heldIndex = this.#options.provisional?.indexFile
    const walk = { known, repository: this.#git?.repository, heldIndex, onSlice: onProgress }
    await Promise.all([walkWhole(this.#registry, this.#tree.content, walk), this.#feed.open()])
    this.#started = true
    if (onProblem) for (const problem of this.#registry.problems()) onProblem(problem)
    this.#privates.tell()
    this.#feed.start()
    if (!watch) return
    this.#reconciler.start()
    this.#git?.history.begin()
    this.#git?.follow(() => this.reconcile()).catch(() => undefined)
    if (snapshot !== false) this.#keeper.start()
  }

  #changed(key: Key, head: Head | undefined, former: Head | undefined, written?: Document): void {
    const [entry] = this.#registry.claims(key)
    if (head && entry && head.problem?.severity !== 'error') this.#index.set(this.#dating.dated(head, pathOf(entry)))
    else this.#index.remove(key)
    if (!this.#started) return
    if (head?.problem) this.#options.onProblem?.(head.problem)
    this.#documents.changed(key, written)
    if (!written && !isPrivate(key.kind)) this.#reconciler.took()
    if (isPrivate(key.kind)) this.#feed.stir()
    else this.#feed.seen(key, head, former)
  }

  readonly kinds = async (): Promise<Kind[]> => this.#registry.folders.kinds()

  async get(key: Key, once?: 'once'): Promise<Document | undefined> {
    this.#privates.freshen(key.kind)
    let found = (await this.#documents.settled(key, once)) ?? this.#privates.find(key, () => this.#documents.get(key, once))
    if (this.#git && !isPrivate(key.kind)) found = await this.#git.lookups.find(found, () => this.#documents.getAnew(key))
    this.#feed.tell()
    return found
  }

  async head(key: Key): Promise<Head | undefined> {
    return this.#documents.head(key) ?? this.get(key)
  }

  readonly browse: Store['browse'] = (kind, query) => this.#lists.browse(kind, query)

  readonly heads: Store['heads'] = (kind, query) => this.#lists.heads(kind, query)

  readonly count: Store['count'] = (kind, query, by) => this.#lists.count(kind, query, by)

  async write(changes: readonly Change[], by: Author, note: Note = {}): Promise<Document[]> {
    for (const { key } of changes) this.#privates.freshen(key.kind)
    const documents = await (arePrivate(changes) ? this.#plainWriter : this.#writer).write(changes, by, note)
    this.#feed.tell()
    return documents
  }

  /** A site of one process answers a retry from its ledger; files themselves do not say what they were asked for. */
  async written(): Promise<undefined> {}

  async history(key: Key, part: Part): Promise<Page<Revision> | undefined> {
    return isPrivate(key.kind) ? undefined : this.#git?.history.history(key, part)
  }

  async at(key: Key, number: RevisionNumber): Promise<Document | undefined> {
    const found = isPrivate(key.kind) ? undefined : await this.#git?.history.bytesAt(key, number)
    return found && this.#documents.former(key, found)
  }

  async past(kind: Kind, moment: PastMoment): Promise<PastList | undefined> {
    return isPrivate(kind) ? undefined : this.#git?.history.list(kind, moment)
  }

  async problems(kind?: Kind): Promise<Problem[]> {
    if (kind !== undefined) this.#privates.freshen(kind)
    return [...(kind === undefined ? this.#privates.problems() : []), ...this.#registry.problems(kind)]
  }

  /** The file of a document, from the site's root with `/`; undefined where there is none. */
  fileOf(key: Key): string | undefined {
    this.#privates.freshen(key.kind)
    return this.#documents.fileOf(key)
  }

  /** Returns the user that the repository's configuration names, or undefined if it names none. */
  readonly localAuthor = async (): Promise<Author | undefined> => this.#git?.localAuthor()

  readonly dated = async (): Promise<void> => this.#git?.history.dated()

  /** Returns the files of all documents of content, as `fileOf` does. */
  readonly files = (): string[] => [...this.#registry.folders.contentEntries()].map(pathOf)

  /** Looks at every file: what the disk holds now is what this store answers from when it resolves. */
  readonly reconcile = (): Promise<void> => this.#reconciler.reconcile()

  /** As `Backend.lookAt`. */
  readonly lookAt = (files: readonly string[]): boolean => this.#reconciler.lookAt(files)

  /** As `Sync.run`; undefined where no history is kept. */
  readonly sync = async (options: SyncOptions): Promise<Synced | undefined> =>
    this.#syncing?.sync(options).finally(() => this.#checkup.forget())

  /** Looks into the repository; undefined where no history is kept. */
  readonly examine = async (): Promise<Examination | undefined> => this.#git && examine(this.#git.repository, this.#tree.content)

  readonly health = (): Promise<Health> => this.#checkup.report()

  async close(): Promise<void> {
    await this.#syncing?.close()
    await Promise.all([this.#writer.idle(), this.#plainWriter.idle()]).then(() => this.#editing.close())
    await this.#reconciler.close()
    await this.#git?.close()
    await this.#feed.close()
    if (this.#options.snapshot !== false) this.#keeper.close(this.#options.watch)
  }
}
