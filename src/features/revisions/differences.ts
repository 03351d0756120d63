import { isDeepStrictEqual } from 'node:util'
import type { Document } from '#core/document.ts'
import type { Fields, Json } from '#lib/json.ts'
import { type Hunk, lineDiff } from '#lib/text/line-diff.ts'

/**
 * A field that differs between two revisions; null if one does not have it. `hunks` are the changed lines of the body; `omitted`
 * is set if there are too many.
 */
export interface FieldDifference {
  readonly field: string
  readonly before: Json
  readonly after: Json
  readonly hunks?: readonly Hunk[]
  readonly omitted?: readonly ['hunks']
}

/** Names of the fields that two documents have differently, the body last. Undefined is a record that is not there. */
export function changedFields(before: Document | undefined, after: Document | undefined): string[] {
  const [old, now] = [valuesOf(before), valuesOf(after)]
  const names = new Set([...Object.keys(now), ...Object.keys(old)])
  const changed = [...names].filter((name) => !isDeepStrictEqual(old[name] ?? null, now[name] ?? null))
  return bodyOf(before) === bodyOf(after) ? changed : [...changed, 'body']
}

/** Returns the differences, field by field, in the order of `changedFields`. */
export function differencesOf(before: Document | undefined, after: Document | undefined): FieldDifference[] {
  const [old, now] = [valuesOf(before), valuesOf(after)]
  return changedFields(before, after).map((field) => {
    if (field !== 'body') return { field, before: old[field] ?? null, after: now[field] ?? null }
    const hunks = lineDiff(bodyOf(before), bodyOf(after))
    return { field, before: before?.body ?? null, after: after?.body ?? null, ...(hunks ? { hunks } : { omitted: ['hunks'] }) }
  })
}

/** A document as its own bytes have it: without those of its dates that are what the history knows. */
export function asWritten(
  { createdAt, updatedAt, ...rest }: Document,
  dates: { readonly createdAt?: string; readonly updatedAt?: string },
): Document {
  return {
    ...rest,
    ...(createdAt && createdAt !== dates.createdAt && { createdAt }),
    ...(updatedAt && updatedAt !== dates.updatedAt && { updatedAt }),
  }
}

/** Returns whether a document's bytes could be read as a record. A missing document counts as readable. */
export function isReadable(document: Document | undefined): boolean {
  return document?.problem?.severity !== 'error'
}

/** Returns the values that the bytes have, including their own dates. */
function valuesOf(document: Document | undefined): Fields {
  if (!document) return {}
  const { fields, createdAt, updatedAt } = document
  return { ...fields, ...(createdAt && { created_at: createdAt }), ...(updatedAt && { updated_at: updatedAt }) }
}

function bodyOf(document: Document | undefined): string {
  return document?.body ?? ''
}
