import { isDeepStrictEqual } from 'node:util'
import type { Access } from '#core/access/access.ts'
import type { Document } from '#core/document.ts'
import { mustFindRevision, revisionText } from '#core/history/revision-name.ts'
import { type Key, MEDIA } from '#core/key.ts'
import type { StoredBlob } from '#core/media/blobs.ts'
import type { Store } from '#core/store.ts'
import { mustMatch } from '#http/answers/etag.ts'
import type { WriteOptions } from '#http/requests/write-options.ts'
import { Conflict } from '#lib/errors.ts'
import type { Histories } from '../records/histories.ts'
import { unreadable } from '../records/unreadable.ts'
import { noteOf } from '../records/writing/commit-messages.ts'
import { type KeepingDeps, keepBytes } from './kept-bytes.ts'
import type { PastMedia } from './past.ts'
import { mustBeTold } from './past-sight.ts'
import { aliasesOf, checksumIn } from './sidecar.ts'
import { mustReach } from './sight.ts'

/** The dependencies of rollbacks. */
export interface RollbackDeps extends KeepingDeps {
  readonly store: Store
  readonly histories: Histories
  readonly past: PastMedia
  /** Resolves with the checksum of the bytes that a media file has now; null where it has none. */
  checksumNow(key: Key, document: Document | undefined): Promise<string | null>
}

/** A media file after a rollback to the revision `to`; `changed` false where it was like that before, and no revision was made. */
export interface RolledBackMedia {
  readonly document: Document
  readonly to: string
  readonly changed: boolean
}

/** The media file and the revision that a rollback names. */
interface Asked {
  readonly id: string
  readonly ts: string
}

/**
 * Makes a sidecar what it was in a revision, byte for byte but for former addresses, which stay, with the bytes of the file that it
 * describes; brings a removed one back.
 * Throws Conflict where its bytes are not kept any more, Forbidden where the reader may not know all that it was.
 */
export async function rollBack(
  deps: RollbackDeps,
  access: Access,
  { id, ts }: Asked,
  { ifMatch, asked }: WriteOptions,
): Promise<RolledBackMedia> {
  const { store, histories, past } = deps
  const history = await past.history(access, id)
  const revision = mustFindRevision(history.visible, 'ts', ts)
  const { key, document: now } = history
  const newest = now ? undefined : history.all.find(({ version }) => version !== undefined)
  const last = now ?? (newest && (await histories.document(history, newest)))
  mustReach(access, { head: last })
  mustMatch(ifMatch, now?.version, 'The media file has changed since you read it.')
  const then = await histories.document(history, revision)
  if (!then?.source) throw new Conflict('The media file was removed in this revision, so there is nothing to go back to.')
  for (const { problem } of now ? [then, now] : [then])
    if (problem?.severity === 'error') throw unreadable(access, problem, MEDIA)
  mustBeTold(history, then)
  const to = revisionText(revision)
  if (now?.version === then.version) return { document: now, to, changed: false }
  const bytes = await bytesOf(deps, then, now)
  if (bytes) await keepBytes(deps, key)
  const [was, are] = [aliasesOf(key, [then]), aliasesOf(key, last ? [then, last] : [then])]
  // Its former addresses stay ones that lead to it.
  const aliases = isDeepStrictEqual(was, are) ? {} : { set: { aliases: are } }
  const put = { source: then.source, ...(then.file !== undefined && { file: then.file }), ...(bytes && { bytes }), ...aliases }
  const note = noteOf(now ? 'rolled_back' : 'restored', key, asked, ` to ${revision.at}`)
  const [document] = await store.write([{ key, put, expects: now?.version ?? 'absent' }], access.author, note)
  if (!document) throw new Error('The store gave no document back for a rollback.')
  return { document, to, changed: document.version !== now?.version }
}

/** The bytes that a sidecar is to get back; undefined where it has them. */
async function bytesOf(deps: RollbackDeps, then: Document, now: Document | undefined): Promise<StoredBlob | undefined> {
  const checksum = checksumIn(then.fields)
  const there = await deps.checksumNow(then.key, now)
  if (checksum === null ? now || there !== null : checksum === there) return undefined
  const ref = checksum?.slice('sha256:'.length)
  const found = ref === undefined ? undefined : await deps.blobs().open(ref)
  // Put anew: a sweep that has begun already would remove it.
  const stored = found && (await deps.blobs().put(found, Number.POSITIVE_INFINITY))
  if (stored && stored.ref === ref) return stored
  throw new Conflict(
    'The bytes that this file had then are not kept any more.',
    undefined,
    'Take them from the history of the repository or a backup, and upload them again.',
  )
}
