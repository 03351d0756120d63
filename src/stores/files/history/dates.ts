import { createHash } from 'node:crypto'
import type { Key } from '#core/key.ts'
import { isAncestor, readLog } from '#git/history/log.ts'
import { type Repository, readHead } from '#git/repository.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import type { Committed } from '../committing/committed.ts'
import { DateBook, datedCommit } from './date-book.ts'
import { DatesFile } from './dates-file.ts'
import { shallowCommits } from './record-log.ts'

/**
 * The dates when a record was created and last changed, according to history: RFC 3339 UTC with milliseconds, absent if history
 * does not know.
 */
export interface HistoryDates {
  readonly createdAt?: string
  readonly updatedAt?: string
}

/** The sources that dates are read from, and the listener that is notified of them. */
export interface DatesDeps {
  readonly repository: Repository
  /** The folder of content, from the site's root. */
  readonly content: string
  readonly keyAt: (path: string) => Key | undefined
  /** The absolute path of the file in which they are kept for the next run. */
  readonly file: string
  /**
   * A callback with the paths whose dates came or changed; undefined if all may have. Awaited before the dates count as there.
   */
  readonly onDates: (paths: readonly string[] | undefined) => Promise<void>
}

/** Commits of our own that came while history was being read. */
interface Missed {
  readonly commits: readonly Committed[]
  readonly old: string | undefined
  readonly tip: string
}

/** After so many commits of our own, and after as many by hand, they are kept anew. */
const KEEP_AFTER = 1000
/** Limit of paths that change at once. Beyond it, all paths are checked. */
const MOST_PATHS = 2000

/**
 * The dates when each record was created and last changed. They come from one pass over history in the background, are kept for
 * the next run and continued from there. Until they are known they are absent, not wrong.
 */
export class Dates {
  readonly #deps: DatesDeps
  readonly #file: DatesFile
  #book: DateBook | undefined
  /** The commit that the book is true of. */
  #tip: string | undefined
  /** On what else it depends: where the history of a shallow clone ends. */
  #circumstances = ''
  #running: Promise<void> | undefined
  #missed: Missed[] = []
  #unkept = 0
  readonly #stop = new AbortController()

  constructor(deps: DatesDeps) {
    this.#deps = deps
    this.#file = new DatesFile(deps.file)
  }

  /** The dates of every path there ever was; undefined where they are not known yet. */
  get book(): DateBook | undefined {
    return this.#book
  }

  /** Of a path from the site's root; undefined where nothing is known of it, or not yet. */
  of(path: string): HistoryDates | undefined {
    const stamps = this.#book?.of(path)
    if (!stamps) return undefined
    const { created, updated } = stamps
    return {
      ...(created !== undefined && { createdAt: new Date(created).toISOString() }),
      ...(updated !== undefined && { updatedAt: new Date(updated).toISOString() }),
    }
  }

  /** Returns whether a path was ever in the history of a commit, or undefined if that is not known. */
  ever(tip: string, path: string): boolean | undefined {
    return this.#book && this.#tip === tip ? this.#book.of(path) !== undefined : undefined
  }

  /**
   * Brings the dates to HEAD; resolves when they are there and listeners have been called. Never fails: if the history can't be
   * read, dates stay absent.
   */
  ready(): Promise<void> {
    this.#running ??= this.#run()
      .catch(() => undefined)
      .finally(() => {
        this.#running = undefined
        for (const { commits, old, tip } of this.#missed.splice(0)) this.committed(commits, old, tip)
      })
    return this.#running
  }

  /** HEAD was found to be elsewhere, by someone else's hand. */
  async moved(): Promise<void> {
    if (this.#book) await this.ready()
  }

  /** Takes in commits of our own that brought HEAD from `old` to `tip`. */
  committed(commits: readonly Committed[], old: string | undefined, tip: string): void {
    if (this.#running) this.#missed.push({ commits, old, tip })
    else if (this.#book && this.#tip === old) this.#take(this.#book, { commits, tip })
    else if (this.#book) void this.ready()
  }

  #take(book: DateBook, { commits, tip }: Pick<Missed, 'commits' | 'tip'>): void {
    for (const { number, from, edits } of commits) {
      book.take({ at: number, from, changes: edits.map(({ path, blob }) => ({ path, isGone: blob === undefined })) })
    }
    this.#tip = tip
    this.#unkept += commits.length
    void this.#deps.onDates(commits.flatMap(({ edits }) => edits.map(({ path }) => path)))
    if (this.#unkept >= KEEP_AFTER) void this.#keep()
  }

  /** Applies the commits that were made here while history was read, from where the reading ended. */
  #catchUp(): void {
    for (const missed of this.#missed.splice(0)) if (this.#book && this.#tip === missed.old) this.#take(this.#book, missed)
  }

  /** Stops what is under way, and keeps what there is. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
    if (this.#unkept > 0) await this.#keep()
  }

  /** Until HEAD stays where it is. */
  async #run(): Promise<void> {
    for (;;) {
      this.#catchUp()
      const { commit } = await readHead(this.#deps.repository)
      const shallow = shallowCommits(this.#deps.repository)
      const circumstances = circumstancesOf(this.#deps, shallow)
      if (this.#stop.signal.aborted || (commit === this.#tip && this.#book && circumstances === this.#circumstances)) break
      if (commit === undefined) await this.#replace(this.#newBook(), undefined, circumstances)
      else await this.#bring(commit, shallow, circumstances)
    }
    if (this.#unkept >= KEEP_AFTER) await this.#keep()
  }

  async #bring(tip: string, shallow: ReadonlySet<string>, circumstances: string): Promise<void> {
    const { top } = this.#deps.repository
    if (!this.#book) await this.#load(circumstances)
    const since = circumstances === this.#circumstances ? this.#tip : undefined
    if (this.#book && since !== undefined && (await isAncestor(top, since, tip))) {
      const touched = await this.#read(this.#book, { tip, since }, shallow)
      this.#tip = tip
      await this.#deps.onDates(touched.size > MOST_PATHS ? undefined : [...touched])
      return
    }
    // What is known by another history may be wrong in this one.
    if (this.#book) await this.#replace(undefined, undefined, circumstances)
    const book = this.#newBook()
    await this.#read(book, { tip }, shallow)
    await this.#replace(book, tip, circumstances)
  }

  #newBook(stamps?: ConstructorParameters<typeof DateBook>[1]): DateBook {
    return new DateBook(this.#deps.keyAt, stamps)
  }

  async #load(circumstances: string): Promise<void> {
    const kept = await this.#file.load(circumstances)
    if (!kept || this.#stop.signal.aborted) return
    const isHere = await isAncestor(this.#deps.repository.top, kept.tip, (await readHead(this.#deps.repository)).commit ?? '')
    if (isHere) await this.#replace(this.#newBook(kept.stamps), kept.tip, circumstances)
  }

  async #replace(book: DateBook | undefined, tip: string | undefined, circumstances: string): Promise<void> {
    this.#book = book
    this.#tip = tip
    this.#circumstances = circumstances
    await this.#deps.onDates(undefined)
  }

  /** Reads a part of the history into a book; returns the paths it touches. */
  async #read(book: DateBook, range: { tip: string; since?: string }, shallow: ReadonlySet<string>) {
    const { repository, content } = this.#deps
    const { top, prefix } = repository
    const slices = new Slices()
    const touched = new Set<string>()
    for await (const commits of readLog(top, { ...range, paths: [prefix + content], oldestFirst: true }, this.#stop.signal)) {
      for (const logged of commits) {
        const commit = datedCommit(logged, prefix, shallow)
        book.take(commit)
        for (const { path } of commit.changes) touched.add(path)
        this.#unkept++
      }
      if (slices.isOver) await slices.pause()
    }
    return touched
  }

  /** Saves the dates. They are a cache, so that errors are ignored. */
  async #keep(): Promise<void> {
    if (!this.#book || this.#tip === undefined) return
    this.#unkept = 0
    await this.#file.save(this.#tip, this.#circumstances, this.#book.all()).catch(() => undefined)
  }
}

function circumstancesOf({ repository, content }: DatesDeps, shallow: ReadonlySet<string>): string {
  const parts = [repository.prefix, content, ...[...shallow].sort()]
  return createHash('sha1').update(parts.join('\0')).digest('hex')
}
