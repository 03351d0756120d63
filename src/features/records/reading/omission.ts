import type { Document } from '#core/document.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import { type Fields, type Json, jsonLength } from '#lib/json.ts'
import type { Part } from '../parts.ts'
import type { Selection } from './parameters.ts'

/** The most bytes of an answer with a list, or with what a record refers to. */
export const MOST_BYTES = 8 * 1024 * 1024

/** Bytes of records up to which none of their fields can be too long together. */
const FEW_BYTES = MOST_BYTES / 8

/** Fields that no answer goes without: they say which record it is. */
const KEPT: ReadonlySet<string> = new Set(['id', 'type', 'version'])

/** The lengths of what the records of an answer refer to. */
export interface Inclusions {
  /** Names of the fields whose records are longer than an answer, even without bodies. */
  readonly tooLong: readonly string[]
  /** True if bodies are missing, since they are longer than an answer. */
  readonly areBodiless: boolean
  /** Returns the characters that a field's references grow by as records, without their bodies, and those of the bodies. */
  growth(name: string, value: Json): { length: number; bodies: number }
}

/** The parts of an answer before they are made. */
export interface Unmade {
  readonly documents: readonly Document[]
  /** Absent where nothing is included. */
  readonly inclusion: Inclusions | undefined
  make(selection: Selection): Part[]
}

/** The parts of an answer, and the selection that they were made with. */
export interface Fitted {
  readonly selection: Selection
  readonly parts: readonly Part[]
}

/**
 * Makes the parts of an answer that is not too long: without bodies where it would be, and without other long fields where that is
 * not enough. `sizeOf` says how many bytes the answer has.
 */
export async function fitting(
  unmade: Unmade,
  asked: Selection,
  sizeOf: (parts: readonly Part[], selection: Selection) => number,
): Promise<Fitted> {
  // What is far too long isn't made first.
  let selection = omitting(asked, await foreseen(unmade, asked))
  for (;;) {
    const parts = unmade.make(selection)
    const excess = sizeOf(parts, selection) - MOST_BYTES
    if (excess <= 0) return { selection, parts }
    const names = hasBodies(selection) ? ['body'] : longestFields(sizesIn(parts), excess)
    if (names.length === 0) return { selection, parts }
    selection = omitting(selection, names)
  }
}

function omitting(selection: Selection, names: readonly string[]): Selection {
  return names.length === 0 ? selection : { ...selection, omitted: [...(selection.omitted ?? []), ...names] }
}

/** Returns whether a selection includes bodies, of its records or of those that they include. */
function hasBodies({ fields, include, omitted }: Selection): boolean {
  return !omitted?.includes('body') && (fields === undefined || fields.includes('body') || include.length > 0)
}

/** Names of the fields that an answer can't have, by the lengths of what it is made of. */
async function foreseen({ documents, inclusion }: Unmade, asked: Selection): Promise<string[]> {
  const { fields, include } = asked
  if (!inclusion && documents.reduce((bytes, { source, body }) => bytes + (source ?? body).length, 0) <= FEW_BYTES) return []
  const isWanted = (name: string) => fields === undefined || fields.includes(name)
  const lengths = new Map<string, number>()
  let bodies = inclusion?.areBodiless ? Number.POSITIVE_INFINITY : 0
  const slices = new Slices()
  for (const document of documents) {
    if (slices.isOver) await slices.pause()
    if (isWanted('body')) bodies += document.body.length
    for (const [name, value] of Object.entries(document.fields)) {
      if (!isWanted(name)) continue
      const included = include.includes(name) ? inclusion?.growth(name, value) : undefined
      lengths.set(name, (lengths.get(name) ?? 0) + jsonLength(value) + (included?.length ?? 0))
      bodies += included?.bodies ?? 0
    }
  }
  const omitted = (inclusion?.tooLong ?? []).filter(isWanted)
  for (const name of omitted) lengths.delete(name)
  const rest = [...lengths.values()].reduce((sum, length) => sum + length, 0) - MOST_BYTES
  if (omitted.length === 0 && bodies + rest <= 0) return []
  return [...(hasBodies(asked) ? ['body'] : []), ...omitted, ...longestFields(lengths, rest)]
}

function sizesIn(parts: readonly Part[]): Map<string, number> {
  const sizes = new Map<string, number>()
  for (const { json } of parts) {
    for (const [name, value] of Object.entries(JSON.parse(json.toString()) as Fields)) {
      if (!KEPT.has(name)) sizes.set(name, (sizes.get(name) ?? 0) + Buffer.byteLength(JSON.stringify(value)))
    }
  }
  return sizes
}

/**
 * Names of the fields to leave out of records that are too long without their bodies: the longest first, as many as it takes to
 * save `excess` bytes.
 */
function longestFields(sizes: ReadonlyMap<string, number>, excess: number): string[] {
  const names: string[] = []
  let saved = 0
  for (const [name, size] of [...sizes].sort(([, one], [, other]) => other - one)) {
    if (saved >= excess) break
    names.push(name)
    saved += size
  }
  return names
}
