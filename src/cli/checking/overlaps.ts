import type { Conflict } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'

/**
 * One file of a sync that stopped: the fields that both sides changed, or none where it is about the file as a whole (null: it is
 * gone).
 */
interface Overlap {
  readonly file: string
  readonly fields: readonly string[]
  readonly ours: Json
  readonly theirs: Json
}

/**
 * Returns the changes that both sides made, for a person: each file, and below it each side of each field on one line. Empty for
 * other conflicts.
 */
export function overlapLines({ conflict }: Conflict): string[] {
  const { conflicts = [] } = (conflict ?? {}) as { conflicts?: readonly Overlap[] }
  return conflicts.flatMap(linesOf)
}

function linesOf({ file, fields, ours, theirs }: Overlap): string[] {
  if (fields.length === 0) return [file, `  here: ${changeText(ours)}; on the remote: ${changeText(theirs)}`]
  return [
    file,
    ...fields.flatMap((name) => [`  ${name}`, `    here: ${shown(ours, name)}`, `    on the remote: ${shown(theirs, name)}`]),
  ]
}

function shown(side: Json, name: string): string {
  return JSON.stringify((side as Fields)[name] ?? null)
}

function changeText(side: Json): string {
  return side === null ? 'deleted' : 'changed'
}
