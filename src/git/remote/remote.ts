import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Failure, Unavailable } from '#lib/errors.ts'
import { gitText } from '../process.ts'
import { type Repository, readRef } from '../repository.ts'
import { complaintOf, networkGit, unreachable } from './network.ts'

/**
 * Longest time of a command in milliseconds. A remote that sends a byte now and then is never silent, and would hold the sync for
 * ever.
 */
const PATIENCE_MS = 60 * 60_000

/** A remote of the repository, by the name it has there. */
export class Remote {
  readonly name: string
  readonly #repository: Repository
  readonly #patience: number
  #found: { at: number; exists: Promise<boolean> } | undefined

  /** `patience` is the longest time in milliseconds that the remote may take. */
  constructor(repository: Repository, name: string, patience = PATIENCE_MS) {
    this.name = name
    this.#patience = patience
    this.#repository = repository
  }

  /** Checks whether the repository has a remote of this name. Asks git again only if its settings have changed. */
  exists(): Promise<boolean> {
    const at = statSync(join(this.#repository.common, 'config'), { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (this.#found?.at !== at) this.#found = { at, exists: this.#ask() }
    return this.#found.exists
  }

  async #ask(): Promise<boolean> {
    // What else a name may hold is no part of any that git makes, and might be taken for an option or an address.
    if (!/^[A-Za-z0-9_][\w./-]*$/.test(this.name)) return false
    return gitText(this.#repository.top, ['config', '--get', `remote.${this.name}.url`]).then(
      (url) => url !== '',
      () => false,
    )
  }

  /** The commit that the remote's branch was at when last looked, without asking the remote. */
  known(branch: string): string | undefined {
    return readRef(this.#repository, this.#tracking(branch))
  }

  /** Brings what the remote's branch has, and resolves with its commit; undefined where the remote has no such branch. Throws Unavailable. */
  async fetch(branch: string, signal?: AbortSignal): Promise<string | undefined> {
    const limit = this.#limit(signal)
    const git = await networkGit(this.#repository.top, limit.either, limit.chatter)
    const what = `+refs/heads/${branch}:${this.#tracking(branch)}`
    try {
      await git.fetch(this.name, what, [
        '--no-write-fetch-head',
        '--no-tags',
        '--no-recurse-submodules',
        '--no-prune',
        '--progress',
      ])
    } catch (error) {
      if (/couldn't find remote ref/i.test(messageOf(error))) return this.#forget(branch)
      throw this.#failure(error, limit)
    }
    return readRef(this.#repository, this.#tracking(branch))
  }

  /**
   * Moves the remote's branch on to `commit`, never back: `moved` where somebody else was quicker, with nothing done. Throws Unavailable where the
   * remote can't be reached, or does not want it.
   */
  async push(branch: string, commit: string, signal?: AbortSignal): Promise<'done' | 'moved'> {
    const limit = this.#limit(signal)
    const git = await networkGit(this.#repository.top, limit.either, limit.chatter)
    try {
      await git.push(this.name, `${commit}:refs/heads/${branch}`, ['--no-recurse-submodules', '--no-verify', '--progress'])
    } catch (error) {
      const text = messageOf(error)
      if (MOVED.test(text)) return 'moved'
      if (REFUSED.test(text)) throw refused(this.name, text)
      throw this.#failure(error, limit)
    }
    await this.#remember(branch, commit)
    return 'done'
  }

  #tracking(branch: string): string {
    return `refs/remotes/${this.name}/${branch}`
  }

  #limit(signal: AbortSignal | undefined): Limit {
    const whole = AbortSignal.timeout(this.#patience)
    return { signal, whole, either: signal ? AbortSignal.any([signal, whole]) : whole, chatter: new AbortController() }
  }

  #failure(error: unknown, { signal, whole, chatter }: Limit): unknown {
    if (error instanceof Failure) return error
    if (signal?.aborted) return new Unavailable('The sync was interrupted; nothing is half-done.')
    if (whole.aborted) return tooSlow(this.name)
    return chatter.signal.aborted ? tooLoud(this.name) : unreachable(this.name, error)
  }

  /** git itself notes what it has pushed only where the remote's settings say which branches are followed. */
  async #remember(branch: string, commit: string): Promise<void> {
    if (this.known(branch) !== commit) await gitText(this.#repository.top, ['update-ref', this.#tracking(branch), commit])
  }

  /** A branch that the remote has no more would else be compared with for ever. */
  async #forget(branch: string): Promise<undefined> {
    if (this.known(branch) !== undefined) await gitText(this.#repository.top, ['update-ref', '-d', this.#tracking(branch)])
    return undefined
  }
}

/**
 * The messages of git for a branch that is no longer where we left it. Either we see it before the push, or the remote sees it
 * during the push.
 */
const MOVED =
  /\[rejected\]|\[remote rejected\].*(?:cannot lock ref|failed to update ref|incorrect old value|reference already exists)/i
const REFUSED = /\[remote rejected\]/

/** The signals that end a command: of who asked for it, of its time, of both, and of the size of its messages. */
interface Limit {
  readonly signal: AbortSignal | undefined
  readonly whole: AbortSignal
  readonly either: AbortSignal
  readonly chatter: AbortController
}

function tooLoud(remote: string): Unavailable {
  return new Unavailable(
    `The remote ${remote} sends messages without end.`,
    60,
    `See what \`git fetch ${remote}\` says; nothing was changed.`,
  )
}

function tooSlow(remote: string): Unavailable {
  return new Unavailable(
    `The remote ${remote} takes too long.`,
    60,
    `See how long \`git fetch ${remote}\` takes; nothing was changed.`,
  )
}

function refused(remote: string, text: string): Unavailable {
  const [, reason] = /\[remote rejected\][^\n(]*\(([^)\n]*)\)/.exec(text) ?? []
  const hint = 'What was pulled is here and safe. See which branches the remote lets you push to.'
  return new Unavailable(`The remote ${remote} does not take the push: ${complaintOf(reason ?? 'refused')}.`, 60, hint)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
