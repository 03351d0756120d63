import { type Access, SCOPES, type Scope } from '#core/access/access.ts'
import type { Store } from '#core/store.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import { type ListMeta, metaOf, type Paging } from '#http/requests/paging.ts'
import type { Clock } from '#lib/clock.ts'
import { parseDuration } from '#lib/duration.ts'
import { Forbidden, InvalidInput } from '#lib/errors.ts'
import { expandScopes } from './rights.ts'
import type { NewToken } from './schema.ts'
import type { TokenView } from './token-views.ts'
import type { Tokens } from './tokens.ts'

/** A token just made, and its secret. */
export interface MadeToken {
  readonly token: string
  readonly view: TokenView
}

/** No type has this name: what is held for it is held for all. */
const ANY_TYPE = ''

/** RFC 3339, §5.6. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i

/**
 * The tokens of a site, for one caller at a time: all with users:write, else the caller's own. Nobody gives a right that they
 * have not.
 */
export class TokenGrants {
  readonly #tokens: Tokens
  readonly #types: ContentTypes
  readonly #store: Store
  readonly #clock: Clock

  constructor({ tokens, types, store, clock }: { tokens: Tokens; types: ContentTypes; store: Store; clock: Clock }) {
    this.#tokens = tokens
    this.#types = types
    this.#store = store
    this.#clock = clock
  }

  /** A part of the list, by name. */
  async list(access: Access, paging: Paging): Promise<{ data: TokenView[]; meta: ListMeta }> {
    const { page, perPage } = paging
    const part = { offset: (page - 1) * perPage, limit: perPage }
    const { items, total } = await this.#tokens.page(part, await this.#ownerFor(access))
    return { data: items, meta: metaOf(total, paging) }
  }

  /** Makes a token; of the caller, where that is a user or the token of one. */
  async create(access: Access, { name, scopes, types = [], expires = '90d' }: NewToken): Promise<MadeToken> {
    await this.#ownerFor(access)
    const rights = expandScopes(scopes)
    await this.#checkTypes(access, rights, types)
    for (const right of rights) mustHold(access, right, types)
    const input = { name, scopes: rights, types, expires: this.#lifeOf(expires) }
    return this.#tokens.create(input, access.author, access.user)
  }

  /** Revokes a token at once; throws NotFound for one that is not the caller's to know. */
  async revoke(access: Access, id: string): Promise<TokenView> {
    return this.#tokens.revokeById(id, access.author, await this.#ownerFor(access))
  }

  /**
   * The id of the user whose tokens the caller manages; undefined for all. Throws Forbidden for callers who manage none: those who
   * may only read what is public.
   */
  async #ownerFor(access: Access): Promise<string | undefined> {
    if (access.may('users:write')) return undefined
    const { user } = access
    // A token that was lost must not make others that outlive it, nor revoke those of its owner.
    const isSignedIn = user !== undefined && access.id === `user:${user}`
    if (isSignedIn && (await this.#mayMore(access))) return user
    throw new Forbidden('This needs the right users:write; for tokens of your own, sign in with a role that may write.')
  }

  async #mayMore(access: Access): Promise<boolean> {
    const types = [ANY_TYPE, ...(await this.#typeNames())]
    return SCOPES.some((scope) => scope !== 'content:read' && types.some((type) => access.reach(scope, type) !== 'none'))
  }

  /** A type that the caller does not know of is none. */
  async #checkTypes(access: Access, rights: readonly string[], types: readonly string[]): Promise<void> {
    const names = new Set(await this.#typeNames())
    const isKnown = (type: string) => access.sees(type) && names.has(type)
    const said = (type: string) => [`There is no type "${type}".`]
    const unknown = types.find((type) => !isKnown(type))
    if (unknown !== undefined) throw new InvalidInput({ types: said(unknown) })
    const narrowed = rights.flatMap((right) => right.split('@').slice(1)).find((type) => !isKnown(type))
    if (narrowed !== undefined) throw new InvalidInput({ scopes: said(narrowed) })
  }

  /** The types that are declared, and those that there is a folder of. */
  async #typeNames(): Promise<string[]> {
    const kinds = (await this.#store.kinds()).filter((kind) => this.#types.get(kind) !== undefined)
    return [...new Set([...this.#types.declared().map(({ name }) => name), ...kinds])]
  }

  /** Milliseconds until a token ends. */
  #lifeOf(expires: string): number | 'never' {
    if (expires === 'never') return 'never'
    const life = INSTANT.test(expires) ? Date.parse(expires) - this.#clock.now() : parseDuration(expires)
    if (life !== undefined && life > 0) return life
    const message = 'The expires must be a length of time such as 90d, a moment to come (RFC 3339), or never.'
    throw new InvalidInput({ expires: [message] })
  }
}

/** Throws Forbidden, naming the right, where a token with it could do something that the caller can't. */
function mustHold(access: Access, right: string, types: readonly string[]): void {
  const [scope = '', narrowed] = right.split('@')
  const places = narrowed !== undefined ? [narrowed] : types.length > 0 ? types : [ANY_TYPE]
  if (places.every((type) => access.reach(scope as Scope, type) !== 'none')) return
  throw new Forbidden(`The token would have a right that you have not: ${right}.`)
}
