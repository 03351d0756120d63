import { readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { syncFolder, writeBeside } from '#lib/atomic-files.ts'
import { type Holder, parseHolder, thisProcess } from '#lib/process-identity.ts'
import type { Repository } from './repository.ts'

/** What a write is about to do to one file: its blob before and after, and the one staged before; null where there is none. */
export interface JournalFile {
  /** From the top of the working tree. */
  readonly path: string
  readonly mode: string
  readonly base: string | null
  readonly next: string | null
  readonly staged: string | null
}

/** What a write is about to do. */
export interface Entry {
  readonly ref: string
  readonly base: string | null
  readonly tip: string
  readonly files: readonly JournalFile[]
}

/** An entry with who made it. */
export interface JournalEntry extends Entry {
  readonly holder: Holder
}

/** Where it is written down what a write is about to do, so that the next start can finish or forget it. */
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

  /** What a write was about to do that did not come to its end; undefined where there is none. */
  read(): JournalEntry | undefined {
    try {
      const text = readFileSync(this.#path, 'utf8')
      const { ref, base, tip, files, holder } = JSON.parse(text)
      const parsed = parseHolder(JSON.stringify(holder))
      return typeof ref === 'string' && typeof tip === 'string' && Array.isArray(files) && parsed
        ? { ref, base, tip, files, holder: parsed }
        : undefined
    } catch {
      return undefined
    }
  }

  remove(): void {
    rmSync(this.#path, { force: true })
  }
}
