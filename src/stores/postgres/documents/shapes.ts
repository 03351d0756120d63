import { createHash } from 'node:crypto'
import type { Kind } from '#core/key.ts'
import type { ContentTypes, Shape } from '#core/types/content-type.ts'

/** Counts up where heads or facts come to be made in another way: what was made before is then made anew. */
const EDITION = 9

/** The shapes of kinds, and what stands for each in the database. */
export class Shapes {
  readonly #types: ContentTypes
  readonly #known = new Map<Kind, { readonly shape: Shape; readonly name: string }>()

  constructor(types: ContentTypes) {
    this.#types = types
  }

  of(kind: Kind): Shape {
    return this.#entry(kind).shape
  }

  /** Returns an identifier of the shape. It is the same on every node with the same configuration. */
  nameOf(kind: Kind): string {
    return this.#entry(kind).name
  }

  #entry(kind: Kind): { readonly shape: Shape; readonly name: string } {
    const known = this.#known.get(kind)
    if (known) return known
    const shape = this.#types.shape(kind)
    const entry = { shape, name: nameOf(shape) }
    this.#known.set(kind, entry)
    return entry
  }
}

function nameOf({ record, map, defaultStatus, liveStatus, taxonomies, statuses, instants, claimed, timezone }: Shape): string {
  const parts = [EDITION, record, map, defaultStatus, liveStatus, taxonomies, [...statuses], instants, claimed, timezone]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)
}
