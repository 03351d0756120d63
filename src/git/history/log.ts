import { failureOf, GitFailure, git, startGit } from '../process.ts'
import type { Repository } from '../repository.ts'

/** The change of one path by a commit. A merge is reported only if the path differs from that of all its parents. */
export interface PathChange {
  /** From the top of the working tree. */
  readonly path: string
  /** Git's id of the file's bytes; undefined where the commit removed it. */
  readonly blob: string | undefined
  /** True if no parent had the path. */
  readonly isNew: boolean
}

/** A commit as the log tells of it. */
export interface LoggedCommit {
  readonly commit: string
  readonly parents: readonly string[]
  readonly name: string
  readonly email: string
  /** Time at which its author made it, in seconds since 1970. */
  readonly seconds: number
  /** The message whole, trailers too. */
  readonly message: string
  readonly changes: readonly PathChange[]
}

/** The part of history to read. Commits are full hashes. */
export interface LogRange {
  readonly tip: string
  /** Without the commits that can be reached from here. */
  readonly since?: string | undefined
  /** Only what touches one of these (from the top, taken literally); one alone is found by the changed-path filters of a commit-graph. */
  readonly paths: readonly string[]
  /** Parents before children; then git reads all of it before it says the first word. */
  readonly oldestFirst?: boolean
  /** Only merges, each told of once for each parent, with all paths that differ from that one. */
  readonly mergesByParent?: boolean
  /** At most so many commits. */
  readonly most?: number
}

const FORMAT = '--format=%H%x00%P%x00%an%x00%ae%x00%at%x00%B'
const OPTIONS = ['--full-history', '--topo-order', '--raw', '--root', '--no-renames', '--no-abbrev', '-z', FORMAT] as const

/**
 * Reads history as git writes it, some commits at a time, newest first: a line of commits whole before another one, the first parent's last. `top`
 * is the top of the working tree. Throws GitFailure, also where `signal` stops it; ended early, it ends git.
 */
export async function* readLog(top: string, range: LogRange, signal?: AbortSignal): AsyncGenerator<LoggedCommit[]> {
  const { tip, since, paths, oldestFirst, mergesByParent, most } = range
  const merges = mergesByParent ? ['-m', '--merges'] : ['-c']
  const options = [...merges, ...(oldestFirst ? ['--reverse'] : []), ...(most === undefined ? [] : [`--max-count=${most}`])]
  const revisions = [tip, ...(since === undefined ? [] : [`^${since}`])]
  const child = startGit(top, ['log', ...OPTIONS, ...options, '--end-of-options', ...revisions, '--', ...paths])
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = `${stderr}${chunk}`.slice(-2000)
  })
  child.stdin.on('error', () => undefined).end()
  const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve))
  // Whoever reads the output hears of a failure to start here alone.
  ended.catch(() => undefined)
  const stop = () => child.kill()
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted) stop()
  try {
    const parser = new LogParser()
    for await (const chunk of child.stdout) {
      const commits = parser.push(chunk as Buffer)
      if (commits.length > 0) yield commits
    }
    const code = await ended
    if (code !== 0) throw failureOf('log', code, stderr)
    yield parser.end()
  } finally {
    signal?.removeEventListener('abort', stop)
    child.kill()
  }
}

/** All that `readLog` gives, in one list. */
export async function logOf(top: string, range: LogRange): Promise<LoggedCommit[]> {
  const all: LoggedCommit[] = []
  for await (const commits of readLog(top, range)) for (const commit of commits) all.push(commit)
  return all
}

/** Returns whether `tip` came after `old`, or is the same commit. */
export async function isAncestor(top: string, old: string, tip: string): Promise<boolean> {
  try {
    await git(top, ['merge-base', '--is-ancestor', old, tip])
    return true
  } catch (error) {
    if (error instanceof GitFailure) return false
    throw error
  }
}

/**
 * The paths below `folder` (both from the site's root) that what came after `old` touches; undefined where `tip` does not come after it, or where they are
 * more than `most`.
 */
export async function touchedBetween(
  { top, prefix }: Repository,
  folder: string,
  old: string,
  tip: string,
  most: number,
): Promise<ReadonlySet<string> | undefined> {
  if (!(await isAncestor(top, old, tip))) return undefined
  const touched = new Set<string>()
  for await (const commits of readLog(top, { tip, since: old, paths: [prefix + folder] })) {
    for (const { changes } of commits) for (const { path } of changes) touched.add(path.slice(prefix.length))
    if (touched.size > most) return undefined
  }
  return touched
}

/** Most characters of a field that are read: nobody writes longer messages by hand. */
const LONGEST = 1024 * 1024

/** Number of fields in the format above. */
const FIELDS = 6

type Open = LoggedCommit & { changes: PathChange[] }

/**
 * Takes the output apart: six fields of a commit, then for each path `:<modes> <ids> <letters>` and the path, all of them ended by NUL. Before the first
 * of a commit's paths there is a line's end, or after a merge an empty field. No field but these begins with a colon where one is looked for.
 */
export class LogParser {
  /** The pieces of what has no end yet. */
  #rest: Buffer[] = []
  #fields: string[] = []
  #meta: string | undefined
  #open: Open | undefined

  /** The commits that are whole with this piece of output. */
  push(chunk: Buffer): LoggedCommit[] {
    const end = chunk.lastIndexOf(0)
    const done: LoggedCommit[] = []
    this.#rest.push(end < 0 ? chunk : chunk.subarray(0, end))
    if (end < 0) return done
    const bytes = Buffer.concat(this.#rest)
    this.#rest = [chunk.subarray(end + 1)]
    for (const token of bytes.toString('utf8').split('\0')) this.#take(token, done)
    return done
  }

  /** The last commit, once there is no more output. */
  end(): LoggedCommit[] {
    const last = this.#open
    this.#open = undefined
    return last ? [last] : []
  }

  #take(token: string, done: LoggedCommit[]): void {
    if (this.#meta !== undefined) {
      this.#open?.changes.push(changeOf(this.#meta, token))
      this.#meta = undefined
    } else if (this.#fields.length > 0) {
      this.#field(token)
    } else {
      const text = token.startsWith('\n') ? token.slice(1) : token
      if (text.startsWith(':')) this.#meta = text
      else if (text !== '') this.#begin(text, done)
    }
  }

  #begin(hash: string, done: LoggedCommit[]): void {
    done.push(...this.end())
    this.#fields = [hash]
  }

  #field(token: string): void {
    this.#fields.push(token.slice(0, LONGEST))
    if (this.#fields.length < FIELDS) return
    const [commit = '', parents = '', name = '', email = '', seconds = '', message = ''] = this.#fields
    this.#fields = []
    const at = Number(seconds)
    const changes: PathChange[] = []
    this.#open = {
      commit,
      parents: parents === '' ? [] : parents.split(' '),
      name,
      email,
      seconds: Number.isSafeInteger(at) ? at : 0,
      message,
      changes,
    }
  }
}

/** `:100644 100644 <id> <id> M`, or for a merge one colon, mode, id and letter more for each parent more. */
function changeOf(meta: string, path: string): PathChange {
  const parents = meta.lastIndexOf(':') + 1
  const words = meta.slice(parents).split(' ')
  // A link or a submodule in its place is no file.
  const isFile = words[parents]?.startsWith('100') === true
  return { path, blob: isFile ? words[2 * parents + 1] : undefined, isNew: /^A+$/.test(words.at(-1) ?? '') }
}
