import { readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder } from '#lib/files/atomic.ts'
import { bootId } from '#lib/process-identity.ts'

const CLOSED = 'closed'
/** All states are of one length: each is written over the one before. */
const LENGTH = 64

/**
 * The end of a log, kept beside it: how many bytes it has, and since when the machine runs that they were written on. A log that
 * was not closed is whole after its process was killed, and may have lost its end with the machine; which of the two it was, the
 * log itself can't say.
 */
export class LogEnd {
  readonly #log: string
  readonly #path: string
  readonly #boot = bootId()
  #file: FileHandle | undefined

  /** `log` is the path of the log. */
  constructor(log: string) {
    this.#log = log
    this.#path = `${log}.end`
  }

  /** Says whether a log of so many bytes has all that earlier runs wrote. */
  holds(size: number): boolean {
    const [, state, bytes] = /^(\S+) +(\d+)\n$/.exec(this.#text()) ?? []
    const isSafe = state === CLOSED || (state !== undefined && state === this.#boot)
    return isSafe && size >= Number(bytes)
  }

  /**
   * Begins a run on a log of so many bytes: from when this resolves, it counts as not closed. What an earlier run still writes is
   * not heard of.
   */
  async open(size: number): Promise<void> {
    const beside = `${this.#path}.${process.pid}.tmp`
    this.#file = await open(beside, 'w', 0o600)
    try {
      this.reach(size)
      await this.#file.sync()
      renameSync(beside, this.#path)
      await syncFolder(dirname(this.#path))
    } catch (error) {
      rmSync(beside, { force: true })
      throw error
    }
  }

  /** Remembers that the log has so many bytes now. */
  reach(size: number): void {
    this.#write(this.#boot || 'unknown', size)
  }

  /** Ends the run, when the log is on the disk. */
  async close(): Promise<void> {
    this.#write(CLOSED, await syncFile(this.#log))
    await this.#file?.sync()
    await this.#file?.close()
    this.#file = undefined
  }

  #write(state: string, size: number): void {
    const text = `${state} ${String(size).padStart(LENGTH - state.length - 2)}\n`
    if (this.#file !== undefined) writeSync(this.#file.fd, text, 0)
  }

  #text(): string {
    try {
      return readFileSync(this.#path, 'utf8')
    } catch {
      return ''
    }
  }
}

/** Waits until a file is on the disk; resolves with its size, 0 if there is none. */
async function syncFile(path: string): Promise<number> {
  const file = await open(path, 'r').catch(() => undefined)
  if (!file) return 0
  try {
    await file.datasync()
    return (await file.stat()).size
  } finally {
    await file.close()
  }
}
