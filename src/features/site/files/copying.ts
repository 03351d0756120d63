import type { Readable } from 'node:stream'
import type { Problem } from '#core/document.ts'
import type { SiteFile, SiteFiles } from '#core/files/site-files.ts'
import { Unavailable } from '#lib/errors.ts'
import type { Destination } from '../building/build-memory.ts'
import { isPictureName } from '../pictures/site-pictures.ts'
import { isMediaPath, type MediaBytes, type MediaCopy, type MediaSource } from './media-source.ts'
import type { PlacedFile } from './placing.ts'

/** Number of times that a file which changes while it is copied is read. */
const TRIES = 3

/** Number of media that are copied at once: that so many pictures wait to be made is enough. */
const AT_ONCE = 4

const WITHOUT_SHARP: Problem = {
  file: 'media',
  message: 'Smaller pictures can’t be made here: sharp is not installed, or not for this machine. Pages have whole ones.',
  hint: '`npm install sharp` brings it, where there is one.',
  severity: 'warning',
}

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

/** Copies what is at paths below `/media/`, and resolves with how much there is. Says once where smaller pictures can't be made. */
export async function copyAllMedia(media: MediaSource, paths: Iterable<string>, to: Destination): Promise<number> {
  const all = [...paths].filter(isMediaPath).sort()
  let copied = 0
  for (let start = 0; start < all.length; start += AT_ONCE) {
    const part = all.slice(start, start + AT_ONCE)
    const done = await Promise.all(part.map((path) => copyMedia(media, path, to)))
    copied += done.filter(Boolean).length
  }
  if (all.some(isPictureName) && !(await media.canMakePictures())) to.folder.problems.push(WITHOUT_SHARP)
  return copied
}

/** As `copyFile`, of what is at a path below `/media/`; false also where there is nothing. What is there already is not made. */
async function copyMedia(media: MediaSource, path: string, to: Destination): Promise<boolean> {
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
