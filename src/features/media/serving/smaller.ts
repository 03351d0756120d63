import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { StreamedBytes } from '#http/answers/answers.ts'
import { etagOf } from '#http/answers/etag.ts'
import { MediaFault } from '#media/fault.ts'
import type { MadePicture, Pictures } from '#media/pictures/pictures.ts'
import type { AskedPicture } from './picture-path.ts'
import { BytesMissing, readerOf, type ServedMedia } from './served-media.ts'

/**
 * Returns a smaller picture of a media file; the file itself where sharp is not installed and where its bytes are not there,
 * undefined where it is no picture or can't be decoded. `client` is the address of who asks: all have their turns.
 */
export async function smallerOf(
  pictures: Pictures,
  file: ServedMedia,
  asked: AskedPicture,
  client?: string,
): Promise<ServedMedia | undefined> {
  if (!file.contentType.startsWith('image/')) return undefined
  const { width, height, format } = asked
  const source = { ref: await file.ref(), open: async () => readerOf(file) }
  const focalPoint = file.focalPoint ?? undefined
  try {
    const made = await pictures.make(source, { width, height, format, focalPoint }, client)
    return made ? { ...file, ...bytesOf(made), name: `${file.name}.${format}` } : file
  } catch (error) {
    if (error instanceof MediaFault) return undefined
    if (error instanceof BytesMissing) return file
    throw error
  }
}

function bytesOf({ path, size, mime, tag }: MadePicture): StreamedBytes {
  const openAt: StreamedBytes['open'] = async ({ start, end = size } = { start: 0 }) => {
    const file = await opened(path)
    if (file && end > start) return file.createReadStream({ start, end: end - 1 })
    await file?.close()
    return file && Readable.from([])
  }
  return { size, contentType: mime, etag: etagOf(tag), open: openAt }
}

/** A picture that was made may be gone again: many are made, and some kept. */
async function opened(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
