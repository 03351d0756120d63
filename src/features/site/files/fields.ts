import type { ContentType, Field } from '#core/content-type.ts'
import type { Document } from '#core/document.ts'
import { holds, rewritten } from '#core/fields.ts'
import { fileHref, type LinkPlace, leadsElsewhere, resolveHref } from '#core/links/resolve.ts'
import { mediaAt, mediaUrl } from '#core/media.ts'
import type { Fields, Json } from '#lib/json.ts'

/**
 * The fields of a record as templates get them: those declared as media and url lead to the addresses of files where they name
 * files. `mediaAt` gives the address of a media file by its path.
 */
export async function fieldsShown(
  { fields }: Pick<Document, 'fields'>,
  type: ContentType,
  place: LinkPlace,
  mediaAt: (path: string) => Promise<string | undefined>,
): Promise<Readonly<Fields>> {
  const media = new Map<string, string | undefined>()
  const shown: Fields = {}
  for (const field of type.fields.values()) {
    if (!holds(field, isAddress)) continue
    for (const path of mediaIn(field, fields[field.name])) media.set(path, media.get(path) ?? (await mediaAt(path)))
    const made = rewritten(field, fields[field.name], (one, value) => addressOf(one, value, place, media))
    if (made !== undefined) shown[field.name] = made
  }
  return Object.keys(shown).length > 0 ? { ...fields, ...shown } : fields
}

/** The values of a declared setting, as templates get them: media and paths of the site as their addresses, behind `base`. */
export function settingShown(field: Field, value: Json | undefined, base: string): Json | undefined {
  return rewritten(field, value, ({ type }, one) => {
    if (typeof one !== 'string' || leadsElsewhere(one)) return undefined
    if (one.startsWith('/')) return type === 'media' || type === 'url' ? base + one : undefined
    const key = type === 'media' ? mediaAt(one) : undefined
    return key && base + mediaUrl(key.id)
  })
}

function isAddress({ type }: Field): boolean {
  return type === 'media' || type === 'url'
}

/** The paths in a field that may be of media files, each once. */
function mediaIn(field: Field, value: Json | undefined): Set<string> {
  const paths = new Set<string>()
  rewritten(field, value, (one, text) => {
    if (one.type === 'media' && typeof text === 'string' && !leadsElsewhere(text) && !/^\.{0,2}\//.test(text)) paths.add(text)
    return undefined
  })
  return paths
}

function addressOf(
  { type }: Field,
  value: Json,
  place: LinkPlace,
  media: ReadonlyMap<string, string | undefined>,
): string | undefined {
  if (typeof value !== 'string' || leadsElsewhere(value)) return undefined
  if (type === 'url') return /^\.{0,2}\//.test(value) ? resolveHref(value, place) : fileHref(value, place)
  if (type !== 'media') return undefined
  if (value.startsWith('/')) return place.base + value
  const known = media.get(value)
  // A path is written as it is, and not as an address.
  return known === undefined ? fileHref(value.includes('%') ? value : encodeURI(value), place) : place.base + known
}
