import type { Document } from '#core/document.ts'
import { keyOfFile } from '#core/files/layout.ts'
import type { Key } from '#core/key.ts'
import type { Store } from '#core/store.ts'

/**
 * Returns the document of a file that can't be read, if its key is one asked for. The path of the file begins with the folder of
 * the content, wherever that is.
 */
export async function unreadableAt(
  store: Pick<Store, 'get'>,
  file: string,
  isAsked: (key: Key) => boolean,
): Promise<Document | undefined> {
  const parts = file.split('/')
  for (let from = 0; from < parts.length; from++) {
    const key = keyOfFile(parts.slice(from).join('/'))
    const document = key && isAsked(key) ? await store.get(key) : undefined
    if (document?.problem?.file === file) return document
  }
  return undefined
}
