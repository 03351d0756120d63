const SIGNATURE = 'DIRC'
const HEADER = 12
/** Of an entry: where its mode is, and what comes before its id. */
const MODE = 24
const BEFORE_ID = 40
const EXTENDED = 0x4000
const STAGE = 0x3000
const NAME_LENGTH = 0x0fff
const ASSUME_VALID = 0x8000
/** Of the second flags, which an extended entry has. */
const SKIP_WORKTREE = 0x4000

/** The index entry of a path: its staged state. `mode` is as git writes it (`100644`). */
export interface IndexEntry {
  readonly mode: string
  readonly id: string
  /** The mark by which an author had git overlook edits of the file (`git update-index --skip-worktree`). */
  readonly overlooked?: 'skip-worktree' | 'assume-unchanged'
}

/**
 * The bytes of an index of version 2 or 3 (gitformat-index), looked into and edited without a process, which would take ten times as long before each
 * write. Other forms are not for us: an index that is split, sparse, of version 4 or in the middle of a merge, or that keeps track of untracked files.
 */
export class IndexBytes {
  readonly bytes: Buffer
  readonly idLength: number
  /** Offsets of the entries, and, last, of their end. */
  readonly offsets: Uint32Array

  /** Undefined where the index has a form that git itself is to read. */
  static parse(bytes: Buffer, idLength: number): IndexBytes | undefined {
    try {
      const offsets = offsetsOf(bytes, idLength)
      return offsets && new IndexBytes(bytes, idLength, offsets)
    } catch (error) {
      // It ends too early.
      if (error instanceof RangeError) return undefined
      throw error
    }
  }

  private constructor(bytes: Buffer, idLength: number, offsets: Uint32Array) {
    this.bytes = bytes
    this.idLength = idLength
    this.offsets = offsets
  }

  get count(): number {
    return this.offsets.length - 1
  }

  /** Offset of the extensions. */
  get end(): number {
    return this.offsets[this.count] ?? this.bytes.length
  }

  /** The number of the entry of that name, or where it would be as -1 - n. Entries are in the order of their names' bytes. */
  find(name: Buffer): number {
    let [low, high] = [0, this.count - 1]
    while (low <= high) {
      const middle = (low + high) >> 1
      const order = this.#compare(middle, name)
      if (order === 0) return middle
      if (order < 0) low = middle + 1
      else high = middle - 1
    }
    return -1 - low
  }

  /** Returns whether the entry of that number begins with these bytes. */
  begins(number: number, name: Buffer): boolean {
    if (number >= this.count) return false
    const start = this.#nameAt(number)
    return this.bytes.subarray(start, start + name.length).equals(name)
  }

  entry(number: number): IndexEntry {
    const at = this.offsets[number] ?? 0
    const mode = this.bytes.readUInt32BE(at + MODE).toString(8)
    const overlooked = this.#overlooked(at + BEFORE_ID + this.idLength)
    const id = this.bytes.toString('hex', at + BEFORE_ID, at + BEFORE_ID + this.idLength)
    return { mode, id, ...(overlooked && { overlooked }) }
  }

  #overlooked(at: number): IndexEntry['overlooked'] {
    const flags = this.bytes.readUInt16BE(at)
    if ((flags & EXTENDED) !== 0 && (this.bytes.readUInt16BE(at + 2) & SKIP_WORKTREE) !== 0) return 'skip-worktree'
    return (flags & ASSUME_VALID) === 0 ? undefined : 'assume-unchanged'
  }

  #nameAt(number: number): number {
    const at = this.offsets[number] ?? 0
    return at + BEFORE_ID + this.idLength + ((this.bytes.readUInt16BE(at + BEFORE_ID + this.idLength) & EXTENDED) === 0 ? 2 : 4)
  }

  #compare(number: number, name: Buffer): number {
    const start = this.#nameAt(number)
    return this.bytes.compare(name, 0, name.length, start, this.bytes.indexOf(0, start))
  }
}

/** The bytes of an entry of which nothing is known but what it is: git looks at the file when it next asks. */
export function entryBytes(name: Buffer, mode: string, id: string): Buffer {
  const length = BEFORE_ID + id.length / 2 + 2 + name.length
  const entry = Buffer.alloc((length + 8) & ~7)
  entry.writeUInt32BE(Number.parseInt(mode, 8), MODE)
  entry.write(id, BEFORE_ID, 'hex')
  entry.writeUInt16BE(Math.min(name.length, NAME_LENGTH), BEFORE_ID + id.length / 2)
  name.copy(entry, BEFORE_ID + id.length / 2 + 2)
  return entry
}

/** An index with nothing in it. */
export function emptyIndex(idLength: number): Buffer {
  const bytes = Buffer.alloc(HEADER + idLength)
  bytes.write(SIGNATURE, 'latin1')
  bytes.writeUInt32BE(2, 4)
  return bytes
}

/** The header of an index as that of `bytes`, of so many entries. */
export function headerBytes(bytes: Buffer, count: number): Buffer {
  const header = Buffer.from(bytes.subarray(0, HEADER))
  header.writeUInt32BE(count, 8)
  return header
}

function offsetsOf(bytes: Buffer, idLength: number): Uint32Array | undefined {
  const version = bytes.length >= HEADER + idLength ? bytes.readUInt32BE(4) : 0
  if (bytes.toString('latin1', 0, 4) !== SIGNATURE || (version !== 2 && version !== 3)) return undefined
  const count = bytes.readUInt32BE(8)
  const offsets = new Uint32Array(count + 1)
  let at = HEADER
  for (let number = 0; number < count; number++) {
    offsets[number] = at
    const flags = bytes.readUInt16BE(at + BEFORE_ID + idLength)
    if ((flags & STAGE) !== 0) return undefined
    const before = BEFORE_ID + idLength + ((flags & EXTENDED) === 0 ? 2 : 4)
    const short = flags & NAME_LENGTH
    const length = short < NAME_LENGTH ? short : bytes.indexOf(0, at + before) - at - before
    // Entries are filled up with one to eight NULs to a multiple of eight.
    at += (before + length + 8) & ~7
  }
  offsets[count] = at
  return at <= bytes.length - idLength ? offsets : undefined
}
