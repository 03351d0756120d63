import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { orAbsent } from '#lib/files/stamp.ts'

const HEADER = 12
const BEFORE_ID = 40
const EXTENDED = 0x4000
const NAME_LENGTH = 0x0fff
/** From this version on a name is written as its difference to the one before. */
const COMPRESSED = 4

/** The place of an index, and the number of bytes in the ids of its repository. */
export interface IndexPlace {
  /** The folder of the working tree's own state. */
  readonly dir: string
  readonly idLength: number
}

/** Returns whether a path, given as bytes of an index, is asked for. */
type Wanted = (bytes: Buffer, from: number, end: number) => boolean

/**
 * Gives each path that an index has and that is asked for, from the top of its working tree, without a process and in every form that git writes; of a
 * split one also what was removed since it was split. An index that ends too early has none from there on.
 */
export function* indexNames({ dir, idLength }: IndexPlace, wanted: Wanted): Generator<string> {
  const bytes = orAbsent(() => readFileSync(join(dir, 'index')))
  if (!bytes) return
  const end = yield* namesIn(bytes, idLength, wanted)
  const base = baseOf(bytes, end, idLength)
  const shared = base && orAbsent(() => readFileSync(join(dir, `sharedindex.${base}`)))
  if (shared) yield* namesIn(shared, idLength, wanted)
}

/** Returns the offset of the extensions. */
function* namesIn(bytes: Buffer, idLength: number, wanted: Wanted): Generator<string, number> {
  if (bytes.length < HEADER || bytes.toString('latin1', 0, 4) !== 'DIRC') return bytes.length
  const isCompressed = bytes.readUInt32BE(4) >= COMPRESSED
  let left = bytes.readUInt32BE(8)
  let at = HEADER
  let before: Buffer = Buffer.alloc(0)
  for (; left > 0 && at + BEFORE_ID + idLength + 2 < bytes.length; left--) {
    const flags = bytes.readUInt16BE(at + BEFORE_ID + idLength)
    let name = at + BEFORE_ID + idLength + ((flags & EXTENDED) === 0 ? 2 : 4)
    if (isCompressed) {
      const kept = keptOf(bytes, name)
      name = kept.end
      const end = endOf(bytes, name)
      before = Buffer.concat([before.subarray(0, Math.max(0, before.length - kept.dropped)), bytes.subarray(name, end)])
      if (wanted(before, 0, before.length)) yield before.toString('utf8')
      at = end + 1
    } else {
      const end = (flags & NAME_LENGTH) < NAME_LENGTH ? name + (flags & NAME_LENGTH) : endOf(bytes, name)
      if (wanted(bytes, name, end)) yield bytes.toString('utf8', name, end)
      // Entries are filled up with one to eight NULs to a multiple of eight.
      at += (end - at + 8) & ~7
    }
  }
  return at
}

function endOf(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(0, from)
  return end < 0 ? bytes.length : end
}

/** The number of bytes at the end of the name before that this one does not have, in the form of offsets in packs. */
function keptOf(bytes: Buffer, from: number): { dropped: number; end: number } {
  let [at, byte] = [from + 1, bytes[from] ?? 0]
  let dropped = byte & 0x7f
  while ((byte & 0x80) !== 0) {
    byte = bytes[at++] ?? 0
    dropped = (dropped + 1) * 128 + (byte & 0x7f)
  }
  return { dropped, end: at }
}

/** The id of the file that holds the rest of a split index. */
function baseOf(bytes: Buffer, end: number, idLength: number): string | undefined {
  for (let at = end; at + 8 <= bytes.length - idLength; at += 8 + bytes.readUInt32BE(at + 4)) {
    if (bytes.toString('latin1', at, at + 4) === 'link') return bytes.toString('hex', at + 8, at + 8 + idLength)
  }
  return undefined
}
