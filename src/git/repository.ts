import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { BadConfig, Unavailable } from '#lib/errors.ts'
import type { EndingSettings } from './files/line-endings.ts'
import { GitFailure, gitText } from './process.ts'
import { readSettings } from './settings.ts'

/** The oldest git that keeps what it commits on the disk when told to (`core.fsync`), and reads objects as asked (`cat-file --batch-command`). */
const OLDEST: readonly [number, number] = [2, 36]

/** The repository a site lies in. All paths are absolute, but `prefix`. */
export interface Repository {
  /** The folder of this working tree's own state: HEAD, the index. */
  readonly dir: string
  /** The folder of what all working trees share: objects, branches. Mostly the same. */
  readonly common: string
  /** The top of the working tree. */
  readonly top: string
  /** The site's folder from the top, with `/` at its end; '' where it is the top itself. */
  readonly prefix: string
  readonly format: 'sha1' | 'sha256'
  /** The file that `core.attributesFile` names. */
  readonly attributes?: string
  /** The settings of line endings, as they were when it was opened. */
  readonly endings: EndingSettings
}

/** The state of HEAD. `ref` is absent if it is detached, `commit` if the branch has none yet. */
export interface Head {
  readonly ref: string | undefined
  readonly commit: string | undefined
}

/**
 * The reason why no history is kept: `none` if there is no repository, `missing` if there is one but no git, `old` if git is
 * older than 2.36, `broken` if git does not accept the repository, `off` if the configuration disables it.
 */
export type Without = { readonly without: 'none' | 'missing' | 'old' | 'broken' | 'off' }

/**
 * The repository that `root` lies in, or why there is none to use. `wanted` is `git.enabled` of the configuration. Throws BadConfig where git refuses
 * the repository, and where one is wanted that can't be had.
 */
export async function openRepository(root: string, wanted: boolean | 'auto'): Promise<Repository | Without> {
  if (wanted === false) return { without: 'off' }
  const found = await find(root)
  if (wanted === true && 'without' in found) throw new BadConfig(WHY[found.without], undefined, HOW[found.without])
  return found
}

const WHY = {
  none: 'git.enabled is true, but the site is in no git repository.',
  missing: 'git.enabled is true, but git is not installed.',
  old: 'git.enabled is true, but git is older than 2.36.',
  broken: 'git.enabled is true, but git can’t use the repository of the site.',
  off: '',
}
const HOW = {
  none: 'Run `cms init`, or leave git.enabled out.',
  missing: 'Install git 2.36 or newer.',
  old: 'Install git 2.36 or newer.',
  broken: '`git status` says why.',
  off: undefined,
}

async function find(root: string): Promise<Repository | Without> {
  try {
    if (!isInRepository(root)) return { without: 'none' }
    if (!isNewEnough(await gitText(root, ['version']))) return { without: 'old' }
    const asked = ['--absolute-git-dir', '--git-common-dir', '--show-toplevel', '--show-object-format', '--is-inside-work-tree']
    const [dir = '', common = '', top = '', format] = (await gitText(root, ['rev-parse', ...asked])).split('\n')
    const prefix = relative(top, realpathSync(root)).replaceAll('\\', '/')
    return {
      dir,
      common: resolve(root, common),
      top,
      prefix: prefix === '' ? '' : `${prefix}/`,
      format: format === 'sha256' ? 'sha256' : 'sha1',
      ...(await readSettings(top)),
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { without: 'missing' }
    if (error instanceof GitFailure) return refused(error, root)
    throw error
  }
}

/** Returns whether there is a repository to ask git about. A site without one starts no process. */
export function isInRepository(root: string): boolean {
  for (let at = resolve(root); ; at = resolve(at, '..')) {
    if (existsSync(join(at, '.git'))) return true
    if (resolve(at, '..') === at) return false
  }
}

/** Returns whether `folder` has a repository of its own that was not made to its end: `git init` mends it, and takes nothing away. */
export function isHalfMade(folder: string): boolean {
  const dir = join(folder, '.git')
  return existsSync(join(dir, 'refs')) && !existsSync(join(dir, 'HEAD'))
}

function isNewEnough(text: string): boolean {
  const [, major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(text) ?? []).map(Number)
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
}

function refused(error: GitFailure, root: string): Without {
  if (/not a git repository|must be run in a work tree/.test(error.stderr)) return { without: 'broken' }
  const [, command] = /^\s*(git config --global --add safe\.directory .*)$/m.exec(error.stderr) ?? []
  if (command !== undefined || /dubious ownership/.test(error.stderr)) {
    const message = 'The repository belongs to another user, and git refuses to work in it.'
    throw new BadConfig(message, undefined, `Run: ${command ?? `git config --global --add safe.directory ${root}`}`)
  }
  const [line = ''] = error.stderr.split('\n')
  throw new BadConfig(`git can't read the repository: ${line}`, undefined, 'Mend it (`git fsck`), or set git.enabled to false.')
}

/** Reads the current state of HEAD from the files that git keeps it in. Throws Unavailable where the repository is no longer there. */
export async function readHead(repository: Repository): Promise<Head> {
  const text = textOf(join(repository.dir, 'HEAD'))?.trim()
  if (text === undefined) throw repositoryGone()
  const [, ref] = /^ref: (.+)$/.exec(text) ?? []
  if (ref === undefined) return { ref: undefined, commit: text }
  if (ref === 'refs/heads/.invalid') return askHead(repository)
  return { ref, commit: readRef(repository, ref) }
}

/** Returns the failure of whoever needs a repository that was taken away under a running process. */
function repositoryGone(): Unavailable {
  return new Unavailable(
    'The repository of the site is not there any more.',
    10,
    'Put it back; or restart the server, which goes on without a history then.',
  )
}

/** Repositories of a later format keep refs in tables: there git itself is asked. */
async function askHead({ top }: Repository): Promise<Head> {
  const ask = (args: string[]) => gitText(top, args).catch(() => undefined)
  return { ref: await ask(['symbolic-ref', '-q', 'HEAD']), commit: await ask(['rev-parse', '-q', '--verify', 'HEAD^{commit}']) }
}

/** Longest chain of refs that point to other refs that is followed. */
const MOST_LINKS = 5

/** The commit that a full ref names, be it by another; undefined where there is none of that name. */
export function readRef(repository: Repository, ref: string, links = 0): string | undefined {
  const { common } = repository
  const loose = textOf(join(common, ref))?.trim()
  const [, other] = /^ref: (refs\/.+)$/.exec(loose ?? '') ?? []
  if (other !== undefined) return links < MOST_LINKS ? readRef(repository, other, links + 1) : undefined
  if (loose !== undefined && /^[0-9a-f]{40,64}$/.test(loose)) return loose
  const packed = textOf(join(common, 'packed-refs')) ?? ''
  const line = packed.split('\n').find((one) => one.endsWith(` ${ref}`))
  // Between the two looks git may have packed the ref, or made it loose.
  return line?.split(' ')[0] ?? textOf(join(common, ref))?.trim()
}

const STATES: Readonly<Record<string, string>> = {
  MERGE_HEAD: 'merge',
  'rebase-merge': 'rebase',
  'rebase-apply': 'rebase',
  CHERRY_PICK_HEAD: 'cherry-pick',
  REVERT_HEAD: 'revert',
  sequencer: 'cherry-pick or revert',
  BISECT_LOG: 'bisect',
}

/**
 * Returns the operation that the author is in the middle of (`merge`, `rebase`…), during which nothing may be committed.
 * Undefined if there is none.
 */
export function inProgress({ dir }: Repository): string | undefined {
  const found = Object.keys(STATES).find((name) => existsSync(join(dir, name)))
  return found === undefined ? undefined : STATES[found]
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
