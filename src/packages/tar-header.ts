import { PackageFault } from './fault.ts'

/** Bytes of a block, of which tar archives are made. */
export const BLOCK = 512

/** The header of an entry of a tar archive, as ustar (POSIX.1-2017, pax) has it. */
export interface TarHeader {
  readonly name: string
  readonly size: number
  /** One character: `0` of a file, `5` of a folder, `x` of a pax header. */
  readonly type: string
}

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** Reads a header that is not all zero. Throws PackageFault where its checksum is wrong, or it is not one of ustar. */
export function readHeader(block: Uint8Array): TarHeader {
  const bytes = Buffer.from(block.buffer, block.byteOffset, BLOCK)
  if (octal(bytes, 148, 8) !== checksum(bytes)) throw broken('a checksum is wrong')
  const magic = bytes.toString('latin1', 257, 263)
  if (magic !== 'ustar\0' && magic !== 'ustar ') throw broken('it is no archive of the form "ustar"')
  const prefix = magic === 'ustar\0' ? text(bytes, 345, 155) : ''
  const name = text(bytes, 0, 100)
  const type = bytes[156] === 0 ? '0' : String.fromCharCode(bytes[156] ?? 0)
  return { name: prefix === '' ? name : `${prefix}/${name}`, size: octal(bytes, 124, 12), type }
}

/** Returns the header of a file or of a pax header, without times, owners and rights: equal files make equal archives. */
export function writeHeader({ name, size, type }: TarHeader): Buffer {
  const bytes = Buffer.alloc(BLOCK)
  const [prefix, rest] = parted(name)
  bytes.write(rest, 0)
  bytes.write('0000644\0', 100)
  bytes.write('0000000\0', 108)
  bytes.write('0000000\0', 116)
  bytes.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  bytes.write('00000000000\0', 136)
  bytes.write(type, 156)
  bytes.write('ustar\x0000', 257)
  bytes.write(prefix, 345)
  bytes.write(`${checksum(bytes).toString(8).padStart(6, '0')}\0 `, 148)
  return bytes
}

/** Returns whether a name fits into the header itself. */
export function fitsHeader(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: plain ASCII is meant
  return /^[\x00-\x7f]*$/.test(name) && parted(name)[1].length <= 100
}

/** Parses the records of a pax header, `27 mtime=1.5\n`. Throws PackageFault. */
export function readPax(bytes: Uint8Array): Map<string, string> {
  const records = new Map<string, string>()
  const all = Buffer.from(bytes)
  for (let at = 0; at < all.length; ) {
    const space = all.indexOf(0x20, at)
    const length = space > at && space - at < 8 ? Number(all.toString('latin1', at, space)) : Number.NaN
    const end = at + length
    if (!Number.isInteger(length) || end > all.length || end <= space + 1 || all[end - 1] !== 0x0a)
      throw broken('a pax header is odd')
    const record = decoded(all.subarray(space + 1, end - 1))
    const equals = record.indexOf('=')
    if (equals < 1) throw broken('a pax header is odd')
    records.set(record.slice(0, equals), record.slice(equals + 1))
    at = end
  }
  return records
}

/** Returns the pax header of a path, as a record. */
export function writePax(path: string): Buffer {
  const record = ` path=${path}\n`
  const bytes = Buffer.byteLength(record)
  let length = bytes + 1
  while (String(length).length + bytes !== length) length = String(length).length + bytes
  return Buffer.from(`${length}${record}`)
}

/** Reads a text of a header, up to its first NUL. Throws PackageFault where it is not UTF-8. */
export function decoded(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes)
  } catch {
    throw broken('a name is not UTF-8')
  }
}

/** The fault of an archive that can't be read. */
export function broken(why: string): PackageFault {
  return new PackageFault(`The package is damaged, or no package: ${why}.`, undefined, 'Make it with `cms module:publish`.')
}

function text(bytes: Buffer, at: number, length: number): string {
  const field = bytes.subarray(at, at + length)
  const end = field.indexOf(0)
  return decoded(end < 0 ? field : field.subarray(0, end))
}

function octal(bytes: Buffer, at: number, length: number): number {
  if (((bytes[at] ?? 0) & 0x80) !== 0) throw new PackageFault('The package holds a file of over 8 GB.')
  const field = bytes
    .toString('latin1', at, at + length)
    .replace(/[\0 ]+$/, '')
    .trimStart()
  if (!/^[0-7]{0,11}$/.test(field)) throw broken('a number is odd')
  return field === '' ? 0 : Number.parseInt(field, 8)
}

/** The sum of all bytes, those of the checksum itself counted as spaces. */
function checksum(bytes: Buffer): number {
  let sum = 8 * 0x20
  for (let at = 0; at < BLOCK; at++) if (at < 148 || at >= 156) sum += bytes[at] ?? 0
  return sum
}

/** Divides a name at a slash, so that each part fits. */
function parted(name: string): [prefix: string, rest: string] {
  if (name.length <= 100) return ['', name]
  const slash = name.slice(0, 156).lastIndexOf('/')
  return slash > 0 ? [name.slice(0, slash), name.slice(slash + 1)] : ['', name]
}
