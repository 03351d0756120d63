import type { Head } from '#core/document.ts'
import { ownFolderOf } from '#core/media/attachments.ts'

/** The records whose own folders' files are. */
export interface FoldersOfRecords {
  /** The record by the folder's path below content/. */
  readonly folders: Map<string, string>
  /** The folder of each record that has one. */
  readonly own: Map<string, string>
}

/** Takes note of the folder whose files are a record's own, by the record's key as a text; without a head it has none. */
export function keepFolder({ folders, own }: FoldersOfRecords, name: string, head: Head | undefined): void {
  const before = own.get(name)
  const folder = head && ownFolderOf(head)
  if (before === folder) return
  if (before !== undefined && folders.get(before) === name) folders.delete(before)
  if (folder === undefined) own.delete(name)
  else {
    own.set(name, folder)
    folders.set(folder, name)
  }
}
