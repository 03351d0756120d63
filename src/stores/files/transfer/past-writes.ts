import type { Author } from '#core/document.ts'
import { type Key, keyText } from '#core/key.ts'
import type { MovedRevision, MovedWrite } from '#core/transfer.ts'
import type { LoggedCommit } from '#git/history/log.ts'
import type { Objects } from '#git/objects/objects.ts'
import type { Repository } from '#git/repository.ts'
import { parseMessage } from '../committing/message.ts'
import { borneNumber } from '../history/numbers.ts'
import { type Line, type Lines, RecordLog, type RecordPlaces } from '../history/record-log.ts'
import type { WalkedLog } from '../history/walked-log.ts'

/** A revision whose bytes are still in git. */
export interface PastRevision extends Omit<MovedRevision, 'bytes'> {
  readonly blob: string | undefined
}

/** A write whose bytes are still in git. */
export interface PastWrite extends Omit<MovedWrite, 'revisions'> {
  readonly revisions: readonly PastRevision[]
}

/** The sources that the past of a site is read from. `content` is the folder of content from the site's root. */
export interface PastDeps {
  readonly repository: Repository
  readonly log: WalkedLog
  readonly tip: string
  readonly content: string
  readonly places: RecordPlaces
}

/** The writes of a site, oldest first, and by the text of its key the revisions of each record there ever was. */
export interface WholeHistory {
  readonly writes: PastWrite[]
  readonly lines: ReadonlyMap<string, Lines>
}

/**
 * All writes that a record's list of revisions knows of, in the order of git's history. What a commit did to a record is what
 * that list says; what is in no record's list (a file that became another of the same id by hand) is left in the repository.
 */
export async function readHistory(deps: PastDeps): Promise<WholeHistory> {
  const lines = await linesOf(deps)
  const byCommit = new Map<string, Map<string, PastRevision>>()
  for (const [text, { lines: found }] of lines) {
    for (const [nth, line] of found.entries()) addLine(byCommit, deps, { text, line, before: found[nth - 1] })
  }
  const writes = deps.log.commits.flatMap((logged) => {
    const revisions = byCommit.get(logged.commit)
    return revisions ? [writeOf(logged, [...revisions.values()])] : []
  })
  return { writes, lines }
}

async function linesOf({ repository, log, tip, places }: PastDeps): Promise<Map<string, Lines>> {
  const { prefix } = repository
  const records = new RecordLog(repository, log, places)
  const keys = new Map<string, Key>()
  for (const path of log.paths()) {
    const key = places.keyAt(path.slice(prefix.length))
    if (key) keys.set(keyText(key), key)
  }
  const lines = new Map<string, Lines>()
  for (const [text, key] of keys) {
    const path = places.present(key)
    const possible = places.candidates(key).filter((one) => log.has(prefix + one))
    lines.set(text, await records.read(tip, key, path, possible))
  }
  return lines
}

interface RevisionLine {
  /** The record whose list it is in. */
  readonly text: string
  readonly line: Line
  readonly before: Line | undefined
}

/** Adds a revision to its commit. If two records' lists hold the same revision, that of the record it belongs to counts. */
function addLine(byCommit: Map<string, Map<string, PastRevision>>, deps: PastDeps, { text, line, before }: RevisionLine): void {
  const revisions = byCommit.get(line.commit) ?? new Map<string, PastRevision>()
  byCommit.set(line.commit, revisions)
  const from = before && before.owner !== line.owner ? before : undefined
  if (text === line.owner || !revisions.has(line.owner)) {
    const revision = revisionOf(deps, line, from?.owner)
    if (revision) revisions.set(line.owner, revision)
  }
  // Where it was moved from it is no more, though another record may have that place now.
  if (!from || revisions.has(from.owner)) return
  const gone = revisionOf(deps, { ...line, path: from.path, owner: from.owner, blob: undefined, action: 'moved' }, undefined)
  if (gone) revisions.set(from.owner, gone)
}

function revisionOf({ places, content }: PastDeps, line: Line, from: string | undefined): PastRevision | undefined {
  const { number, at, action, path, blob, isEnd } = line
  const key = places.keyAt(path)
  return key && { key, file: path.slice(content.length + 1), blob, number, at, action, from, isEnd: isEnd === true }
}

function writeOf(logged: LoggedCommit, revisions: readonly PastRevision[]): PastWrite {
  const { seconds, name, email, message } = logged
  const { text, number, action, request, from } = parseMessage(message)
  const by: Author = { name, email }
  return { at: borneNumber(number) ?? seconds * 1000, by, message: text, number, action, request, from, revisions }
}

/** The write with its bytes. */
export async function withBytes(objects: Objects, write: PastWrite): Promise<MovedWrite> {
  const revisions = await Promise.all(
    write.revisions.map(async ({ blob, ...revision }): Promise<MovedRevision> => {
      const object = blob === undefined ? undefined : await objects.read(blob)
      if (blob !== undefined && object?.type !== 'blob') throw new Error(`git has lost ${blob} (${revision.file}).`)
      return { ...revision, bytes: object?.bytes }
    }),
  )
  return { ...write, revisions }
}
