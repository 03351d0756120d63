import type { Readable } from 'node:stream'
import type { AuditEntry } from './audit-log.ts'
import type { Remark } from './backend.ts'
import type { Author } from './document.ts'
import type { SiteFile } from './files/site-files.ts'
import type { Action, RevisionNumber } from './history/revision.ts'
import type { Key } from './key.ts'
import type { Fact } from './ledger.ts'
import type { BlobRef } from './media/blobs.ts'

/** The result of a write for one document, and the revision of the record that it makes. */
export interface MovedRevision {
  readonly key: Key
  /** The path of its file, from the content folder with `/`. */
  readonly file: string
  /** Undefined where the write removed it. */
  readonly bytes: Buffer | undefined
  readonly number: RevisionNumber
  /** RFC 3339 UTC with milliseconds. */
  readonly at: string
  readonly action: Action
  /** The text of the key that the record was moved from by this write; its history goes on with that one's. */
  readonly from: string | undefined
  /** See `Revision.isEnd`. */
  readonly isEnd: boolean
}

/** A write of the history: its author, time, metadata, and its effect on documents. */
export interface MovedWrite {
  /** Milliseconds since 1970; whole seconds where git knows no better. */
  readonly at: number
  readonly by: Author
  /** Without what Quire keeps of it. */
  readonly message: string
  /** The write's own metadata. All undefined for changes that Quire did not make. */
  readonly number: RevisionNumber | undefined
  readonly action: Action | undefined
  readonly request: string | undefined
  /** The text of the key that a record was moved from. */
  readonly from: string | undefined
  /** Made on the way, of what is in no history: its time is that of the carrying. */
  readonly isKept?: true
  readonly revisions: readonly MovedRevision[]
}

/**
 * A document as it is now, one that can't be read too: `file` is from the content folder, or the private one for private kinds.
 */
export interface MovedDocument {
  readonly key: Key
  readonly file: string
  readonly bytes: Buffer
}

/** A file of the site that is no document, or the bytes of a media file, which have the path that a file beside its sidecar has. */
export interface MovedFile extends Pick<SiteFile, 'area' | 'path' | 'size'> {
  /** Gives the bytes; throws Unavailable where they are gone by now. */
  open(): Promise<Readable>
}

/** A file on its way. `named` is the blob that the sidecar of its path names, if there is one. */
export interface ComingFile extends MovedFile {
  readonly named: BlobRef | undefined
}

/** The amounts of data to transfer. */
export interface Cargo {
  readonly writes: number
  readonly revisions: number
  /** Documents of content as they are now. */
  readonly documents: number
  /** Documents of private kinds. */
  readonly privates: number
}

/**
 * A site that is to be carried elsewhere. From its opening to its closing nobody else writes to it, or `leave` throws Conflict.
 * Opening it throws InvalidInput where it holds what can't be carried, with all of it named.
 */
export interface Origin {
  /** For people: what it is and where. */
  readonly name: string
  /** The same as long as the site is. */
  readonly fingerprint: string
  readonly cargo: Cargo
  readonly remarks: readonly Remark[]
  /** The place that the site was moved to before. Undefined if it lives here. */
  readonly movedTo: string | undefined
  /** The writes of its history in an order that a straight line can hold, without the first `done`; the same order each time. */
  writes(done: number): AsyncIterable<MovedWrite>
  /** All documents as they are now. */
  documents(): AsyncIterable<MovedDocument>
  /** All files that are no documents, and the bytes of all media files. */
  files(): AsyncIterable<MovedFile>
  facts(): AsyncIterable<Fact>
  /** The audit log, each entry with where its request came from. */
  audit(): AsyncIterable<AuditEntry>
  /** Marks the site as moved to `name`. */
  leave(name: string): Promise<void>
  close(): Promise<void>
}

/**
 * The destination of a site transfer. Data is on disk when a call resolves. Until `finish` it is not a site that can be opened.
 */
export interface Destination {
  readonly name: string
  /** The fingerprint of the site that began to arrive and has not ended; undefined where none did. */
  readonly arriving: string | undefined
  /** Begins, or goes on with the same site: how many of its writes are here. Throws Conflict where there is a site already. */
  begin(fingerprint: string): Promise<number>
  takeWrites(writes: readonly MovedWrite[]): Promise<void>
  /** All documents as they are, after the last write; then the files, then the facts, then the audit log. Taking them again does no harm. */
  takeDocuments(documents: AsyncIterable<MovedDocument>): Promise<void>
  /** Throws Conflict where another file is in the place of one. */
  takeFiles(files: AsyncIterable<ComingFile>): Promise<void>
  takeFacts(facts: AsyncIterable<Fact>): Promise<void>
  takeAudit(entries: AsyncIterable<AuditEntry>): Promise<void>
  /** From now on it is a site. */
  finish(): Promise<void>
  close(): Promise<void>
}
