import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { GitFailure, startGit } from './process.ts'

/** Moves branches, each only from the commit it is thought to be at. One long-lived process does it; it is started when first needed. */
export class RefUpdater {
  readonly #top: string
  readonly #env: Readonly<Record<string, string>>
  #process: ChildProcessWithoutNullStreams | undefined

  /** `committer` is who the reflog names. */
  constructor(top: string, committer: { name: string; email: string }) {
    this.#top = top
    this.#env = { GIT_COMMITTER_NAME: committer.name, GIT_COMMITTER_EMAIL: committer.email }
  }

  /** Has the process ready. */
  warm(): void {
    this.#running()
  }

  /** Moves a full ref from `old` (undefined: it is not there) to `next`. False where it was elsewhere, or another held it; throws GitFailure where it can't be told. */
  async move(ref: string, next: string, old: string | undefined): Promise<boolean> {
    const child = this.#running()
    const from = old ?? '0'.repeat(next.length)
    return new Promise((resolve, reject) => {
      let stdout = ''
      let stderr = ''
      const settle = () => {
        child.stdout.removeAllListeners('data')
        child.stderr.removeAllListeners('data')
        child.removeAllListeners('close')
      }
      child.stdout.on('data', (chunk: Buffer) => {
        stdout += chunk.toString('utf8')
        if (!stdout.includes('commit: ok\n')) return
        settle()
        this.#watch(child)
        resolve(true)
      })
      child.stderr.on('data', (chunk: Buffer) => {
        stderr += chunk.toString('utf8')
      })
      child.on('close', (code) => {
        settle()
        if (this.#process === child) this.#process = undefined
        if (/but expected|reference already exists|unable to resolve reference|File exists/.test(stderr)) resolve(false)
        else reject(new GitFailure('update-ref', code, stderr))
      })
      child.stdin.write(`start\nupdate ${ref} ${next} ${from}\nprepare\ncommit\n`)
    })
  }

  async close(): Promise<void> {
    const child = this.#process
    this.#process = undefined
    if (!child) return
    const ended = new Promise((resolve) => child.once('close', resolve))
    child.stdin.end()
    await ended
  }

  #running(): ChildProcessWithoutNullStreams {
    if (this.#process) return this.#process
    const child = startGit(this.#top, ['update-ref', '-m', 'quire: save', '--stdin'], this.#env)
    child.stdin.on('error', () => undefined)
    this.#process = child
    this.#watch(child)
    return child
  }

  /** One that ends while nothing is asked of it is not asked again. */
  #watch(child: ChildProcessWithoutNullStreams): void {
    child.on('error', () => undefined)
    child.on('close', () => {
      if (this.#process === child) this.#process = undefined
    })
  }
}
