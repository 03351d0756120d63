import { actionOf } from '#core/history/revision-message.ts'
import { type Key, keyOfText, keyText } from '#core/key.ts'
import type { Changed } from '#core/store.ts'
import { type LoggedCommit, type PathChange, readLog } from '#git/history/log.ts'
import { type Repository, readHead } from '#git/repository.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import { parseMessage } from '../committing/message.ts'
import type { PastFiles } from './past-files.ts'

/** Number of the last commits that are looked through, and of the paths in them from which on no earlier one is. */
const MOST = 200
const MOST_PATHS = 10_000

/** The repository, the folder of content from the site's root, and the key of the document that a path from there is. */
export interface ChangeCommitsDeps {
  readonly repository: Repository
  readonly content: string
  readonly keyAt: (path: string) => Key | undefined
  readonly files: Pick<PastFiles, 'version'>
}

/** The effect of a commit on a document. */
interface Effect extends Pick<Changed, 'action' | 'by' | 'request' | 'from' | 'source'> {
  readonly blob: string | undefined
  /** From the site's root. */
  readonly path: string
}

/** By the text of a key, the newest first. */
type Effects = ReadonlyMap<string, readonly Effect[]>

/** The last commits, by what they did to documents: they say of changes that the store was not asked for who made them. */
export class ChangeCommits {
  readonly #deps: ChangeCommitsDeps
  #read: { readonly tip: string; readonly effects: Promise<Effects> } | undefined

  constructor(deps: ChangeCommitsDeps) {
    this.#deps = deps
  }

  /**
   * Returns the changes, with what the commits of those say that a command, a pull or an author made. One that is in no commit
   * yet, or that can't be found now, stays as it is.
   */
  async explained(changes: readonly Changed[]): Promise<readonly Changed[]> {
    if (!changes.some(isUnexplained)) return changes
    const effects = await this.#effects().catch(() => undefined)
    const one = (change: Changed) => (isUnexplained(change) ? this.#explained(change, effects?.get(keyText(change.key))) : change)
    return Promise.all(changes.map(one))
  }

  async #effects(): Promise<Effects | undefined> {
    const { commit: tip } = await readHead(this.#deps.repository)
    if (tip === undefined) return undefined
    if (this.#read?.tip !== tip) this.#read = { tip, effects: this.#readFrom(tip) }
    const { effects } = this.#read
    effects.catch(() => {
      this.#read = undefined
    })
    return effects
  }

  async #readFrom(tip: string): Promise<Effects> {
    const { repository, content } = this.#deps
    const effects = new Map<string, Effect[]>()
    const slices = new Slices()
    let paths = 0
    for await (const commits of readLog(repository.top, { tip, paths: [repository.prefix + content], most: MOST })) {
      for (const commit of commits) {
        if (paths > MOST_PATHS) return effects
        paths += commit.changes.length
        for (const change of commit.changes.slice(0, MOST_PATHS)) this.#take(effects, commit, change)
        if (slices.isOver) await slices.pause()
      }
    }
    return effects
  }

  #take(effects: Map<string, Effect[]>, commit: LoggedCommit, change: PathChange): void {
    const path = change.path.slice(this.#deps.repository.prefix.length)
    const key = this.#deps.keyAt(path)
    if (!key) return
    const known = effects.get(keyText(key)) ?? []
    known.push(effectOf(commit, { ...change, path }, key))
    effects.set(keyText(key), known)
  }

  /**
   * A removal can't be told from an earlier one by its bytes: it is the last that was done. A document that is there without a
   * version can't be read, as where it is too large: it is what no commit is known to have made.
   */
  async #explained(change: Changed, effects: readonly Effect[] = []): Promise<Changed> {
    const done = change.removed ? lastRemoval(effects) : await this.#maker(change, effects)
    if (!done) return change
    const { blob: _, path: __, ...said } = done
    return { ...change, ...said }
  }

  /** The last commit that made the version of a change. Mostly its blob has that id, unless git keeps other bytes than the file has. */
  async #maker({ key, version }: Changed, effects: readonly Effect[]): Promise<Effect | undefined> {
    if (version === undefined) return undefined
    const same = effects.find(({ blob }) => blob === version)
    if (same) return same
    const { files } = this.#deps
    const versionOf = async ({ blob, path }: Effect) => (blob === undefined ? undefined : files.version(key, path, blob))
    // All at once: git is then asked once how their lines end. Where it fails, nothing is known.
    const versions = await Promise.all(effects.map(versionOf)).catch(() => [])
    return effects.find((_, nth) => versions[nth] === version)
  }
}

function lastRemoval([last]: readonly Effect[]): Effect | undefined {
  return last?.blob === undefined ? last : undefined
}

function isUnexplained({ action, by }: Changed): boolean {
  return action === 'external' && by === undefined
}

function effectOf({ message, name, email }: LoggedCommit, { blob, isNew, path }: PathChange, key: Key): Effect {
  const said = parseMessage(message)
  const action = actionOf(said, { isNew, isGone: blob === undefined, owner: keyText(key) })
  const from = action === 'moved' && blob !== undefined ? keyOfText(said.from ?? '') : undefined
  const { request, number } = said
  // A commit that Quire made elsewhere: by a command, or a server of another checkout.
  const source = number === undefined ? undefined : ('cli' as const)
  const asked = { ...(request !== undefined && { request }), ...(source && { source }) }
  return { blob, path, action, by: { name, email }, ...asked, ...(from && { from }) }
}
