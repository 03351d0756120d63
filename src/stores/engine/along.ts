import { isAttachmentName } from '#core/attachments.ts'
import type { Head } from '#core/document.ts'
import { isSitePath } from '#core/site-files.ts'
import type { FileBytes } from '#lib/file-bytes.ts'

/** A file of a record's own folder that goes with the record; paths are from the content folder. */
export interface Along {
  readonly from: string
  readonly to: string
  /** Absent where the store keeps the bytes of files elsewhere. */
  readonly bytes?: FileBytes
}

/** A folder that becomes another with the record whose own it is: `posts/trip` and `posts/2026/journey`. */
export interface MovedFolder {
  readonly from: string
  readonly to: string
}

const INDEX = /^(.+)\/index\.[^/]+$/

/** Returns the folder that goes along where a document's file comes to be another; undefined where none does. */
export function movedFolder(
  { file, head }: { readonly file: string; readonly head: Head },
  next: string,
): MovedFolder | undefined {
  const [from, to] = [INDEX.exec(file)?.[1], INDEX.exec(next)?.[1]]
  return head.hasFolder && head.key.id !== 'index' && from !== undefined && to !== undefined && from !== to
    ? { from, to }
    : undefined
}

/** Returns whether a file goes along: `path` is from the folder, `isRecord` tells of a folder in it whether it is a record's. */
export function goesAlong(path: string, isRecord: (folder: string) => boolean): boolean {
  if (!isAttachmentName(path) || !isSitePath('content', path)) return false
  for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) if (isRecord(path.slice(0, end))) return false
  return true
}
