import type { Health } from '#core/store.ts'
import type { Without } from '#git/repository.ts'
import type { Fields } from '#lib/json.ts'
import { type Committed, sumOf } from '#stores/engine/group-commit.ts'
import type { Git } from './committing/git.ts'
import type { Reconciler } from './following/reconcile.ts'
import type { FileRegistry } from './registry/file-registry.ts'
import type { Syncing } from './sync/syncing.ts'

/** Milliseconds that the state of a repository is cached: anyone may send the request, and git would be started for each. */
const TRUST_MS = 1_000

interface Deps {
  registry: FileRegistry
  reconciler: Reconciler
  git: Git | undefined
  syncing: Syncing | undefined
  /** All that write, some of them twice. */
  writers: readonly { readonly committed: Committed }[]
  /** Returns the reason why there is no history, if there is none. */
  without(): Without['without'] | undefined
}

/** Tells how a site in files does: its documents, how they are followed, its repository and its remote. */
export class Checkup {
  readonly #deps: Deps
  #known: { at: number; repository: Promise<Fields> } | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** As `Store.health`. `details.git` is the state of the repository, or `without` the reason why there is none. */
  async report(): Promise<Health> {
    const { registry, reconciler, writers } = this.#deps
    const unreadable = registry.problems().filter(({ severity }) => severity === 'error').length
    const repository = await this.#repository()
    const { read_only } = repository.git as Fields
    const writes = { ...sumOf([...new Set(writers)].map(({ committed }) => committed)) }
    const details = { documents: registry.folders.size, unreadable, writes, ...reconciler.state(), ...repository }
    return { ok: true, problems: [], details, ...(typeof read_only === 'string' && { readOnly: read_only }) }
  }

  /** Drops the cached state of the repository. It is read again on the next request. */
  forget(): void {
    this.#known = undefined
  }

  #repository(): Promise<Fields> {
    const now = performance.now()
    if (!this.#known || now - this.#known.at > TRUST_MS) this.#known = { at: now, repository: this.#look() }
    return this.#known.repository
  }

  async #look(): Promise<Fields> {
    const { git, syncing, without } = this.#deps
    if (!git) return { git: { without: without() ?? 'off' } }
    try {
      const remote = await syncing?.state()
      return { git: { ...(await git.state()) }, ...(remote && { remote: { ...remote } }) }
    } catch (error) {
      return { git: { read_only: 'The repository can not be read.', fault: String(error) } }
    }
  }
}
