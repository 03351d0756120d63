import { fileName, isHidden, isRecordName, keyOfFile, kindOfFolder, placeOf } from '#core/files/layout.ts'
import { type Key, likeSegment, parseKey, RESERVED_TYPES, SYSTEM_FOLDERS } from '#core/key.ts'
import { composed } from '#lib/text/normal-form.ts'
import { slugify } from '#lib/text/slug.ts'

/** The record that a file of another tool becomes. */
export interface RecordPlace {
  readonly type: string
  readonly id: string
  /** The path below the content folder that its file keeps, where that has this id. */
  readonly file: string
  /** Set where the name of the file can't be an id, and is written otherwise. */
  readonly renamed?: true
}

/**
 * Returns the record that the file at a path, from a folder that is like `content/`, becomes; undefined for names that no record
 * has. What lies in a folder whose name is Quire's own is a page.
 */
export function placeOfRecord(path: string): RecordPlace | undefined {
  const names = path.split('/')
  const name = names.pop() ?? ''
  if (!isRecordName(name) || isHidden(name) || names.some(isHidden)) return undefined
  const [first = ''] = names
  const isTaken = names.length > 0 && (RESERVED_TYPES.has(first) || SYSTEM_FOLDERS.has(first.toLowerCase()))
  const folder = isTaken ? { kind: 'pages', below: names.join('/') } : kindOfFolder(names.join('/'))
  if (!folder) return undefined
  const below = folder.below === '' ? name : `${folder.below}/${name}`
  const place = placeOf({ ...folder, kind: parseKey(folder.kind, 'x') ? folder.kind : likeSegment(folder.kind) }, below)
  if (!place) return undefined
  if (!('fault' in place)) return { type: place.key.kind, id: place.key.id, file: isTaken ? `pages/${path}` : path }
  const segments = place.like.split('/')
  if (segments.length > 1 && /^_?index$/.test(segments.at(-1) ?? '')) segments.pop()
  const id = segments.join('~')
  return { type: place.folder.kind, id, file: `${place.folder.kind}/${place.like}.${place.extension}`, renamed: true }
}

/** Returns the path below the content folder of a new document: the one that is given, where it has the key's id. */
export function fileOfNew(key: Key, file: string | undefined): string {
  const there = file === undefined ? undefined : keyOfFile(file)
  return file !== undefined && there?.kind === key.kind && there.id === key.id ? file : `${key.kind}/${fileName(key)}`
}

/** Returns an id like one name of another tool, with its letters as slugs have them; '' where nothing of it is left. */
export function likeSlug(name: string): string {
  const slug = slugify(name)
  return slug === '' ? '' : likeSegment(slug)
}

/** Returns an id like a path of another tool: each name as near to it as an id may have it. */
export function likeId(path: string): string {
  const names = composed(path)
    .split('/')
    .filter((name) => name !== '')
  return names.map((name) => likeSegment(name)).join('~') || 'untitled'
}
