import type { Memory } from './build-memory.ts'
import { Held } from './held.ts'
import type { Listed } from './out-list.ts'
import type { Shapes } from './site-state.ts'

/** Keeps what a process that builds a site again and again knows of its last build, and need not find out anew. */
export class LastBuild {
  readonly memory = new Held<Memory>()
  readonly list = new Held<Listed>()
  readonly shapes: Shapes = new WeakMap()
}
