import type { Access } from '#core/access/access.ts'
import type { Hints } from '#core/feed/hints.ts'
import { type Kind, RESERVED_TYPES } from '#core/key.ts'
import { type Extent, extentOf } from '#core/queries/extent.ts'
import { isKnownType } from '#core/queries/known-types.ts'
import type { Store } from '#core/store.ts'
import type { ContentType, ContentTypes } from '#core/types/content-type.ts'
import { cacheKey } from '#lib/cache-key.ts'
import { Forbidden, NotFound } from '#lib/errors.ts'

/** The content that a reader can find: the types, and how much of each. `name` is equal for readers who find the same. */
export interface Audience {
  readonly readable: ReadonlyMap<Kind, Extent>
  readonly name: string
}

/** Decides which documents a caller may find. */
export class Audiences {
  readonly #store: Store
  readonly #types: ContentTypes
  readonly #hints: Hints
  readonly #known = new WeakMap<Access, Audience & { readonly state: number }>()

  constructor(store: Store, types: ContentTypes, hints: Hints) {
    this.#store = store
    this.#types = types
    this.#hints = hints
  }

  /** Throws Forbidden for a caller who may read no content at all. */
  async of(access: Access): Promise<Audience> {
    const known = this.#known.get(access)
    const { state } = this.#hints
    if (known?.state === state) return known
    const kinds = [...this.#types.declared().map(({ name }) => name), ...(await this.#store.kinds())]
    const readable = new Map(
      kinds.filter((kind) => this.#type(kind) && access.may('content:read', kind)).map((kind) => [kind, extentOf(access, kind)]),
    )
    if (readable.size === 0 && !access.may('content:read')) throw new Forbidden('This needs the right content:read.')
    const audience = { readable, name: cacheKey([...readable]), state }
    this.#known.set(access, audience)
    return audience
  }

  /** Throws NotFound for a type that does not exist for the reader, Forbidden for one whose records they may not read. */
  async mustRead(access: Access, name: string): Promise<void> {
    const type = access.sees(name) ? this.#type(name) : undefined
    if (!type) throw noType(name)
    if (!access.may('content:read', name)) throw new Forbidden(`This needs the right content:read for "${name}".`)
    if (!(await isKnownType(this.#store, access, type))) throw noType(name)
  }

  #type(name: string): ContentType | undefined {
    return RESERVED_TYPES.has(name) ? undefined : this.#types.get(name)
  }
}

function noType(name: string): NotFound {
  return new NotFound(`There is no content type "${name}".`)
}
