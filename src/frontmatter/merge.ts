import { isDeepStrictEqual } from 'node:util'
import type { Fields } from '#lib/json.ts'
import { chosenOf, merge3, type Part3, type Preferred, parts3 } from '#lib/text/diff3.ts'
import { matches } from '#lib/text/myers.ts'

/** The result of a three-way merge of a record: fields to set over theirs, the body to set, or the conflicts. */
export interface Merged {
  fields: Fields
  body?: string
  conflicts: string[]
}

/** A record's own values and its body. */
export interface Side {
  fields: Readonly<Fields>
  body: string
}

/**
 * Three-way merge of what was sent (`yours`: changed fields alone, null removes) over what is there (`theirs`), both from `base`.
 * Fields are whole: a list too. The body is merged by paragraph. With conflicts there is nothing to set.
 */
export function merge(base: Side, yours: { fields: Readonly<Fields>; body?: string }, theirs: Side): Merged {
  const fields: Fields = {}
  const conflicts: string[] = []
  for (const [name, mine] of Object.entries(yours.fields)) {
    const before = base.fields[name] ?? null
    const now = theirs.fields[name] ?? null
    if (isDeepStrictEqual(mine, before) || isDeepStrictEqual(mine, now)) continue
    if (isDeepStrictEqual(now, before)) fields[name] = mine
    else conflicts.push(name)
  }
  const body = yours.body === undefined ? theirs.body : mergeText(base.body, yours.body, theirs.body)
  if (body === undefined) conflicts.push('body')
  if (conflicts.length > 0) return { fields: {}, conflicts }
  return { fields, ...(body !== undefined && body !== theirs.body && { body }), conflicts }
}

/**
 * Three texts merged paragraph by paragraph; undefined where both sides changed one paragraph, each in its own way. With `prefer` that side's paragraph
 * is taken there (`ours` are yours).
 */
export function mergeText(base: string, yours: string, theirs: string, prefer?: Preferred): string | undefined {
  if (yours === base || yours === theirs) return theirs
  if (theirs === base) return yours
  return merged(base, yours, theirs, prefer) ?? (prefer && { ours: yours, theirs }[prefer])
}

/** A part of a text that two edited: one text where they agree, or where one of them left it alone; else what each has there. */
export type TextPart = { readonly merged: string } | { readonly before: string; readonly yours: string; readonly theirs: string }

/**
 * Takes a text that two edited apart, paragraph by paragraph: joined, its parts are the text. Where `base` is undefined, what it was
 * before them, all that differs is a part of its own.
 */
export function textParts(base: string | undefined, yours: string, theirs: string): TextPart[] {
  const merged = yours === theirs ? yours : base === undefined ? undefined : mergeText(base, yours, theirs)
  if (merged !== undefined) return [{ merged }]
  const whole = { before: base ?? '', yours, theirs }
  if (isTooLong(base ?? '') || isTooLong(yours) || isTooLong(theirs)) return [whole]
  const [mine, others] = [paragraphs(yours), paragraphs(theirs)]
  const found = base === undefined ? partsOfTwo(mine, others) : partsOfThree(paragraphs(base), mine, others)
  const parts: TextPart[] = []
  for (const part of found ?? []) {
    const one = base !== undefined || part.base.length > 0 ? chosenOf(part)?.join('') : undefined
    const last = parts.at(-1)
    if (one === undefined) parts.push({ before: part.base.join(''), yours: part.ours.join(''), theirs: part.theirs.join('') })
    else if (last && 'merged' in last) parts[parts.length - 1] = { merged: last.merged + one }
    else parts.push({ merged: one })
  }
  return parts.some((part) => !('merged' in part)) ? parts : [whole]
}

/** Each paragraph with its own counterpart, where none was added or removed: that takes apart more than a comparison finds. */
function partsOfThree(base: string[], yours: string[], theirs: string[]): Part3[] | undefined {
  if (base.length !== yours.length || base.length !== theirs.length) return parts3(base, yours, theirs)
  return base.map((before, n) => ({ base: [before], ours: [yours[n] ?? ''], theirs: [theirs[n] ?? ''] }))
}

function partsOfTwo(yours: string[], theirs: string[]): Part3[] | undefined {
  const common = matches(yours, theirs)
  return (
    common &&
    parts3(
      yours.filter((_, n) => common[n] !== undefined),
      yours,
      theirs,
    )
  )
}

/** Texts of more lines than this are not taken apart: it would hold all others up. */
const MOST_LINES = 200_000

function merged(base: string, yours: string, theirs: string, prefer: Preferred | undefined): string | undefined {
  if (isTooLong(base) || isTooLong(yours) || isTooLong(theirs)) return undefined
  const [before, mine, others] = [paragraphs(base), paragraphs(yours), paragraphs(theirs)]
  const made = mergeInPlace(before, mine, others) ?? merge3(before, mine, others, prefer)
  return made?.join('')
}

function isTooLong(text: string): boolean {
  let lines = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) if (++lines > MOST_LINES) return true
  return false
}

/** Merges each paragraph with its own counterpart, even if several are alike. Undefined if paragraphs were added or removed. */
function mergeInPlace(base: string[], yours: string[], theirs: string[]): string[] | undefined {
  if (base.length !== yours.length || base.length !== theirs.length) return undefined
  const merged: string[] = []
  for (const [i, before] of base.entries()) {
    const mine = yours[i] ?? ''
    const now = theirs[i] ?? ''
    if (mine !== before && now !== before && mine !== now) return undefined
    merged.push(mine === before ? now : mine)
  }
  return merged
}

/** Paragraphs and the empty lines between them by turns; joined they are the text. */
function paragraphs(text: string): string[] {
  return text.split(/(\n(?:[ \t]*\n)+|\n$)/)
}
