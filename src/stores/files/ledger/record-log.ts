import { type BigIntStats, closeSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Unavailable } from '#lib/errors.ts'
import { syncFolder, writeBeside } from '#lib/files/atomic.ts'
import { orAbsent } from '#lib/files/stamp.ts'

const NEWLINE = 10
/** Number of bytes that are read or written at once. */
const CHUNK = 2 * 1024 * 1024
/** Ends a line that was cut short. It spoils the line: one that lacks but its newline would count from now on. */
const TORN_END = '!\n'

/** The part of the file that is a line, in bytes and without its newline. The log sets `offset` as the line is written or moved. */
export interface Place {
  offset: number
  readonly length: number
}

/** A line to be written, and the place that it will have. */
export interface NewLine {
  readonly text: string
  readonly place: Place
}

/**
 * A file of lines that several processes append to. A last line without its end was cut short by a crash, and is no line. When the
 * next is appended it ends with `!`, so that lines have to be of a form that nothing may follow, such as JSON.
 */
export class RecordLog {
  readonly #path: string
  /** Identifies the file that was read; undefined if the next reading begins anew. */
  #identity: string | undefined
  #offset = 0
  #torn = false
  #isWriting = false

  constructor(path: string) {
    this.#path = path
  }

  /** Number of bytes of the file that have been read. */
  get size(): number {
    return this.#offset
  }

  /**
   * Gives each line that was not given before; `anew` is called first when another file is there now, or none, and all of it is
   * given. While this process writes nothing is given: it knows what it writes, and the file may have half of that.
   */
  read(anew: () => void, line: (text: string, place: Place) => void): void {
    if (this.#isWriting) return
    const stats = statSync(this.#path, { bigint: true, throwIfNoEntry: false })
    if (!stats) this.#begin(anew)
    if (!stats || (identityOf(stats) === this.#identity && stats.size === BigInt(this.#offset))) return
    const fd = openSync(this.#path, 'r')
    try {
      const opened = fstatSync(fd, { bigint: true })
      const isOther = identityOf(opened) !== this.#identity || opened.size < BigInt(this.#offset)
      if (isOther) this.#begin(anew)
      this.#identity = identityOf(opened)
      this.#readOn(fd, Number(opened.size), line)
    } finally {
      closeSync(fd)
    }
  }

  #begin(anew: () => void): void {
    this.rewind()
    anew()
  }

  #readOn(fd: number, end: number, line: (text: string, place: Place) => void): void {
    let begun: Buffer[] = []
    let at = this.#offset
    while (at < end) {
      const bytes = bytesAt(fd, at, Math.min(CHUNK, end - at))
      if (bytes.length === 0) break
      at += bytes.length
      let from = 0
      for (let to = bytes.indexOf(NEWLINE); to >= 0; to = bytes.indexOf(NEWLINE, from)) {
        const rest = bytes.subarray(from, to)
        const whole = begun.length === 0 ? rest : Buffer.concat([...begun, rest])
        begun = []
        from = to + 1
        const place = { offset: this.#offset, length: whole.length }
        this.#offset += whole.length + 1
        if (whole.length > 0) line(whole.toString(), place)
      }
      begun.push(bytes.subarray(from))
    }
    this.#torn = at > this.#offset
  }

  /** Reads a line that was given before or written; undefined where another file is there now, or none. */
  textAt({ offset, length }: Place): string | undefined {
    const fd = orAbsent(() => openSync(this.#path, 'r'))
    if (fd === undefined) return undefined
    try {
      if (identityOf(fstatSync(fd, { bigint: true })) !== this.#identity) return undefined
      return bytesAt(fd, offset, length).toString()
    } finally {
      closeSync(fd)
    }
  }

  /** Appends lines and waits until they are on the disk; the caller holds the lock, has just read, and knows what they say. */
  async append(lines: readonly NewLine[]): Promise<void> {
    const read = this.#identity
    this.#isWriting = true
    try {
      const file = await open(this.#path, 'a', 0o600)
      try {
        const stats = await file.stat({ bigint: true })
        const torn = this.#torn ? TORN_END : ''
        await writeFile(file, joined(textsOf(torn, lines)))
        await file.datasync()
        if (read === undefined) await syncFolder(dirname(this.#path))
        const places = lines.map(({ place }) => place)
        const end = arranged(places, Number(stats.size) + torn.length)
        this.#goOn(read, identityOf(stats), end)
        // Somebody put another file there since it was read.
        if (read !== undefined && read !== identityOf(stats)) this.rewind()
      } finally {
        await file.close()
      }
    } finally {
      this.#isWriting = false
    }
  }

  /** Puts a file of only these lines in the place of this one; the caller holds the lock, and has just read. */
  async replace(places: readonly Place[]): Promise<void> {
    const read = this.#identity
    this.#isWriting = true
    try {
      const beside = await this.#copied(places)
      renameSync(beside, this.#path)
      // In the same step as the renaming, or a line would be looked for where it no longer is.
      const end = arranged(places, 0)
      this.#goOn(read, identityOf(statSync(this.#path, { bigint: true })), end)
      await syncFolder(dirname(this.#path))
    } finally {
      this.#isWriting = false
    }
  }

  async #copied(places: readonly Place[]): Promise<string> {
    const fd = openSync(this.#path, 'r')
    try {
      if (identityOf(fstatSync(fd, { bigint: true })) !== this.#identity) throw otherFile()
      return await writeBeside(this.#path, joined(linesOf(fd, places)), 0o600)
    } finally {
      closeSync(fd)
    }
  }

  /** Forgets what was read: the next reading begins anew. */
  rewind(): void {
    this.#identity = undefined
    this.#offset = 0
    this.#torn = false
  }

  /** Goes on after what was written, unless the log was rewound since it was `read`. */
  #goOn(read: string | undefined, written: string, size: number): void {
    if (this.#identity !== read) return
    this.#identity = written
    this.#offset = size
    this.#torn = false
  }
}

/** Returns the error for a file that is no longer the one that was read. */
export function otherFile(): Unavailable {
  return new Unavailable('What the server keeps for a while was replaced as it was read.', 1, 'Try again.')
}

/** Sets the offsets of lines that follow each other from `start` on; returns where the last one ends. */
function arranged(places: readonly Place[], start: number): number {
  let end = start
  for (const place of places) {
    place.offset = end
    end += place.length + 1
  }
  return end
}

function* textsOf(before: string, lines: readonly NewLine[]): Generator<Buffer> {
  yield Buffer.from(before)
  for (const { text } of lines) yield Buffer.from(`${text}\n`)
}

function* linesOf(fd: number, places: readonly Place[]): Generator<Buffer> {
  for (const { offset, length } of places) {
    const end = offset + length + 1
    for (let at = offset; at < end; at += CHUNK) yield bytesAt(fd, at, Math.min(CHUNK, end - at))
  }
}

/** Joins small parts, so that few are written. */
function* joined(parts: Iterable<Buffer>): Generator<Buffer> {
  let waiting: Buffer[] = []
  let length = 0
  for (const part of parts) {
    waiting.push(part)
    length += part.length
    if (length < CHUNK) continue
    yield Buffer.concat(waiting)
    waiting = []
    length = 0
  }
  if (length > 0) yield Buffer.concat(waiting)
}

/** Reads as many bytes as there are, `length` at most. */
function bytesAt(fd: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  let read = 0
  while (read < length) {
    const more = readSync(fd, bytes, read, length - read, offset + read)
    if (more === 0) break
    read += more
  }
  return bytes.subarray(0, read)
}

/** The inode alone is not enough: that of a file that was replaced may be used again. */
function identityOf({ dev, ino, birthtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`
}
