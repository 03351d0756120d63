import type { Author, Version } from '#core/document.ts'
import { versionOf } from '#core/format/version.ts'
import type { Revision } from '#core/history/revision.ts'
import { type Key, keyText } from '#core/key.ts'
import type { Change, Store } from '#core/store.ts'
import { Failure, NoSpace } from '#lib/errors.ts'
import { counted } from '#lib/text/counted.ts'
import type { Source } from './item.ts'
import type { Made } from './made-record.ts'
import type { Outcome } from './report.ts'

/** Limits of what is written as one. */
const MOST_CHANGES = 500
const MOST_BYTES = 8 * 1024 * 1024

/** The dependencies of what is written. */
export interface WritingDeps {
  readonly store: Store
  readonly by: Author
  readonly source: Source
  readonly dryRun: boolean
  readonly signal: AbortSignal
}

/** One change that waits to be written, and who is told what became of it. */
interface Waiting {
  readonly change: () => Promise<Change>
  readonly bytes: number
  done(): void
  failed(error: Failure): void
}

/** Writes the documents of an import in batches, each of which is one commit, and leaves alone what was changed since. */
export class Writing {
  readonly #deps: WritingDeps
  #waiting: Waiting[] = []
  #bytes = 0
  #count = 0

  constructor(deps: WritingDeps) {
    this.#deps = deps
  }

  /** Returns what a write of a document would be; of one that it may change, the version that is there. */
  async outcomeOf({ key, bytes }: Made): Promise<{ outcome: Outcome; expects: string }> {
    const there = await this.#deps.store.get(key, 'once')
    if (!there) return { outcome: (await this.wasTaken(key)) ? 'kept' : 'created', expects: 'absent' }
    if (there.source?.equals(bytes) || there.version === versionOf(bytes)) return { outcome: 'same', expects: there.version }
    const outcome = (await this.#isAsImported(key, there.version)) ? 'updated' : 'kept'
    return { outcome, expects: there.version }
  }

  /** Adds a change to those that wait. They are written when there are enough of them. */
  async add(waiting: Waiting): Promise<void> {
    this.#waiting.push(waiting)
    this.#bytes += waiting.bytes
    if (this.#waiting.length >= MOST_CHANGES || this.#bytes >= MOST_BYTES) await this.flush()
  }

  /** Writes all that wait. One that can't be written is told so, and the others are written without it. */
  async flush(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = []
    this.#bytes = 0
    this.#deps.signal.throwIfAborted()
    if (waiting.length === 0) return
    const isDone = this.#deps.dryRun || (await this.#written(waiting))
    for (const one of waiting) {
      if (isDone) {
        one.done()
        continue
      }
      this.#deps.signal.throwIfAborted()
      await this.#write([one]).then(one.done, (error: unknown) => {
        if (!isOfDocument(error)) throw error
        one.failed(error)
      })
    }
  }

  /** False where one of them is refused, and so all are. */
  async #written(waiting: readonly Waiting[]): Promise<boolean> {
    try {
      await this.#write(waiting)
      return true
    } catch (error) {
      if (isOfDocument(error)) return false
      throw error
    }
  }

  async #write(waiting: readonly Waiting[]): Promise<void> {
    const changes: Change[] = []
    for (const { change } of waiting) changes.push(await change())
    const [first] = changes
    const what = changes.length === 1 && first ? keyText(first.key) : counted(changes.length, 'document')
    try {
      await this.#deps.store.write(changes, this.#deps.by, { message: `${this.#sentence} ${what}` })
    } catch (error) {
      throw error instanceof NoSpace && this.#count > 0 ? noSpaceAfter(this.#count) : error
    }
    this.#count += changes.length
  }

  /** Returns whether an import has brought a document, which may be gone since; false where no history tells. */
  async wasTaken(key: Key): Promise<boolean> {
    const past = await this.#deps.store.history(key, {})
    return past?.items.some((revision) => this.#isOurs(revision)) === true
  }

  /** Returns whether nothing has changed a document since an import wrote it; false where no history tells. */
  async #isAsImported(key: Key, version: Version): Promise<boolean> {
    const latest = (await this.#deps.store.history(key, { limit: 1 }))?.items[0]
    // An edit by hand that nobody has committed is in no history yet.
    return latest !== undefined && this.#isOurs(latest) && latest.version === version
  }

  #isOurs({ message, action }: Revision): boolean {
    return message.startsWith(this.#sentence) && action !== 'external'
  }

  get #sentence(): string {
    return `Import from ${this.#deps.source}:`
  }
}

function noSpaceAfter(count: number): NoSpace {
  const were = `${counted(count, 'document')} ${count === 1 ? 'was' : 'were'}`
  return new NoSpace(
    `The disk is full: ${were} imported before.`,
    'Make room, then run the import again: it goes on where it was.',
  )
}

/** Returns whether a failure is about what is written, not about where. */
function isOfDocument(error: unknown): error is Failure {
  return error instanceof Failure && error.status >= 400 && error.status < 500
}
