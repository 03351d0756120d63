import { isDeepStrictEqual } from 'node:util'
import { withBody } from '#frontmatter/body.ts'
import { bodyConflictAt } from '#frontmatter/body-conflict.ts'
import { dataAfter } from '#frontmatter/edits.ts'
import { MAX_FILE_BYTES } from '#frontmatter/fault.ts'
import { withKeys } from '#frontmatter/keys.ts'
import { bodyText, type FrontMatter, unifyLines } from '#frontmatter/read.ts'
import { isData, split } from '#frontmatter/split.ts'
import { Conflict, InvalidInput, Unreadable } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { Head, Problem } from '../document.ts'
import type { FileForm } from '../files/file-form.ts'
import { type Key, lastSegment } from '../key.ts'
import type { Put } from '../store.ts'
import type { Shape } from '../types/content-type.ts'
import { readRaw } from './raw.ts'
import { fieldsOf, headOf, type Meaning, meaningOf } from './read.ts'
import { formOf, type RawEdits, rawEdits } from './to-raw.ts'

/** A file that an edit made, and what it is as a document; `head` has the problem of one that can't be read as a record. */
export interface Edited {
  readonly bytes: Buffer
  readonly head: Head
  readonly body: string
}

/** As `editDocument`, the bytes alone. */
export function editSource(shape: Shape, current: Buffer | undefined, form: FileForm, put: Put, key: Key): Buffer {
  return editDocument(shape, current, form, put, key, key.id).bytes
}

/**
 * The file that `put` makes of `current` (undefined: a new file). Only the lines of changed fields are touched; the same bytes
 * come back where nothing changes. What was made is read again before it is given out, and `file` is the path that problems name.
 * Throws Unreadable where the file can't be read, Conflict where it can't be changed safely, InvalidInput for what no file can
 * hold.
 */
export function editDocument(
  shape: Shape,
  current: Buffer | undefined,
  form: FileForm,
  put: Put,
  key: Key,
  file: string,
): Edited {
  const base = put.source ?? current
  // A copy as JSON has it: what is read back is compared with it.
  const { body: written, ...set }: Fields = JSON.parse(JSON.stringify(put.set ?? {}))
  const body = put.body ?? (typeof written === 'string' ? written : undefined)
  checkText(body, 'body')
  checkMerged(body, form)
  const edit = { set, body, key }
  const { bytes, body: text, ...found } = base ? edited(shape, base, form, edit) : composed(shape, form, edit)
  return { bytes, head: headOf(key, shape, bytes, { ...found, form, file }), body: text }
}

/** A body that would make the file unreadable is refused as what was sent. */
function checkMerged(body: string | undefined, form: FileForm): void {
  if (body === undefined || isData(form) || bodyConflictAt(Buffer.from(body), 0) < 0) return
  throw new InvalidInput({ body: ['The body has a conflict of git that is not resolved; show one in a block of code (```).'] })
}

interface Edit {
  set: Fields
  body: string | undefined
  key: Key
}

/** A file, what was read of it, and what that means with the body that it has or is to have. */
interface Read {
  readonly bytes: Buffer
  readonly raw: FrontMatter
  readonly meaning: Meaning
  readonly body: string
}

/** A new file: title, slug, status and date first, the rest as it was sent. */
function composed(shape: Shape, form: FileForm, { set, body, key }: Edit): Read {
  const { title, slug, status, published_at, ...rest } = set
  const isOwnSlug = shape.record && slug === lastSegment(key.id)
  const ordered: [string, Json | undefined][] = [
    ['title', title],
    ['slug', isOwnSlug ? undefined : slug],
    ['status', status],
  ]
  const all = [...ordered, ['published_at', published_at] as const, ...Object.entries(rest)]
  const present = Object.fromEntries(all.filter((entry): entry is [string, Json] => entry[1] !== undefined && entry[1] !== null))
  const edit = { set: present, body: body === '' ? undefined : body, key }
  const empty = begun(shape, Buffer.from(isData(form) ? '' : '---\n---\n'), form, edit)
  return finished(shape, empty, form, edit, rawEdits(present, { data: {}, fields: {} }, shape))
}

function edited(shape: Shape, base: Buffer, form: FileForm, edit: Edit): Read {
  const read = begun(shape, base, form, edit)
  const fields = fieldsOf(read.meaning)
  return finished(shape, read, form, edit, rawEdits(edit.set, { data: read.raw.data, fields }, shape))
}

/** With the body as it will be: a title that is only a heading of the old one must be written to stay. */
function begun(shape: Shape, bytes: Buffer, form: FileForm, { key, body: sent }: Edit): Read {
  const raw = readRaw(bytes, form, key.id)
  if ('problem' in raw) throw unreadable(raw.problem)
  const body = sent === undefined ? bodyText(bytes, raw) : unifyLines(sent)
  return { bytes, raw, meaning: meaningOf(key, shape, form, raw, () => body), body }
}

/** Splices front matter and body, then reads all of it again. */
function finished(shape: Shape, read: Read, form: FileForm, edit: Edit, edits: RawEdits): Read {
  const { bytes: base, raw, body } = read
  if (raw.parts.data && body !== bodyText(base, raw)) edits.set('body', body)
  for (const [name, value] of edits) checkText(value, name)
  const headed = edits.size > 0 ? withKeys(base, raw, edits) : base
  const isAsWas = raw.parts.data || edit.body === undefined
  const made = isAsWas ? headed : withBody(headed, headed === base ? raw : partsOf(headed, form), form, edit.body ?? '')
  if (made.length > MAX_FILE_BYTES) throw new InvalidInput({ body: ['The file would have more than 2 MiB.'] })
  if (made === base) return read
  const after = verified(shape, made, form, edit, { data: dataAfter(raw.data, edits), body })
  if (shape.record && base.length > 0) keepsPublic(fieldsOf(read.meaning), fieldsOf(after.meaning), edit.set)
  return after
}

/** Finds the parts of what was just made, for a body to be put in. */
function partsOf(bytes: Buffer, form: FileForm): FrontMatter {
  try {
    return { parts: split(bytes, form), data: {} }
  } catch {
    throw unsafe()
  }
}

function unreadable({ message, hint, line, column }: Problem): Unreadable {
  return new Unreadable(message, { ...(line && { line }), ...(column && { column }) }, hint)
}

/** The last guard: all that was asked for is in the new bytes, and all else is as it was. Returns what was read of them. */
function verified(shape: Shape, made: Buffer, form: FileForm, edit: Edit, wanted: { data: Fields; body: string }): Read {
  const raw = readRaw(made, form, edit.key.id)
  if ('problem' in raw || !isDeepStrictEqual(raw.data, wanted.data) || bodyText(made, raw) !== wanted.body) throw unsafe()
  const { body } = wanted
  const meaning = meaningOf(edit.key, shape, form, raw, () => body)
  const fields = fieldsOf(meaning)
  for (const [name, value] of Object.entries(edit.set)) {
    if (value === null) continue
    const meant = formOf(name, value, shape)
    const isNothing = Array.isArray(meant) && meant.length === 0 && fields[name] === undefined
    if (isNothing || isDeepStrictEqual(fields[name], meant)) continue
    throw saidByPath(name, form) ?? unsafe(name)
  }
  return { bytes: made, raw, meaning, body }
}

/**
 * Fields that decide who sees a record. They only change if the request names them: `published: false` does not come along with
 * another field.
 */
const PUBLIC: readonly string[] = ['status', 'published_at', 'expires_at']

function keepsPublic(before: Fields, after: Fields, set: Fields): void {
  const turned = PUBLIC.find((name) => !Object.hasOwn(set, name) && (before[name] ?? null) !== (after[name] ?? null))
  if (turned !== undefined) throw unsafe(turned)
}

/** The refusal of what the path of a file says otherwise. */
function saidByPath(name: string, { draft, categories }: FileForm): Conflict | undefined {
  if (name === 'status' && draft === 'folder') {
    return new Conflict('What is in _drafts is a draft.', undefined, 'Move the file to _posts, with a date in its name.')
  }
  if (name === 'status' && draft === 'name') {
    const remedy = 'Give the file one: 2026-01-31-name.md.'
    return new Conflict('What is in _posts without a date in its name is a draft.', undefined, remedy)
  }
  if (name !== 'categories' || !categories || categories.length === 0) return undefined
  const folder = categories.join('/')
  return new Conflict(`What is below "${folder}" is in that category.`, undefined, 'Move the file to another folder.')
}

function unsafe(name?: string): Conflict {
  const what = name === undefined ? 'The file' : `"${name}"`
  return new Conflict(
    `${what} can't be changed safely in the way this file is written.`,
    undefined,
    'Change it in the file itself.',
  )
}

/** Refuses what no text file can hold. */
function checkText(value: Json | undefined, name: string): void {
  if (value === undefined) return
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const hasNul = typeof value === 'string' && value.includes('\0')
  if (hasNul || Buffer.from(text).toString() !== text)
    throw new InvalidInput({ [name]: [`The ${name} has characters that no text can have.`] })
}
