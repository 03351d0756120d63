import { InvalidInput } from '#lib/errors.ts'
import { composed, hasLongRun, MOST_MARKS } from '#lib/text/normal-form.ts'

/**
 * The kind of a document: a content type (`posts`), a folder of terms (`taxonomy/tags`), `menus`, `settings`, `media`; or, if it
 * begins with a dot, a private kind (`.tokens`) that is kept in `.cms/` and never in git.
 */
export type Kind = string

declare const checked: unique symbol

/** The address of one document. Only `keyOf` and `parseKey` make one, so a key can't leave its kind's folder. */
export interface Key {
  readonly kind: Kind
  /** The path below the kind's folder without extension (of `media` with that of the file described), each `/` written `~`, in NFC. */
  readonly id: string
  readonly [checked]: true
}

/** The kind of the documents that describe files of media, each beside its own: the sidecars. */
export const MEDIA: Kind = 'media'

/** Folders of `content/` that hold something other than records. */
export const SYSTEM_FOLDERS: ReadonlySet<string> = new Set(['taxonomy', 'menus', 'settings', MEDIA])

/** Names no content type can have: they are routes beside `/api/cms/{type}`, or system folders. */
export const RESERVED_TYPES: ReadonlySet<string> = new Set(['types', 'search', ...SYSTEM_FOLDERS])

/** The most bytes an id that Quire is asked to make may have, in UTF-8. */
export const MAX_ID_BYTES = 200
/** The most characters of any id: no file has a longer path, and a long text is not looked at letter by letter. */
const LONGEST = 4096

/**
 * Characters that not every system allows in file names, `~`, which separates the segments of an id, and the replacement
 * character for bytes that are not text.
 */
const REFUSED = /[~:?*"<>|\\/\ufffd]/
const SEGMENT = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u
/** Joiners and the emoji selector are invisible by themselves: they are allowed only between, or after, what they change. */
const JOINED = /(?<=[\p{L}\p{M}\p{N}\p{S}])[\u200c\u200d](?=[\p{L}\p{M}\p{N}\p{S}])|(?<=[\p{L}\p{N}\p{P}\p{S}])\ufe0f/gu
const JOINED_OR_ONE = new RegExp(`(${JOINED.source})|[\\s\\S]`, 'gu')
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/i

/** Most segments are plain: seen at once, without Unicode tables. Three or four letters may still be a device name. */
const PLAIN_SEGMENT = '(?:[A-Za-z0-9][A-Za-z0-9_-]{4,}|[A-Za-z0-9]{1,2}|[0-9]+)'
const TOO_MANY_MARKS = new RegExp(`(?<=\\p{M}{${MOST_MARKS}})\\p{M}+`, 'gu')
const PLAIN = new RegExp(`^${PLAIN_SEGMENT}$`)
const PLAIN_ID = new RegExp(`^${PLAIN_SEGMENT}(?:~${PLAIN_SEGMENT})*$`)

/** Returns the reason why `segment` can't be part of an id, as the end of a sentence ("it …"), or undefined if it can. */
export function segmentFault(segment: string): string | undefined {
  if (PLAIN.test(segment)) return undefined
  if (segment === '') return 'has an empty part'
  if (segment !== composed(segment)) return 'is not in Unicode normal form C'
  if (hasLongRun(segment)) return `has more than ${MOST_MARKS} marks on one letter`
  const character = refusedCharacter(segment)
  if (character !== undefined) return `has a character that ids don't have (${character})`
  if (/^[._ ]/.test(segment)) return 'has a part that begins with a dot, an underscore or a space'
  if (/[. ]$/.test(segment)) return 'has a part that ends with a dot or a space'
  if (DEVICE.test(segment)) return 'has a part that is a device name on Windows'
  return undefined
}

/** A segment that is like `segment` and can be part of an id. */
export function likeSegment(segment: string): string {
  const kept = composed(segment.replace(TOO_MANY_MARKS, ''))
    .replace(JOINED_OR_ONE, (one, joined: string | undefined) => joined ?? replaced(one))
    .replace(/-{2,}/g, '-')
    .replace(/^[._ ]+/, '')
    .replace(/[. ]+$/, '')
  if (kept === '' || kept === '-') return 'untitled'
  return segmentFault(kept) === undefined ? kept : `file-${kept}`
}

/** A character, or what may take its place: nothing for one that shows nothing. */
function replaced(character: string): string {
  if (refusedCharacter(character) === undefined) return character
  return /\p{Cf}|\ufe0f/u.test(character) ? '' : '-'
}

/** The first character of a segment that an id doesn't have, as people read it; undefined where all are allowed. */
function refusedCharacter(segment: string): string | undefined {
  const text = segment.replace(JOINED, '')
  if (SEGMENT.test(text) && !REFUSED.test(text) && !text.includes('\ufe0f')) return undefined
  const found = [...text].find((one) => !SEGMENT.test(one) || REFUSED.test(one) || one === '\ufe0f')
  const code = `U+${found?.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`
  return found !== undefined && REFUSED.test(found) ? found : code
}

/** Returns the reason why `id` is not an id, as the end of a sentence, or undefined if it is one. */
export function idFault(id: string): string | undefined {
  if (id.length > LONGEST) return `is longer than ${LONGEST} characters`
  if (PLAIN_ID.test(id)) return undefined
  for (const segment of id.split('~')) {
    const fault = segmentFault(segment)
    if (fault) return fault
  }
  return undefined
}

/** Returns the reason why no file of media has this id, which is one, as the end of a sentence, or undefined if one can. */
export function endingFault(id: string): string | undefined {
  if (!/[^/~]\.[^/~.]+$/.test(id)) return 'has no ending, as photo.jpg has one'
  return /\.(?:md|markdown|mdx|yaml|yml)$/i.test(id) ? 'has the ending of a record' : undefined
}

/** True for a kind kept in `.cms/`, out of git. */
export function isPrivate(kind: Kind): boolean {
  return kind.startsWith('.')
}

const KIND = /^(?:\.[a-z0-9][a-z0-9_-]*|taxonomy\/[^/~]+|[^/~.][^/~]*)$/

/** Returns whether a text can be the name of a kind, as keys have it. */
export function isKind(text: string): boolean {
  return KIND.test(text) && kindFault(text) === undefined
}

/** The key for `id`, brought to NFC, in `kind`; undefined where either is not allowed. */
export function parseKey(kind: Kind, id: string): Key | undefined {
  if (id.length > LONGEST) return undefined
  const whole = composed(id)
  if (!isKind(kind) || idFault(whole) !== undefined) return undefined
  if (kind === MEDIA && endingFault(whole) !== undefined) return undefined
  return { kind, id: whole } as Key
}

/** The key for `id` in `kind`; throws InvalidInput where either is not allowed. */
export function keyOf(kind: Kind, id: string): Key {
  const key = parseKey(kind, id)
  if (key) return key
  const fault = idFault(id) ?? (kind === MEDIA ? endingFault(composed(id)) : undefined)
  throw new InvalidInput({ id: [`The id "${id}" ${fault ?? 'is in no kind of that name'}.`] })
}

/** Returns the reason why `kind` is not the name of a kind, or undefined if it is one. */
export function kindFault(kind: Kind): string | undefined {
  const name = isPrivate(kind) ? kind.slice(1) : kind.startsWith('taxonomy/') ? kind.slice('taxonomy/'.length) : kind
  return segmentFault(name)
}

/** One string for a key, for maps: `posts/2026~hello`. */
export function keyText(key: Key): string {
  return `${key.kind}/${key.id}`
}

/** Returns the key that `keyText` makes this text of; undefined where it is none. */
export function keyOfText(text: string): Key | undefined {
  const slash = text.lastIndexOf('/')
  const key = parseKey(text.slice(0, slash), text.slice(slash + 1))
  return key && keyText(key) === text ? key : undefined
}

/** The path below the kind's folder that an id stands for, without extension: `2026/hello`. */
export function idToPath(id: string): string {
  return id.replaceAll('~', '/')
}

/** The last part of an id: what a record without a slug of its own is called in URLs. */
export function lastSegment(id: string): string {
  return id.slice(id.lastIndexOf('~') + 1)
}
