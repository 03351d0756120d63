import type { Document } from '#core/document.ts'
import { fileHref, type LinkPlace, leadsElsewhere, resolveHref, spelled } from '#core/links/resolve.ts'
import { mediaAt, mediaUrl } from '#core/media/media.ts'
import type { ContentType, Field } from '#core/types/content-type.ts'
import { holds, rewritten } from '#core/types/fields.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import type { Fields, Json } from '#lib/json.ts'

/** Types of fields whose values may lead to files. */
const KINDS = ['media', 'url'] as const

type Kind = (typeof KINDS)[number]

/** Addresses of the site by the values that lead to them; undefined where a value leads to none. */
type Addresses = Map<string, string | undefined>

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
  const shown: Fields = {}
  const slices = new Slices()
  for (const field of type.fields.values()) {
    if (!holds(field, ({ type }) => isKind(type))) continue
    const addresses = valuesIn(field, fields[field.name])
    for (const kind of KINDS) {
      for (const value of addresses[kind].keys()) {
        if (slices.isOver) await slices.pause()
        const media = kind === 'media' && isPath(value) ? await mediaAt(value) : undefined
        addresses[kind].set(value, media === undefined ? addressOf(kind, value, place) : place.base + media)
      }
    }
    const made = rewritten(field, fields[field.name], ({ type }, value) =>
      isKind(type) && typeof value === 'string' ? addresses[type].get(value) : undefined,
    )
    if (made !== undefined) shown[field.name] = made
  }
  return Object.keys(shown).length > 0 ? { ...fields, ...shown } : fields
}

/** The values of a declared setting, as templates get them: media and paths of the site as their addresses, behind `base`. */
export function settingShown(
  field: Field,
  value: Json | undefined,
  { base, pageAt }: Pick<LinkPlace, 'base' | 'pageAt'>,
): Json | undefined {
  return rewritten(field, value, ({ type }, one) => {
    if (typeof one !== 'string' || leadsElsewhere(one)) return undefined
    if (one.startsWith('/')) return type === 'url' ? base + spelled(one, { pageAt }) : type === 'media' ? base + one : undefined
    const key = type === 'media' ? mediaAt(one) : undefined
    return key && base + mediaUrl(key.id)
  })
}

function isKind(type: string): type is Kind {
  return KINDS.some((kind) => kind === type)
}

/** The values in a field that may lead to files, each once. They have no addresses yet. */
function valuesIn(field: Field, value: Json | undefined): Record<Kind, Addresses> {
  const values: Record<Kind, Addresses> = { media: new Map(), url: new Map() }
  rewritten(field, value, ({ type }, text) => {
    if (isKind(type) && typeof text === 'string' && !leadsElsewhere(text)) values[type].set(text, undefined)
    return undefined
  })
  return values
}

/** True for what may be the path of a media file. */
function isPath(value: string): boolean {
  return !/^\.{0,2}\//.test(value)
}

/** The address that a value leads to, if that is not a media file by its path. */
function addressOf(kind: Kind, value: string, place: LinkPlace): string | undefined {
  if (kind === 'url') return isPath(value) ? fileHref(value, place) : resolveHref(value, place)
  if (value.startsWith('/')) return place.base + value
  // A path is written as it is, and not as an address.
  return fileHref(value.includes('%') ? value : encodeURI(value), place)
}
