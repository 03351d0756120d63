import type { Readable } from 'node:stream'
import type { SiteFile, SiteFiles } from '#core/site-files.ts'
import { Unavailable } from '#lib/errors.ts'
import type { Destination } from '../building/build-memory.ts'
import type { MediaCopy, MediaSource } from './media-source.ts'
import type { PlacedFile } from './placing.ts'

/** Number of times that a file which changes while it is copied is read. */
const TRIES = 3

/** The bytes of a media file are nowhere, though there is a file that describes them. */
class BytesMissing extends Error {
  readonly hint = 'Bring them from where it was uploaded (.cms/media there), upload it again, or remove it.'

  constructor() {
    super('the bytes of this media file are not here')
  }
}

type Source = Pick<SiteFiles, 'find' | 'open'>

/** Copies a file into a built site, unless it is there as it is. False where it is gone, or can't be written. */
export async function copyFile(files: Source, placed: PlacedFile, to: Destination): Promise<boolean> {
  let opens = 0
  // One that is there and can't be opened is another by now, or may not be read.
  const open = async (file: SiteFile): Promise<Readable | undefined> => {
    const bytes = await files.open(file)
    if (bytes || !(await files.find(file.area, file.path))) return bytes
    if (++opens < TRIES) throw new Unavailable('The file was changed while it was read.')
    throw new Error('what it is copied of may not be read')
  }
  return copied({ find: files.find.bind(files), open }, placed, to)
}

async function copied(files: Source, { file, out }: PlacedFile, { folder, memory }: Destination): Promise<boolean> {
  let now: SiteFile | undefined = file
  for (let tries = 1; now; tries++) {
    const inputs = `file ${now.version}`
    const made = memory.madeOf(out, inputs)
    if (made && folder.leave(out, made.stamp)) {
      memory.keep(out, made)
      return true
    }
    const found = now
    try {
      const stamp = await folder.copy(out, found.size, () => files.open(found))
      if (stamp !== undefined) memory.add(out, inputs, stamp)
      return stamp !== undefined
    } catch (error) {
      if (!(error instanceof Unavailable) || tries === TRIES) throw error
    }
    now = await files.find(file.area, file.path)
  }
  return false
}

/** As `copyFile`, of what is at a path below `/media/`; false also where there is nothing. */
export async function copyMedia(media: MediaSource, path: string, to: Destination): Promise<boolean> {
  let found = await media.find(path)
  if (!found) return false
  const fileOf = ({ size, version }: MediaCopy): SiteFile => ({ area: 'content', path, size, version })
  const files: Source = {
    find: async () => {
      found = await media.find(path)
      return found && fileOf(found)
    },
    open: async ({ version }) => {
      const bytes = await found?.open()
      if (bytes) return bytes
      if ((await media.find(path))?.version !== version) throw new Unavailable('The file was changed while it was read.')
      throw new BytesMissing()
    },
  }
  return copied(files, { file: fileOf(found), out: `media/${path}` }, to)
}
