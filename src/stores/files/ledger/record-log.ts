import { type BigIntStats, closeSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder, writeBeside } from '#lib/atomic-files.ts'

const NEWLINE = 10

/** A file of lines that several processes append to. A last line without its end was cut short by a crash, and is no line. */
export class RecordLog {
  readonly #path: string
  #inode: bigint | undefined
  #offset = 0
  #torn = false

  constructor(path: string) {
    this.#path = path
  }

  /** Number of bytes of the file that have been read. */
  get size(): number {
    return this.#offset
  }

  /** Gives each line that was not given before; `anew` is called first when another file is there now, and all of it is given. */
  read(anew: () => void, line: (text: string) => void): void {
    const stats = statSync(this.#path, { bigint: true, throwIfNoEntry: false })
    if (!stats || (stats.ino === this.#inode && stats.size === BigInt(this.#offset))) return
    const fd = openSync(this.#path, 'r')
    try {
      if (this.#isOther(fstatSync(fd, { bigint: true }))) anew()
      const bytes = restOf(fd, this.#offset)
      const end = bytes.lastIndexOf(NEWLINE) + 1
      this.#torn = end < bytes.length
      this.#offset += end
      for (const text of bytes.toString('utf8', 0, end).split('\n')) if (text !== '') line(text)
    } finally {
      closeSync(fd)
    }
  }

  /** Appends lines and waits until they are on the disk; the caller holds the lock, has just read, and knows what they say. */
  async append(lines: readonly string[]): Promise<void> {
    const bytes = Buffer.from(`${this.#torn ? '\n' : ''}${lines.join('\n')}\n`)
    const file = await open(this.#path, 'a', 0o600)
    try {
      await file.write(bytes)
      await file.datasync()
      const stats = await file.stat({ bigint: true })
      if (this.#inode === undefined) await syncFolder(dirname(this.#path))
      this.#inode = stats.ino
      this.#offset = Number(stats.size)
      this.#torn = false
    } finally {
      await file.close()
    }
  }

  /** Puts a file of these lines in the place of this one; the caller holds the lock. */
  async replace(lines: readonly string[]): Promise<void> {
    const beside = await writeBeside(this.#path, Buffer.from(lines.map((line) => `${line}\n`).join('')), 0o600)
    renameSync(beside, this.#path)
    await syncFolder(dirname(this.#path))
    const stats = statSync(this.#path, { bigint: true })
    this.#inode = stats.ino
    this.#offset = Number(stats.size)
  }

  /** Forgets what was read: the next reading begins anew. */
  rewind(): void {
    this.#inode = undefined
  }

  #isOther(stats: BigIntStats): boolean {
    if (stats.ino === this.#inode && stats.size >= BigInt(this.#offset)) return false
    this.#inode = stats.ino
    this.#offset = 0
    return true
  }
}

function restOf(fd: number, offset: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, Number(fstatSync(fd).size) - offset))
  let length = 0
  while (length < bytes.length) {
    const read = readSync(fd, bytes, length, bytes.length - length, offset + length)
    if (read === 0) break
    length += read
  }
  return bytes.subarray(0, length)
}
