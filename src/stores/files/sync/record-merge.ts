import { isDeepStrictEqual } from 'node:util'
import type { Head } from '#core/document.ts'
import { GROUPS_KEY } from '#core/files/layout.ts'
import { editSource } from '#core/format/edit.ts'
import { readDocument } from '#core/format/read.ts'
import { type Key, keyText } from '#core/key.ts'
import { withNames } from '#core/terms/names.ts'
import type { Shape } from '#core/types/content-type.ts'
import { LANGUAGES } from '#frontmatter/languages.ts'
import { merge, mergeText, type Side } from '#frontmatter/merge.ts'
import { headText, readFrontMatter } from '#frontmatter/read.ts'
import { Failure } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { Preferred } from '#lib/text/diff3.ts'
import { apart, nameOf, together } from './group-fields.ts'

/** A record in three versions: the one both sides began from, and what each made of it. */
export interface Versions {
  readonly base: Buffer
  readonly ours: Buffer
  readonly theirs: Buffer
}

/** The key of the record, and the way its file is read. */
export interface RecordForm {
  readonly key: Key
  readonly shape: Shape
  readonly extension: string
}

/**
 * The fields that both sides changed, each in its own way: their names (`body`, `comments` among them) and their values on each
 * side.
 */
export interface Overlap {
  readonly fields: string[]
  readonly base: Fields
  readonly ours: Fields
  readonly theirs: Fields
}

interface NamedSide extends Side {
  readonly termNames: NonNullable<Head['termNames']>
}

/**
 * Tells whether a file made of both sides by lines says what they say: it can be read, and each field that one side alone changed,
 * or both alike, is what it was changed to. Two lines may mean one field (`draft` and `status`, `date` and `publishDate`).
 */
export function saysTheSame(form: RecordForm, made: Buffer, versions: Versions | undefined): boolean {
  const read = sideOf(form, made)
  if (!read) return false
  if (!versions) return true
  const sides = sidesOf(form, [versions.base, versions.ours, versions.theirs, made])
  if (!sides) return true
  const [base, ours, theirs, result] = sides as [NamedSide, NamedSide, NamedSide, NamedSide]
  const names = new Set([base, ours, theirs, result].flatMap(({ fields }) => Object.keys(fields)))
  return [...names].every((name) => {
    const [before, mine, others, now] = [base, ours, theirs, result].map(({ fields }) => fields[name] ?? null)
    if (isDeepStrictEqual(others, before) || isDeepStrictEqual(mine, others)) return isDeepStrictEqual(now, mine)
    return !isDeepStrictEqual(mine, before) || isDeepStrictEqual(now, others)
  })
}

/**
 * Merges a record: front matter by field, the body by paragraph. What one side wrote stays as it wrote it, and the changes of the
 * other are made in it. With `prefer`, that side is taken where both changed the same. Undefined where one of the versions can't
 * be read as a record, or the result can't be written safely.
 */
export function mergeRecord(
  form: RecordForm,
  versions: Versions,
  prefer?: Preferred,
): { bytes: Buffer } | { overlap: Overlap } | undefined {
  const sides = sidesOf(form, [versions.base, versions.ours, versions.theirs])
  if (!sides) return undefined
  const [base, ours, theirs] = sides as [NamedSide, NamedSide, NamedSide]
  const onto = ontoWhich(form, versions) ?? prefer
  if (!onto) return { overlap: overlapOf(['comments'], { base, ours, theirs }) }
  const from = onto === 'ours' ? 'theirs' : 'ours'
  const [there, sent] = onto === 'ours' ? [ours, theirs] : [theirs, ours]
  const yours = { fields: changesOf(base.fields, sent.fields), body: sent.body }
  const merged = merge(base, yours, there)
  const names = merged.conflicts
  if (names.length > 0 && !prefer) return { overlap: overlapOf(names, { base, ours, theirs }) }
  const kept = names.length > 0 ? without(base, yours, there, { names, takes: prefer === from }) : merged
  const fields = isGroups(form) ? together(kept.fields, sideOf(form, versions[onto])?.fields ?? {}) : kept.fields
  return written(form, versions[onto], { ...kept, fields: withNames(fields, sent.termNames) })
}

/** The merge with `names` decided: as what was sent has them (`takes`), or left as they are. */
function without(
  base: Side,
  yours: { fields: Fields; body: string },
  there: Side,
  { names, takes }: { names: readonly string[]; takes: boolean },
): { fields: Fields; body?: string } {
  const agreed = Object.fromEntries(Object.entries(yours.fields).filter(([name]) => !names.includes(name)))
  const { fields } = merge(base, { fields: agreed }, there)
  const taken = takes ? Object.fromEntries(Object.entries(yours.fields).filter(([name]) => names.includes(name))) : {}
  // In the body only the paragraphs that both changed are decided so; all others stay of both.
  const body = mergeText(base.body, yours.body, there.body, takes ? 'ours' : 'theirs')
  return { fields: { ...fields, ...taken }, ...(body !== undefined && body !== there.body && { body }) }
}

function written(form: RecordForm, bytes: Buffer, put: { fields: Fields; body?: string }): { bytes: Buffer } | undefined {
  const { key, shape, extension } = form
  const body = put.body === undefined ? {} : { body: put.body }
  try {
    return { bytes: editSource(shape, bytes, { extension }, { set: put.fields, ...body }, key) }
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/**
 * The side whose text is built upon. Comments are no field and can't be carried over: a side that changed them is the one built
 * upon, and where both did, each in its own way, there is none.
 */
function ontoWhich(form: RecordForm, { base, ours, theirs }: Versions): Preferred | undefined {
  const [before, mine, others] = [base, ours, theirs].map((bytes) => commentsOf(form, bytes))
  if (isDeepStrictEqual(others, before) || isDeepStrictEqual(mine, others)) return 'ours'
  return isDeepStrictEqual(mine, before) ? 'theirs' : undefined
}

function commentsOf({ extension }: RecordForm, bytes: Buffer): string[] {
  const raw = readFrontMatter(bytes, { extension })
  if ('fault' in raw || raw.parts.syntax === 'none') return []
  return LANGUAGES[raw.parts.syntax].comments(headText(bytes, raw.parts))
}

/** The sides of a merge; in the file that holds all settings each of them is a field. Undefined where one can't be read. */
function sidesOf(form: RecordForm, versions: readonly Buffer[]): NamedSide[] | undefined {
  const sides = versions.flatMap((bytes) => sideOf(form, bytes) ?? [])
  if (sides.length < versions.length) return undefined
  if (!isGroups(form)) return sides
  const fields = apart(sides.map((side) => side.fields))
  return sides.map((side, n) => ({ ...side, fields: fields[n] ?? {} }))
}

function isGroups({ key }: RecordForm): boolean {
  return keyText(key) === keyText(GROUPS_KEY)
}

function sideOf({ key, shape, extension }: RecordForm, bytes: Buffer): NamedSide | undefined {
  const document = readDocument(key, shape, bytes, { extension }, '')
  if (document.problem?.severity === 'error') return undefined
  const { fields, createdAt, updatedAt, termNames = {}, body } = document
  const dates = { ...(createdAt && { created_at: createdAt }), ...(updatedAt && { updated_at: updatedAt }) }
  return { fields: { ...fields, ...dates }, termNames, body }
}

/** Returns the changes of a side, with null for a field that it removed. */
function changesOf(base: Readonly<Fields>, side: Readonly<Fields>): Fields {
  const changed: Fields = {}
  for (const name of new Set([...Object.keys(base), ...Object.keys(side)])) {
    const value = side[name] ?? null
    if (!isDeepStrictEqual(value, base[name] ?? null)) changed[name] = value
  }
  return changed
}

function overlapOf(names: readonly string[], { base, ours, theirs }: { base: Side; ours: Side; theirs: Side }): Overlap {
  const pick = (side: Side) => Object.fromEntries(names.map((name) => [nameOf(name), heldBy(side, name)]))
  return { fields: names.map(nameOf), base: pick(base), ours: pick(ours), theirs: pick(theirs) }
}

function heldBy(side: Side, name: string): Json {
  return name === 'body' ? side.body : (side.fields[name] ?? null)
}
