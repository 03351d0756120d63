import { createHash } from 'node:crypto'
import { Slices } from '#lib/concurrency/slices.ts'
import { type AnyBytes, type FileBytes, piecesOf } from '#lib/files/bytes.ts'
import type { Repository } from '../repository.ts'

/** Returns the id that git gives to these bytes in a repository: 40 hex digits, or 64 in one of SHA-256. */
export function blobId({ format }: Pick<Repository, 'format'>, bytes: Uint8Array): string {
  return blobHash(format, bytes)
}

/** Hashes `blob <length>`, a NUL and the bytes, as gitformat-pack(5) has it. Returns hex digits. */
export function blobHash(format: Repository['format'], bytes: Uint8Array): string {
  return createHash(format).update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

/** A blob that is in the repository. */
export interface KeptBlob {
  readonly id: string
}

/** The ids of the bytes of one write, each hashed once. */
export class BlobIds {
  readonly #repository: Pick<Repository, 'format'>
  readonly #known = new Map<AnyBytes, string>()

  constructor(repository: Pick<Repository, 'format'>) {
    this.#repository = repository
  }

  /** Hashes these in slices: what `of` is asked then takes no time. */
  async prepare(all: Iterable<AnyBytes>): Promise<void> {
    const slices = new Slices()
    for (const bytes of all) {
      if (slices.isOver) await slices.pause()
      if (Buffer.isBuffer(bytes)) this.of(bytes)
      else if (!this.#known.has(bytes)) this.#known.set(bytes, await this.#ofFile(bytes))
    }
  }

  async #ofFile(bytes: FileBytes): Promise<string> {
    const hash = createHash(this.#repository.format).update(`blob ${bytes.size}\0`)
    for await (const piece of piecesOf(bytes)) hash.update(piece)
    return hash.digest('hex')
  }

  /** The id of bytes; those of a file have to be prepared. */
  of(bytes: AnyBytes | KeptBlob): string {
    if ('id' in bytes) return bytes.id
    const known = this.#known.get(bytes)
    if (known !== undefined) return known
    if (!Buffer.isBuffer(bytes)) throw new Error(`${bytes.real} was not prepared.`)
    const id = blobId(this.#repository, bytes)
    this.#known.set(bytes, id)
    return id
  }
}
