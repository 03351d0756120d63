import { MEDIA_TYPES } from '#media/types.ts'
import type { Head } from '../document.ts'
import { idToPath } from '../key.ts'

/** Endings of the names of files, by the formats of `media.types`; svg is always among them. */
export const FORMAT_ENDINGS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(Object.entries(MEDIA_TYPES).map(([format, { endings }]) => [format, endings])),
  svg: ['svg'],
}

const ENDINGS = new Set(Object.values(FORMAT_ENDINGS).flat())

/** Returns the ending of a file's name in lower case; '' where it has none. */
export function endingOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase()
}

/** Returns whether a path is that of a file of a kind that may lie beside records. Whether there is one does not matter. */
export function isAttachmentName(path: string): boolean {
  return ENDINGS.has(endingOf(path))
}

/**
 * Returns the folder that a document's file lies in, below the content folder and in NFC: what it calls by a name alone lies
 * there.
 */
export function folderOf({
  key,
  folder,
  hasFolder,
  isSection,
}: Pick<Head, 'key' | 'folder' | 'hasFolder' | 'isSection'>): string {
  if (folder !== undefined) return folder
  const path = key.id === 'index' ? '' : idToPath(key.id)
  const below = hasFolder || isSection ? path : path.slice(0, Math.max(0, path.lastIndexOf('/')))
  return below === '' ? key.kind : `${key.kind}/${below}`
}

/** Returns the head `after` of a moved document as its new file's path has it (`fileName` in `core/files/layout.ts`). */
export function movedHead(before: Head, after: Head): Head {
  const { hasFolder, folder, ...head } = after
  if (before.key.kind === after.key.kind && before.key.id === after.key.id) return after
  const isIndex = (hasFolder && before.key.id !== 'index') || (after.key.id === 'index' && !after.isSection)
  return isIndex ? { ...head, hasFolder: true } : head
}

/**
 * Returns the folder whose files are a record's own, below the content folder; undefined where it has none. A file that can't be
 * read may have been the `index` of one.
 */
export function ownFolderOf(head: Pick<Head, 'key' | 'folder' | 'hasFolder' | 'isSection' | 'problem'>): string | undefined {
  if (head.hasFolder) return folderOf(head)
  const isUnknown = head.problem?.severity === 'error' && !head.isSection && head.key.id !== 'index'
  return isUnknown ? folderOf({ key: head.key, hasFolder: true }) : undefined
}

/**
 * Returns the folders that may be those of the record which a file belongs to, the nearest first: those above its path up to its
 * type's, or '' for the content's own.
 */
export function* foldersAbove(path: string): Generator<string> {
  if (!path.includes('/')) yield ''
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) yield path.slice(0, end)
}
