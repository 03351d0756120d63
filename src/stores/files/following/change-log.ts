import { closeSync, constants, fstatSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Slices } from '#lib/concurrency/slices.ts'
import { syncFolder } from '#lib/files/atomic.ts'
import { makePrivateDir } from '#stores/engine/private-folder.ts'
import {
  type ChangeLine,
  changeLine,
  doubtLine,
  END_OF_STATES,
  LinesRead,
  type LoggedChanges,
  openedLine,
  type Run,
  runLine,
  type State,
  stateLine,
} from './change-lines.ts'
import { LogEnd } from './log-end.ts'

/** Raised when the lines change: a log of another schema is not used. */
const SCHEMA = 1
const NEWLINE = 10

/** The log of an earlier run. */
export interface Logged extends LoggedChanges {
  /** Number of bytes that were read. */
  readonly size: number
}

/** The beginning of a log that is rewritten. */
export interface Beginning {
  readonly runs: readonly Run[]
  /** The number of the first of `changes`. */
  readonly first: number
  readonly changes: readonly ChangeLine[]
  /** Every document as it is when it is reached. */
  readonly states: Iterable<State>
}

/**
 * The feed of changes in a file, for the next run: the processes that wrote the log, the last changes by sequence, and the last
 * known state of every document, a line each; then later additions. Each line is with the system before anybody can see the
 * change, so that a killed process loses none; nothing waits for the disk. A log that may have lost lines, to a power cut or
 * otherwise, is not used, nor one of a run that was killed between its first answers and its line: of a document that is back in
 * its old state it would list no change.
 */
export class ChangeLog {
  readonly #path: string
  readonly #site: string
  readonly #end: LogEnd
  #file: number | undefined
  #size = 0
  #isKept = false
  #added = 0
  #copies: string[] | undefined

  /** `content` is the folder of content: a log of another one is not used. */
  constructor(path: string, content: string) {
    this.#path = path
    this.#end = new LogEnd(path)
    this.#site = JSON.stringify({ schema: SCHEMA, content })
  }

  /** Number of changes that were added to the log since it was last rewritten. */
  get added(): number {
    return this.#added
  }

  /** True if added changes are written to a file. */
  get isOpen(): boolean {
    return this.#file !== undefined
  }

  /** Begins a run, before any answer; a log that may have lost lines is removed. If that fails, no log is read or written. */
  async open(run: string): Promise<void> {
    try {
      makePrivateDir(dirname(this.#path))
      const size = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0
      const isWhole = this.#end.holds(size)
      if (!isWhole) rmSync(this.#path, { force: true })
      await this.#end.open(isWhole ? size : 0)
      this.#isKept = true
      this.#addBefore(openedLine(run))
    } catch {
      this.#isKept = false
    }
  }

  /** Reads the log of runs before this one; undefined if there is nothing usable. */
  async read(run: string): Promise<Logged | undefined> {
    const bytes = this.#isKept ? await readFile(this.#path).catch(() => undefined) : undefined
    const end = bytes?.indexOf(NEWLINE) ?? -1
    if (!bytes || end < 0) return undefined
    const [site, first = ''] = bytes.toString('utf8', 0, end).split('\t')
    if (site !== this.#site || !/^\d+$/.test(first)) return undefined
    const lines = new LinesRead(Number(first))
    const slices = new Slices()
    let at = end + 1
    for (let next = bytes.indexOf(NEWLINE, at); next >= 0; next = bytes.indexOf(NEWLINE, at)) {
      if (!lines.take(bytes.toString('utf8', at, next))) return undefined
      at = next + 1
      if (slices.isOver) await slices.pause()
    }
    const isWhole = at === bytes.length && !lines.isDoubtedBy(run)
    return isWhole ? lines.all && { ...lines.all, size: bytes.length } : undefined
  }

  /** Goes on with the log that was read; false where another process has added to it since. */
  resume({ size, changes }: Logged): boolean {
    const file = openSync(this.#path, 'a', 0o600)
    if (fstatSync(file).size !== size) {
      closeSync(file)
      return false
    }
    this.#file = file
    this.#size = size
    this.#added = changes.length
    return true
  }

  /** Adds a run that begins now. */
  addRun(run: Run): void {
    this.#add(runLine(run))
  }

  addChange(change: ChangeLine): void {
    this.#added++
    this.#add(changeLine(change))
  }

  /** Says of a document that changed before the log was read that it may have been seen. */
  readonly addDoubt = (text: string): void => this.#addBefore(doubtLine(text))

  /** Adds a line to a log that was not read yet, where there is one. */
  #addBefore(line: string): void {
    let file: number
    try {
      file = openSync(this.#path, constants.O_WRONLY | constants.O_APPEND)
    } catch {
      return
    }
    try {
      writeAll(file, line)
      this.#end.reach(fstatSync(file).size)
    } catch {
      this.#drop()
    } finally {
      closeSync(file)
    }
  }

  /** Writes the log anew, beside and renamed; lines that are added meanwhile come after. */
  async rewrite({ runs, first, changes, states }: Beginning): Promise<void> {
    if (!this.#isKept) await this.open(runs.at(-1)?.id ?? '')
    const beside = `${this.#path}.${process.pid}.tmp`
    const head = [`${this.#site}\t${first}\n`, ...runs.map(runLine), ...changes.map(changeLine)].join('')
    this.#copies = []
    try {
      makePrivateDir(dirname(this.#path))
      const file = await open(beside, 'w', 0o600)
      try {
        await file.write(head)
        await writeStates(file, states)
        // The states may know of changes made since the first of them was written: those have to be on the disk with them.
        await file.write(this.#copies.splice(0).join(''))
        await file.sync()
      } finally {
        await file.close()
      }
      this.#take(beside, this.#copies)
      await syncFolder(dirname(this.#path))
    } finally {
      this.#copies = undefined
      rmSync(beside, { force: true })
    }
  }

  /** In one step: nothing is added between the last line and the rename. */
  #take(beside: string, lines: readonly string[]): void {
    const file = openSync(beside, 'a', 0o600)
    try {
      writeAll(file, lines.join(''))
      // The new log may be shorter than the old one, and a process killed in between leaves either.
      this.#end.reach(0)
      renameSync(beside, this.#path)
    } catch (error) {
      closeSync(file)
      throw error
    }
    this.#close()
    this.#file = file
    this.#size = fstatSync(file).size
    this.#end.reach(this.#size)
    this.#added = 0
  }

  /** Ends the run: the next one has all of it, whatever becomes of the machine. */
  async close(): Promise<void> {
    if (!this.#isKept) return
    try {
      await this.#end.close()
    } catch {
      // Then the run counts as not closed.
    }
    this.#close()
  }

  /** Adds a line. If it can't be written, as on a full disk, the log is no longer of use: the next run begins another. */
  #add(line: string): void {
    this.#copies?.push(line)
    if (this.#file === undefined) return
    try {
      this.#size += writeAll(this.#file, line)
      this.#end.reach(this.#size)
    } catch {
      this.#drop()
    }
  }

  #drop(): void {
    this.#close()
    rmSync(this.#path, { force: true })
  }

  #close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }
}

async function writeStates(file: FileHandle, states: Iterable<State>): Promise<void> {
  const slices = new Slices()
  let lines = ''
  for (const state of states) {
    lines += stateLine(state)
    if (!slices.isOver) continue
    await file.write(lines)
    lines = ''
    await slices.pause()
  }
  await file.write(`${lines}${END_OF_STATES}`)
}

function writeAll(file: number, text: string): number {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
  return bytes.length
}
