import type { Effect } from '#core/history/revision-message.ts'
import type { KeptBlob } from '#git/objects/blob-id.ts'
import type { AnyBytes } from '#lib/files/bytes.ts'
import type { Edit, Step } from '../writing/steps.ts'

/** An edit with what git is to keep of the file. */
export type KeptEdit = Edit<AnyBytes | KeptBlob>

/** Returns the bytes that a write finds, and those that it leaves. */
export function bytesOf(batches: readonly { readonly edits: readonly KeptEdit[] }[], steps: readonly Step[]): AnyBytes[] {
  const after = batches.flatMap(({ edits }) => edits.flatMap(({ after }) => (after && !('id' in after) ? [after] : [])))
  return [...after, ...steps.flatMap(({ before }) => before ?? [])]
}

/** Returns the edits of documents themselves. */
export function documentsIn(edits: readonly KeptEdit[]): KeptEdit[] {
  return edits.filter(({ isBeside }) => !isBeside)
}

/** Returns what edits do to documents. One whose bytes alone are others stays. */
export function effectsOf(edits: readonly KeptEdit[]): Effect[] {
  const documents = documentsIn(edits)
  if (documents.length === 0) return edits.map(({ key }) => ({ key, existed: true, remains: true }))
  return documents.map(({ key, existed, after }) => ({ key, existed, remains: after !== undefined }))
}
