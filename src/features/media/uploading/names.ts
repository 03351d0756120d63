import { type Key, likeSegment, MAX_ID_BYTES, MEDIA, parseKey, segmentFault } from '#core/key.ts'
import { endingOf } from '#core/media/attachments.ts'
import { InvalidInput } from '#lib/errors.ts'
import { composed } from '#lib/text/normal-form.ts'
import { slugify } from '#lib/text/slug.ts'
import { MEDIA_TYPES, type MediaType } from '#media/types.ts'
import { folderFault } from '../folders.ts'

/** The most letters of a name without its ending. */
const MOST_LETTERS = 100
/** Bytes that are left for the name of a file below its folder. */
const LEAST_BYTES = 40

/** Reads a folder below `media/`: names with `/` between them, '' for none. Throws InvalidInput. */
export function readFolder(sent: string): string {
  const folder = composed(sent).replace(/^\/+|\/+$/g, '')
  const fault = folder === '' ? undefined : (folder.split('/').map(segmentFault).find(Boolean) ?? folderFault(folder.split('/')))
  if (fault) throw new InvalidInput({ folder: [`The folder ${fault}.`] })
  const most = MAX_ID_BYTES - LEAST_BYTES
  if (Buffer.byteLength(folder) > most) throw new InvalidInput({ folder: [`The folder must not be longer than ${most} bytes.`] })
  return folder
}

/**
 * Returns the nth key for a new file, from 1 on: its name as slugs are made, `-2` and so on behind it, and the ending that its
 * bytes ask for.
 */
export function newKey(folder: string, filename: string, type: MediaType, n: number): Key {
  const sent = endingOf(filename)
  const { endings } = MEDIA_TYPES[type]
  const ending = `${n === 1 ? '' : `-${n}`}.${endings.includes(sent) ? sent : endings[0]}`
  const before = folder === '' ? '' : `${folder.replaceAll('/', '~')}~`
  const room = MAX_ID_BYTES - Buffer.byteLength(before + ending)
  const stem = cut(slugify(filename.replace(/\.[^.]*$/, ''), MOST_LETTERS), room) || 'file'
  const key = parseKey(MEDIA, before + likeSegment(stem + ending))
  if (!key) throw new Error(`No id can be made of ${JSON.stringify([folder, filename, type])}.`)
  return key
}

/** The beginning of a name that has so many bytes. */
function cut(name: string, bytes: number): string {
  let length = name.length
  while (Buffer.byteLength(name.slice(0, length)) > bytes) length--
  return name.slice(0, length).replace(/[\ud800-\udbff]$|-+$/, '')
}
