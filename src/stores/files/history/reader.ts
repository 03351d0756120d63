import type { PastList, PastMoment } from '#core/history/past.ts'
import type { Revision, RevisionNumber } from '#core/history/revision.ts'
import type { Key, Kind } from '#core/key.ts'
import type { Page } from '#core/queries/query.ts'
import type { Changed, Latest, Part } from '#core/store.ts'
import type { Conversions } from '#git/files/conversions.ts'
import type { Objects } from '#git/objects/objects.ts'
import { type Repository, readHead } from '#git/repository.ts'
import { Unavailable } from '#lib/errors.ts'
import type { Committed } from '../committing/committed.ts'
import type { Tree } from '../disk/tree.ts'
import type { FileRegistry } from '../registry/file-registry.ts'
import { pathOf } from '../registry/registry.ts'
import { ChangeCommits } from './change-commits.ts'
import { Dates, type HistoryDates } from './dates.ts'
import { History, type PastBytes } from './history.ts'
import { LatestRevisions } from './latest.ts'
import { PastLists } from './lists.ts'
import { PastFiles } from './past-files.ts'
import type { RecordPlaces } from './record-log.ts'

/** The sources that the past is read from, and the listener that is notified of dates. */
export interface HistoryReaderDeps {
  readonly repository: Repository
  readonly objects: Objects
  readonly conversions: Conversions
  readonly tree: Tree
  readonly registry: FileRegistry
  /** The absolute path of the file in which dates are kept for the next run. */
  readonly datesFile: string
  /** See `DatesDeps`. */
  readonly onDates: (paths: readonly string[] | undefined) => Promise<void>
}

/** Milliseconds from the start until a server begins to read the dates of all records: it answers requests first. */
const DATES_AFTER_MS = 1000

/** All that is read from a repository's history. */
export class HistoryReader {
  readonly #repository: Repository
  readonly #history: History
  readonly #dates: Dates
  readonly #lists: PastLists
  readonly #latest: LatestRevisions
  readonly #commits: ChangeCommits
  readonly #places: RecordPlaces
  #timer: NodeJS.Timeout | undefined

  constructor({ repository, objects, conversions, tree, registry, datesFile, onDates }: HistoryReaderDeps) {
    const { content } = tree
    const places = placesOf(registry)
    const files = new PastFiles({ repository, objects, conversions, tree, registry })
    this.#repository = repository
    this.#places = places
    this.#commits = new ChangeCommits({ repository, content, keyAt: places.keyAt, files })
    const dates = new Dates({ repository, content, keyAt: places.keyAt, file: datesFile, onDates })
    this.#dates = dates
    const lists = new PastLists({ repository, objects, registry, content, places, files })
    this.#lists = lists
    const known = (key: Key, tip: string) => lists.linesOf(key, tip)
    this.#history = new History({
      repository,
      objects,
      content,
      places,
      files,
      known,
      ever: (tip, path) => dates.ever(tip, path),
    })
    this.#latest = new LatestRevisions({ history: this.#history, lists, registry, places })
  }

  /** Begins to read the dates of all records, once what comes first is done. */
  begin(): void {
    this.#timer = setTimeout(() => void this.#dates.ready(), DATES_AFTER_MS).unref()
  }

  /** As `Store.history`. */
  async history(key: Key, part: Part): Promise<Page<Revision>> {
    await this.#placed(key)
    return this.#history.list(key, part)
  }

  /** As `ChangeCommits.explained`. */
  explained(changes: readonly Changed[]): Promise<readonly Changed[]> {
    return this.#commits.explained(changes)
  }

  /** As `Store.latest`. Throws Unavailable where the history can't be read: it is not that nothing was changed. */
  async latest(part: Part): Promise<readonly Latest[]> {
    await this.#dates.ready()
    const book = this.#dates.book
    if (book) return this.#latest.list(book, part)
    // Names the reason where it is that the repository is gone.
    await readHead(this.#repository)
    throw new Unavailable('The history of the site can not be read now.', 10, 'See what `git log` and `git fsck` say.')
  }

  /** As `Store.past`. */
  list(kind: Kind, moment: PastMoment): Promise<PastList> {
    return this.#lists.list(kind, moment)
  }

  /** The bytes of a revision, and where and when they were; undefined where there are none. */
  async bytesAt(key: Key, number: RevisionNumber): Promise<PastBytes | undefined> {
    await this.#placed(key)
    return this.#history.bytesAt(key, number)
  }

  /** The dates of a path from the site's root, as far as they are known now. */
  datesOf(path: string): HistoryDates | undefined {
    return this.#dates.of(path)
  }

  /** Resolves when the dates of all records are there. */
  dated(): Promise<void> {
    return this.#dates.ready()
  }

  /** Commits of our own brought HEAD from `old` to `tip`. */
  committed(commits: readonly Committed[], old: string | undefined, tip: string): void {
    this.#history.committed(commits, old, tip)
    this.#dates.committed(commits, old, tip)
  }

  /** HEAD was found to be at `tip` by someone else's hand. */
  async moved(tip: string): Promise<void> {
    await Promise.all([this.#history.moved(tip), this.#dates.moved()])
  }

  /** Waits for all of history if a removed post may have been in a folder of another tool: its id does not tell its path. */
  async #placed(key: Key): Promise<void> {
    if (key.kind === 'posts' && this.#places.present(key) === undefined) await this.#dates.ready()
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#lists.close()
    await this.#dates.close()
  }
}

function placesOf(registry: FileRegistry): RecordPlaces {
  return {
    present: (key) => {
      const [entry] = registry.claims(key)
      return entry && pathOf(entry)
    },
    candidates: (key) => registry.places.candidates(key),
    keyAt: (path) => registry.places.keyAt(path),
  }
}
