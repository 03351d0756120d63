import type { Access } from '#core/access/access.ts'
import type { Head } from '#core/document.ts'
import type { Ledger } from '#core/ledger.ts'
import type { Page, Query, Sort } from '#core/queries/query.ts'
import type { Part, Store } from '#core/store.ts'
import type { ConfiguredToken, Holder } from './configured.ts'
import { KIND, readToken } from './stored.ts'

const BY_NAME: readonly Sort[] = [{ field: 'name', descending: false, as: 'text' }]

/**
 * A token as it may be shown: never its secret. Times are RFC 3339 UTC; `expires_at` null is never, `last_used_at` is kept to the
 * hour.
 */
export interface TokenView {
  id: string
  name: string
  scopes: string[]
  types: string[]
  created_at: string | null
  expires_at: string | null
  last_used_at: string | null
  /** True for one of the configuration. */
  configured: boolean
  /** The user whose it is; null for one of the command line or the configuration. */
  owner: { id: string; name: string } | null
}

/** A user whom tokens belong to, and what they may do now. */
export interface Owner {
  readonly name: string
  readonly access: Access
}

/** Finds the owner of a token by their id; undefined for one who is gone or may not sign in. */
export type FindOwner = (id: string) => Promise<Owner | undefined>

/** A token of the configuration, and its place in the process. */
export interface Configured {
  readonly token: ConfiguredToken
  readonly holder: Holder
}

/** Tokens as they may be shown. */
export class TokenViews {
  readonly #store: Store
  readonly #ledger: Ledger
  readonly #ownerOf: FindOwner
  readonly #configured: readonly Configured[]

  constructor(deps: { store: Store; ledger: Ledger; ownerOf: FindOwner; configured: readonly Configured[] }) {
    this.#store = deps.store
    this.#ledger = deps.ledger
    this.#ownerOf = deps.ownerOf
    this.#configured = deps.configured
  }

  /** A part of the list of all tokens, or of those of the user with the id `owner`. */
  async page({ offset = 0, limit = Number.POSITIVE_INFINITY }: Part, owner?: string): Promise<Page<TokenView>> {
    const configured = owner === undefined ? this.#configured : []
    const first = configured.slice(offset, offset + limit).map(({ token, holder }) => this.#configuredView(token, holder))
    const left = limit - first.length
    const part = {
      offset: Math.max(0, offset - configured.length),
      ...(left < Number.POSITIVE_INFINITY && { limit: Math.max(1, left) }),
    }
    const { items, total } = await this.#store.heads(KIND, { sort: BY_NAME, ...ownedBy(owner), ...part })
    // One was asked for where none was wanted, for the total.
    const others = left > 0 ? items.map((head) => this.of(head)) : []
    return { items: await Promise.all([...first, ...others]), total: total + configured.length }
  }

  /** A token that is kept. */
  async of(document: Head): Promise<TokenView> {
    const { name, scopes, types, createdAt, expiresAt, owner } = readToken(document)
    const { id } = document.key
    return {
      ...{ id, name, scopes: [...scopes], types: [...types], created_at: createdAt, expires_at: expiresAt },
      last_used_at: await this.#lastUsed(id),
      configured: false,
      owner: owner === undefined ? null : { id: owner, name: (await this.#ownerOf(owner))?.name ?? '' },
    }
  }

  async #configuredView({ name, scopes, types, expiresAt }: ConfiguredToken, { id }: Holder): Promise<TokenView> {
    const last_used_at = await this.#lastUsed(id)
    return {
      id,
      name,
      scopes: [...scopes],
      types: [...types],
      created_at: null,
      expires_at: expiresAt,
      last_used_at,
      configured: true,
      owner: null,
    }
  }

  async #lastUsed(id: string): Promise<string | null> {
    const used = await this.#ledger.peek(usedName(id))
    return typeof used === 'string' ? used : null
  }
}

/** The query for all tokens, or for those of the user with the id `owner`. */
export function ownedBy(owner: string | undefined): Pick<Query, 'where'> {
  return owner === undefined ? {} : { where: [{ field: 'owner', op: 'eq', value: owner, as: 'text' }] }
}

/** The name under which the ledger has the time that a token was last used. */
export function usedName(id: string): string {
  return `token.used.${id}`
}
