import type { Document, Head } from '#core/document.ts'
import { isPrivate, type Kind } from '#core/key.ts'
import type { Page, Query } from '#core/queries/query.ts'
import type { Git } from '../committing/git.ts'
import type { ChangeFeed } from '../following/feed.ts'
import type { Reconciler } from '../following/reconcile.ts'
import type { Documents } from '../registry/documents.ts'
import type { Privates } from '../registry/privates.ts'
import type { BrowseIndex } from './browse-index.ts'

interface Deps {
  readonly index: BrowseIndex
  readonly documents: Documents
  readonly privates: Privates
  readonly reconciler: Reconciler
  readonly feed: ChangeFeed
  readonly git: Git | undefined
}

/** Lists of documents as the store answers them: of content, with all or nothing of what others have changed at once. */
export class Lists {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async browse(kind: Kind, query: Query): Promise<Page<Document>> {
    const { git, documents, index, feed } = this.#deps
    await this.#ready(kind)
    const look = () => documents.of(() => index.page(kind, query))
    const find = () => (git && !isPrivate(kind) ? git.lookups.findAll(look) : look())
    const found = await find()
    // Of what others changed, this look at the files may have found the first.
    const { items, total } = (await this.#ready(kind)) ? await find() : found
    feed.tell()
    return { items, total }
  }

  async heads(kind: Kind, query: Query): Promise<Page<Head>> {
    await this.#ready(kind)
    return this.#deps.index.page(kind, query)
  }

  async count(kind: Kind, query: Query, by: string): Promise<Map<string, number>> {
    await this.#ready(kind)
    return this.#deps.index.count(kind, query, by)
  }

  /** Makes a list ready to be read; of content it waits for the rest of what others change. Returns whether it has waited. */
  async #ready(kind: Kind): Promise<boolean> {
    const { privates, reconciler } = this.#deps
    privates.freshen(kind)
    if (isPrivate(kind) || !reconciler.isPartly) return false
    await reconciler.whole()
    return true
  }
}
