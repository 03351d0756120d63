import type { Access } from '../access/access.ts'
import type { Store } from '../store.ts'
import type { ContentType } from '../types/content-type.ts'
import { extentOf, narrowedTo } from './extent.ts'

/**
 * Returns whether a type exists for a reader who may read its records. One that is declared does. One that only a folder makes one does
 * for those who may write in it, and where there is a record that they may see.
 */
export async function isKnownType(
  store: Pick<Store, 'kinds' | 'heads'>,
  access: Access,
  { name, declared }: ContentType,
): Promise<boolean> {
  if (declared) return true
  if (!(await store.kinds()).includes(name)) return false
  const extent = extentOf(access, name)
  if (extent === 'all' || access.reach('content:write', name) !== 'none') return true
  return (await store.heads(name, { ...narrowedTo(extent), limit: 0 })).total > 0
}

/** Resolves with whether no content is hidden from a reader: no draft, and no type that there is something of. */
export async function seesAllContent(store: Pick<Store, 'kinds'>, access: Access): Promise<boolean> {
  return access.may('content:drafts') && (await seesAllTypes(store, access))
}

/** Resolves with whether every type that there is something of exists for a reader. */
export async function seesAllTypes(store: Pick<Store, 'kinds'>, access: Access): Promise<boolean> {
  return (await store.kinds()).every((kind) => access.sees(kind))
}
