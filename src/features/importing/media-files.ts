import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { type Key, MEDIA, parseKey } from '#core/key.ts'
import { endingOf } from '#core/media/attachments.ts'
import type { Blobs, StoredBlob } from '#core/media/blobs.ts'
import { mediaUrl } from '#core/media/media.ts'
import type { Change, Store } from '#core/store.ts'
import { TooLarge, UnsupportedMediaType } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import { composed } from '#lib/text/normal-form.ts'
import type { BytesReader } from '#media/bytes.ts'
import type { Inspected } from '#media/inspect.ts'
import { bytesOfCut } from '#media/pieces.ts'
import { typeOfEnding } from '#media/types.ts'
import type { SourceFile } from './item.ts'
import { likeId } from './places.ts'
import type { Outcome } from './report.ts'

/** Endings of what is media on its own: a text may be a licence or a list for robots. */
const NO_MEDIA: ReadonlySet<string> = new Set(['txt', 'csv'])

/** The dependencies of media that are imported. */
export interface MediaFilesDeps {
  readonly store: Pick<Store, 'get'>
  readonly blobs: () => Blobs
  /** Looks at a file; throws a failure for one that media don't take. */
  readonly examine: (reader: BytesReader, ending: string) => Promise<Inspected>
  /** Returns what a sidecar says of the bytes of a file. */
  readonly factsOf: (found: Inspected, bytes: StoredBlob) => Fields
  /** The most bytes that a file of media may have. */
  readonly most: number
}

/** A file that is to be written, or what became of it. */
export type Coming = { readonly outcome: Exclude<Outcome, 'created' | 'updated'> } | { readonly make: () => Promise<Change> }

/** Returns whether a file can become media, by its name. */
export function isMediaName(path: string): boolean {
  const ending = endingOf(path)
  return typeOfEnding(ending) !== undefined && !NO_MEDIA.has(ending)
}

/** The files of an export that become media, and the addresses that they get. */
export class MediaFiles {
  readonly #deps: MediaFilesDeps
  /** The keys of files by their absolute paths, in NFC: a disk may have names in another form than the texts that name them. */
  readonly #keys = new Map<string, Key>()
  readonly #taken = new Map<string, string>()

  constructor(deps: MediaFilesDeps) {
    this.#deps = deps
  }

  /** Chooses the key of a file; undefined where another has the name that is like its own. */
  add({ path, to }: Pick<SourceFile, 'path' | 'to'>): Key | undefined {
    const key = parseKey(MEDIA, likeId(to))
    const lower = key?.id.toLowerCase()
    if (!key || lower === undefined || (this.#taken.get(lower) ?? path) !== path) return undefined
    this.#taken.set(lower, path)
    this.#keys.set(composed(path), key)
    return key
  }

  /** Forgets a file that did not become media. */
  drop(path: string): void {
    this.#keys.delete(composed(path))
  }

  /** The address that a file gets, by its absolute path; undefined for one that is none of the media. */
  addressOf(path: string): string | undefined {
    const key = this.#keys.get(composed(path))
    return key && mediaUrl(key.id)
  }

  /** Looks at a file, and says what is to be written. Throws a failure for one that media don't take. */
  async coming(file: SourceFile, key: Key): Promise<Coming> {
    const { size } = await stat(file.path)
    if (size > this.#deps.most) throw new TooLarge('The file is larger than media may be (`media.max_size`).')
    const handle = await open(file.path)
    const reader = readerOfHandle(handle, size)
    try {
      const found = await this.#deps.examine(reader, endingOf(file.path))
      if (typeOfEnding(endingOf(key.id)) !== found.type)
        throw new UnsupportedMediaType(`The file is ${found.type} by its content, and its name has another ending.`)
      const there = await this.#deps.store.get(key, 'once')
      if (there)
        return { outcome: there.fields.checksum === `sha256:${await hashOf(file.path, reader, found)}` ? 'same' : 'kept' }
      return { make: () => this.#change(file, key) }
    } finally {
      await handle.close()
    }
  }

  async #change({ path, fields }: SourceFile, key: Key): Promise<Change> {
    const { blobs, most, examine, factsOf } = this.#deps
    const { size } = await stat(path)
    const handle = await open(path)
    try {
      const reader = readerOfHandle(handle, size)
      const found = await examine(reader, endingOf(path))
      const content = found.cut ? bytesOfCut(reader, found.cut) : createReadStream(path)
      const { ref, size: kept } = await blobs().put(content, most)
      const bytes = { ref, size: kept }
      const facts = Object.entries(factsOf(found, bytes)).filter(([, value]) => value !== null)
      return { key, put: { set: { ...Object.fromEntries(facts), ...fields }, bytes }, expects: 'absent' }
    } finally {
      await handle.close()
    }
  }
}

/** The SHA-256 of what is kept of a file, in hex. */
async function hashOf(path: string, reader: BytesReader, { cut }: Inspected): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of cut ? bytesOfCut(reader, cut) : createReadStream(path)) hash.update(piece)
  return hash.digest('hex')
}

function readerOfHandle(handle: Awaited<ReturnType<typeof open>>, size: number): BytesReader {
  return {
    size,
    read: async (start, end) => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(end - start), 0, end - start, start)
      return buffer.subarray(0, bytesRead)
    },
  }
}
