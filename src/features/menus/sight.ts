import type { Access } from '#core/access/access.ts'
import type { Head } from '#core/document.ts'
import { keyText, parseKey } from '#core/key.ts'
import type { MenuTarget } from '#core/menu.ts'
import { extentOf, isWithin, narrowedTo } from '#core/queries/extent.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { Forbidden } from '#lib/errors.ts'
import type { ReadingPlace } from '../records/reading/reading-rights.ts'

/** Most ids that are looked up at once. */
const AT_ONCE = 500

/** Throws Forbidden, naming the right, for a caller who may not change menus. */
export function mustMayWrite(access: Access): void {
  if (!access.may('menus:write')) throw new Forbidden('This needs the right menus:write.')
}

/** Returns whether nothing of a type is hidden from the reader: then not even that a record is missing. */
export function seesAllOf(access: Access, type: string): boolean {
  return access.sees(type) && access.may('content:read', type) && access.may('content:drafts', type)
}

/** Resolves with a function that tells of targets whether the reader may see them; those of types seen whole may be missing. */
export async function sightOf(
  place: ReadingPlace,
  access: Access,
  targets: Iterable<MenuTarget | null>,
): Promise<(target: MenuTarget | null) => boolean> {
  const asked = [...targets].filter((target) => !isOpenTo(access, target))
  const there = await recordsThere(place, access, asked)
  return (target) => isOpenTo(access, target) || there.has(textOf(target))
}

/** Resolves with the keys, as texts, of the records among targets that exist for the reader, and did since a time, unchanged. */
export async function recordsSince(
  place: ReadingPlace,
  access: Access,
  targets: Iterable<MenuTarget | null>,
  time: number,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const { head, type } of await headsThere(place, access, targets)) {
    // Dates of a head may be its file's own, and not true.
    const last = (await place.store.history(head.key, { limit: 1 }))?.items[0]
    const isUnchanged = last !== undefined && last.version === head.version && Date.parse(last.at) <= time
    if (isUnchanged && isWithin(extentOf(access, type.name), head.fields, type.statuses, time)) found.add(keyText(head.key))
  }
  return found
}

/** Resolves with the keys, as texts, of the records among targets that exist for the reader. */
export async function recordsThere(
  place: ReadingPlace,
  access: Access,
  targets: Iterable<MenuTarget | null>,
): Promise<ReadonlySet<string>> {
  return new Set((await headsThere(place, access, targets)).map(({ head }) => keyText(head.key)))
}

async function headsThere({ store, types }: ReadingPlace, access: Access, targets: Iterable<MenuTarget | null>) {
  const ids = new Map<ContentType, Set<string>>()
  for (const target of targets) {
    const key = target && 'record' in target ? parseKey(target.record.type, target.record.id) : undefined
    const type = key && types.get(key.kind)
    if (!key || !type || !access.sees(type.name) || !access.may('content:read', type.name)) continue
    ids.set(type, (ids.get(type) ?? new Set()).add(key.id))
  }
  const there: { readonly head: Head; readonly type: ContentType }[] = []
  for (const [type, of] of ids) {
    const all = [...of]
    for (let start = 0; start < all.length; start += AT_ONCE) {
      const where = [{ field: 'id', op: 'in' as const, value: all.slice(start, start + AT_ONCE), as: 'text' as const }]
      const { items } = await store.heads(type.name, { where, ...narrowedTo(extentOf(access, type.name)) })
      for (const head of items) there.push({ head, type })
    }
  }
  return there
}

/** The text by which `recordsThere` knows a record. */
export function textOf(target: MenuTarget | null): string {
  const key = target && 'record' in target ? parseKey(target.record.type, target.record.id) : undefined
  return key ? keyText(key) : ''
}

/** Returns whether a reader may know of a target whatever it is: an address, or a record of a type that is seen whole. */
export function isOpenTo(access: Access, target: MenuTarget | null): boolean {
  return target === null || 'url' in target || seesAllOf(access, target.record.type)
}
