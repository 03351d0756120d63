import type { ContentType } from '../../core/content-type.ts'
import { InvalidInput } from '../../core/errors.ts'
import { dayAt } from '../../core/format/instants.ts'
import type { Fields } from '../../core/json.ts'
import { type Key, keyOf, MAX_ID_BYTES, segmentFault } from '../../core/key.ts'
import { instantOf } from '../../core/status.ts'
import { slugify } from '../../lib/slug.ts'

const MADE = /^[a-z0-9][a-z0-9._-]*$/
const MAX_SEGMENT = 100

/** The slugs to try for a title, the first that is free to be taken: `hello`, `hello-2`, `hello-3` … */
export function* slugsFor(title: string): Generator<string> {
  const slug = slugify(title, MAX_SEGMENT) || 'untitled'
  // A device name (`con`) is no file on some systems.
  if (segmentFault(slug) === undefined) yield slug
  for (let n = 2; ; n++) yield numbered(slug, n)
}

/** The part of an id that a slug makes: itself where Quire may make such an id, else transliterated. */
export function idSegment(slug: string): string {
  const plain = MADE.test(slug) && segmentFault(slug) === undefined
  return plain ? slug : slugify(slug, MAX_SEGMENT) || 'untitled'
}

/** `segment-n`, cut so that it stays within the limit. */
export function numbered(segment: string, n: number): string {
  const suffix = `-${n}`
  return `${segment.slice(0, MAX_SEGMENT - suffix.length).replace(/-+$/, '')}${suffix}`
}

/** The key of a new record: its segment, or what the type's `path` makes of it (`published_at`, else `now`, as the clocks of the site have it). */
export function newKey(type: ContentType, segment: string, fields: Fields, now: number): Key {
  const [year = '', month = '', day = ''] = dayAt(instantOf(fields.published_at) ?? now, type.timezone).split('-')
  const values: Record<string, string> = {
    slug: segment,
    type: type.name,
    ...{ year, month, day },
  }
  const path = (type.path ?? '{slug}').replace(/\{(slug|type|year|month|day)\}/g, (_, name: string) => values[name] ?? '')
  const id = path.replace(/^\/+|\/+$/g, '').replaceAll('/', '~')
  return checkedKey(type.name, isFolder(id) ? `${id}-2` : id)
}

/** Whether the file of this id would be read as the record of the folder it is in. */
function isFolder(id: string): boolean {
  return id.endsWith('~index')
}

/** The key for an id that a request asks for; throws InvalidInput where it is not allowed or too long. */
export function checkedKey(kind: string, id: string): Key {
  const key = keyOf(kind, id)
  if (isFolder(id)) throw new InvalidInput({ id: [`The id must not end in "~index": such a file is the record of its folder.`] })
  if (Buffer.byteLength(id) > MAX_ID_BYTES)
    throw new InvalidInput({ id: [`The id must not be longer than ${MAX_ID_BYTES} bytes.`] })
  return key
}
