import { createHash } from 'node:crypto'
import type { StoredBlob } from '#core/media/blobs.ts'
import { Conflict } from '#lib/errors.ts'
import { type FileBytes, fileBytesAt, piecesOf } from '#lib/files/bytes.ts'
import type { Stamp } from '#lib/files/stamp.ts'
import type { Tree } from '../disk/tree.ts'

/** The bytes that are put beside documents: blobs of up to `most` bytes, each in a file of its own. */
export interface BesideBytes {
  readonly most: number
  /** Finds the bytes of a blob. */
  bytesOf(blob: StoredBlob): Promise<FileBytes | undefined>
}

/** The files that lie beside the documents of one group of batches, or are to; paths are from the site's root. */
export class Beside {
  readonly #tree: Tree
  readonly #kept: BesideBytes | undefined
  readonly #there = new Map<string, { readonly bytes: FileBytes | undefined; readonly stamp: Stamp | undefined }>()
  readonly #given = new Map<string, FileBytes>()

  constructor(tree: Tree, kept: BesideBytes | undefined) {
    this.#tree = tree
    this.#kept = kept
  }

  /** Returns what lies at a path; the same each time. Where it is changed meanwhile, `stamp` tells. */
  at(path: string): FileBytes | undefined {
    return this.#look(path).bytes
  }

  /** Returns the state in which the file at a path was found. */
  stamp(path: string): Stamp | undefined {
    return this.#look(path).stamp
  }

  /** Throws Conflict where there is anything at a path. */
  mustBeFree(path: string): void {
    if (this.#look(path).stamp !== undefined) throw new Conflict(`"${path}" is in the way.`)
  }

  /** Returns what is to lie at a path for a blob: what is there, if it is the same; undefined where it is to stay a blob. */
  async given(path: string, blob: StoredBlob): Promise<FileBytes | undefined> {
    const { bytes: there, stamp } = this.#look(path)
    if (!there && stamp !== undefined) throw new Conflict(`"${path}" is in the way.`)
    if (!this.#kept || blob.size > this.#kept.most) return undefined
    if (there?.size === blob.size && (await hashOf(there)) === blob.ref) return there
    const known = this.#given.get(blob.ref) ?? (await this.#kept.bytesOf(blob))
    if (!known) throw new Conflict('The bytes of this file were not kept long enough.', undefined, 'Upload it again.')
    this.#given.set(blob.ref, known)
    return known
  }

  #look(path: string) {
    const known = this.#there.get(path)
    if (known) return known
    // The stamp is of before: what changes in between is found by it.
    const stamp = this.#tree.inTheWay(path)
    const found = { stamp, bytes: fileBytesAt(this.#tree.real(path)) }
    this.#there.set(path, found)
    return found
  }
}

async function hashOf(bytes: FileBytes): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of piecesOf(bytes)) hash.update(piece)
  return hash.digest('hex')
}
