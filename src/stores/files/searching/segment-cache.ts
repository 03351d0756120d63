import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { HeldSegment } from '#fulltext/matching/segment-set.ts'
import { Segment } from '#fulltext/segments/segment.ts'

/** Raised when what a segment holds changes: what was kept by another is not used. */
const SCHEMA = 3
const INDEX = 'index.json'
/** Age in milliseconds after which a file that nothing names is removed: another process may be about to name it. */
const OLD_MS = 600_000
/** Largest number of bytes read or written at once: other work goes on in between. */
const PIECE = 4 * 1024 * 1024

/** A segment as it was kept. */
export interface Kept {
  readonly segment: Segment
  readonly gone: Uint8Array
}

interface Line {
  readonly file: string
  readonly bytes: number
  readonly crc: number
  /** The bits of the documents that are gone, in base64. */
  readonly gone: string
}

interface Index {
  readonly schema: number
  readonly name: string
  readonly segments: readonly Line[]
}

/**
 * Segments kept from one run to the next: a file each, which never changes, and an index of those in use. It only ever saves
 * time: what is broken, missing or of another `name` (how texts are analysed and read) is not there.
 */
export class SegmentCache {
  readonly #folder: string
  readonly #name: string
  readonly #files = new WeakMap<Segment, Line>()

  constructor(folder: string, name: string) {
    this.#folder = folder
    this.#name = name
  }

  /** Loads the segments that the last run left, or nothing if any of them cannot be used. */
  async load(): Promise<Kept[]> {
    try {
      const { schema, name, segments } = JSON.parse(await readFile(join(this.#folder, INDEX), 'utf8')) as Index
      if (schema !== SCHEMA || name !== this.#name) return []
      const kept: Kept[] = []
      for (const line of segments) kept.push(await this.#read(line))
      return kept
    } catch {
      return []
    }
  }

  /** Keeps these segments, and no others. */
  async save(segments: readonly HeldSegment[]): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const lines: Line[] = []
    for (const { segment, gone } of segments) {
      const line = (await this.#written(segment)) ?? (await this.#write(segment))
      lines.push({ ...line, gone: bitsOf(gone).toString('base64') })
    }
    const index: Index = { schema: SCHEMA, name: this.#name, segments: lines }
    const beside = join(this.#folder, `${INDEX}.${process.pid}.tmp`)
    await writeFile(beside, JSON.stringify(index), { mode: 0o600 })
    await rename(beside, join(this.#folder, INDEX))
    await this.#clean(new Set(lines.map(({ file }) => file)))
  }

  async #read(line: Line): Promise<Kept> {
    const memory = new SharedArrayBuffer(line.bytes)
    const view = new Uint8Array(memory)
    const file = await open(join(this.#folder, line.file), 'r')
    let crc = 0
    try {
      for (let at = 0; at < line.bytes; ) {
        const { bytesRead } = await file.read(view, at, Math.min(PIECE, line.bytes - at), at)
        if (bytesRead === 0) throw new Error('The file is too short.')
        crc = crc32(view.subarray(at, at + bytesRead), crc)
        at += bytesRead
      }
    } finally {
      await file.close()
    }
    if (crc !== line.crc) throw new Error('The file is damaged.')
    const segment = new Segment(memory)
    this.#files.set(segment, line)
    return { segment, gone: bytesOf(Buffer.from(line.gone, 'base64'), segment.size) }
  }

  /** Finds the entry of a segment that is already saved. Another process may have removed the file. */
  async #written(segment: Segment): Promise<Line | undefined> {
    const line = this.#files.get(segment)
    const found = line && (await stat(join(this.#folder, line.file)).catch(() => undefined))
    return found?.size === line?.bytes ? line : undefined
  }

  async #write(segment: Segment): Promise<Line> {
    const bytes = new Uint8Array(segment.memory)
    const name = `${randomBytes(8).toString('hex')}.segment`
    const file = await open(join(this.#folder, name), 'wx', 0o600)
    let crc = 0
    try {
      for (let at = 0; at < bytes.length; at += PIECE) {
        const piece = bytes.subarray(at, at + PIECE)
        crc = crc32(piece, crc)
        await file.writeFile(piece)
      }
    } finally {
      await file.close()
    }
    const line = { file: name, bytes: bytes.length, crc, gone: '' }
    this.#files.set(segment, line)
    return line
  }

  async #clean(used: ReadonlySet<string>): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      if (used.has(name) || name === INDEX) continue
      const path = join(this.#folder, name)
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
      if (mtimeMs < Date.now() - OLD_MS) await rm(path, { force: true })
    }
  }
}

function bitsOf(flags: Uint8Array): Buffer {
  const bits = Buffer.alloc(Math.ceil(flags.length / 8))
  for (const [n, flag] of flags.entries()) if (flag === 1) bits[n >>> 3] = (bits[n >>> 3] ?? 0) | (1 << (n & 7))
  return bits
}

function bytesOf(bits: Buffer, length: number): Uint8Array {
  if (bits.length !== Math.ceil(length / 8)) throw new Error('The index is damaged.')
  return Uint8Array.from({ length }, (_, n) => ((bits[n >>> 3] ?? 0) >>> (n & 7)) & 1)
}
