import { isAttachmentName } from '#core/media/attachments.ts'

/** The ending of a record's file, or of a sidecar. */
const OF_DOCUMENTS = /\.(?:md|markdown|mdx|yaml|yml)$/i

/**
 * Returns the reason why none of these folders should be made below `media/`, as the end of a sentence; undefined if they may. One
 * called `photo.jpg` would keep that name from every file.
 */
export function folderFault(folders: readonly string[]): string | undefined {
  const isFileName = (name: string) => isAttachmentName(name) || OF_DOCUMENTS.test(name)
  return folders.some(isFileName) ? 'has a part with the ending of a file' : undefined
}
