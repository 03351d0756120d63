import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { PackageFault } from './fault.ts'
import { BLOCK, broken, decoded, readHeader, readPax, type TarHeader } from './tar-header.ts'
import { TREE_LIMITS } from './tree.ts'
import { TakenPaths, treePathFault } from './tree-path.ts'

/** The most bytes a package may have. */
export const MOST_PACKED = 20 * 1024 * 1024

/** The most bytes of a header that stands before an entry: of a long name. */
const MOST_META = 64 * 1024

/** A file of a package. */
export interface PackedFile {
  readonly path: string
  readonly bytes: Buffer
}

/** Sorts of entries that no package has, in words. */
const REFUSED: Readonly<Record<string, string>> = {
  '1': 'a hard link',
  '2': 'a link',
  '3': 'a device',
  '4': 'a device',
  '6': 'a pipe',
  S: 'a file with holes',
  K: 'a link',
}

/**
 * Reads the files of a package, a `.tgz`, one after another. Throws PackageFault for whatever has no place in a module: links,
 * devices, paths that lead out of it, names that some system takes for another's, over 5,000 entries or 100 MB; no more than that is
 * ever inflated.
 */
export async function* packedFiles(tgz: Uint8Array): AsyncGenerator<PackedFile> {
  if (tgz.length > MOST_PACKED) throw new PackageFault('The package is over 20 MiB.')
  const source = new Blocks(tgz)
  const taken = new TakenPaths()
  let [entries, metas] = [0, 0]
  let long: string | undefined
  try {
    for (let header = await source.header(); header; header = await source.header()) {
      const isMeta = 'xgL'.includes(header.type)
      if (isMeta && ++metas > 2 * TREE_LIMITS.files) throw tooMany()
      if (isMeta) {
        if (long !== undefined) throw broken('a name is there twice')
        long = nameOf(header.type, await source.bytes(header.size, MOST_META))
        continue
      }
      if (++entries > TREE_LIMITS.files) throw tooMany()
      const path = placeOf(header, long ?? header.name, taken)
      long = undefined
      if (path !== undefined) yield { path, bytes: await source.bytes(header.size, TREE_LIMITS.file) }
    }
    if (long !== undefined) throw broken('a name has no file')
    await source.end()
  } finally {
    source.close()
  }
}

/** Returns the path of a file; undefined for a folder. */
function placeOf({ type, size }: TarHeader, name: string, taken: TakenPaths): string | undefined {
  const isFolder = type === '5'
  const plain = name.replace(/^(?:\.\/)+/, '')
  const path = isFolder ? plain.replace(/\/$/, '') : plain
  if (!isFolder && type !== '0') throw new PackageFault(`"${shown(name)}" is ${REFUSED[type] ?? 'neither a file nor a folder'}.`)
  if (isFolder && size > 0) throw broken('a folder has bytes')
  if (isFolder && (path === '' || path === '.')) return undefined
  const fault = treePathFault(path) ?? (isFolder ? taken.addFolder(path) : taken.add(path))
  if (fault) throw new PackageFault(`"${shown(name)}" ${fault}.`)
  return isFolder ? undefined : path
}

/** Reads the name that a header before an entry has for it; undefined where it says other things only. */
function nameOf(type: string, bytes: Buffer): string | undefined {
  if (type === 'L') return decoded(bytes.subarray(0, bytes.indexOf(0) < 0 ? bytes.length : bytes.indexOf(0)))
  const records = readPax(bytes)
  const refused = [...records.keys()].find((key) => /^(?:size|linkpath|hdrcharset|GNU\..*)$/.test(key))
  if (refused !== undefined) throw new PackageFault(`The package has a pax header "${shown(refused)}", which no module needs.`)
  const path = records.get('path')
  if (path?.includes('\0') || (type === 'g' && path !== undefined)) throw broken('a pax header is odd')
  return path
}

function shown(name: string): string {
  return name.slice(0, 200).replace(/[\p{C}]/gu, '�')
}

function tooMany(): PackageFault {
  return new PackageFault(`The package has over ${TREE_LIMITS.files.toLocaleString('en')} entries.`)
}

/** The blocks of a compressed archive, of which no more is inflated than is asked for and allowed. */
class Blocks {
  readonly #inflating = createGunzip({ chunkSize: 64 * 1024 })
  readonly #chunks: AsyncIterator<Buffer>
  #kept: Buffer = Buffer.alloc(0)
  #inflated = 0

  constructor(tgz: Uint8Array) {
    Readable.from([Buffer.from(tgz.buffer, tgz.byteOffset, tgz.length)], { objectMode: false })
      .on('error', (error) => this.#inflating.destroy(error))
      .pipe(this.#inflating)
    this.#chunks = this.#inflating[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  }

  /** The next header; undefined at the two blocks of zeros that end an archive. */
  async header(): Promise<TarHeader | undefined> {
    const block = await this.#take(BLOCK)
    if (!isZero(block)) return readHeader(block)
    if (!isZero(await this.#take(BLOCK))) throw broken('something stands after its end')
    return undefined
  }

  /** The bytes of an entry, without the zeros that fill up its last block. */
  async bytes(size: number, most: number): Promise<Buffer> {
    if (size > most) throw new PackageFault(`The package holds a file of over ${most / 1024 / 1024} MiB.`)
    const bytes = await this.#take(size)
    await this.#take((BLOCK - (size % BLOCK)) % BLOCK)
    return bytes
  }

  /** Throws where anything but zeros follows. */
  async end(): Promise<void> {
    for (let rest: Buffer | undefined = this.#kept; rest; rest = await this.#more()) {
      if (!isZero(rest)) throw broken('something stands after its end')
    }
  }

  close(): void {
    this.#inflating.destroy()
  }

  async #take(size: number): Promise<Buffer> {
    const parts = [this.#kept]
    let length = this.#kept.length
    while (length < size) {
      const more = await this.#more()
      if (!more) throw broken('it is cut short')
      parts.push(more)
      length += more.length
    }
    const all = parts.length === 1 ? this.#kept : Buffer.concat(parts, length)
    this.#kept = all.subarray(size)
    return all.subarray(0, size)
  }

  async #more(): Promise<Buffer | undefined> {
    try {
      const { value, done } = await this.#chunks.next()
      if (done) return undefined
      this.#inflated += value.length
      if (this.#inflated <= TREE_LIMITS.bytes) return value
    } catch (error) {
      throw broken(error instanceof Error ? error.message : String(error))
    }
    throw new PackageFault('The package holds over 100 MB.')
  }
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0)
}
