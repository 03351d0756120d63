import type { Readable } from 'node:stream'
import type { Problem } from '#core/document.ts'
import type { SiteFile, SiteFiles } from '#core/site-files.ts'
import { Unavailable } from '#lib/errors.ts'
import type { Destination } from '../building/build-memory.ts'
import type { MediaBytes, MediaCopy, MediaSource } from './media-source.ts'
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

async function copied(files: Source, { file, out }: PlacedFile, to: Destination): Promise<boolean> {
  const { folder, memory } = to
  let now: SiteFile | undefined = file
  for (let tries = 1; now; tries++) {
    if (isThere(out, now.version, to)) return true
    const found = now
    try {
      const stamp = await folder.copy(out, found.size, () => files.open(found))
      if (stamp !== undefined) memory.add(out, inputsOf(found.version), stamp)
      return stamp !== undefined
    } catch (error) {
      if (!(error instanceof Unavailable) || tries === TRIES) throw error
    }
    now = await files.find(file.area, file.path)
  }
  return false
}

/** As `copyFile`, of what is at a path below `/media/`; false also where there is nothing. What is there already is not made. */
export async function copyMedia(media: MediaSource, path: string, to: Destination): Promise<boolean> {
  const found = await media.find(path)
  const out = `media/${path}`
  if (!found) return false
  if (isThere(out, found.version, to)) return true
  let bytes = await found.bytes()
  if (!bytes) {
    to.folder.problems.push(undrawn(path))
    return false
  }
  const fileOf = ({ version }: MediaCopy, { size }: MediaBytes): SiteFile => ({ area: 'content', path, size, version })
  const files: Source = {
    find: async () => {
      const again = await media.find(path)
      bytes = await again?.bytes()
      return again && bytes && fileOf(again, bytes)
    },
    open: async ({ version }) => {
      const opened = await bytes?.open()
      if (opened) return opened
      if ((await media.find(path))?.version !== version) throw new Unavailable('The file was changed while it was read.')
      throw new BytesMissing()
    },
  }
  return copied(files, { file: fileOf(found, bytes), out }, to)
}

/** Leaves a file that an earlier build copied as it is; false where it is another. */
function isThere(out: string, version: string, { folder, memory }: Destination): boolean {
  const made = memory.madeOf(out, inputsOf(version))
  const left = made && folder.leave(out, made.stamp)
  if (!made || left === undefined) return false
  memory.keep(out, made, left)
  return true
}

function inputsOf(version: string): string {
  return `file ${version}`
}

function undrawn(path: string): Problem {
  const message = `The smaller picture "/media/${path}" can't be made: what it is made of is broken, or takes too long.`
  return { file: path, message, hint: 'Open the picture in the program that made it, and save it anew.', severity: 'warning' }
}
