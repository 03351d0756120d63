import { randomBytes } from 'node:crypto'
import type { BlobRef } from '#core/media/blobs.ts'
import type { StoredObject } from './bucket.ts'

/** The prefix of the keys of blobs. */
export const KEPT = 'media/'

/** An object of a blob: each time that its bytes are put makes another one. */
export interface Copy extends StoredObject {
  readonly ref: BlobRef
}

/** Returns the key of a further object of a blob. */
export function newKey(ref: BlobRef): string {
  return `${KEPT}${ref}/${randomName()}`
}

/** Returns a name that nobody else comes to. */
export function randomName(): string {
  return randomBytes(16).toString('hex')
}

/** Gathers objects by their blob. They are in the order of their keys. */
export async function* blobsOf(objects: AsyncIterable<StoredObject>): AsyncGenerator<Copy[]> {
  let copies: Copy[] = []
  for await (const object of objects) {
    const copy = copyOf(object)
    if (!copy) continue
    if (copies[0] && copies[0].ref !== copy.ref) {
      yield copies
      copies = []
    }
    copies.push(copy)
  }
  if (copies.length > 0) yield copies
}

/** Returns an object as that of a blob; undefined if it is none. */
export function copyOf(object: StoredObject): Copy | undefined {
  const ref = /^media\/([0-9a-f]{64})\/[0-9a-f]{32}$/.exec(object.key)?.[1]
  return ref === undefined ? undefined : { ...object, ref }
}

/** Returns the objects of a blob in the order that all agree on: by the server's time, then by key. */
export function newestFirst(copies: readonly Copy[]): Copy[] {
  return [...copies].sort((a, b) => b.at - a.at || (a.key < b.key ? 1 : -1))
}
