import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { GitFailure, startGit } from '../process.ts'

/** A commit to be made, on top of the one before it. Paths are from the top of the working tree. */
export interface CommitOrder {
  /** `Name <email>`. */
  readonly author: string
  readonly committer: string
  /** Since 1970. */
  readonly seconds: number
  readonly message: string
  readonly edits: readonly { readonly path: string; readonly mode: string; readonly bytes: Buffer | undefined }[]
}

/** Where commits wait until the branch is moved to them: what a crash leaves there is no harm, and is replaced by the next batch. */
export const PENDING = 'refs/cms/pending'

/**
 * Makes commits with `git fast-import`: any number of them in one process. The next process is started ahead of its use where
 * writes are expected, so that a lone write does not wait for one.
 */
export class FastImport {
  readonly #top: string
  readonly #ahead: boolean
  #spare: ChildProcessWithoutNullStreams | undefined

  /** `ahead`: whether to have a process ready for the next commits. */
  constructor(top: string, ahead: boolean) {
    this.#top = top
    this.#ahead = ahead
  }

  /** Makes the commits on top of `base` (or with none below) and resolves with their hashes; they are on the disk then, and on no branch. */
  async make(base: string | undefined, orders: readonly CommitOrder[]): Promise<string[]> {
    const stream = Buffer.concat(orders.flatMap((order, at) => commitLines(order, at + 1, at === 0 ? base : `:${at}`)))
    const spare = this.#spare
    this.#spare = undefined
    try {
      return await run(spare ?? this.#start(), stream, orders.length)
    } catch (error) {
      // One that was ready may have lost its pack to a pruning since.
      if (!spare) throw error
      return await run(this.#start(), stream, orders.length)
    } finally {
      if (this.#ahead) this.#spare ??= this.#start()
    }
  }

  async close(): Promise<void> {
    const spare = this.#spare
    this.#spare = undefined
    if (spare) await run(spare, Buffer.alloc(0), 0).catch(() => undefined)
  }

  #start(): ChildProcessWithoutNullStreams {
    const child = startGit(this.#top, ['fast-import', '--quiet', '--force', '--date-format=raw'])
    child.stdin.on('error', () => undefined)
    child.on('error', () => undefined)
    return child
  }
}

function run(child: ChildProcessWithoutNullStreams, stream: Buffer, expected: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const fail = (code: number | null) => reject(new GitFailure('fast-import', code, stderr))
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString('latin1')
    })
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString('utf8')
    })
    child.on('error', reject)
    child.on('close', (code) => {
      const hashes = stdout.split('\n').filter((line) => /^[0-9a-f]{40,64}$/.test(line))
      if (code === 0 && hashes.length === expected) resolve(hashes)
      else fail(code)
    })
    if (child.exitCode !== null || child.signalCode !== null) fail(child.exitCode)
    else child.stdin.end(stream)
  })
}

function commitLines(order: CommitOrder, mark: number, from: string | undefined): Buffer[] {
  const when = `${order.seconds} +0000`
  const head = [
    `commit ${PENDING}`,
    `mark :${mark}`,
    `author ${order.author} ${when}`,
    `committer ${order.committer} ${when}`,
    `data ${Buffer.byteLength(order.message)}`,
    order.message,
    ...(from === undefined ? [] : [`from ${from}`]),
  ]
  return [Buffer.from(`${head.join('\n')}\n`), ...order.edits.flatMap(editLines), Buffer.from(`\nget-mark :${mark}\n`)]
}

function editLines({ path, mode, bytes }: CommitOrder['edits'][number]): Buffer[] {
  if (!bytes) return [Buffer.from(`D ${quoted(path)}\n`)]
  return [Buffer.from(`M ${mode} inline ${quoted(path)}\ndata ${bytes.length}\n`), bytes, Buffer.from('\n')]
}

/** A path as a C string, so that no character of it ends the line. */
function quoted(path: string): string {
  return `"${path.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`
}
