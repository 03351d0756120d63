import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makePrivateDir } from '#stores/engine/private-folder.ts'
import { FileLock } from '../disk/lock.ts'

/** The known state of the last sync, for every process of the site. */
export interface SyncNote {
  /** Nothing is pushed until somebody runs `cms sync`: an author's unfinished edit has been committed. */
  readonly held: boolean
  /** Number of files that the two sides changed in ways that only a person can reconcile. */
  readonly conflicts: number
  /** RFC 3339 UTC; when a sync last came to its end. */
  readonly last_sync_at: string | null
  /** The reason why the last attempt failed, or null if it did not. */
  readonly error: string | null
}

const NOTHING: SyncNote = { held: false, conflicts: 0, last_sync_at: null, error: null }

/** `sync.json` of the private folder. */
export class SyncNotes {
  readonly #dir: string
  readonly #lock: FileLock

  constructor(privateDir: string) {
    this.#dir = privateDir
    this.#lock = new FileLock(join(privateDir, 'sync-notes.lock'))
  }

  read(): SyncNote {
    try {
      const { held, conflicts, last_sync_at, error } = JSON.parse(readFileSync(this.#path, 'utf8'))
      return {
        held: held === true,
        conflicts: Number.isSafeInteger(conflicts) ? conflicts : 0,
        last_sync_at: typeof last_sync_at === 'string' ? last_sync_at : null,
        error: typeof error === 'string' ? error : null,
      }
    } catch {
      return NOTHING
    }
  }

  /** Changes the notes; other processes may at the same time. */
  async change(change: Partial<SyncNote>): Promise<void> {
    makePrivateDir(this.#dir)
    const release = await this.#lock.acquire()
    try {
      writeFileSync(`${this.#path}.new`, `${JSON.stringify({ ...this.read(), ...change })}\n`, { mode: 0o600 })
      renameSync(`${this.#path}.new`, this.#path)
    } finally {
      release()
    }
  }

  get #path(): string {
    return join(this.#dir, 'sync.json')
  }
}
