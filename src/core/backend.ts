import type { Preferred } from '#lib/text/diff3.ts'
import type { AuditLog } from './audit-log.ts'
import type { Author } from './document.ts'
import type { SiteFiles } from './files/site-files.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { Key } from './key.ts'
import type { Ledger } from './ledger.ts'
import type { Blobs } from './media/blobs.ts'
import type { SearchIndex } from './queries/search.ts'
import type { Store } from './store.ts'

/** One thing that was looked at. `todo` needs doing; a `note` is worth knowing. */
export interface HealthProblem {
  readonly name: string
  readonly state: 'ok' | 'note' | 'todo'
  readonly says: string
  readonly hint?: string
}

/** A remark that every command shows: a sentence, and how to fix it. */
export interface Remark {
  readonly message: string
  readonly hint?: string
}

/** A site held by this process: where it is really served once that is known, and what gives it back. */
export interface Hold {
  moved(url: string): void
  release(): void
}

/** A server that runs on a site, on this machine. */
export interface RunningServer {
  readonly pid: number
  readonly url: string
}

/** The options of a sync with the remote. */
export interface SyncOptions {
  /** The author of a merge commit. Defaults to the one in the configuration. */
  readonly by?: Author
  /** True if a person asked for the sync: it then pushes commits that were held back. */
  readonly byHand?: boolean
  /** The side to take if both changed the same. */
  readonly prefer?: Preferred
  /** False: what the remote has that is not here is left there. */
  readonly pull?: boolean
  /** False: nothing is pushed. */
  readonly push?: boolean
  readonly signal?: AbortSignal
}

/** The result of a sync. Paths are relative to the site's root if they are below it, else to the top of the synced repository. */
export interface Synced {
  readonly remote: string
  readonly branch: string
  /** Commits that came in, and went out; the merge itself is one of the latter. */
  readonly pulled: number
  readonly pushed: number
  /** Records merged by field and paragraph. */
  readonly merged: string[]
  /** Files decided by preference. */
  readonly chosen: string[]
  /** Commits that are here and not on the remote, for nobody wanted them pushed. */
  readonly unpushed: number
  /** True if pushing is held back until a person syncs. */
  readonly held: boolean
}

/**
 * The backend of a site, with everything that depends on the place it is kept in. All other code is built on this and knows
 * nothing else of the place.
 */
export interface Backend {
  readonly store: Store
  readonly ledger: Ledger
  /** The files of the site that are no documents. */
  readonly siteFiles: SiteFiles
  /**
   * Opens what finds documents by their words, of texts in this language (`site.locale`); the same one each time. It is closed
   * with the rest.
   */
  search(): SearchIndex
  /** Opens the queue of jobs; the same one each time. It is closed with the rest. */
  jobs(): Jobs
  /** Opens what keeps large bytes, such as uploads; the same one each time. It is closed with the rest. */
  blobs(): Blobs
  /** Opens the audit log; the same one each time. It is closed with the rest. */
  audit(): AuditLog
  /** True if any number of servers may run the site, with one ledger between them. */
  readonly isShared: boolean
  /**
   * True if this process may make what follows of changes, such as events. Where it is asked for, at the opening, one process at a
   * time has that of a site that is not shared, until it ends; a server has it for as long as it runs.
   */
  readonly delivers: boolean
  /** True if the records are files below the site's root, as tools find them there. */
  readonly isInFiles: boolean
  /** The location of the content, as shown to people. */
  readonly place: string
  /** Problems that would otherwise go unnoticed. */
  readonly remarks: readonly Remark[]
  /** Resolves with the current author, as far as the backend itself knows. */
  author(): Promise<Author | undefined>
  /**
   * The file of a record, from the site's root with `/`; the one it would be in, where there are no files. Undefined where there
   * is no such record.
   */
  fileOf(key: Key): Promise<string | undefined>
  /** Every record's file, as `fileOf` gives it. */
  files(): Promise<string[]>
  /**
   * Looks at files of records that others have changed, by their paths from the site's root: what they hold now is in the store
   * then. False where that is not known yet, as while git changes them, and where there are no files.
   */
  lookAt(files: readonly string[]): boolean
  /**
   * Says that this process, at `url`, serves the site. Throws Conflict, with the other's pid and address, where only one may and
   * another does.
   */
  claim(url: string): Hold
  /** The server that runs on the site on this machine now, if one does. */
  server(): RunningServer | undefined
  /** Brings the site and its remote together. Throws NotFound where there is nothing to sync. */
  sync(options: SyncOptions): Promise<Synced>
  /** Returns problems of the backend for an operator. */
  examine(): Promise<HealthProblem[]>
  close(): Promise<void>
}
