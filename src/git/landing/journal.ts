import { readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { syncFolder, writeBeside } from '#lib/files/atomic.ts'
import { type Holder, parseHolder, thisProcess } from '#lib/process-identity.ts'
import type { Repository } from '../repository.ts'

/**
 * The change that a write is about to make to one file: its blob before and after, and the one staged before; null if there is
 * none.
 */
export interface JournalFile {
  /** From the top of the working tree. */
  readonly path: string
  readonly mode: string
  readonly base: string | null
  readonly next: string | null
  readonly staged: string | null
  /** True if its bytes are never converted. */
  readonly isVerbatim?: true
}

/** A file that git does not hold and that is about to get another place; paths are from the top of the working tree. */
export interface MovedFile {
  readonly from: string
  readonly to: string
}

/** The changes that a write is about to make. */
export interface Entry {
  readonly ref: string
  readonly base: string | null
  readonly tip: string
  readonly files: readonly JournalFile[]
  readonly moved?: readonly MovedFile[]
}

/** An entry with who made it. */
export interface JournalEntry extends Entry {
  readonly holder: Holder
}

/** A journal of the changes that a write is about to make, so that the next start can finish or forget them. */
export class Journal {
  readonly #path: string

  constructor({ dir }: Repository) {
    this.#path = join(dir, 'cms-journal')
  }

  /** Resolves when the entry is on the disk. */
  async write(entry: Entry): Promise<void> {
    const bytes = Buffer.from(`${JSON.stringify({ ...entry, holder: thisProcess() })}\n`)
    renameSync(await writeBeside(this.#path, bytes, 0o600), this.#path)
    await syncFolder(dirname(this.#path))
  }

  /** Reads the entry of a write that did not complete; undefined if there is none. */
  read(): JournalEntry | undefined {
    try {
      const text = readFileSync(this.#path, 'utf8')
      const { ref, base, tip, files, moved, holder } = JSON.parse(text)
      const parsed = parseHolder(JSON.stringify(holder))
      return typeof ref === 'string' && typeof tip === 'string' && Array.isArray(files) && parsed
        ? { ref, base, tip, files, ...(Array.isArray(moved) && { moved }), holder: parsed }
        : undefined
    } catch {
      return undefined
    }
  }

  remove(): void {
    rmSync(this.#path, { force: true })
  }
}
