import { timingSafeEqual } from 'node:crypto'
import type { Access } from '#core/access/access.ts'
import type { Author, Document } from '#core/document.ts'
import { keyOf, parseKey } from '#core/key.ts'
import type { Ledger } from '#core/ledger.ts'
import type { Page } from '#core/queries/query.ts'
import type { Change, Part, Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import { Conflict, NotFound } from '#lib/errors.ts'
import { type ConfiguredToken, type Holder, holderOf, tokenAuthor, tokenId } from './configured.ts'
import { hashToken, isToken, makeToken, type RandomInt, secureRandom } from './format.ts'
import { checkLife, checkName, type TokenInput } from './input.ts'
import { Moment } from './moment-cache.ts'
import { accessOf, expandScopes, overlapOf } from './rights.ts'
import { fieldsOf, isWhole, KIND, readToken } from './stored.ts'
import { type Configured, type FindOwner, type Owner, ownedBy, type TokenView, TokenViews, usedName } from './token-views.ts'

/** Narrows the access of tokens to what exists for them now. */
export interface Narrowing {
  /** For the token of a user. */
  narrowed(access: Access): Promise<Access>
  /** For a token that is nobody's. */
  ofNobody(access: Access): Access
}

const WHOLE: Narrowing = { narrowed: async (access) => access, ofNobody: (access) => access }

const DAY = 86_400_000
const HOUR = 3_600_000
const KEPT = 400 * DAY
/** Most tokens that a user has. */
const MOST_OWN = 100

/** API tokens: made, listed, revoked and checked. Only hashes are kept. */
export class Tokens {
  readonly #store: Store
  readonly #ledger: Ledger
  readonly #clock: Clock
  readonly #random: RandomInt
  readonly #siteHost: string
  readonly #ownerOf: FindOwner
  readonly #narrowing: Narrowing
  readonly #configured: ReadonlyMap<string, Configured>
  readonly #views: TokenViews
  readonly #seen = new Moment<Holder>()
  readonly #noted = new Map<string, number>()

  constructor(parts: {
    store: Store
    ledger: Ledger
    clock: Clock
    configured: readonly ConfiguredToken[]
    siteHost: string
    ownerOf?: FindOwner
    narrowing?: Narrowing
    random?: RandomInt
  }) {
    this.#store = parts.store
    this.#ledger = parts.ledger
    this.#clock = parts.clock
    this.#random = parts.random ?? secureRandom
    this.#siteHost = parts.siteHost
    this.#ownerOf = parts.ownerOf ?? (async () => undefined)
    this.#narrowing = parts.narrowing ?? WHOLE
    const narrow = (access: Access) => this.#narrowing.ofNobody(access)
    this.#store.subscribe(() => this.#seen.clear())
    const { store, ledger, configured, siteHost } = parts
    this.#configured = new Map(configured.map((token) => [token.hash, { token, holder: holderOf(token, siteHost, narrow) }]))
    this.#views = new TokenViews({ store, ledger, ownerOf: this.#ownerOf, configured: [...this.#configured.values()] })
  }

  /**
   * Makes a token, of the user with the id `owner` if one is given; the secret is in the answer and nowhere else. A name that is
   * taken throws Conflict: by any other token, or by another of this owner.
   */
  async create(input: TokenInput, by?: Author, owner?: string): Promise<{ token: string; view: TokenView }> {
    const name = checkName(input.name)
    const scopes = expandScopes(input.scopes)
    const token = makeToken(this.#random)
    const hash = hashToken(token)
    const now = this.#clock.now()
    const expiresAt = input.expires === 'never' ? null : new Date(now + checkLife(input.expires ?? 90 * DAY)).toISOString()
    const createdAt = new Date(now).toISOString()
    const set = fieldsOf({ name, hash, scopes, types: input.types ?? [], createdAt, expiresAt, owner })
    const id = tokenId(hash)
    // Names of others are not told to a user by what is taken.
    if (owner !== undefined) await this.#checkOwn(owner, name)
    const unique = owner === undefined ? [{ field: 'name', value: name }] : []
    const [document] = await this.#store.write(
      [{ key: keyOf(KIND, id), put: { set }, expects: 'absent', unique }],
      by ?? this.#author(name, id),
    )
    if (!document) throw new Error('The store gave no document back for a new token.')
    return { token, view: await this.#views.of(document) }
  }

  /** All tokens, those of the configuration first, else by name. */
  async list(): Promise<TokenView[]> {
    return (await this.page({})).items
  }

  /** A part of the list of all tokens, or of those of the user with the id `owner`. */
  page(part: Part, owner?: string): Promise<Page<TokenView>> {
    return this.#views.page(part, owner)
  }

  /** Revokes a token at once, by its id or its name; throws NotFound if there is none. */
  async revoke(idOrName: string, by?: Author): Promise<TokenView> {
    const found = await this.#find(idOrName)
    return this.#remove(found, by)
  }

  /**
   * Revokes a token at once, by its id alone: any, or one of the user with the id `owner`; throws NotFound if there is none, and
   * Conflict for one of the configuration.
   */
  async revokeById(id: string, by: Author, owner?: string): Promise<TokenView> {
    const key = parseKey(KIND, id)
    const found = key && (await this.#store.get(key))
    if (found && (owner === undefined || readToken(found).owner === owner)) return this.#remove(found, by)
    for (const { token, holder } of this.#configured.values())
      if (owner === undefined && holder.id === id) throw isConfigured(token.name)
    throw new NotFound('The token was not found.')
  }

  /** The changes that revoke all tokens of a user, to be written with what takes the user away. */
  async removals(owner: string): Promise<Change[]> {
    const { items } = await this.#store.heads(KIND, ownedBy(owner))
    return items.map(({ key, version }) => ({ key, remove: true, expects: version }))
  }

  /**
   * Resolves with the access of this token's bearer; undefined if the token is malformed, unknown, revoked or expired.
   * `credentials` is how it was sent (the whole header), by which `known` finds it again.
   */
  async verify(token: string, credentials = token): Promise<Access | undefined> {
    const hash = hashToken(token)
    const configured = this.#configured.get(hash)
    if (!configured && !isToken(token)) return undefined
    const { generation } = this.#seen
    const holder = configured?.holder ?? (await this.#holder(hash))
    if (holder && generation === this.#seen.generation) this.#seen.set(credentials, holder)
    return this.#admit(holder)
  }

  /**
   * As `verify`, at once, for credentials that were looked up within the last moment and of which no change is known; undefined
   * says nothing.
   */
  known(credentials: string): Access | undefined {
    return this.#admit(this.#seen.get(credentials))
  }

  /** The name and the rights of a token that may be used now, by its id; undefined for any other. */
  async acting(id: string): Promise<Owner | undefined> {
    const configured = [...this.#configured.values()].find(({ holder }) => holder.id === id)
    const key = parseKey(KIND, id)
    const document = configured || !key ? undefined : await this.#store.get(key)
    const holder = configured?.holder ?? (document && (await this.#heldBy(document)))
    if (!holder || holder.ends <= this.#clock.now()) return undefined
    return { name: configured?.token.name ?? (document ? readToken(document).name : ''), access: holder.access }
  }

  #admit(holder: Holder | undefined): Access | undefined {
    if (!holder) return undefined
    const now = this.#clock.now()
    if (holder.ends <= now) return undefined
    this.#note(holder.id, now)
    return holder.access
  }

  async #holder(hash: string): Promise<Holder | undefined> {
    const document = await this.#store.get(keyOf(KIND, tokenId(hash)))
    const holder = document && (await this.#heldBy(document))
    return holder && sameHash(holder.hash, hash) ? holder : undefined
  }

  /** The holder of a token, with no more rights than its owner has now. */
  async #heldBy(document: Document): Promise<Holder | undefined> {
    const holder = readHolder(document, this.#siteHost)
    if (!holder) return undefined
    const { owner } = readToken(document)
    if (owner === undefined) return { ...holder, access: this.#narrowing.ofNobody(holder.access) }
    const found = await this.#ownerOf(owner)
    // What its owner sees by a right, the token sees only with that right.
    return found && { ...holder, access: await this.#narrowing.narrowed(overlapOf(holder.access, found.access)) }
  }

  #note(id: string, now: number): void {
    if (now - (this.#noted.get(id) ?? Number.NEGATIVE_INFINITY) < HOUR) return
    this.#noted.set(id, now)
    // When it was last used is of no weight beside the request that uses it: a ledger that is away must not fail it.
    this.#ledger.put(usedName(id), new Date(now).toISOString(), KEPT).catch(() => this.#noted.delete(id))
  }

  async #find(idOrName: string): Promise<Document> {
    const { items } = await this.#store.browse(KIND, {})
    const found = items.filter((item) => item.key.id === idOrName || item.fields.name === idOrName)
    const [first] = found
    if (found.length > 1) throw new Conflict(`${found.length} tokens are called "${idOrName}"; say which by its id.`)
    if (first) return first
    for (const { token, holder } of this.#configured.values()) {
      if (token.name !== idOrName && holder.id !== idOrName) continue
      throw isConfigured(idOrName)
    }
    throw new NotFound(`There is no token "${idOrName}".`, 'cms token:list shows them.')
  }

  async #remove(found: Document, by?: Author): Promise<TokenView> {
    const view = await this.#views.of(found)
    await this.#store.write([{ key: found.key, remove: true }], by ?? this.#author(view.name, view.id))
    return view
  }

  async #checkOwn(owner: string, name: string): Promise<void> {
    const { items } = await this.#store.heads(KIND, ownedBy(owner))
    if (items.some((head) => readToken(head).name === name)) throw new Conflict(`You have a token called "${name}" already.`)
    if (items.length >= MOST_OWN) throw new Conflict(`You have ${MOST_OWN} tokens; revoke one that is not used any more.`)
  }

  #author(name: string, id: string): Author {
    return tokenAuthor(name, id, this.#siteHost)
  }
}

function isConfigured(name: string): Conflict {
  return new Conflict(`The token "${name}" comes from the configuration; take it out of api.tokens there.`)
}

function readHolder(document: Document, siteHost: string): Holder | undefined {
  if (!isWhole(document)) return undefined
  const { id } = document.key
  const { name, hash, scopes, types, expiresAt } = readToken(document)
  const ends = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt)
  return { id, hash, ends, access: accessOf(`token:${id}`, tokenAuthor(name || id, id, siteHost), scopes, types) }
}

function sameHash(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}
