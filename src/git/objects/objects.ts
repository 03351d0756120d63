import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { failureOf, startGit } from '../process.ts'

/** The properties of an object, without its bytes. */
export interface ObjectInfo {
  readonly id: string
  readonly type: string
  readonly size: number
}

/** An object whole. */
export interface GitObject extends ObjectInfo {
  readonly bytes: Buffer
}

interface Wanted {
  readonly contents: boolean
  done(found: GitObject | undefined): void
  failed(error: unknown): void
}

/**
 * Objects of a repository, by name (a full hash, `<hash>:<path from the top>`, a full ref). One long-lived process answers, in the order it is
 * asked: some 0.1 ms a question, where a process of its own would take 5 ms. It is started when first asked.
 */
export class Objects {
  readonly #folder: string
  #process: ChildProcessWithoutNullStreams | undefined
  #wanted: Wanted[] = []
  #input: Buffer[] = []
  #length = 0
  #needed = 0

  /** `folder` is the top of the working tree. */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** Finds the object of that name. Undefined if there is none. */
  info(name: string): Promise<ObjectInfo | undefined> {
    return this.#ask('info', name)
  }

  /** The object of that name with its bytes; undefined where there is none. */
  read(name: string): Promise<GitObject | undefined> {
    return this.#ask('contents', name)
  }

  /** Ends the process; one that is asked again afterwards is started anew. */
  async close(): Promise<void> {
    const running = this.#process
    if (!running) return
    const ended = new Promise((resolve) => running.once('close', resolve))
    running.stdin.end()
    await ended
  }

  #ask(command: 'info' | 'contents', name: string): Promise<GitObject | undefined> {
    if (/[\n\0]/.test(name)) return Promise.resolve(undefined)
    return new Promise((done, failed) => {
      const { stdin } = this.#running()
      this.#wanted.push({ contents: command === 'contents', done, failed })
      stdin.write(`${command} ${name}\n`)
    })
  }

  #running(): ChildProcessWithoutNullStreams {
    if (this.#process) return this.#process
    const child = startGit(this.#folder, ['cat-file', '--batch-command'])
    this.#process = child
    let stderr = ''
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = `${stderr}${chunk}`.slice(-2000)
    })
    child.stdout.on('data', (chunk: Buffer) => this.#take(chunk))
    child.stdin.on('error', () => undefined)
    child.on('error', (error) => this.#ended(child, error))
    child.on('close', (code) => this.#ended(child, failureOf('cat-file', code, stderr)))
    return child
  }

  #ended(child: ChildProcessWithoutNullStreams, error: Error): void {
    if (this.#process !== child) return
    this.#process = undefined
    const left = this.#wanted
    this.#wanted = []
    this.#input = []
    this.#length = 0
    this.#needed = 0
    for (const { failed } of left) failed(error)
  }

  #take(chunk: Buffer): void {
    this.#input.push(chunk)
    this.#length += chunk.length
    // A large object comes in many pieces: they are put together once it is whole.
    while (this.#length >= this.#needed && this.#length > 0 && this.#wanted.length > 0) {
      const input = this.#input.length === 1 ? (this.#input[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#input)
      this.#input = [input]
      if (!this.#answer(input)) return
    }
  }

  /** False where the answer is not whole yet. */
  #answer(input: Buffer): boolean {
    const end = input.indexOf(10)
    if (end < 0) {
      this.#needed = input.length + 1
      return false
    }
    const [id = '', type = '', length = ''] = input.toString('utf8', 0, end).split(' ')
    const [wanted] = this.#wanted
    const isThere = /^[0-9a-f]{40,64}$/.test(id) && /^\d+$/.test(length)
    const size = isThere ? Number(length) : 0
    const total = isThere && wanted?.contents ? end + 1 + size + 1 : end + 1
    if (input.length < total) {
      this.#needed = total
      return false
    }
    this.#wanted.shift()
    this.#input = input.length === total ? [] : [input.subarray(total)]
    this.#length = input.length - total
    this.#needed = 0
    // The bytes are copied out of what came, which would be kept alive by them.
    const bytes = wanted?.contents ? Buffer.from(input.subarray(end + 1, end + 1 + size)) : Buffer.alloc(0)
    wanted?.done(isThere ? { id, type, size, bytes } : undefined)
    return this.#length > 0
  }
}
