import type { Head } from '#core/document.ts'
import { isSitePath } from '#core/files/site-files.ts'
import { isPrivate, type Key, SYSTEM_FOLDERS } from '#core/key.ts'
import { ownFolderOf } from '#core/media/attachments.ts'
import { Conflict } from '#lib/errors.ts'
import type { FileBytes } from '#lib/files/bytes.ts'

/** A file of a record's own folder that goes with the record; paths are from the content folder. */
export interface Along {
  readonly from: string
  /** Absent where it is removed. */
  readonly to?: string
  /** Absent where the store keeps the bytes of files elsewhere. */
  readonly bytes?: FileBytes | undefined
}

/** A file that is removed with the record of a key; as in `Along`. */
export interface GoneFile extends Omit<Along, 'to'> {
  readonly key: Key
}

/** A file that comes back with a record that was removed; its path is from the content folder. */
export interface BackFile {
  readonly path: string
  readonly bytes: FileBytes
}

/** A folder that goes with the record whose own it is: `posts/trip`, and `posts/2026/journey` where it becomes that. */
export interface GoingFolder {
  readonly from: string
  readonly to?: string
}

/** The most files that go with one record. */
export const MOST_ALONG = 1_000

const INDEX = /^(.+)\/index\.[^/.]+$/

/**
 * Returns the folder that goes along where a document's file comes to be another, or is removed; undefined where none does. The
 * folder of a type stays: records without a folder have their files in it, too.
 */
export function goingFolder(
  { file, head, key }: { readonly file: string; readonly head: Head; readonly key: Key },
  next: string | undefined,
): GoingFolder | undefined {
  const from = INDEX.exec(file)?.[1]
  const isOwn = !isPrivate(key.kind) && !SYSTEM_FOLDERS.has(key.kind) && key.id !== 'index' && ownFolderOf(head) !== undefined
  if (!isOwn || from === undefined) return undefined
  if (next === undefined) return { from }
  const to = INDEX.exec(next)?.[1]
  return head.hasFolder && to !== undefined && from !== to ? { from, to } : undefined
}

/**
 * Returns the folder that a document comes to have for its own with a new file; undefined where it has none. What lies in it then
 * would be the document's, to see and to remove: so nothing of others may.
 */
export function newFolder(document: { readonly file: string; readonly head: Head; readonly key: Key }): string | undefined {
  return goingFolder(document, undefined)?.from
}

/** Returns the refusal of a change that would make the files in a folder those of another record. */
export function othersIn(folder: string): Conflict {
  const hint = 'Take another id, or move those files elsewhere first.'
  return new Conflict(`The folder "${folder}" has files already, which would become this record's.`, undefined, hint)
}

/** Returns the folder whose files come back with a document that is put back in a file; undefined where none do. */
export function folderOfBack({ kind, id }: Key, file: string): string | undefined {
  const isRecord = !isPrivate(kind) && !SYSTEM_FOLDERS.has(kind) && id !== 'index'
  return isRecord ? INDEX.exec(file)?.[1] : undefined
}

/**
 * Returns whether a file goes with a record that is removed, and with one that is moved, where it is of a kind that may lie beside
 * records; `path` is from its folder, `isOwner` tells which in it are others' own.
 */
export function goesAway(path: string, isOwner: (folder: string) => boolean): boolean {
  if (!isSitePath('content', path)) return false
  for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) if (isOwner(path.slice(0, end))) return false
  return true
}

/** Returns the refusal of a change that too many files would go with. */
export function tooManyAlong(hint: string): Conflict {
  return new Conflict(`The folder of this record has more than ${MOST_ALONG.toLocaleString('en')} files.`, undefined, hint)
}
