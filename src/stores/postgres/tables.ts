import type { Generated } from 'kysely'
import type { AuditTables } from './audit-tables.ts'

/** One row: the site itself. Writers lock it, so that writes come one after another and sequences have no gaps. */
export interface SiteTable {
  /** Names this database among others: part of every cursor. */
  name: string
  /** The last place that a change of a document has. */
  place: number
  /** The place that `storage:migrate` moved the site to; null if the site still lives here. */
  moved_to: string | null
  moved_at: string | null
  /** A migration into this database that has not ended, as its own code knows it; null where none is under way. */
  arriving: string | null
}

/** Documents as they are now. Columns for lists are derived from the bytes, under a shape. */
export interface DocumentTable {
  doc: Generated<number>
  kind: string
  id: string
  /** The id in lower case, as JavaScript has it. */
  folded: string
  /**
   * The path that its file would have: below the content folder (`posts/2026/hello.md`), or below the private one for private
   * kinds.
   */
  file: string
  /** The content that the file would have; sealed if the kind is a sealed one. */
  bytes: Buffer
  version: string
  /** JSON of the fields, and of the dates that the bytes themselves give; nothing of kinds that are sealed. */
  head: string
  /** JSON of what is wrong or odd with the bytes; null where nothing is. */
  problem: string | null
  /** An identifier of the shape under which head, facts and the columns below were made. */
  shape: string
  /** False where the bytes can't be read as a document: such a one is in no list. */
  readable: boolean
  status: string | null
  /** Instants in milliseconds since 1970. */
  published: number | null
  expires: number | null
  /** The times when it was created and last changed, by its revisions: RFC 3339 UTC with milliseconds. Null for private kinds. */
  created_at: string | null
  updated_at: string | null
}

/** The values of documents' fields that can be compared: one row for each that is set, for each item of a list. */
export interface FactTable {
  doc: number
  /** The document's. */
  kind: string
  field: string
  /** Its index in the list; 0 for a value that is no list; below 0 if an item before it has the same text. */
  nth: number
  /** As text, the first 201 characters; null where it is an object or a list. */
  text: string | null
  /** The whole text where it has more than 200 characters: a shorter one never equals the beginning of such a one. */
  whole: string | null
  /** As a number, where it is one or reads as one. */
  number: number | null
  /** As an instant in milliseconds since 1970, where it reads as one. */
  instant: number | null
  /** The type of the value: 0 a number, 1 a text, 2 a boolean, 3 an object or a list. */
  type: number
  /** The text without case and accents, where it is another. */
  folded: string | null
}

/** Writes of content, in the order they were made. */
export interface WriteTable {
  /** The place of its first change. */
  place: number
  /** Milliseconds since 1970. */
  at: number
  name: string
  email: string
  message: string
  /** The write's own description of itself; null if Quire did not make the write. */
  number: number | null
  action: string | null
  request: string | null
  /** The text of the key that a record was moved from. */
  moved_from: string | null
}

/** The revisions of documents: the bytes of each one after a write. */
export interface RevisionTable {
  kind: string
  id: string
  place: number
  number: number
  /** RFC 3339 UTC with milliseconds. */
  at: string
  action: string
  file: string
  /** Null where the write removed it. */
  version: string | null
  bytes: Buffer | null
  /** The text of the key (`posts/old`) that the record was moved from by this write; null where it was not. */
  moved_from: string | null
  /** See `Revision.isEnd`. */
  is_end: boolean
}

/** The feed: which document changed at which place. Private kinds are in it, too. */
export interface ChangeTable {
  place: number
  kind: string
  id: string
  removed: boolean
  /** As of `detailText` (`core/feed/changed-state.ts`); null of private kinds, and of changes that an earlier release noted. */
  detail: string | null
  /** Names the transaction that made the change; null as above. */
  stamp: string | null
}

/** The requests to be done only once, by an identifier of the request, with the place of the write that did it. */
export interface OnceTable {
  once: string
  place: number
  /** Milliseconds since 1970. */
  at: number
}

/** See `marks.ts`. */
export interface MarkTable {
  slot: string
  nth: number
  at: Generated<Date>
}

/** See `core/ledger.ts`. */
export interface LedgerTable {
  name: string
  /** JSON. */
  value: string
  /** Milliseconds since 1970. */
  until: number
}

/** See `core/jobs/jobs.ts`. */
export interface JobTable {
  job: Generated<number>
  name: string
  /** JSON. */
  data: string
  /** From when on it may be taken, in milliseconds since 1970: the end of its lease, where a worker has it. */
  due: number
  /** The time at which it was added, in milliseconds since 1970; null if an earlier release added it. */
  added: number | null
  tries: Generated<number>
}

/** See `core/media/blobs.ts`. A blob is in parts, so that no one holds it whole. */
export interface BlobTable {
  blob: Generated<number>
  /** SHA-256 of the content in hex; null as long as not all of it is there. */
  ref: string | null
  /** In bytes; 0 as long as not all of it is there. */
  size: Generated<number>
  /** Time at which it was begun, in milliseconds since 1970. */
  at: number
}

export interface BlobPartTable {
  blob: number
  nth: number
  bytes: Buffer
}

/** See `core/files/site-files.ts`. */
export interface SiteFileTable {
  area: string
  path: string
  /** The blob that holds the bytes. */
  ref: string
  size: number
}

/** One way of reading documents, and how far the index that is made so has come. */
export interface SearchEditionTable {
  edition: Generated<number>
  /** An identifier of the way documents are read: see `searching/edition.ts`. */
  name: string
  /** The name of the site that it is an index of. */
  site: string
  /** All changes up to this place are in it, of the documents that were read. */
  place: number
  /** The last document (`doc`) that was read, while all are read; null once all were. */
  scanned: number | null
  /** True if all documents were read once. */
  whole: Generated<boolean>
  /** The time at which a node last used it. */
  used: Generated<Date>
}

/** A document as it is found. Rows of documents that are not there any more are found by nobody: `doc` joins the two. */
export interface SearchDocumentTable {
  edition: number
  kind: string
  id: string
  doc: number
  /** The weights of places marked D, C, B, A, by the lengths of the fields: as `ts_rank` takes them. */
  weights: string
  /** The stems, with places that say how often they are there: marked A in the title, B among the terms, C or D in the body. */
  words: string
  /** The forms. */
  forms: string
  /** The stems in their order, for phrases: see `searching/reading.ts`. */
  texts: string
}

/** The forms that documents have, and their stems. */
export interface SearchFormTable {
  edition: number
  form: string
  stem: string
  /** Grows with each that comes. */
  nth: Generated<number>
}

/** The migrations that were run. */
export interface MigrationTable {
  name: string
  at: string
}

/** Every table of a site's schema. */
export interface Tables extends AuditTables {
  site: SiteTable
  documents: DocumentTable
  facts: FactTable
  writes: WriteTable
  revisions: RevisionTable
  changes: ChangeTable
  once: OnceTable
  marks: MarkTable
  ledger: LedgerTable
  jobs: JobTable
  blobs: BlobTable
  blob_parts: BlobPartTable
  site_files: SiteFileTable
  search_editions: SearchEditionTable
  search_documents: SearchDocumentTable
  search_forms: SearchFormTable
  migrations: MigrationTable
}
