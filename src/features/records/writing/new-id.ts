import { type Key, keyOf, MAX_ID_BYTES, segmentFault } from '#core/key.ts'
import { instantOf } from '#core/status.ts'
import { type ContentType, PATH_PLACEHOLDERS, type PathPlaceholder } from '#core/types/content-type.ts'
import { dayAt } from '#frontmatter/instants.ts'
import { InvalidInput } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import { KEPT_LETTER, slugify } from '#lib/text/slug.ts'

const MADE = new RegExp(`^(?!\\p{M})(?:[a-z0-9]|${KEPT_LETTER})(?:[a-z0-9._-]|${KEPT_LETTER})*$`, 'u')
const MAX_SEGMENT = 100
const PLACEHOLDER = new RegExp(`\\{(${PATH_PLACEHOLDERS.join('|')})\\}`, 'g')

/** Makes the keys of new records of a type. */
export interface NewKeys {
  /** The nth slug of a title, from 1 on: `hello`, `hello-2`, `hello-3` … Undefined where the first can be no name of a file. */
  slugFor(title: string, n: number): string | undefined
  /** The part of an id that a slug makes: itself where Quire may make such an id, else transliterated. */
  segment(slug: string): string
  /** `segment-n`, cut so that it stays within the limits. */
  numbered(segment: string, n: number): string
  /** The key of a record: its segment, or what the type's `path` makes of it. */
  key(segment: string): Key
}

/** The maker of a record, as far as its id depends on that. */
interface Maker {
  readonly now: number
  /** False for who may not make the record whose own the loose files of the type become (`posts/index.md`). */
  readonly mayBeIndex: boolean
}

/** The keys of new records with these fields; `path` goes by published_at, else `now`, in the time zone of the site. */
export function newKeys(type: ContentType, fields: Fields, { now, mayBeIndex }: Maker): NewKeys {
  const [year = '', month = '', day = ''] = dayAt(instantOf(fields.published_at) ?? now, type.timezone).split('-')
  const template = (type.path ?? '{slug}').replace(/^\/+|\/+$/g, '').replaceAll('/', '~')
  const idOf = (slug: string) => {
    const values: Readonly<Record<PathPlaceholder, string>> = { type: type.name, slug, year, month, day }
    return template.replace(PLACEHOLDER, (_, name: PathPlaceholder) => values[name])
  }
  const uses = template.split('{slug}').length - 1
  const room = Math.max(1, Math.floor((MAX_ID_BYTES - Buffer.byteLength(idOf(''))) / Math.max(1, uses)))
  const numbered = (segment: string, n: number) => fitting(segment, `-${n}`, room)
  return {
    slugFor: (title, n) => slugOf(title, n, room),
    segment: (slug) => {
      const isMade = MADE.test(slug) && slug === slug.toLowerCase() && segmentFault(slug) === undefined
      return isMade ? slug : firstSlug(slug, room)
    },
    numbered,
    key: (segment) => {
      const id = idOf(segment)
      return checkedKey(type.name, isFolder(id) || (isIndex(id) && !mayBeIndex) ? `${id}-2` : id)
    },
  }
}

function slugOf(title: string, n: number, room: number): string | undefined {
  const slug = firstSlug(title, room)
  if (n > 1) return fitting(slug, `-${n}`, room)
  // A device name (`con`) is no file on some systems.
  return segmentFault(slug) === undefined ? slug : undefined
}

function firstSlug(text: string, room: number): string {
  return fitting(slugify(text, MAX_SEGMENT), '', room) || 'untitled'
}

/** A text and its ending, the text cut so that both are at most 100 characters and `room` bytes; never within a character. */
function fitting(text: string, ending: string, room: number): string {
  let left = text.slice(0, MAX_SEGMENT - ending.length)
  const isTooLong = () => Buffer.byteLength(left) > room - ending.length || /[\ud800-\udbff]$/.test(left)
  while (left !== '' && isTooLong()) left = left.slice(0, -1)
  return `${left === text ? left : left.replace(/-+$/, '')}${ending}`
}

/** Returns whether the file of this id would be read as the record of the folder it is in, on a disk that ignores case too. */
function isFolder(id: string): boolean {
  return /~index$/i.test(id)
}

/** Returns whether a record of this id has the folder of its type for its own, on a disk that ignores case too. */
export function isIndex(id: string): boolean {
  return /^index$/i.test(id)
}

/** The key for an id that a request asks for; throws InvalidInput where it is not allowed or too long. */
export function checkedKey(kind: string, id: string): Key {
  // First of all: what is wrong with a long one takes a while to say.
  if (Buffer.byteLength(id) > MAX_ID_BYTES)
    throw new InvalidInput({ id: [`The id must not be longer than ${MAX_ID_BYTES} bytes.`] })
  if (isFolder(id)) throw new InvalidInput({ id: [`The id must not end in "~index": such a file is the record of its folder.`] })
  return keyOf(kind, id)
}
