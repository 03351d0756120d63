import type { Author } from '../../../core/document.ts'
import type { Key } from '../../../core/key.ts'
import type { Page } from '../../../core/query.ts'
import type { Revision, RevisionNumber } from '../../../core/revision.ts'
import type { Part } from '../../../core/store.ts'
import { Objects } from './objects.ts'
import type { Repository } from './repository.ts'

/** `git` of the configuration, as far as the store goes by it. */
export interface GitSettings {
  readonly enabled: boolean | 'auto'
  /** The only branch that is written to; null follows HEAD. */
  readonly branch: string | null
  readonly remote: string
  /** What becomes of an author's unsaved edit of a file that is written: committed first, or the write refused. */
  readonly local_edits: 'keep' | 'refuse'
  /** Who commits; the author of a commit is the acting user. */
  readonly author: Author
}

/** What the pieces of this room share. */
export interface GitParts {
  readonly repository: Repository
  readonly objects: Objects
  readonly settings: GitSettings
}

/** The history of a site in its repository: how writes get into it, and what can be read from it. */
export class Git {
  readonly repository: Repository
  readonly #objects: Objects

  constructor(repository: Repository, _settings: GitSettings) {
    this.repository = repository
    this.#objects = new Objects(repository.top)
  }

  /** As `Store.history`. */
  async history(_key: Key, _part: Part): Promise<Page<Revision>> {
    return { items: [], total: 0 }
  }

  /** The bytes of a revision and the path they were at, from the site's root; undefined where there are none. */
  async bytesAt(_key: Key, _number: RevisionNumber): Promise<{ bytes: Buffer; path: string } | undefined> {
    return undefined
  }

  async close(): Promise<void> {
    await this.#objects.close()
  }
}
