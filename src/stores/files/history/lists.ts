import { datedHead } from '#core/dates.ts'
import type { Head } from '#core/document.ts'
import { readHead } from '#core/format/read.ts'
import { type Chosen, PastChoice, type PastHead, type PastLink, type PastList, type PastMoment } from '#core/history/past.ts'
import { type RevisionName, timeNamed } from '#core/history/revision-name.ts'
import { type Key, type Kind, keyText } from '#core/key.ts'
import { isAncestor, logOf } from '#git/history/log.ts'
import { readBlobs } from '#git/objects/blobs.ts'
import type { Objects } from '#git/objects/objects.ts'
import { type Repository, readHead as readTip } from '#git/repository.ts'
import { Cache } from '#lib/cache.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import { NotFound } from '#lib/errors.ts'
import { parseMessage } from '../committing/message.ts'
import type { FileRegistry } from '../registry/file-registry.ts'
import { pathOf } from '../registry/registry.ts'
import { borneNumber } from './numbers.ts'
import type { PastFiles } from './past-files.ts'
import { type Line, type Lines, RecordLog, type RecordPlaces } from './record-log.ts'
import { WalkedLog } from './walked-log.ts'

/** The dependencies of lists of the past. */
export interface PastListDeps {
  readonly repository: Repository
  readonly objects: Objects
  readonly registry: FileRegistry
  /** The folder of content, from the site's root. */
  readonly content: string
  readonly places: RecordPlaces
  readonly files: PastFiles
}

/** A record there ever was, and its revisions, oldest first. */
interface Known {
  readonly key: Key
  readonly lines: Lines
}

/** The history of the content as of a commit, and what was asked of it. */
interface Walked {
  readonly tip: string
  readonly log: WalkedLog
  /** By kind and by the text of the key. */
  readonly kinds: Map<Kind, ReadonlyMap<string, Known>>
  /** The last list: a client that reads it page by page asks for it again. */
  readonly last: Cache<PastList>
}

/** A line, as what is listed is chosen by. */
interface Link extends PastLink {
  readonly line: Line
}

/** For how long after a question the history is kept in memory, in milliseconds. */
const KEPT_MS = 60_000
/** Number of records whose bytes are requested at once. */
const AT_ONCE = 500

/**
 * Lists of records as they were: the history of the content is read once and whole, kept for a while, and answers for all of
 * them.
 */
export class PastLists {
  readonly #deps: PastListDeps
  #walked: Promise<Walked> | undefined
  #tip: string | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(deps: PastListDeps) {
    this.#deps = deps
  }

  /** As `Store.past`. */
  async list(kind: Kind, moment: PastMoment): Promise<PastList> {
    const { commit } = await readTip(this.#deps.repository)
    if (commit === undefined) return noCommits(moment)
    const walked = await this.#walk(commit)
    const known = await this.#known(walked, kind)
    // What is there now bears on what was removed without a commit: that is looked at each time.
    const kept = 'at' in moment ? walked.last.get([kind, moment]) : undefined
    if (kept) return kept
    const meant = 'at' in moment ? { at: await this.#instantOf(walked, moment.at) } : moment
    const list = { heads: await this.#heads(known, meant), time: timeOf(meant) }
    walked.last.set([kind, moment], list)
    return list
  }

  /** The revisions of a record, oldest first, where the history that is kept is that of this commit. */
  async linesOf(key: Key, tip: string): Promise<readonly Line[] | undefined> {
    if (this.#tip !== tip) return undefined
    const known = (await this.#walked)?.kinds.get(key.kind)?.get(keyText(key))
    return known && this.#isTrue(known) ? known.lines.lines : undefined
  }

  /** Reads the history of all records of these kinds, for many questions after single ones. */
  async prepare(kinds: Iterable<Kind>): Promise<void> {
    const { commit } = await readTip(this.#deps.repository)
    const walked = commit === undefined ? undefined : await this.#walk(commit)
    if (walked) for (const kind of kinds) await this.#known(walked, kind)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#forget()
  }

  async #walk(tip: string): Promise<Walked> {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#forget(), KEPT_MS).unref()
    if (this.#tip !== tip || !this.#walked) {
      const { repository, content, objects } = this.#deps
      this.#tip = tip
      const reading = WalkedLog.read(repository, repository.prefix + content, tip, objects)
      this.#walked = reading.then((log) => ({ tip, log, kinds: new Map(), last: new Cache({ most: 1 }) }))
      this.#walked.catch(() => this.#forget())
    }
    return this.#walked
  }

  #forget(): void {
    this.#tip = undefined
    this.#walked = undefined
  }

  /** Every record of a kind that exists or ever existed. */
  async #known(walked: Walked, kind: Kind): Promise<ReadonlyMap<string, Known>> {
    const kept = walked.kinds.get(kind)
    if (kept && [...kept.values()].every((known) => this.#isTrue(known))) return kept
    const { repository, places } = this.#deps
    const { prefix } = repository
    const records = new RecordLog(repository, walked.log, places)
    const slices = new Slices()
    const found = new Map<string, Known>()
    for (const logged of walked.log.paths()) {
      const key = places.keyAt(logged.slice(prefix.length))
      if (key?.kind !== kind || found.has(keyText(key))) continue
      const path = places.present(key)
      // Where it is now, nothing else is looked at.
      const possible = path === undefined ? places.candidates(key).filter((one) => walked.log.has(prefix + one)) : []
      found.set(keyText(key), { key, lines: await records.read(walked.tip, key, path, possible) })
      if (slices.isOver) await slices.pause()
    }
    walked.kinds.set(kind, found)
    walked.last.clear()
    return found
  }

  /** A file that was renamed without a commit has another past. */
  #isTrue({ key, lines }: Known): boolean {
    const path = this.#deps.places.present(key)
    return path === undefined || path === lines.path
  }

  /** A commit by hand counts with all of its second. */
  async #instantOf({ tip, log }: Walked, name: RevisionName): Promise<RevisionName> {
    if (!('commit' in name)) return name
    const { repository, content } = this.#deps
    const { top, prefix } = repository
    const isThere = log.commit(name.commit) !== undefined || (await isAncestor(top, name.commit, tip))
    if (!isThere) throw new NotFound('There is no such commit in the history.')
    const found = log.commit(name.commit) ?? (await logOf(top, { tip: name.commit, paths: [prefix + content], most: 1 }))[0]
    if (!found) return { instant: 0 }
    return { instant: borneNumber(parseMessage(found.message).number) ?? found.seconds * 1000 + 999 }
  }

  async #heads(known: ReadonlyMap<string, Known>, moment: PastMoment): Promise<PastHead[]> {
    const slices = new Slices()
    const choice = new PastChoice<Link>(moment)
    for (const { key, lines } of known.values()) {
      const isThere = this.#deps.places.present(key) !== undefined
      choice.take({ key, links: lines.lines.map((line) => this.#link(line)).reverse(), isThere })
      if (slices.isOver) await slices.pause()
    }
    const chosen = choice.all()
    const heads: PastHead[] = []
    for (let n = 0; n < chosen.length; n += AT_ONCE) {
      const some = chosen.slice(n, n + AT_ONCE)
      const sources = await this.#sources(some)
      for (const [at, one] of some.entries()) {
        const head = this.#head(one, sources[at])
        if (head) heads.push(head)
        if (slices.isOver) await slices.pause()
      }
    }
    return heads
  }

  #link(line: Line): Link {
    const { number, at, action, blob, owner, commit } = line
    const slash = owner.lastIndexOf('/')
    const named = { kind: owner.slice(0, slash), id: owner.slice(slash + 1) }
    return { number, at, action, version: blob, owner: named, mark: `${commit} ${owner}`, line }
  }

  /** Resolves with the files of those that are not as they are now. */
  async #sources(chosen: readonly Chosen<Link>[]): Promise<(Buffer | undefined)[]> {
    const { repository, files } = this.#deps
    const others = chosen.map(({ key, link }) => (this.#present(key, link.line) ? undefined : link.line.blob))
    const bytes = await readBlobs(
      repository.top,
      others.filter((blob) => blob !== undefined),
    )
    const one = async ({ key, link }: Chosen<Link>, at: number) => {
      const kept = bytes.get(others[at] ?? '')
      return kept && files.bytes(key, link.line.path, kept)
    }
    return Promise.all(chosen.map(one))
  }

  #head({ key, link, first, removedAt }: Chosen<Link>, bytes: Buffer | undefined): PastHead | undefined {
    const { line } = link
    const own = this.#present(key, line) ?? this.#read(key, line, bytes)
    if (!own || own.problem?.severity === 'error') return undefined
    const dates = { ...(!first.line.isEnd && { createdAt: first.at }), ...(!line.isEnd && { updatedAt: line.at }) }
    return { head: datedHead(own, dates), number: link.number, at: link.at, ...(removedAt !== undefined && { removedAt }) }
  }

  /** The record as it is now, where its file is what it was. */
  #present(key: Key, { blob, path }: Line): Head | undefined {
    const [entry, second] = this.#deps.registry.claims(key)
    return entry && !second && entry.head.version === blob && pathOf(entry) === path ? entry.head : undefined
  }

  #read(key: Key, { path }: Line, bytes: Buffer | undefined): Head | undefined {
    if (!bytes) return undefined
    const { registry } = this.#deps
    return readHead(key, registry.shape(key.kind), bytes, registry.places.formOf(key.kind, path), path)
  }
}

/** Before the first commit nothing was. */
function noCommits(moment: PastMoment): PastList {
  if ('at' in moment && 'commit' in moment.at) throw new NotFound('There is no such commit in the history.')
  return { heads: [], time: timeOf(moment) }
}

function timeOf(moment: PastMoment): number {
  return 'at' in moment ? timeNamed(moment.at) : Number.POSITIVE_INFINITY
}
