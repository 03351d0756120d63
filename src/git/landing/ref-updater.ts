import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { failureOf, startGit } from '../process.ts'

/** Name and address of a committer. */
interface Signature {
  readonly name: string
  readonly email: string
}

/** The result of a move: done, not done because the branch was elsewhere, or not done because another process has locked it. */
export type Moved = 'done' | 'elsewhere' | 'locked'

/** One move that is under way. */
interface Move {
  stdout: string
  done(moved: Moved): void
  failed(error: Error): void
}

/** Moves branches, one at a time, each only from the commit it is thought to be at. One long-lived process does it; it is started when first needed. */
export class RefUpdater {
  readonly #top: string
  readonly #env: Readonly<Record<string, string>>
  #process: ChildProcessWithoutNullStreams | undefined
  #move: Move | undefined

  /** `committer` is who the reflog names. */
  constructor(top: string, committer: Signature) {
    this.#top = top
    this.#env = { GIT_COMMITTER_NAME: committer.name, GIT_COMMITTER_EMAIL: committer.email }
  }

  /** Moves a full ref from `old` (undefined: it is not there) to `next`. Throws GitFailure where it can't be told. */
  move(ref: string, next: string, old: string | undefined): Promise<Moved> {
    const from = old ?? '0'.repeat(next.length)
    return new Promise((done, failed) => {
      const child = this.#running()
      this.#move = { stdout: '', done, failed }
      child.stdin.write(`start\nupdate ${ref} ${next} ${from}\nprepare\ncommit\n`)
    })
  }

  async close(): Promise<void> {
    const child = this.#process
    if (!child) return
    const ended = new Promise((resolve) => child.once('close', resolve))
    child.stdin.end()
    await ended
  }

  #running(): ChildProcessWithoutNullStreams {
    if (this.#process) return this.#process
    const child = startGit(this.#top, ['update-ref', '-m', 'quire: save', '--stdin'], this.#env)
    let stderr = ''
    this.#process = child
    child.stdout.on('data', (chunk: Buffer) => this.#heard(chunk.toString('utf8')))
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString('utf8')
    })
    child.stdin.on('error', () => undefined)
    child.on('error', (error) => this.#ended(child, undefined, error))
    child.on('close', (code) => this.#ended(child, stderr, failureOf('update-ref', code, stderr)))
    return child
  }

  #heard(text: string): void {
    const move = this.#move
    if (!move) return
    move.stdout += text
    if (!move.stdout.includes('commit: ok\n')) return
    this.#move = undefined
    move.done('done')
  }

  /** A move that can't be made ends the process; the next one starts another. */
  #ended(child: ChildProcessWithoutNullStreams, stderr: string | undefined, error: Error): void {
    if (this.#process !== child) return
    const move = this.#move
    this.#process = undefined
    this.#move = undefined
    if (/File exists/.test(stderr ?? '')) move?.done('locked')
    else if (/but expected|reference already exists|unable to resolve reference/.test(stderr ?? '')) move?.done('elsewhere')
    else move?.failed(error)
  }
}
