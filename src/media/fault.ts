/** A reason for which bytes are not taken: they are of another type, or of this one and broken. */
export type FaultReason = 'type' | 'broken'

/** A fault of a media file. `found` names in a word what the bytes are, `hint` says how to mend it. */
export class MediaFault extends Error {
  readonly reason: FaultReason
  readonly found: string
  readonly hint: string | undefined
  constructor(reason: FaultReason, found: string, message: string, hint?: string) {
    super(message)
    this.reason = reason
    this.found = found
    this.hint = hint
  }
}

/** The fault of a file that ends too early. */
export function cutShort(found: string): MediaFault {
  return new MediaFault('broken', found, 'The file ends before it is whole.', 'Perhaps it was not sent whole: send it again.')
}

/** The fault of a file that is not as its format has it; `what` is a sentence. */
export function broken(found: string, what: string): MediaFault {
  return new MediaFault('broken', found, what, 'Open it in the program that made it, and save it anew.')
}
