import type { IncomingMessage } from 'node:http'
import type { Access, Caller } from '#core/access/access.ts'
import type { Document } from '#core/document.ts'
import type { SiteFiles } from '#core/files/site-files.ts'
import type { Asked } from '#core/history/revision.ts'
import { type Key, MEDIA, parseKey } from '#core/key.ts'
import type { Ledger } from '#core/ledger.ts'
import { endingOf } from '#core/media/attachments.ts'
import type { BlobRef, Blobs, PutBlob, StoredBlob } from '#core/media/blobs.ts'
import type { ErrorLog } from '#http/errors/log.ts'
import { type FormFile, readForm } from '#http/requests/multipart.ts'
import type { WriteOptions } from '#http/requests/write-options.ts'
import { KeyedMutex } from '#lib/concurrency/keyed-mutex.ts'
import { Semaphore } from '#lib/concurrency/semaphore.ts'
import { CaseConflict, Conflict, InvalidInput, TooLarge, UnsupportedMediaType } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import { parseSize } from '#lib/size.ts'
import { firstFree } from '#lib/text/first-free.ts'
import type { Inspected } from '#media/inspect.ts'
import { bytesOfCut } from '#media/pieces.ts'
import { typeOfEnding } from '#media/types.ts'
import { mustMayRead, type ReadingPlace } from '../../records/reading/reading-rights.ts'
import { noteOf } from '../../records/writing/commit-messages.ts'
import { keepBytes } from '../kept-bytes.ts'
import type { Media } from '../media.ts'
import { mustHoldWrite } from '../sight.ts'
import type { MediaAnswer } from '../view.ts'
import { BlobsAtWork } from './blobs-at-work.ts'
import { blobReader, examined, factsOf, type MediaLimits } from './examined.ts'
import { readFields } from './fields.ts'
import { newKey } from './names.ts'

/** The dependencies of uploads. */
export interface UploadsDeps extends ReadingPlace {
  readonly siteFiles: SiteFiles
  readonly media: Media
  readonly blobs: () => Blobs
  readonly limits: MediaLimits & { readonly max_size: string }
  /** The ledger of all nodes, where there may be others. */
  readonly shared: Ledger | undefined
  readonly log: ErrorLog
}

/** A request with a form, and its id. */
interface Sending {
  readonly raw: IncomingMessage
  readonly id: string
}

/** A form that came with a file; its bytes are kept, as they were sent. */
export interface Upload {
  readonly fields: Fields
  readonly folder: string
  readonly filename: string
  readonly sent: StoredBlob
  /** Blobs that are kept until the end, whatever becomes of them elsewhere. */
  readonly held: BlobRef[]
  /** Removes the bytes that have become nothing; never rejects. */
  end(): Promise<void>
}

/** Bytes of a form beside its file, at most. */
const MOST_BESIDE = 2 * 1024 * 1024

/** Number of times that a name which another node takes meanwhile is chosen anew. */
const TRIES = 10

/** Number of uploads that are looked at at once: each is read whole, piece by piece. */
const AT_ONCE = 2

/** Takes files in: they are kept as they come, looked at by their content, and become media with what is to be known of them. */
export class Uploads {
  readonly #deps: UploadsDeps
  readonly #atWork: BlobsAtWork
  /** Those that would get one name get theirs one after the other. */
  readonly #mutex = new KeyedMutex()
  readonly #semaphore = new Semaphore(AT_ONCE)

  constructor(deps: UploadsDeps) {
    this.#deps = deps
    this.#atWork = new BlobsAtWork(deps)
  }

  /** Throws Forbidden for a caller who may upload nothing. Who uploads is answered with what became of it. */
  async mustMayUpload(access: Access): Promise<void> {
    mustHoldWrite(access)
    await mustMayRead(this.#deps, access)
  }

  /** As `mustMayUpload`, of other bytes for a media file. */
  async mustMayReplace(access: Access, id: string, options: WriteOptions): Promise<void> {
    await this.#deps.media.change(access, id, options, async () => undefined)
  }

  /** Reads a form with a file. `texts` is false where the file alone is to be sent. Whoever has the upload ends it. */
  async receive({ raw, id }: Sending, texts: boolean): Promise<Upload> {
    const { max_size } = this.#deps.limits
    const most = parseSize(max_size) ?? 0
    const tooLarge = new TooLarge(`The file is larger than ${max_size}.`)
    const shape = { field: 'file', most: most + MOST_BESIDE }
    if (Number(raw.headers['content-length'] ?? 0) > shape.most) throw tooLarge
    const { held, end } = this.#holding(id)
    try {
      const form = await readForm(raw, shape, async ({ filename, content }) => ({
        filename,
        sent: await this.#put(held, content, most),
      })).catch((error: unknown) => {
        throw error instanceof TooLarge ? tooLarge : error
      })
      const { fields, folder } = readFields(form.fields, form.errors, texts)
      if (!form.file) throw new InvalidInput({ file: ['The file is missing: send it in the field "file".'] })
      return { fields, folder, ...form.file, held, end }
    } catch (error) {
      await end()
      throw error
    }
  }

  /** As `receive`, of one file of a form that the caller reads; `texts` are the folder, and what is said of it. */
  async keep({ filename, content }: FormFile, texts: ReadonlyMap<string, string>, requestId: string): Promise<Upload> {
    const { max_size } = this.#deps.limits
    const said = readFields(texts, {}, true)
    const { held, end } = this.#holding(requestId)
    try {
      return { ...said, filename, sent: await this.#put(held, content, parseSize(max_size) ?? 0), held, end }
    } catch (error) {
      await end()
      throw error instanceof TooLarge ? new TooLarge(`The file is larger than ${max_size}.`) : error
    }
  }

  #holding(requestId: string): Pick<Upload, 'held' | 'end'> {
    const held: BlobRef[] = []
    let ended: Promise<void> | undefined
    const end = () => {
      ended ??= this.#letGo(held, requestId)
      return ended
    }
    return { held, end }
  }

  async #put(held: BlobRef[], content: FormFile['content'], most: number): Promise<StoredBlob> {
    const sent = await this.#deps.blobs().put(content, most)
    await this.#hold(held, sent)
    return sent
  }

  /**
   * Makes a media file of an upload, under a name that is free, and ends the upload. A file may take hours to come: what its sender
   * may do is asked when it is there.
   */
  create(caller: Caller, upload: Upload, asked?: Asked): Promise<MediaAnswer> {
    return this.#create(caller, upload, asked).finally(() => upload.end())
  }

  async #create(caller: Caller, upload: Upload, asked: Asked | undefined): Promise<MediaAnswer> {
    const { fields, folder, filename } = upload
    const { found, bytes } = await this.#kept(upload, endingOf(filename))
    const access = await caller()
    await this.mustMayUpload(access)
    const owner = access.handle ? { uploaded_by: access.handle } : {}
    const set = Object.fromEntries(
      Object.entries({ ...factsOf(found, bytes), ...fields, ...owner }).filter(([, value]) => value !== null),
    )
    const keyOf = (n: number) => newKey(folder, filename, found.type, n)
    const write = (key: Key) =>
      this.#deps.store.write([{ key, put: { set, bytes }, expects: 'absent' }], access.author, noteOf('created', key, asked))
    return this.#answer(access, await this.#mutex.run(keyOf(1).id, () => this.#writeFirstFree(keyOf, write)))
  }

  #answer(access: Access, [written]: readonly Document[]): Promise<MediaAnswer> {
    if (!written) throw new Error('The store gave no document back for an upload.')
    return this.#deps.media.answerTo(access, written)
  }

  /** Writes under the first name that is free, and returns what was written. */
  async #writeFirstFree(keyOf: (n: number) => Key, write: (key: Key) => Promise<Document[]>): Promise<Document[]> {
    let n = await firstFree((n) => this.#isTaken(keyOf(n)))
    for (let tries = 1; ; tries++, n++) {
      const key = keyOf(n)
      try {
        return await write(key)
      } catch (error) {
        const isTaken = error instanceof CaseConflict || (error instanceof Conflict && (await this.#isTaken(key)))
        if (!isTaken || tries === TRIES) throw error
      }
    }
  }

  /** True for the former addresses of other files too, which lead to where they are now, and for those that differ in case alone. */
  #isTaken(key: Key): Promise<boolean> {
    return this.#deps.media.library.isTaken(key)
  }

  /** The media file that was made for what `once` stands for, where the store knows of it. */
  written(access: Access, once: string): Promise<MediaAnswer | undefined> {
    return this.#deps.media.written(access, once)
  }

  /** Puts other bytes in the place of those of a media file, of the same type, and ends the upload; `caller` is asked as for `create`. */
  replace(caller: Caller, id: string, upload: Upload, options: WriteOptions): Promise<MediaAnswer> {
    return this.#replace(caller, id, upload, options).finally(() => upload.end())
  }

  async #replace(caller: Caller, id: string, upload: Upload, options: WriteOptions): Promise<MediaAnswer> {
    const ending = endingOf(parseKey(MEDIA, id)?.id ?? '')
    const { found, bytes } = await this.#kept(upload, ending)
    const type = typeOfEnding(ending)
    if (found.type !== type)
      throw new UnsupportedMediaType(`The file is ${found.type}, and .${ending} is to stay under this address.`)
    const { media, store } = this.#deps
    const access = await caller()
    const written = await media.change(access, id, options, async ({ key, head }) => {
      if (head) await keepBytes(this.#deps, key)
      const put = { set: factsOf(found, bytes), bytes }
      const note = noteOf(head ? 'updated' : 'created', key, options.asked)
      return store.write([{ key, put, ...(head && { expects: head.version }) }], access.author, note)
    })
    return this.#answer(access, written)
  }

  /** Looks at an upload, and keeps it without what is to be cut out of it. */
  #kept(upload: Upload, ending: string): Promise<{ found: Inspected; bytes: StoredBlob }> {
    return this.#semaphore.run(() => this.#cut(upload, ending))
  }

  async #cut({ sent, held }: Upload, ending: string): Promise<{ found: Inspected; bytes: StoredBlob }> {
    const blobs = this.#deps.blobs()
    const reader = blobReader(blobs, sent)
    const found = await examined(reader, ending, this.#deps.limits)
    if (!found.cut) return { found, bytes: sent }
    const bytes = await blobs.put(bytesOfCut(reader, found.cut), found.cut.size)
    await this.#hold(held, bytes)
    return { found, bytes }
  }

  async #hold(held: BlobRef[], stored: PutBlob): Promise<void> {
    await this.#atWork.begin(stored)
    held.push(stored.ref)
  }

  /** Ends the work on blobs; where that fails, it is left to the sweep: the upload itself is what it is. */
  async #letGo(held: readonly BlobRef[], requestId: string): Promise<void> {
    for (const ref of held) await this.#atWork.end(ref).catch((error: unknown) => this.#deps.log(error, requestId))
  }
}
