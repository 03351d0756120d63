import { toInstant } from '#frontmatter/instants.ts'
import { bodyText, type FrontMatter } from '#frontmatter/read.ts'
import { isData, split } from '#frontmatter/split.ts'
import type { Fields } from '#lib/json.ts'
import type { Document, Head, Problem } from '../document.ts'
import type { FileForm } from '../files/file-form.ts'
import { isPrivate, type Key, lastSegment } from '../key.ts'
import type { Shape } from '../types/content-type.ts'
import { firstHeading, nameOf } from './derive.ts'
import { readRaw } from './raw.ts'
import { type Canonical, canonical, namedTerms, namesIn, type Odd } from './values.ts'
import { versionOf } from './version.ts'

/**
 * Reads a file as a document. Never throws: one that can't be read has a `problem` of severity `error`, no fields and no body.
 */
export function readDocument(key: Key, shape: Shape, bytes: Buffer, form: FileForm, file: string): Document {
  const raw = readRaw(bytes, form, file)
  if ('problem' in raw) return documentOf(unreadable(key, bytes, raw.problem, form), bytes, form, '')
  const body = bodyText(bytes, raw)
  const meaning = meaningOf(key, shape, form, raw, () => body)
  return documentOf(headOf(key, shape, bytes, { raw, form, file, meaning }), bytes, form, body)
}

/** Returns the document of a file whose head and body are known. */
export function documentOf(head: Head, bytes: Buffer, form: FileForm, body: string): Document {
  const isUnreadable = head.problem?.severity === 'error'
  const source = isPrivate(head.key.kind) ? {} : { source: bytes }
  const ofPath = !isUnreadable && isSaidByPath(form) && { saidElsewhere: true as const }
  return { ...head, body: isUnreadable ? '' : body, ...source, ...ofPath }
}

/**
 * Returns the document that `readDocument` makes of a file whose head is known, without reading its front matter again; undefined
 * where the bytes are of another version. The fields and dates are those of the head.
 */
export function withHead(head: Head, shape: Shape, bytes: Buffer, form: FileForm, file: string): Document | undefined {
  if (versionOf(bytes) !== head.version) return undefined
  if (head.problem?.severity === 'error') return documentOf(head, bytes, form, '')
  // The body of a file that is YAML as a whole is one of its keys.
  const body = isData(form)
    ? readDocument(head.key, shape, bytes, form, file).body
    : bodyText(bytes, { parts: split(bytes, form), data: {} })
  return documentOf(head, bytes, form, body)
}

function isSaidByPath({ date, draft, categories = [] }: FileForm): boolean {
  return date !== undefined || draft !== undefined || categories.length > 0
}

/** As `readDocument` without the body, which is decoded only where the title must be found in it. */
export function readHead(key: Key, shape: Shape, bytes: Buffer, form: FileForm, file: string): Head {
  const raw = readRaw(bytes, form, file)
  if ('problem' in raw) return unreadable(key, bytes, raw.problem, form)
  const meaning = meaningOf(key, shape, form, raw, () => bodyText(bytes, raw))
  return headOf(key, shape, bytes, { raw, form, file, meaning })
}

function unreadable(key: Key, bytes: Buffer, problem: Problem, form: FileForm): Head {
  return { key, fields: {}, version: versionOf(bytes), problem, ...placeIn(form) }
}

/** The properties of a head that its file's path says. */
function placeIn({ isSection, hasFolder, folder }: FileForm): Pick<Head, 'isSection' | 'hasFolder' | 'folder'> {
  return { ...(isSection && { isSection }), ...(hasFolder && { hasFolder }), ...(folder !== undefined && { folder }) }
}

interface Found {
  readonly raw: FrontMatter
  readonly form: FileForm
  readonly file: string
  readonly meaning: Meaning
}

/** Returns the head of a file that was read, and is called `file`. */
export function headOf(key: Key, shape: Shape, bytes: Buffer, { raw, form, file, meaning }: Found): Head {
  const version = versionOf(bytes)
  const { fields, createdAt, updatedAt, termNames, odd, isHeldBack } = meaning
  const isToCome = odd?.mayBeToCome && shape.record && !form.draft && mayBeLive(fields, shape)
  const fault = odd && problemAt(bytes, raw, isToCome ? { ...odd, severity: 'error' } : odd, file)
  if (fault?.severity === 'error') return unreadable(key, bytes, fault, form)
  const problem = fault ?? (isHeldBack ? undatedProblem(file) : undefined)
  const dates = { ...(createdAt && { createdAt }), ...(updatedAt && { updatedAt }) }
  const names = Object.keys(termNames).length > 0 && { termNames }
  const head = { key, fields, version, ...dates, ...names, ...placeIn(form) }
  return problem ? { ...head, problem } : head
}

/** The meaning of front matter under Quire's names, with what is derived of it. */
export interface Meaning extends Canonical {
  /** True for what the file itself would publish, and its name does not. */
  readonly isHeldBack: boolean
}

/** Returns the meaning of the front matter of a readable file. The body is asked for where the title must be found in it. */
export function meaningOf(
  key: Key,
  shape: Shape,
  form: FileForm,
  { data, parts }: Pick<FrontMatter, 'data' | 'parts'>,
  body: () => string,
): Meaning {
  const found = canonical(data, shape, parts.data)
  const isHeldBack = shape.record && form.draft === 'name' && mayBeLive(found.fields, shape)
  if (shape.record) derive(found.fields, { key, shape, form, body, termNames: found.termNames })
  return { ...found, isHeldBack }
}

/** Returns all fields that front matter means, `created_at` and `updated_at` among them. */
export function fieldsOf({ fields, createdAt, updatedAt }: Meaning): Fields {
  return { ...fields, ...(createdAt && { created_at: createdAt }), ...(updatedAt && { updated_at: updatedAt }) }
}

interface Named {
  readonly key: Key
  readonly shape: Shape
  readonly form: FileForm
  readonly body: () => string
  readonly termNames: Record<string, string[]>
}

/** Fills in what a record always has, a title from its first heading or its name, a slug from its id, and what its path says. */
function derive(fields: Fields, { key, shape, form, body, termNames }: Named): void {
  if (typeof fields.title !== 'string' || fields.title === '') fields.title = firstHeading(body()) ?? nameOf(key)
  if (typeof fields.slug !== 'string' || fields.slug === '') fields.slug = lastSegment(key.id)
  if (form.date !== undefined && (fields.published_at ?? null) === null) {
    fields.published_at = toInstant(form.date, shape.timezone) ?? null
  }
  if (form.categories && form.categories.length > 0 && shape.taxonomies.some(({ name }) => name === 'categories')) {
    addCategories(fields, termNames, form.categories)
  }
  // A status that nobody knows may mean anything: only one that is known and not live is kept.
  if (form.draft && mayBeLive(fields, shape)) fields.status = 'draft'
}

/** Those that the folders name which a file is in come after those that it says itself. */
function addCategories(fields: Fields, termNames: Record<string, string[]>, folders: readonly string[]): void {
  const said = namedTerms(fields.categories ?? [])
  const others = new Map([...namedTerms([...folders])].filter(([id]) => !said.has(id)))
  const names = namesIn(others)
  fields.categories = [...said.keys(), ...others.keys()]
  const all = [...(termNames.categories ?? []), ...names]
  if (all.length > 0) termNames.categories = all
}

function mayBeLive({ status }: Fields, { statuses }: Shape): boolean {
  return statuses.get(String(status))?.live !== false
}

/** The remark on a post that its own words would publish, and its name does not. */
function undatedProblem(file: string): Problem {
  const message = 'In _posts a file without a date in its name is a draft.'
  return { file, message, hint: 'To publish it, give it one: 2026-01-31-name.md.', severity: 'warning' }
}

function problemAt(bytes: Buffer, raw: FrontMatter, { key, message, hint, severity }: Odd, file: string): Problem {
  const lines = bytes.toString('utf8', 0, raw.parts.headEnd).split(/\r\n|\r|\n/)
  const line = lines.findIndex((text) => isLineOf(key, text)) + 1
  return { file, ...(line > 0 && { line, column: 1 }), message, hint, severity }
}

function isLineOf(key: string, line: string): boolean {
  const text = line.trimStart().replace(/^["']/, '')
  return text.startsWith(key) && /^["']?\s*[:=]/.test(text.slice(key.length))
}
