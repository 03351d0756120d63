import type { Document } from '#core/document.ts'
import type { Key } from '#core/key.ts'
import type { AnyBytes } from '#lib/files/bytes.ts'
import type { Stamp } from '#lib/files/stamp.ts'

/** A file that a write changes: that of a document, or the one that lies beside it and is put as it is. */
interface Changing {
  readonly path: string
  readonly key: Key
  readonly isBeside?: true
}

/**
 * The effect of batches on one file: its new bytes, or none if it is removed. `before` is its former content, `stamp` its state
 * at that time.
 */
export interface Step extends Changing {
  readonly before: AnyBytes | undefined
  readonly stamp: Stamp | undefined
  readonly after: AnyBytes | undefined
  /** The document that the new bytes are. */
  readonly document?: Document
}

/** The effect of one batch on one file, on top of the batches before it: its new bytes, or none if it is removed. */
export interface Edit<B = AnyBytes> extends Changing {
  /** True if the file existed before. */
  readonly existed: boolean
  readonly after: B | undefined
}
