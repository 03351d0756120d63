import type { Document, Head } from '#core/document.ts'
import type { Key, Kind } from '#core/key.ts'
import type { StoredBlob } from '#core/media/blobs.ts'
import type { Claim } from '#core/store.ts'
import type { Shape } from '#core/types/content-type.ts'
import { Unreadable } from '#lib/errors.ts'
import type { FileBytes } from '#lib/files/bytes.ts'
import type { Along, BackFile } from './along.ts'
import type { newFile } from './new-file.ts'

/** A document as it is, or as batches have made it so far. */
export interface Draft {
  readonly key: Key
  /** Its file, from the content folder, or from the private one. */
  readonly file: string
  readonly bytes: Buffer
  readonly head: Head
  /** The document that the bytes are, where a batch made them. */
  readonly document?: Document
  /** The bytes that lie beside the file, or are to; the same object as long as they are the same. */
  readonly beside?: FileBytes | undefined
  /** The files of its own folder that go with it where it is moved. */
  readonly along?: readonly Along[]
  /** The files that come back with it where it was removed. */
  readonly back?: readonly BackFile[]
}

/** The effect of batches on one document. */
export interface Outcome {
  readonly key: Key
  readonly before: Draft | undefined
  readonly after: Draft | undefined
  /** The key that a batch moved it from. */
  readonly from?: Key | undefined
  /** The files that go with it where it is removed. */
  readonly gone?: readonly Along[]
}

/** The state of a store, on which batches are planned. */
export interface BatchContext {
  /** Finds a document as the store has it now. Throws Unreadable where it can't be told which of several it is. */
  document(key: Key): Draft | undefined
  /** Returns the texts of the keys that differ from this one in nothing but case. */
  twins(key: Key): readonly string[]
  /** Returns the ids of the documents that hold the value of a claim. */
  holders(kind: Kind, claim: Claim): readonly string[]
  /** Returns the file of a document that is to be made; see `newFile`. Throws Conflict where something else is in its way. */
  fileFor: typeof newFile
  /** Returns the bytes that a file which is to be made gets for these: the store may write its lines with other ends. */
  placed(kind: Kind, file: string, bytes: Buffer): Promise<Buffer>
  /** Finds what lies beside the file of a document, if this store keeps bytes there. */
  beside(kind: Kind, file: string): FileBytes | undefined
  /**
   * Finds what goes with a document whose file comes to be `file`, or that is removed. Throws Conflict where something is in the way
   * of it.
   */
  along(document: Draft, file: string | undefined): Promise<readonly Along[]>
  /**
   * Finds the files that would become those of a document by its new folder, from the content folder. `removedIn` is the commit that
   * removed it: what lay there before is its own.
   */
  others(key: Key, folder: string, removedIn: string | undefined): Promise<readonly string[]>
  /** Finds the files that a commit removed with a document, which come back with it. */
  back(key: Key, file: string, commit: string): Promise<readonly BackFile[]>
  /** Returns what is to lie beside a file for these bytes; undefined where they stay the blob. Throws Conflict where they can't. */
  given(kind: Kind, file: string, bytes: StoredBlob): Promise<FileBytes | undefined>
  shape(kind: Kind): Shape
  /** Returns the path that problems name for a file of a kind. */
  path(kind: Kind, file: string): string
}

/** Returns the failure of a change of a document that can't be read. */
export function unreadable(head: Head | undefined): Unreadable {
  const problem = head?.problem
  return new Unreadable(problem?.message ?? 'The file can’t be read as a record.', problem, problem?.hint)
}
