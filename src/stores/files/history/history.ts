import type { Revision, RevisionNumber } from '#core/history/revision.ts'
import { actionOf } from '#core/history/revision-message.ts'
import { type Key, keyText } from '#core/key.ts'
import type { Page } from '#core/queries/query.ts'
import type { Part } from '#core/store.ts'
import { touchedBetween } from '#git/history/log.ts'
import type { Objects } from '#git/objects/objects.ts'
import { type Repository, readHead } from '#git/repository.ts'
import { Cache } from '#lib/cache.ts'
import type { Committed } from '../committing/committed.ts'
import { NumberWalk } from './numbers.ts'
import type { PastFiles } from './past-files.ts'
import { gitLog, instantOf, type Line, type Lines, RecordLog, type RecordPlaces } from './record-log.ts'

/** A revision's bytes, and where they were. */
export interface PastBytes {
  readonly bytes: Buffer
  /** From the site's root. */
  readonly path: string
  /**
   * The times when the record first existed, and when it got its present state; absent if the history does not go back so far.
   */
  readonly createdAt?: string
  readonly updatedAt?: string
}

/** The dependencies for reading a history. */
export interface HistoryDeps {
  readonly repository: Repository
  readonly objects: Objects
  /** The folder of content, from the site's root. */
  readonly content: string
  readonly places: RecordPlaces
  readonly files: Pick<PastFiles, 'version' | 'bytes'>
  /** The revisions of a record in the history of a commit, oldest first, where they are known without asking git. */
  readonly known?: (key: Key, tip: string) => Promise<readonly Line[] | undefined>
  /** Returns whether a path was ever in the history of a commit, if that is known without asking git. */
  readonly ever?: (tip: string, path: string) => boolean | undefined
}

/** Bytes of revisions kept in memory, over all records, and those of one. */
const KEPT_BYTES = 20 * 1024 * 1024
const LINE_BYTES = 400
/** Number of paths in a commit by hand from which on the whole cache is dropped. */
const MOST_TOUCHED = 10_000

/** A log that is being read, and whether something came in between that it can't know of. */
interface Asked {
  readonly lines: Promise<Lines>
  readonly paths: readonly string[]
  stale: boolean
}

/**
 * The revisions of records, read from git when asked for and kept as long as they are true: commits of our own are added to what
 * is kept, commits by hand make it forget the records they touch.
 */
export class History {
  readonly #deps: HistoryDeps
  readonly #log: RecordLog
  readonly #kept = new Cache<Lines>({ bytes: KEPT_BYTES, sizeOf: ({ lines }) => lines.length * LINE_BYTES })
  readonly #asked = new Map<string, Asked>()
  /** The commit that all that is kept is true of. */
  #tip: string | undefined
  #following: { readonly tip: string; readonly done: Promise<void> } | undefined

  constructor(deps: HistoryDeps) {
    this.#deps = deps
    const { repository, objects, content, places } = deps
    this.#log = new RecordLog(repository, gitLog(repository.top, repository.prefix + content, objects), places)
  }

  /** As `Store.history`. */
  async list(key: Key, { offset = 0, limit }: Part): Promise<Page<Revision>> {
    const lines = await this.#linesAtHand(key)
    const end = Math.max(0, lines.length - offset)
    const page = lines.slice(limit === undefined ? 0 : Math.max(0, end - limit), end).reverse()
    return { items: await Promise.all(page.map((line) => this.#revision(key, line))), total: lines.length }
  }

  /** The last revision of a record; undefined where there is none. */
  async last(key: Key): Promise<Revision | undefined> {
    const line = (await this.#linesAtHand(key)).at(-1)
    return line && this.#revision(key, line)
  }

  /** The bytes of a revision; undefined where there is no such revision, or the record was removed in it. */
  async bytesAt(key: Key, number: RevisionNumber): Promise<PastBytes | undefined> {
    const lines = await this.#linesAtHand(key)
    const line = lines.find((one) => one.number === number)
    const bytes = line?.blob === undefined ? undefined : await this.#read(key, line)
    if (!line || !bytes) return undefined
    const first = lines[0] ?? line
    const dates = { ...(!first.isEnd && { createdAt: first.at }), ...(!line.isEnd && { updatedAt: line.at }) }
    return { bytes, path: line.path, ...dates }
  }

  /** Takes in commits of our own that brought HEAD from `old` to `tip`: what is kept goes on with them. */
  committed(commits: readonly Committed[], old: string | undefined, tip: string): void {
    if (this.#tip !== old) this.#forgetAll()
    for (const commit of commits) for (const edit of commit.edits) this.#add(commit, edit)
    this.#tip = tip
  }

  /** HEAD is at `tip` by someone else's hand. */
  async moved(tip: string): Promise<void> {
    await this.#follow(tip)
  }

  async #lines(key: Key): Promise<Lines> {
    const { commit } = await readHead(this.#deps.repository)
    if (commit === undefined) return { lines: [], walk: new NumberWalk(), path: undefined }
    if (commit !== this.#tip) await this.#follow(commit)
    const text = keyText(key)
    const path = this.#deps.places.present(key)
    const kept = this.#kept.get(text)
    if (kept && (path === undefined || path === kept.path)) return kept
    const asked = this.#asked.get(text)
    if (asked && !asked.stale) return asked.lines
    return this.#ask(commit, key, path)
  }

  /** As `#lines`; of many records at once they are known together. */
  async #linesAtHand(key: Key): Promise<readonly Line[]> {
    const { repository, known } = this.#deps
    const { commit } = await readHead(repository)
    const lines = commit === undefined ? undefined : await known?.(key, commit)
    return lines ?? (await this.#lines(key)).lines
  }

  #ask(tip: string, key: Key, path: string | undefined): Promise<Lines> {
    const { places, ever } = this.#deps
    const paths = path === undefined ? places.candidates(key) : [path]
    const text = keyText(key)
    const possible = paths.filter((one) => ever?.(tip, one) !== false)
    const asked: Asked = { lines: this.#log.read(tip, key, path, possible), paths, stale: tip !== this.#tip }
    this.#asked.set(text, asked)
    const settle = (lines?: Lines) => {
      if (this.#asked.get(text) !== asked) return
      this.#asked.delete(text)
      if (lines && !asked.stale) this.#kept.set(text, lines)
    }
    asked.lines.then(settle, () => settle())
    return asked.lines
  }

  async #revision(key: Key, { path, owner: _, blob, ...line }: Line): Promise<Revision> {
    const version = blob === undefined ? undefined : await this.#deps.files.version(key, path, blob)
    return { ...line, ...(version !== undefined && { version }) }
  }

  async #read(key: Key, { commit, path }: Line): Promise<Buffer | undefined> {
    const { objects, repository, files } = this.#deps
    const object = await objects.read(`${commit}:${repository.prefix}${path}`)
    return object?.type === 'blob' ? files.bytes(key, path, object.bytes) : undefined
  }

  #add(commit: Committed, { key, path, blob }: Committed['edits'][number]): void {
    const text = keyText(key)
    const { from, number, action, actions, by, message } = commit
    const isMovedHere = from !== undefined && from !== text && blob !== undefined
    const before = this.#kept.get(text)
    const asked = this.#asked.get(text)
    if (asked) asked.stale = true
    const isNew = before?.lines.at(-1)?.blob === undefined
    if (!before || isMovedHere || (!isNew && before.path !== path)) {
      this.#kept.delete(text)
      return
    }
    const effect = { isNew, isGone: blob === undefined, owner: text }
    const given = before.walk.next({ number, seconds: Math.floor(number / 1000) })
    const at = instantOf(given, undefined)
    const line: Line = {
      number: given,
      at,
      action: actionOf({ action, actions, number, from }, effect),
      by,
      message,
      commit: commit.commit,
      path,
      owner: text,
      blob,
    }
    // A new object: readers of the one before go on with it.
    this.#kept.set(text, { lines: [...before.lines, line], walk: before.walk, path })
  }

  /** Brings what is kept to `tip`: one look at what came since serves all who ask. */
  async #follow(tip: string): Promise<void> {
    if (this.#following?.tip !== tip) {
      const done = this.#catchUp(tip).finally(() => {
        if (this.#following?.done === done) this.#following = undefined
      })
      this.#following = { tip, done }
    }
    await this.#following.done
  }

  async #catchUp(tip: string): Promise<void> {
    const old = this.#tip
    const touched =
      old === undefined || this.#isEmpty()
        ? undefined
        : await touchedBetween(this.#deps.repository, this.#deps.content, old, tip, MOST_TOUCHED)
    // A commit of our own may have come meanwhile, and the cache is true of that.
    if (this.#tip !== old) return
    if (touched) this.#forget(touched)
    else this.#forgetAll()
    this.#tip = tip
  }

  #isEmpty(): boolean {
    return this.#kept.size === 0 && this.#asked.size === 0
  }

  #forget(touched: ReadonlySet<string>): void {
    for (const path of touched) {
      const key = this.#deps.places.keyAt(path)
      if (key) this.#kept.delete(keyText(key))
    }
    for (const asked of this.#asked.values()) if (asked.paths.some((path) => touched.has(path))) asked.stale = true
  }

  #forgetAll(): void {
    this.#kept.clear()
    for (const asked of this.#asked.values()) asked.stale = true
  }
}
