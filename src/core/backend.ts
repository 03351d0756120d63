import type { Preferred } from '#lib/diff3.ts'
import type { Author } from './document.ts'
import type { Jobs } from './jobs.ts'
import type { Key } from './key.ts'
import type { Ledger } from './ledger.ts'
import type { SearchIndex } from './search.ts'
import type { Store } from './store.ts'

/** One thing that was looked at. `todo` needs doing; a `note` is worth knowing. */
export interface Finding {
  readonly name: string
  readonly state: 'ok' | 'note' | 'todo'
  readonly says: string
  readonly hint?: string
}

/** How many files of the content there are: records, those whose name or folder begins with an underscore, and others by their ending (`.html`). */
export interface PassedOver {
  readonly records: number
  readonly underscore: number
  readonly endings: readonly (readonly [ending: string, count: number])[]
}

/** What a person is told at every command: a sentence, and how to mend it. */
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

/** What is asked of a sync with the remote. */
export interface SyncOptions {
  /** Whose name a merge bears; else that of the configuration. */
  readonly by?: Author
  /** Whether a person asked for it: then it pushes what was held back. */
  readonly byHand?: boolean
  /** Which side is taken where both changed the same. */
  readonly prefer?: Preferred
  /** False: what the remote has that is not here is left there. */
  readonly pull?: boolean
  /** False: nothing is pushed. */
  readonly push?: boolean
  readonly signal?: AbortSignal
}

/** What a sync did. Paths are from the site's root where they are below it, else from the top of what is synced. */
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
  /** Whether pushing is held back until a person syncs. */
  readonly held: boolean
}

/** What keeps a site, and what of it depends on where that is. All that runs is made of this, and knows nothing else of the place. */
export interface Backend {
  readonly store: Store
  readonly ledger: Ledger
  /** Opens what finds documents by their words, of texts in this language (`site.locale`); the same one each time. It is closed with the rest. */
  search(): SearchIndex
  /** Opens what is to be done later; the same one each time. It is closed with the rest. */
  jobs(): Jobs
  /** Whether any number of servers may have the site, with one ledger between them. */
  readonly isShared: boolean
  /** Where the content is, for a person to read. */
  readonly place: string
  /** What is amiss and would otherwise go unseen. */
  readonly remarks: readonly Remark[]
  /** Who is at work here, as far as the place itself knows. */
  author(): Promise<Author | undefined>
  /** The file of a record, from the site's root with `/`; the one it would be in, where there are no files. Undefined where there is no such record. */
  fileOf(key: Key): Promise<string | undefined>
  /** Every record’s file as `fileOf` gives it, where there are no files that an editor or a shell could find; absent where there are. */
  names?(): Promise<string[]>
  /** Counts the files of the content that are no records; absent where records are not in files. */
  passedOver?(): Promise<PassedOver>
  /** Says that this process, at `url`, serves the site. Throws Conflict, with the other's pid and address, where only one may and another does. */
  claim(url: string): Hold
  /** The server that runs on the site on this machine now, if one does. */
  server(): RunningServer | undefined
  /** Brings the site and its remote together. Throws NotFound where there is nothing to sync. */
  sync(options: SyncOptions): Promise<Synced>
  /** What there is to say of the place, for an operator. */
  examine(): Promise<Finding[]>
  close(): Promise<void>
}
