import { closeSync, fdatasync, fstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { syncFolder } from '../disk/atomic.ts'
import { makePrivateDir } from '../disk/state.ts'
import {
  type ChangeLine,
  changeLine,
  END_OF_STATES,
  LinesRead,
  type Run,
  runLine,
  type State,
  stateLine,
  type Told,
} from './change-lines.ts'
import { Slices } from './slices.ts'

/** Raised when the lines change: a log of another schema is not used. */
const SCHEMA = 1
const NEWLINE = 10

/** What an earlier run left. */
export interface Logged extends Told {
  /** False: the end is torn, and was left out. The log must then be written anew before anything is added. */
  readonly isWhole: boolean
  /** How many bytes were read. */
  readonly size: number
}

/** What a log that is written anew begins with. */
export interface Beginning {
  readonly runs: readonly Run[]
  /** The number of the first of `changes`. */
  readonly first: number
  readonly changes: readonly ChangeLine[]
  /** Every document as it is when it is its turn. */
  readonly states: Iterable<State>
}

/**
 * The feed of changes in a file, for the next run: which processes kept the log, the last changes, numbered, and what was told of every document,
 * a line each; then what was added. Lines are added without waiting for the disk: a killed process loses none that was flushed, and what a power cut tears off
 * is seen to be missing, since each run's changes must go up to where its cursors do.
 */
export class ChangeLog {
  readonly #path: string
  readonly #site: string
  #file: number | undefined
  #lines: string[] = []
  #added = 0
  #copies: string[] | undefined

  /** `content` is the folder of content: a log of another one is not used. */
  constructor(path: string, content: string) {
    this.#path = path
    this.#site = JSON.stringify({ schema: SCHEMA, content })
  }

  /** How many changes the log has that were added since it was last written anew. */
  get added(): number {
    return this.#added
  }

  /** Whether what is added gets into a file. */
  get isOpen(): boolean {
    return this.#file !== undefined
  }

  /** What there is from earlier runs; undefined where there is nothing that can be used. */
  async read(): Promise<Logged | undefined> {
    const bytes = await readFile(this.#path).catch(() => undefined)
    const end = bytes?.indexOf(NEWLINE) ?? -1
    if (!bytes || end < 0) return undefined
    const [site, first = ''] = bytes.toString('utf8', 0, end).split('\t')
    if (site !== this.#site || !/^\d+$/.test(first)) return undefined
    const lines = new LinesRead(Number(first))
    const slices = new Slices()
    let at = end + 1
    for (let next = bytes.indexOf(NEWLINE, at); next >= 0; next = bytes.indexOf(NEWLINE, at)) {
      if (!lines.take(bytes.toString('utf8', at, next))) break
      at = next + 1
      if (slices.isOver) await slices.pause()
    }
    return lines.all && { ...lines.all, isWhole: at === bytes.length, size: bytes.length }
  }

  /** Goes on with the log that was read; false where another process has added to it since. */
  resume({ size, changes }: Logged): boolean {
    const file = openSync(this.#path, 'a', 0o600)
    if (fstatSync(file).size !== size) {
      closeSync(file)
      return false
    }
    this.#file = file
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

  /** Hands what was added to the system, from where it gets to the disk though the process be killed. Where that fails the log ends before it. False: there was nothing. */
  flush(): boolean {
    if (this.#lines.length === 0 || this.#file === undefined) return false
    const text = this.#lines.join('')
    this.#lines = []
    try {
      writeAll(this.#file, text)
    } catch {
      // A full disk. After the next start, cursors beyond what is in the log are answered with a reset.
      this.#drop()
    }
    return true
  }

  /** Waits until what was flushed is on the disk. */
  async sync(): Promise<void> {
    if (this.#file !== undefined) await promisify(fdatasync)(this.#file).catch(() => undefined)
  }

  /** Writes the log anew, beside and renamed; what is added while that goes on comes after. */
  async rewrite({ runs, first, changes, states }: Beginning): Promise<void> {
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
      renameSync(beside, this.#path)
    } catch (error) {
      closeSync(file)
      throw error
    }
    this.#drop()
    this.#file = file
    this.#added = 0
  }

  async close(): Promise<void> {
    this.flush()
    await this.sync()
    this.#drop()
  }

  #add(line: string): void {
    if (this.#file !== undefined) this.#lines.push(line)
    this.#copies?.push(line)
  }

  #drop(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
    this.#lines = []
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

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}
