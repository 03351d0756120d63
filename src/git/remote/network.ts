import { Readable } from 'node:stream'
import type { SimpleGit, SimpleGitOptions } from 'simple-git'
import { Unavailable } from '#lib/errors.ts'
import { gitEnvironment, gitText } from '../process.ts'

/**
 * Longest silence of a command in milliseconds before it is ended. A command shows its progress, so that a long one is not taken
 * for a dead one.
 */
const SILENCE_MS = 60_000

/** Seconds of silence after which a helper of git ends by itself: more than it takes until git is ended, which says why. */
const HELPER_S = 90

/** Bytes a second below which that helper takes a remote for silent: what a working one says of its progress is more. */
const SLOWEST = 10

/** Bytes of messages of a command after which it is ended: they are kept until it is over, and a remote can send them without end. */
const MOST_WORDS = 8 * 1024 * 1024

/** Nothing of the repository's own is run beside what was asked for. */
const SETTINGS: readonly string[] = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.quotePath=false',
  'core.fsync=all',
  'core.fsyncMethod=fsync',
  'gc.auto=0',
  'maintenance.auto=false',
  'color.ui=false',
  // The helper of git that speaks HTTP outlives a git that is ended, and would wait for a silent remote for ever.
  `http.lowSpeedLimit=${SLOWEST}`,
  `http.lowSpeedTime=${HELPER_S}`,
]

/**
 * The variables that name an editor, a pager and the like. None is ever wanted, and the guard of simple-git would reject them.
 */
const UNWANTED: readonly string[] = [
  'EDITOR',
  'VISUAL',
  'PAGER',
  'PREFIX',
  'GIT_EDITOR',
  'GIT_SEQUENCE_EDITOR',
  'GIT_PAGER',
  'GIT_TEMPLATE_DIR',
]

/**
 * The guard of simple-git refuses what could lead git to another program. All arguments here are made by Quire, so that it stays on for them;
 * what the operator has set up in the environment of the process (a key for ssh, a helper for passwords) is the operator's to say.
 */
const ALLOWED: NonNullable<SimpleGitOptions['unsafe']> = {
  allowUnsafeAlias: true,
  allowUnsafeAskPass: true,
  allowUnsafeConfigEnvCount: true,
  allowUnsafeConfigPaths: true,
  allowUnsafeCredentialHelper: true,
  allowUnsafeDiffExternal: true,
  allowUnsafeDiffTextConv: true,
  allowUnsafeEditor: true,
  allowUnsafeExec: true,
  allowUnsafeFilter: true,
  allowUnsafeFsMonitor: true,
  allowUnsafeGitProxy: true,
  allowUnsafeGpgProgram: true,
  allowUnsafeHooksPath: true,
  allowUnsafeInclude: true,
  allowUnsafeMergeDriver: true,
  allowUnsafePager: true,
  allowUnsafeProtocolOverride: true,
  allowUnsafeSshCommand: true,
  allowUnsafeUrlRewrite: true,
}

/**
 * simple-git in `folder`, asking nobody anything: for `init`, `status`, `fetch` and `push` alone. A command whose messages have no end is ended, and
 * `chatter` aborted: the error of simple-git says so only where git has not ended first.
 */
export async function networkGit(folder: string, signal?: AbortSignal, chatter = new AbortController()): Promise<SimpleGit> {
  const { simpleGit } = await import('simple-git')
  const env = await quietEnvironment(folder)
  const abort = signal ? AbortSignal.any([signal, chatter.signal]) : chatter.signal
  const options: Partial<SimpleGitOptions> = {
    baseDir: folder,
    config: [...SETTINGS],
    timeout: { block: SILENCE_MS },
    unsafe: ALLOWED,
    allowEnvironment: Object.keys(env).filter((name) => /^git_|^ssh_askpass$/i.test(name)),
    abort,
  }
  const git = simpleGit(options).env(env)
  return git.outputHandler((_command, _stdout, stderr) => {
    let size = 0
    stderr.on('data', (words: Buffer) => {
      size += words.length
      if (size > MOST_WORDS) chatter.abort()
    })
    // What git has started may go on without it, as long as somebody listens.
    const leave = () => (stderr instanceof Readable ? stderr.destroy() : undefined)
    abort.addEventListener('abort', leave, { once: true })
  })
}

/** An environment in which neither git nor ssh nor a helper for passwords asks; a program that the operator has set to answer is left to. */
async function quietEnvironment(folder: string): Promise<Record<string, string>> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(gitEnvironment())) {
    if (value !== undefined && !UNWANTED.includes(name.toUpperCase())) env[name] = value
  }
  env.GIT_ASKPASS ??= ''
  env.GCM_INTERACTIVE = 'never'
  const hasOwn = env.GIT_SSH !== undefined || env.GIT_SSH_COMMAND !== undefined || (await hasSshCommand(folder))
  if (!hasOwn) env.GIT_SSH_COMMAND = 'ssh -o BatchMode=yes -o ConnectTimeout=20 -o ServerAliveInterval=15'
  return env
}

async function hasSshCommand(folder: string): Promise<boolean> {
  return gitText(folder, ['config', '--get', 'core.sshCommand']).then(
    (text) => text !== '',
    () => false,
  )
}

/** A text without what may be secret in it: a name, a password or a token in an address. */
export function withoutSecrets(text: string): string {
  return text.replaceAll(/[^\s'"]+/g, (word) => {
    const scheme = word.indexOf('://')
    if (scheme < 0) return word
    const at = scheme + '://'.length
    const rest = word.slice(Math.max(at, word.lastIndexOf('@') + 1))
    return word.slice(0, at) + rest.replace(/[?#].*$/, '')
  })
}

/** Returns the complaint of git in one line without secrets. */
export function complaintOf(error: unknown): string {
  const text = withoutSecrets(error instanceof Error ? error.message : String(error))
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a remote says may hold codes for the terminal
  const lines = text.split(/[\r\n]+/).map((line) => line.replaceAll(/\u001b\[[0-9;]*[A-Za-z]|[\u0000-\u001f\u007f]/g, ' ').trim())
  const line = lines.find((one) => /^(?:fatal|error|ssh|ERROR):/.test(one)) ?? lines.find((one) => one !== '') ?? ''
  return line.replace(/^(?:fatal|error|ERROR): /, '').slice(0, 300)
}

/** The failure to answer with where the remote can't be reached, or does not let us in. */
export function unreachable(remote: string, error: unknown): Unavailable {
  const text = error instanceof Error ? error.message : ''
  if (/block timeout reached/.test(text)) {
    return new Unavailable(`The remote ${remote} does not answer.`, 60, 'Check the network, then try again; nothing was changed.')
  }
  const isRefused =
    /Permission denied|Authentication failed|could not read (?:Username|Password)|terminal prompts disabled|publickey|HTTP 40[13]|error: 40[13]/i
  const hint = isRefused.test(text)
    ? `Nobody is asked for a password here: let git keep it (a credential helper, an ssh agent) until \`git fetch ${remote}\` asks nothing.`
    : `See whether \`git fetch ${remote}\` works, and \`git remote get-url ${remote}\` is right.`
  return new Unavailable(`The remote ${remote} can't be reached: ${complaintOf(error)}`.replace(/\.?$/, '.'), 60, hint)
}
