import type { Head } from '#core/document.ts'
import type { Key } from '#core/key.ts'
import { mediaUrl } from '#core/media/media.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { FocalPoint } from '#media/pictures/request.ts'

/** Returns a text of a sidecar; null where it has none. */
export function textIn(fields: Readonly<Fields>, name: string): string | null {
  const value = fields[name]
  return typeof value === 'string' && value !== '' ? value : null
}

/** Returns a number of a sidecar; null where it has none that can be one of a file. */
export function numberIn(fields: Readonly<Fields>, name: string): number | null {
  const value = fields[name]
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null
}

/** Returns the checksum that a sidecar names; null where it names none. */
export function checksumIn(fields: Readonly<Fields>): string | null {
  const text = textIn(fields, 'checksum')
  return text !== null && /^sha256:[0-9a-f]{64}$/.test(text) ? text : null
}

/** Returns the point of a sidecar, or of a request; null where it is none. */
export function focalPointOf(value: Json | undefined): FocalPoint | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const { x, y } = value
  return isShare(x) && isShare(y) ? { x, y } : null
}

/** Returns the addresses that sidecars name as former ones of a media file, without the one that it has. */
export function aliasesOf({ id }: Key, sidecars: readonly Pick<Head, 'fields'>[]): string[] {
  const named = sidecars.flatMap(({ fields }) => fields.aliases ?? []).filter((one): one is string => typeof one === 'string')
  return [...new Set(named)].filter((one) => one !== mediaUrl(id))
}

function isShare(value: Json | undefined): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1
}
