import type { Clock } from '../../core/clock.ts'
import type { ContentTypes } from '../../core/content-type.ts'
import type { Document } from '../../core/document.ts'
import type { Store } from '../../core/store.ts'
import type { Turns } from '../../core/turns.ts'
import type { Bases } from './bases.ts'
import type { Catalogue } from './catalogue.ts'
import type { Renderer } from './present.ts'

/** What the pieces of `Records` share. */
export interface Parts {
  readonly store: Store
  readonly types: ContentTypes
  readonly clock: Clock
  readonly catalogue: Catalogue
  readonly renderer: Renderer
  readonly bases: Bases
  readonly turns: Turns
}

/** A record as it is answered. */
export interface RecordAnswer {
  readonly document: Document
  /** The record as JSON. */
  readonly json: Buffer
  /** The whole answer: `{"data":…}`. */
  readonly body: Buffer
  /** With its quotes, as the header has it. */
  readonly etag: string
}

/** A record's part of an answer: its JSON, and what stands for it in the answer's ETag. */
export interface Part {
  readonly json: Buffer
  readonly tag: string
  /** When the clock makes it untrue, in milliseconds since 1970. */
  readonly until: number
}
