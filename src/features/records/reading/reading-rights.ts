import type { Access } from '#core/access/access.ts'
import { seesAllContent } from '#core/queries/known-types.ts'
import type { Store } from '#core/store.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import { Forbidden } from '#lib/errors.ts'

/** The store and the types of which a reader may know. */
export interface ReadingPlace {
  readonly store: Store
  readonly types: ContentTypes
}

/** Resolves with whether a caller may read anything. Menus and media are public as far as what they belong to is. */
export async function mayRead({ store, types }: ReadingPlace, access: Access): Promise<boolean> {
  if (access.may('content:read')) return true
  const kinds = [...types.declared().map(({ name }) => name), ...(await store.kinds())]
  return kinds.some((kind) => types.get(kind) && access.sees(kind) && access.may('content:read', kind))
}

/** Throws Forbidden for a caller who may read nothing. */
export async function mustMayRead(place: ReadingPlace, access: Access): Promise<void> {
  if (!(await mayRead(place, access))) throw new Forbidden('This needs the right content:read.')
}

/** Resolves with whether nothing at all is hidden from the reader. */
export async function seesWhole(store: Pick<Store, 'kinds'>, access: Access): Promise<boolean> {
  return access.may('content:read') && seesAllContent(store, access)
}
