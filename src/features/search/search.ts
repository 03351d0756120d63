import type { Access } from '#core/access/access.ts'
import { Hints } from '#core/feed/hints.ts'
import type { SearchIndex } from '#core/queries/search.ts'
import type { Store } from '#core/store.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import { type Tagged, taggedJson } from '#http/answers/etag.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { Cache } from '#lib/cache.ts'
import type { Clock } from '#lib/clock.ts'
import { Audiences } from './audiences.ts'
import type { Finder } from './finder.ts'
import { type Asking, askingOf } from './parameters.ts'
import type { Results } from './schema.ts'

/** The dependencies of a site's search. */
export interface SearchFeatureDeps {
  readonly store: Store
  readonly types: ContentTypes
  readonly clock: Clock
  /** The language of the texts, as `site.locale` has it. */
  readonly locale: string
  /** Opens what finds; asked for when it is first needed, and not closed here. */
  readonly index: () => SearchIndex
  /** A folder for texts that there is no room for in memory; absent where nothing is written on the machine. */
  readonly folder?: string
}

const KEPT_BYTES = 8 * 1024 * 1024
const LONGEST_KEPT = 256 * 1024

/**
 * The search of a site, for one reader at a time. Documents that a reader may not see are neither found nor counted. Throws
 * NotFound for a type that does not exist for them, Forbidden for one that they may not read, InvalidInput for invalid
 * parameters. Answers are cached while nothing has changed.
 */
export class Search {
  readonly #deps: SearchFeatureDeps
  readonly #hints: Hints
  readonly #audiences: Audiences
  readonly #kept = new Cache<Tagged>({ bytes: KEPT_BYTES, longest: LONGEST_KEPT, sizeOf: ({ body }) => body.length })
  #index: SearchIndex | undefined
  #finder: Promise<Finder> | undefined

  constructor(deps: SearchFeatureDeps) {
    this.#deps = deps
    this.#hints = new Hints(deps.store, deps.clock)
    this.#audiences = new Audiences(deps.store, deps.types, this.#hints)
  }

  /** Opens the index now, so that the first search need not wait for it; resolves when it is there. */
  async begin(): Promise<void> {
    await this.#opened().ready()
  }

  /** Resolves with the answer to the parameters of a request: `{"data":[…],"meta":{…}}`. */
  async answer(access: Access, params: QueryParams): Promise<Tagged> {
    const audience = await this.#audiences.of(access)
    const { q, type, status, page, per_page } = params
    const key = [audience.name, q, type, status, page, per_page]
    const state = `${this.#hints.state} ${this.#opened().revision}`
    const from = this.#deps.clock.now()
    const kept = this.#kept.get(key, state, from)
    if (kept) {
      // Who may write knows of a type that who may read does not: what is kept is for both.
      if (type !== undefined) await this.#audiences.mustRead(access, type)
      return kept
    }
    const { results, until } = await this.#find(access, askingOf(params))
    const answer = taggedJson(results)
    this.#kept.set(key, answer, state, { from, until })
    return answer
  }

  async find(access: Access, asking: Asking): Promise<Results> {
    return (await this.#find(access, asking)).results
  }

  async #find(access: Access, asking: Asking): Promise<{ results: Results; until: number }> {
    const audience = await this.#audiences.of(access)
    if (asking.type !== undefined) await this.#audiences.mustRead(access, asking.type)
    this.#finder ??= this.#load()
    return (await this.#finder).find(asking, audience)
  }

  close(): void {
    this.#hints.close()
    this.#finder?.then((finder) => finder.close()).catch(() => undefined)
  }

  #opened(): SearchIndex {
    this.#index ??= this.#deps.index()
    return this.#index
  }

  async #load(): Promise<Finder> {
    const { Finder } = await import('./finder.ts')
    return new Finder({ ...this.#deps, index: this.#opened() })
  }
}
