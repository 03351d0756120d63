import { isDeepStrictEqual } from 'node:util'
import { withBody } from '#frontmatter/body.ts'
import { bodyConflictAt } from '#frontmatter/body-conflict.ts'
import { dataAfter } from '#frontmatter/edits.ts'
import { MAX_FILE_BYTES } from '#frontmatter/fault.ts'
import { withKeys } from '#frontmatter/keys.ts'
import { bodyText, type FrontMatter, unifyLines } from '#frontmatter/read.ts'
import { isData } from '#frontmatter/split.ts'
import { Conflict, InvalidInput, Unreadable } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { Shape } from '../content-type.ts'
import type { FileForm } from '../file-form.ts'
import { type Key, lastSegment } from '../key.ts'
import type { Put } from '../store.ts'
import { readRaw } from './raw.ts'
import { meaningOf } from './read.ts'
import { formOf, type RawEdits, rawEdits } from './to-raw.ts'

/**
 * The bytes that `put` makes of `current` (undefined: a new file). Only the lines of changed fields are touched; the same bytes
 * come back where nothing changes. What was made is read again before it is given out. Throws Unreadable where the file can't be
 * read, Conflict where it can't be changed safely, InvalidInput for what no file can hold.
 */
export function editSource(shape: Shape, current: Buffer | undefined, form: FileForm, put: Put, key: Key): Buffer {
  const base = put.source ?? current
  // A copy as JSON has it: what is read back is compared with it.
  const { body: written, ...set }: Fields = JSON.parse(JSON.stringify(put.set ?? {}))
  const body = put.body ?? (typeof written === 'string' ? written : undefined)
  checkText(body, 'body')
  checkMerged(body, form)
  const made = base ? edited(shape, base, form, { set, body, key }) : composed(shape, form, { set, body, key })
  if (made.length > MAX_FILE_BYTES) throw new InvalidInput({ body: ['The file would have more than 2 MiB.'] })
  return made
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

/** A new file: title, slug, status and date first, the rest as it was sent. */
function composed(shape: Shape, form: FileForm, { set, body, key }: Edit): Buffer {
  const { title, slug, status, published_at, ...rest } = set
  const isOwnSlug = shape.record && slug === lastSegment(key.id)
  const ordered: [string, Json | undefined][] = [
    ['title', title],
    ['slug', isOwnSlug ? undefined : slug],
    ['status', status],
  ]
  const all = [...ordered, ['published_at', published_at] as const, ...Object.entries(rest)]
  const present = Object.fromEntries(all.filter((entry): entry is [string, Json] => entry[1] !== undefined && entry[1] !== null))
  const empty = Buffer.from(isData(form) ? '' : '---\n---\n')
  const edits = rawEdits(present, { data: {}, fields: {} }, shape)
  const edit = { set: present, body: body === '' ? undefined : body, key }
  return finished(shape, { bytes: empty, raw: readable(empty, form, key) }, form, edit, edits)
}

function edited(shape: Shape, base: Buffer, form: FileForm, edit: Edit): Buffer {
  const raw = readable(base, form, edit.key)
  // With the body as it will be: a title that is only a heading of the old one must be written to stay.
  const body = edit.body === undefined ? bodyText(base, raw) : unifyLines(edit.body)
  const fields = meaningOf(edit.key, shape, form, raw, body)
  return finished(shape, { bytes: base, raw }, form, edit, rawEdits(edit.set, { data: raw.data, fields }, shape))
}

/** A file and what was read of it. */
interface Base {
  readonly bytes: Buffer
  readonly raw: FrontMatter
}

/** Splices front matter and body, then reads all of it again. */
function finished(shape: Shape, { bytes: base, raw }: Base, form: FileForm, edit: Edit, edits: RawEdits): Buffer {
  const body = edit.body === undefined ? bodyText(base, raw) : unifyLines(edit.body)
  if (raw.parts.data && body !== bodyText(base, raw)) edits.set('body', body)
  for (const [name, value] of edits) checkText(value, name)
  const headed = edits.size > 0 ? withKeys(base, raw, edits) : base
  const made =
    raw.parts.data || edit.body === undefined
      ? headed
      : withBody(headed, headed === base ? raw : readable(headed, form, edit.key), form, edit.body)
  if (made !== base && made.length <= MAX_FILE_BYTES) {
    const after = verify(shape, made, form, edit, { data: dataAfter(raw.data, edits), body })
    if (base.length > 0) keepsPublic(shape, form, [raw, after], edit, body)
  }
  return made
}

function readable(bytes: Buffer, form: FileForm, key: Key): FrontMatter {
  const raw = readRaw(bytes, form, key.id)
  if (!('problem' in raw)) return raw
  const { message, hint, line, column } = raw.problem
  throw new Unreadable(message, { ...(line && { line }), ...(column && { column }) }, hint)
}

/** The last guard: all that was asked for is in the new bytes, and all else is as it was. Returns what was read of them. */
function verify(shape: Shape, made: Buffer, form: FileForm, edit: Edit, wanted: { data: Fields; body: string }): FrontMatter {
  const raw = readRaw(made, form, edit.key.id)
  if ('problem' in raw || !isDeepStrictEqual(raw.data, wanted.data) || bodyText(made, raw) !== wanted.body) throw unsafe()
  const fields = meaningOf(edit.key, shape, form, raw, wanted.body)
  for (const [name, value] of Object.entries(edit.set)) {
    if (value === null) continue
    const meant = formOf(name, value, shape)
    const isNothing = Array.isArray(meant) && meant.length === 0 && fields[name] === undefined
    if (isNothing || isDeepStrictEqual(fields[name], meant)) continue
    throw saidByPath(name, form) ?? unsafe(name)
  }
  return raw
}

/**
 * Fields that decide who sees a record. They only change if the request names them: `published: false` does not come along with
 * another field.
 */
const PUBLIC: readonly string[] = ['status', 'published_at', 'expires_at']

function keepsPublic(
  shape: Shape,
  form: FileForm,
  [was, is]: readonly [FrontMatter, FrontMatter],
  { key, set }: Edit,
  body: string,
): void {
  if (!shape.record) return
  const [before, after] = [meaningOf(key, shape, form, was, body), meaningOf(key, shape, form, is, body)]
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
