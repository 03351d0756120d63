import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { Unavailable } from '#lib/errors.ts'

/** git ended with a failure; `stderr` is what it said, for an operator and never for a client. */
export class GitFailure extends Error {
  readonly code: number | null
  readonly stderr: string
  constructor(command: string, code: number | null, stderr: string) {
    super(`git ${command} failed (${code ?? 'killed'}): ${stderr.trim()}`)
    this.code = code
    this.stderr = stderr
  }
}

/** Seconds after which a remote may be asked again. */
const AGAIN_S = 30

/**
 * Returns the failure of a git that ended with `code`: Unavailable where a partial clone has not all of the history, and its remote
 * could not be asked for the rest.
 */
export function failureOf(command: string, code: number | null, stderr: string): GitFailure | Unavailable {
  if (!/could not fetch [0-9a-f]+ from promisor remote/.test(stderr)) return new GitFailure(command, code, stderr)
  return new Unavailable(
    'A part of the history is not in this partial clone, and its remote is out of reach.',
    AGAIN_S,
    'Once the remote can be reached, `git fetch --refetch --no-filter` brings all of it here.',
  )
}

/** The options for running one command. `input` goes to its stdin. */
export interface GitOptions {
  readonly input?: string | Buffer
  readonly env?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** Exit codes other than 0 that are answers as well: 1 of a merge with conflicts. */
  readonly accept?: readonly number[]
}

/**
 * Settings of every call, never written into the author's configuration: all that is committed is on the disk before it counts,
 * nothing of the repository's own (hooks, a file system monitor) is run, and nothing is tidied up in the middle of a write.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  'core.fsync': 'all',
  'core.fsyncMethod': 'fsync',
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.quotePath': 'false',
  'fastimport.unpackLimit': '0',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'log.showSignature': 'false',
  'log.mailmap': 'false',
  'log.follow': 'false',
  'i18n.logOutputEncoding': 'UTF-8',
  'i18n.commitEncoding': 'UTF-8',
  'color.ui': 'false',
  'advice.detachedHead': 'false',
}

const ARGUMENTS: readonly string[] = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`])

/**
 * The variables that a hook or another git command leaves in the environment. They would lead our git to another repository or
 * index.
 */
const FOREIGN: readonly string[] = [
  ...['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_COMMON_DIR', 'GIT_PREFIX', 'GIT_NAMESPACE', 'GIT_OBJECT_DIRECTORY'],
  ...[
    'GIT_ALTERNATE_OBJECT_DIRECTORIES',
    'GIT_CEILING_DIRECTORIES',
    'GIT_ICASE_PATHSPECS',
    'GIT_GLOB_PATHSPECS',
    'GIT_NOGLOB_PATHSPECS',
  ],
  ...[
    'GIT_REFLOG_ACTION',
    'GIT_EXTERNAL_DIFF',
    'GIT_DIFF_OPTS',
    'GIT_DEFAULT_HASH',
    'GIT_TRACE',
    'GIT_TRACE2',
    'GIT_TRACE2_EVENT',
  ],
  ...[
    'GIT_AUTHOR_NAME',
    'GIT_AUTHOR_EMAIL',
    'GIT_AUTHOR_DATE',
    'GIT_COMMITTER_NAME',
    'GIT_COMMITTER_EMAIL',
    'GIT_COMMITTER_DATE',
  ],
]

/** The environment of our git commands: speaking English, asking nothing, taking paths as they are. */
export function gitEnvironment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env }
  for (const name of FOREIGN) delete env[name]
  return {
    ...env,
    LC_ALL: 'C',
    LANGUAGE: '',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_PAGER: 'cat',
    ...more,
  }
}

/**
 * Starts git in `folder`. In a process group of its own: an interrupt on the terminal is for Quire, which lets a write that has begun come to
 * its end. A git that is left alone ends with its stdin. Throws Unavailable where the process can have no more pipes.
 */
export function startGit(
  folder: string,
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
): ChildProcessWithoutNullStreams {
  const child = spawn('git', [...ARGUMENTS, ...args], {
    cwd: folder,
    env: gitEnvironment(env),
    detached: true,
    windowsHide: true,
  })
  // Whoever starts it listens too, but not where there are no pipes to it: then nobody would, and the failure would end Quire.
  child.on('error', () => undefined)
  if (!child.stdout) throw new Unavailable('Too many files are open to start git.', 5, 'Let Quire have more open files.')
  return child
}

/** Runs git in `folder` to its end and resolves with its stdout; throws GitFailure where it ends with another code than 0 or those of `accept`. */
export function git(folder: string, args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = startGit(folder, args, options.env)
    const out: Buffer[] = []
    const err: Buffer[] = []
    const abort = () => child.kill()
    options.signal?.addEventListener('abort', abort, { once: true })
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
    child.on('error', reject)
    // Whether it took all of its input is told by its exit code.
    child.stdin.on('error', () => undefined)
    child.on('close', (code) => {
      options.signal?.removeEventListener('abort', abort)
      if (code === 0 || (code !== null && options.accept?.includes(code))) resolve(Buffer.concat(out))
      else reject(failureOf(args[0] ?? '', code, Buffer.concat(err).toString('utf8')))
    })
    child.stdin.end(options.input)
  })
}

/** As `git`, with its stdout as text without the last newline. */
export async function gitText(folder: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
  return (await git(folder, args, options)).toString('utf8').replace(/\n$/, '')
}
