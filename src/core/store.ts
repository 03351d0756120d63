import type { Fields, Json } from '#lib/json.ts'
import type { Author, Document, Head, Problem, Version } from './document.ts'
import type { PastList, PastMoment } from './history/past.ts'
import type { Action, Note, Revision, RevisionNumber, WriteSource } from './history/revision.ts'
import type { Key, Kind } from './key.ts'
import type { StoredBlob } from './media/blobs.ts'
import type { Page, Query } from './queries/query.ts'

/**
 * The change of a document. It starts from `source` if given (whole bytes, as in a rollback or a migration), else from the
 * existing document, else from nothing. Then `set` changes fields by Quire's names (null removes one, a list is replaced) and
 * `body` the body. Bytes that no change touches stay as they are.
 */
export interface Put {
  source?: Buffer
  /**
   * The previous file of `source` (`Document.file`). The document is put there if it does not exist now and the path has its id.
   */
  file?: string
  set?: Fields
  body?: string
  /**
   * The bytes that belong to the document from this write on, put in the blobs of the store before; of media alone. A store that
   * keeps documents as files puts them beside the document in the same step, where they are not too many; else they stay the blob,
   * and none lie beside. What lies beside a document goes with it when it is moved or removed. With `expects: 'absent'` none may
   * lie there yet.
   */
  bytes?: StoredBlob
  /**
   * The commit that removed the document which is put back. The files that went with it there come back in the same step, where
   * nothing lies by now; a store without commits has none of them.
   */
  removedIn?: string
}

/** A value that must be unique among the documents of a kind, checked in the same step as the write. */
export interface Claim {
  field: string
  value: string
}

/**
 * One change. `expects` is the version it starts from, or `absent`; a stale one throws Stale (or Conflict for `absent`).
 * `from` moves a document here from another key of the same class, its bytes with it.
 */
export type Change =
  | { key: Key; put: Put; from?: Key; expects?: Version | 'absent'; unique?: readonly Claim[] }
  | { key: Key; remove: true; expects?: Version }

/** A sequence in the feed of changes; opaque, and only of use to the store that returned it. */
export type Cursor = string

/** A document as it was before a change, or came to be by it. */
export interface ChangedState {
  readonly version: Version
  /** The stored status, of documents that have one. Absent, too, where it is not known. */
  readonly status?: string
  /** RFC 3339 UTC with milliseconds. */
  readonly published_at?: string
  readonly expires_at?: string
  /** As it is stored: a name, or a list of names. Absent, too, where it is too long to be a handle. */
  readonly author?: Json
}

/** A change of one document; look it up to see what became of it since. */
export interface Changed {
  readonly key: Key
  readonly removed: boolean
  /** As in the history; `external` for an edit by hand, and where it is not known. */
  readonly action: Action
  /** The version that it made; absent where the document was removed, and of changes that an earlier release noted. */
  readonly version?: Version
  /** Absent where nobody knows. */
  readonly by?: Author
  /** The id of the request that it was made for (`Note.request`). */
  readonly request?: string
  /** The key that the document was moved here from. That one has a change of its own, a removal that says `moved`. */
  readonly from?: Key
  /** Absent where it was not there before (of a moved one: at its former key), and where that is not known. */
  readonly was?: ChangedState
  /** Absent where it was removed, and of changes that an earlier release noted. */
  readonly is?: ChangedState
  /**
   * The names of the fields that differ, at most 100, and `body`; of an edit from outside `body` only where no field differs. Absent
   * of what is new or gone, and where it is not known.
   */
  readonly changed?: readonly string[]
  /** Absent of edits from outside, and where it is not known. */
  readonly source?: WriteSource
  /** The time it was made, or seen where nobody asked for it: milliseconds since 1970. Absent of changes that an earlier release noted. */
  readonly at?: number
}

/**
 * A part of the feed. `reset` is set if the store does not know what came after the cursor: read everything anew, then go on from
 * `next`. `sequence` is the number of the last change up to `next`, of private kinds too: of two parts that one store object
 * answered, the later one has the higher.
 */
export interface Feed {
  changes: Changed[]
  next: Cursor
  sequence: number
  reset: boolean
}

/** A revision, and the document that it is of. */
export interface Latest extends Revision {
  readonly key: Key
}

/** A part of a list; without `limit`, all from `offset` on. */
export interface Part {
  offset?: number
  limit?: number
}

/** Words and figures for /readyz, doctor and the dashboard. */
export interface Health {
  ok: boolean
  /** Problems for an operator. Empty if ok. */
  problems: string[]
  /** The reason why nothing can be written now while reads work: a sentence for anyone. Absent if writes work. */
  readOnly?: string
  details: Fields
}

export type Unsubscribe = () => void

/**
 * A store of documents. Absence is `undefined` here and an error in a feature.
 *
 * - Reads see every write that resolved before they began, on this store object.
 * - `write` takes one batch: all of it happens or none, and it is durable when it resolves. A batch is all content or all
 *   private. A batch that changes no byte of a document leaves it alone: no revision, no entry in the feed. It resolves with the
 *   current documents, in the order of the changes that put one.
 * - A write whose note has the same `once` as a write of the last 24 hours is not repeated, if the store supports that. It
 *   resolves with the result of the first.
 * - A write over an unreadable document throws Unreadable and changes nothing. Removing one is allowed.
 * - An id that differs from another of its kind only by case throws Conflict. A failed claim throws Conflict.
 * - `changes` is ordered and gap-free. Each write of this store object, or of any node of a shared store, has one change for each
 *   document that it changed, in the order of the writes. Edits made otherwise are in it too, by hand or by another process on
 *   the same files: with what their commit says, where there is one by then, else as `external`. Several of these on one
 *   document between two looks are one change, and none where the document was back in its old state. If the store is opened to
 *   serve, a cursor stays valid after a restart, and changes made meanwhile come after it. Private kinds are not in it.
 * - The feed is the store's, not the public's: it tells of drafts and of every kind, with names and addresses of authors. A
 *   reader that hands something on has to look at the rights of the receiver.
 * - `subscribe` is only a hint that something, of any kind, has changed: subscribers should drop whatever they have cached.
 */
export interface Store {
  /** The kinds of content there is a folder or a document of, in code point order; never private ones. */
  kinds(): Promise<Kind[]>
  /** With `once`, the document need not be cached for the next call. */
  get(key: Key, once?: 'once'): Promise<Document | undefined>
  /** As `get`, without the body; as `heads`, answered from memory or an index alone where that can be. */
  head(key: Key): Promise<Head | undefined>
  browse(kind: Kind, query: Query): Promise<Page<Document>>
  /** As `browse`, without bodies: answered from memory or an index alone. */
  heads(kind: Kind, query: Query): Promise<Page<Head>>
  /**
   * Counts the documents for each value of a field (each item of a list counts once; `status` is the effective one). Never reads
   * documents.
   */
  count(kind: Kind, query: Query, by: string): Promise<Map<string, number>>
  write(changes: readonly Change[], by: Author, note?: Note): Promise<Document[]>
  /**
   * Resolves with the result of the write with this `once` in the last 24 hours. Undefined if there was none, or if the store
   * can't tell.
   */
  written(once: string): Promise<Document[] | undefined>
  /**
   * The revisions of a record, newest first, those of its earlier ids among them; undefined where the store keeps no history. A
   * record that was removed keeps its own; one that never was has none. Each write that resolved is in it, under a number of its
   * own.
   */
  history(key: Key, part: Part): Promise<Page<Revision> | undefined>
  /**
   * The record as it was in one of its revisions, under the key it has now; undefined where there is no such revision, or it was
   * removed in it.
   */
  at(key: Key, number: RevisionNumber): Promise<Document | undefined>
  /**
   * The readable records of a kind as they were; undefined where the store keeps no history of the kind. Those of a time: all
   * that `history` and `at` of any id tell of that time, each once and as they tell it; of a record that was moved, under the id
   * it had then, where that still leads to it. Those that were removed: each as it last was, but for those that were moved, and
   * those whose removal is no revision yet. Throws InvalidInput for a commit where the history is not one of commits, NotFound
   * where it has none of that name.
   */
  past(kind: Kind, moment: PastMoment): Promise<PastList | undefined>
  /**
   * The last revision of each document there is or was, the newest first, and those of one time by kind and id; undefined where
   * the store keeps no history. Without those that were moved away, and those that are not in the history yet. It is not for the
   * public: a reader has to look at the rights of who asks.
   */
  latest(part: Part): Promise<readonly Latest[] | undefined>
  /**
   * Resolves when every document has the dates of its history, which may take a while after the start; at once if no history is
   * kept.
   */
  dated(): Promise<void>
  /** Returns the problems of unreadable and odd documents, of one kind or of all. Ordered by file. */
  problems(kind?: Kind): Promise<Problem[]>
  /**
   * Says what is wrong with the file that would have this id (in NFC), were its name a valid one; undefined where there is no
   * such file.
   */
  misnamed(kind: Kind, id: string): Promise<Problem | undefined>
  changes(after: Cursor | undefined, limit: number): Promise<Feed>
  subscribe(listener: () => void): Unsubscribe
  health(): Promise<Health>
  close(): Promise<void>
}
