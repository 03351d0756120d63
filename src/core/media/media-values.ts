import { Slices } from '#lib/concurrency/slices.ts'
import { type FieldErrors, InvalidInput } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { Access } from '../access/access.ts'
import type { Key } from '../key.ts'
import type { Field } from '../types/content-type.ts'
import { holds, itemOf, rewritten } from '../types/fields.ts'
import { endingOf, FORMAT_ENDINGS } from './attachments.ts'
import { kindOfType, mediaAt, mediaNamed, mediaPath, type SiteAddress } from './media.ts'

/** Finds media files for fields that hold them. */
export interface MediaLookup {
  readonly site: SiteAddress
  /** Resolves with the type of a media file (`image/jpeg`); undefined where there is none for the reader. */
  typeOf(access: Access, key: Key): Promise<string | undefined>
}

/** Resolves with whether a reader knows of the media file at a path below `media/`. */
export type MediaKnowing = (path: string) => Promise<boolean>

/** A value of a field of the type media, and where it stands: `parts.0.picture`. */
interface Held {
  readonly field: Field
  readonly path: string
  readonly value: string
}

type Declared = ReadonlyMap<string, Field>

/** Most different media files that the fields of one record may newly name. */
const MOST = 1000

/** Returns what a reader knows of media; none where they are switched off. */
export function mediaKnownTo(access: Access, media: MediaLookup | undefined): MediaKnowing {
  return async (path) => {
    const key = mediaAt(path)
    return key !== undefined && (await media?.typeOf(access, key)) !== undefined
  }
}

/** Returns fields in which media are named by their paths, where they were named by address or id. */
export function withMediaPaths(fields: Fields, declared: Declared, site: SiteAddress): Fields {
  const made = mediaFields(declared).flatMap((field) => {
    const value = rewritten(field, fields[field.name], (one, text) => {
      const key = one.type === 'media' && typeof text === 'string' ? mediaNamed(text, site) : undefined
      return key && mediaPath(key.id) !== text ? mediaPath(key.id) : undefined
    })
    return value === undefined ? [] : [[field.name, value] as const]
  })
  return made.length === 0 ? fields : { ...fields, ...Object.fromEntries(made) }
}

/** Returns the errors of media that fields name, by their paths: those that `held` has in the same field are not looked up. */
export async function mediaErrors(
  media: MediaLookup,
  access: Access,
  declared: Declared,
  fields: Fields,
  held: Readonly<Fields> = {},
): Promise<FieldErrors> {
  const errors: FieldErrors = {}
  const types = new Map<string, string | undefined>()
  const slices = new Slices()
  for (const { name } of mediaFields(declared)) {
    const of = (values: Readonly<Fields>) => [...valuesIn(declared.get(name), values[name] ?? null, name)]
    const before = new Set(of(held).map(({ value }) => value))
    for (const { field, path, value } of of(fields)) {
      if (before.has(value)) continue
      if (slices.isOver) await slices.pause()
      if (!types.has(value)) {
        const key = mediaAt(value)
        if (types.size === MOST) throw new InvalidInput({ fields: [TOO_MANY] })
        types.set(value, key && (await media.typeOf(access, key)))
      }
      const fault = faultOf(field, path, value, types.get(value))
      if (fault !== undefined) errors[path] = [fault]
    }
  }
  return errors
}

const TOO_MANY = `A record can't be sent with more than ${MOST.toLocaleString('en')} new media.`

function faultOf({ accept }: Field, path: string, value: string, type: string | undefined): string | undefined {
  if (type === undefined) return `The selected ${path} is invalid: there is no "${value}" in media.`
  const isTaken = (one: string) => kindOfType(type) === one || (FORMAT_ENDINGS[one] ?? []).includes(endingOf(value))
  return !accept || accept.some(isTaken) ? undefined : `The ${path} must be a file of: ${accept.join(', ')}.`
}

function mediaFields(declared: Declared): Field[] {
  return [...declared.values()].filter((field) => holds(field, ({ type }) => type === 'media'))
}

function* valuesIn(field: Field | undefined, value: Json, path: string): Generator<Held> {
  if (!field || value === null) return
  if (typeof value === 'string') {
    if (field.type === 'media') yield { field, path, value }
  } else if (Array.isArray(value)) {
    for (const [n, one] of value.entries()) yield* valuesIn(itemOf(field), one, `${path}.${n}`)
  } else if (typeof value === 'object') {
    for (const [name, part] of field.fields ?? []) {
      if (Object.hasOwn(value, name)) yield* valuesIn(part, value[name] ?? null, `${path}.${name}`)
    }
  }
}
