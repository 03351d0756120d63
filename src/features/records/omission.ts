import type { Document } from '#core/document.ts'
import type { Fields } from '#lib/json.ts'
import type { Selection } from './parameters.ts'
import type { Part } from './parts.ts'

/** The most bytes of an answer with a list. */
export const MOST_BYTES = 8 * 1024 * 1024

/** Fields that no answer goes without: they say which record it is. */
const KEPT: ReadonlySet<string> = new Set(['id', 'type', 'version'])

/** True where the bodies alone take more than an answer may have: their bytes are at least as many as their characters. */
export function areBodiesTooLong(documents: readonly Document[]): boolean {
  let length = 0
  for (const { body } of documents) length += body.length
  return length > MOST_BYTES
}

/** Returns whether a selection includes bodies, of its records or of those that they include. */
export function hasBodies({ fields, include, omitted }: Selection): boolean {
  return !omitted?.includes('body') && (fields === undefined || fields.includes('body') || include.length > 0)
}

/**
 * Names of the fields to leave out of records that are too long without their bodies: the longest first, as many as it takes to
 * save `excess` bytes.
 */
export function longestFields(parts: readonly Part[], excess: number): string[] {
  const sizes = new Map<string, number>()
  for (const { json } of parts) {
    for (const [name, value] of Object.entries(JSON.parse(json.toString()) as Fields)) {
      if (!KEPT.has(name)) sizes.set(name, (sizes.get(name) ?? 0) + Buffer.byteLength(JSON.stringify(value)))
    }
  }
  const names: string[] = []
  let saved = 0
  for (const [name, size] of [...sizes].sort(([, one], [, other]) => other - one)) {
    if (saved >= excess) break
    names.push(name)
    saved += size
  }
  return names
}
