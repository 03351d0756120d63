import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Author } from '#core/document.ts'
import type { Action, RevisionNumber } from '#core/history/revision.ts'
import { actionOf } from '#core/history/revision-message.ts'
import { type Key, keyText } from '#core/key.ts'
import { type LoggedCommit, logOf, type PathChange } from '#git/history/log.ts'
import type { Objects } from '#git/objects/objects.ts'
import type { Repository } from '#git/repository.ts'
import { append } from '#lib/append.ts'
import { KeyedMutex } from '#lib/concurrency/keyed-mutex.ts'
import { type Message, parseMessage } from '../committing/message.ts'
import { borneNumber, NumberWalk, numberedSecond } from './numbers.ts'

/** The present and former places of records, by paths from the site's root. */
export interface RecordPlaces {
  /** Returns the present path of the record's file, or undefined if there is none. */
  present(key: Key): string | undefined
  /** Returns the paths at which a file would have this key, the most probable path first. */
  candidates(key: Key): string[]
  /** The key of the record that a file is, or would be. */
  keyAt(path: string): Key | undefined
}

/** One revision, as far as the log shows it. */
export interface Line {
  readonly number: RevisionNumber
  /** RFC 3339 UTC with milliseconds. */
  readonly at: string
  readonly action: Action
  readonly by: Author
  readonly message: string
  readonly commit: string
  /** The path of the record at that time, from the site's root. */
  readonly path: string
  /** The text of the key that it had. */
  readonly owner: string
  /** Git's id of its bytes; undefined where it was removed. */
  readonly blob: string | undefined
  /** See `Revision`. */
  readonly isEnd?: true
}

/**
 * The revisions of a record, oldest first, and what gives the next one its number. `path` is where it is, or last was; undefined
 * where it never was.
 */
export interface Lines {
  readonly lines: Line[]
  readonly walk: NumberWalk
  readonly path: string | undefined
}

/** A commit that changed the record, when it was at `path` under the key `owner`. */
interface Found {
  readonly logged: LoggedCommit
  readonly change: PathChange
  readonly message: Message
  readonly path: string
  readonly owner: string
}

/** The source of a log: git itself, or the data read from it before. Paths are from the top of the working tree. */
export interface LogSource {
  /** Finds the commits that changed a path in the history of `tip`, newest first. Merges that took one side are included. */
  ofPath(tip: string, path: string): Promise<LoggedCommit[]>
  /** Returns the changes of a commit to all paths of the content. */
  changesOf(commit: string): Promise<readonly PathChange[]>
  /** Finds the last commit that changed one of some paths. */
  lastOf(tip: string, paths: readonly string[]): Promise<LoggedCommit | undefined>
  /** Git's id of what is at a path in a commit. */
  blobAt(commit: string, path: string): Promise<string | undefined>
}

/** Asks git, each time. `content` is the folder of content, from the top of the working tree. */
export function gitLog(top: string, content: string, objects: Objects): LogSource {
  return {
    ofPath: (tip, path) => logOf(top, { tip, paths: [path] }),
    changesOf: async (commit) => (await logOf(top, { tip: commit, paths: [content], most: 1 }))[0]?.changes ?? [],
    lastOf: async (tip, paths) => (await logOf(top, { tip, paths, most: 1 }))[0],
    blobAt: async (commit, path) => (await objects.info(`${commit}:${path}`))?.id,
  }
}

/** Number of records whose logs are read at once: git is quick, but two cores are only two. */
const AT_ONCE = 4

/** Reads what git knows of one record. */
export class RecordLog {
  readonly #repository: Repository
  readonly #source: LogSource
  readonly #places: RecordPlaces
  readonly #mutex = new KeyedMutex()
  #next = 0

  constructor(repository: Repository, source: LogSource, places: RecordPlaces) {
    this.#repository = repository
    this.#source = source
    this.#places = places
  }

  /**
   * The revisions of a record in the history of `tip`, those before it was moved among them. `path` is where it is now; without
   * one it is looked for wherever it may have been, of `possible` alone where given.
   */
  read(tip: string, key: Key, path: string | undefined, possible = this.#places.candidates(key)): Promise<Lines> {
    this.#next = (this.#next + 1) % AT_ONCE
    return this.#mutex.run(`log ${this.#next}`, () => this.#read(tip, key, path, possible))
  }

  async #read(tip: string, key: Key, path: string | undefined, possible: readonly string[]): Promise<Lines> {
    const [probable, ...others] = path === undefined ? possible : [path]
    if (probable === undefined) return numbered([], new Set(), undefined)
    let at = probable
    let found = await this.#found(tip, keyText(key), at)
    if (found.length === 0 && others.length > 0) {
      at = (await this.#lastOf(tip, others)) ?? probable
      if (at !== probable) found = await this.#found(tip, keyText(key), at)
    }
    return numbered(found.reverse(), this.#shallow(), found.length === 0 ? path : at)
  }

  /** Newest first, and on with the path that the record was moved from. */
  async #found(tip: string, owner: string, path: string): Promise<Found[]> {
    const all: Found[] = []
    for (let at: { tip: string; owner: string; path: string } | undefined = { tip, owner, path }; at; ) {
      const found = await this.#ofPath(at)
      const { index, origin } = await this.#origin(found)
      append(all, origin ? found.slice(0, index + 1) : found)
      at = origin
    }
    return all
  }

  async #ofPath({ tip, owner, path }: { tip: string; owner: string; path: string }): Promise<Found[]> {
    const whole = this.#repository.prefix + path
    const log = [...(await this.#source.ofPath(tip, whole))]
    const found: Found[] = []
    let last: string | undefined
    for (const logged of log.reverse()) {
      const change = logged.changes.find((one) => one.path === whole) ?? (await this.#chosen(logged, whole, last))
      if (!change) continue
      found.push({ logged, change, message: parseMessage(logged.message), path, owner })
      last = change.blob
    }
    return found.reverse()
  }

  /**
   * Returns the change of a merge that took the record from one of its parents, if the revision reported before it has other
   * bytes.
   */
  async #chosen({ commit, parents }: LoggedCommit, path: string, last: string | undefined): Promise<PathChange | undefined> {
    if (parents.length < 2) return undefined
    const blob = await this.#source.blobAt(commit, path)
    return blob === last ? undefined : { path, blob, isNew: last === undefined }
  }

  /** The newest of these that a record was moved here by, and where it was before. */
  async #origin(found: readonly Found[]) {
    for (const [index, one] of found.entries()) {
      const { from } = one.message
      const [parent] = one.logged.parents
      if (!one.change.isNew || from === undefined || from === one.owner || parent === undefined) continue
      const path = await this.#removed(one.logged.commit, from)
      if (path !== undefined) return { index, origin: { tip: parent, owner: from, path } }
    }
    return { index: -1, origin: undefined }
  }

  /** The path that a commit removed, of the record whose key has this text. */
  async #removed(commit: string, from: string): Promise<string | undefined> {
    const { prefix } = this.#repository
    const changes = await this.#source.changesOf(commit)
    const gone = changes.filter(({ blob }) => blob === undefined).map(({ path }) => path.slice(prefix.length))
    return gone.find((path) => {
      const key = this.#places.keyAt(path)
      return key && keyText(key) === from
    })
  }

  /** Returns the path that was last changed, of some paths. */
  async #lastOf(tip: string, paths: readonly string[]): Promise<string | undefined> {
    const { prefix } = this.#repository
    const whole = paths.map((path) => prefix + path)
    const last = await this.#source.lastOf(tip, whole)
    const [change] = last?.changes.filter(({ path }) => paths.includes(path.slice(prefix.length))) ?? []
    return change?.path.slice(prefix.length)
  }

  #shallow(): ReadonlySet<string> {
    return shallowCommits(this.#repository)
  }
}

/** The commits at which a shallow clone ends: what was before them is not known, and all they hold looks new in them. */
export function shallowCommits({ common }: Repository): ReadonlySet<string> {
  const path = join(common, 'shallow')
  return new Set(existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [])
}

function numbered(found: readonly Found[], shallow: ReadonlySet<string>, path: string | undefined): Lines {
  const walk = new NumberWalk()
  const lines = found.map(({ logged, change, message, path, owner }): Line => {
    const { commit, seconds, name, email } = logged
    const number = walk.next({ number: message.number, seconds })
    const effect = { isNew: shallow.has(commit) ? undefined : change.isNew, isGone: change.blob === undefined, owner }
    return {
      number,
      at: instantOf(number, borneNumber(message.number) === undefined ? seconds : undefined),
      action: actionOf(message, effect),
      by: { name, email },
      message: message.text,
      commit,
      path,
      owner,
      blob: change.blob,
      ...(shallow.has(commit) && { isEnd: true as const }),
    }
  })
  return { lines, walk, path }
}

/**
 * Returns the time at which a revision was made. It is that of its number, except for commits by hand (`seconds`) that are too
 * old to be numbered by their time.
 */
export function instantOf(number: RevisionNumber, seconds: number | undefined): string {
  const isOlder = seconds !== undefined && seconds < numberedSecond(seconds)
  return new Date(isOlder ? seconds * 1000 : number).toISOString()
}
