import { headSize } from '#frontmatter/split.ts'
import { NotAsked, Unanswered, WorkerQueue } from '#lib/concurrency/worker-queue.ts'
import { Conflict, InvalidInput, Unavailable, Unreadable } from '#lib/errors.ts'
import { moduleAddress } from '#lib/package.ts'
import type { FileForm } from '../files/file-form.ts'
import type { Key } from '../key.ts'
import type { Put } from '../store.ts'
import type { Shape } from '../types/content-type.ts'
import { type Edited, editDocument } from './edit.ts'
import type { EditAnswer, EditQuestion } from './edit-worker.ts'

/** Up to so many bytes of front matter, before and to be set, an edit is made at once: the worst takes some 60 ms. */
const SMALL = 32 * 1024
/** A text is copied and compared, not parsed: so many of its bytes take no longer than one of the front matter. */
const TEXT = 16
/** Less than a transaction of a database may be silent. */
const LIMIT_MS = 4_000

/** Makes edits of files: small ones at once, others in a thread of their own, so that nothing else waits for them. */
export class EditThread {
  readonly #queue: WorkerQueue<EditQuestion, EditAnswer>

  /** `limit` is how long one edit may take, in milliseconds. */
  constructor(limit = LIMIT_MS) {
    this.#queue = new WorkerQueue(moduleAddress('core/format/edit-worker'), limit)
  }

  /**
   * As `editDocument`, at once where the edit is small. Rejects with Conflict, too, where it takes too long, and with Unavailable
   * where too many wait.
   */
  edit(shape: Shape, current: Buffer | undefined, form: FileForm, put: Put, key: Key, file: string): Edited | Promise<Edited> {
    const base = put.source ?? current
    if (!isLong(base, put, form)) return editDocument(shape, current, form, put, key, file)
    return this.#asked({ shape: plainShape(shape), base, form, set: put.set, body: put.body, key, file })
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    await this.#queue.close()
  }

  async #asked(question: EditQuestion): Promise<Edited> {
    const answer = await this.#queue.ask(question).catch((error: unknown) => {
      if (error instanceof NotAsked) throw new Unavailable('Too many large files are being changed just now.')
      if (!(error instanceof Unanswered)) throw error
      throw new Conflict('The file takes too long to be changed.', undefined, 'Change it in the file itself, or divide it.')
    })
    if ('conflict' in answer) throw new Conflict(answer.conflict, undefined, answer.hint)
    if ('invalid' in answer) throw new InvalidInput(answer.invalid)
    if ('unreadable' in answer) throw new Unreadable(answer.unreadable, answer.at, answer.hint)
    const { bytes, head, body } = answer.made
    return { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), head, body }
  }
}

/** A shape alone, of what may be a type: that is what a thread is sent. */
function plainShape(shape: Shape): Shape {
  const { record, map, defaultStatus, liveStatus, taxonomies, statuses, instants, claimed, timezone } = shape
  return { record, map, defaultStatus, liveStatus, taxonomies, statuses, instants, claimed, timezone }
}

function isLong(base: Buffer | undefined, { set, body }: Put, form: FileForm): boolean {
  const text = (base?.length ?? 0) + (body?.length ?? 0)
  if (text > SMALL * TEXT) return true
  if (base && base.length > SMALL && headSize(base, form) > SMALL) return true
  return set !== undefined && JSON.stringify(set).length > SMALL
}
