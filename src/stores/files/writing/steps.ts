import type { Document } from '#core/document.ts'
import type { Key } from '#core/key.ts'
import type { Stamp } from '#lib/file-stamp.ts'

/**
 * The effect of batches on one file: its new bytes, or none if it is removed. `before` is its former content, `stamp` its state
 * at that time.
 */
export interface Step {
  readonly path: string
  readonly key: Key
  readonly before: Buffer | undefined
  readonly stamp: Stamp | undefined
  readonly after: Buffer | undefined
  /** The document that the new bytes are. */
  readonly document?: Document
}

/** The effect of one batch on one file, on top of the batches before it: its new bytes, or none if it is removed. */
export interface Edit {
  readonly path: string
  readonly key: Key
  /** True if the file existed before. */
  readonly existed: boolean
  readonly after: Buffer | undefined
}
