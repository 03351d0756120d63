import { timingSafeEqual } from 'node:crypto'
import type { Access } from '#core/access.ts'
import type { Author, Document } from '#core/document.ts'
import { keyOf } from '#core/key.ts'
import type { Ledger } from '#core/ledger.ts'
import type { Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import { Conflict, InvalidInput, NotFound } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import { type ConfiguredToken, type Holder, holderOf, tokenAuthor, tokenId } from './configured.ts'
import { hashToken, isToken, makeToken, type RandomInt, secureRandom } from './format.ts'
import { Moment } from './moment-cache.ts'
import { accessOf, expandScopes } from './rights.ts'

const KIND = '.tokens'
const DAY = 86_400_000
const HOUR = 3_600_000
const KEPT = 400 * DAY

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
}

/**
 * The options of a new token. `scopes` are scopes or presets, each optionally narrowed by `@type`; `expires` is in milliseconds
 * from now (90 days by default).
 */
export interface TokenInput {
  name: string
  scopes: readonly string[]
  types?: readonly string[]
  expires?: number | 'never'
}

/** API tokens: made, listed, revoked and checked. Only hashes are kept. */
export class Tokens {
  readonly #store: Store
  readonly #ledger: Ledger
  readonly #clock: Clock
  readonly #random: RandomInt
  readonly #siteHost: string
  readonly #configured: ReadonlyMap<string, { token: ConfiguredToken; holder: Holder }>
  readonly #seen = new Moment<Holder>()
  readonly #noted = new Map<string, number>()

  constructor(parts: {
    store: Store
    ledger: Ledger
    clock: Clock
    configured: readonly ConfiguredToken[]
    siteHost: string
    random?: RandomInt
  }) {
    this.#store = parts.store
    this.#ledger = parts.ledger
    this.#clock = parts.clock
    this.#random = parts.random ?? secureRandom
    this.#siteHost = parts.siteHost
    this.#store.subscribe(() => this.#seen.clear())
    this.#configured = new Map(parts.configured.map((token) => [token.hash, { token, holder: holderOf(token, parts.siteHost) }]))
  }

  /** Makes a token; the secret is in the answer and nowhere else. A name that is taken throws Conflict. */
  async create(input: TokenInput): Promise<{ token: string; view: TokenView }> {
    const name = checkName(input.name)
    const scopes = expandScopes(input.scopes)
    const token = makeToken(this.#random)
    const hash = hashToken(token)
    const now = this.#clock.now()
    const ends = input.expires === 'never' ? null : new Date(now + checkLife(input.expires ?? 90 * DAY)).toISOString()
    const fields: Fields = {
      name,
      hash,
      scopes,
      types: [...(input.types ?? [])],
      created: new Date(now).toISOString(),
      expires: ends,
    }
    const [document] = await this.#store.write(
      [{ key: keyOf(KIND, tokenId(hash)), put: { set: fields }, expects: 'absent', unique: [{ field: 'name', value: name }] }],
      this.#author(name, tokenId(hash)),
    )
    if (!document) throw new Error('The store gave no document back for a new token.')
    return { token, view: await this.#view(document) }
  }

  /** All tokens, those of the configuration first, else by name. */
  async list(): Promise<TokenView[]> {
    const { items } = await this.#store.browse(KIND, { sort: [{ field: 'name', descending: false, as: 'text' }] })
    const configured = [...this.#configured.values()].map(({ token, holder }) => this.#configuredView(token, holder))
    return Promise.all([...configured, ...items.map((document) => this.#view(document))])
  }

  /** Revokes a token at once, by its id or its name; throws NotFound if there is none. */
  async revoke(idOrName: string): Promise<TokenView> {
    const found = await this.#find(idOrName)
    const view = await this.#view(found)
    await this.#store.write([{ key: found.key, remove: true }], this.#author(view.name, view.id))
    return view
  }

  /**
   * Resolves with the access of this token's bearer; undefined if the token is malformed, unknown, revoked or expired.
   * `credentials` is how it was sent (the whole header), by which `known` finds it again.
   */
  async verify(token: string, credentials = token): Promise<Access | undefined> {
    const hash = hashToken(token)
    const configured = this.#configured.get(hash)
    if (!configured && !isToken(token)) return undefined
    const holder = configured?.holder ?? (await this.#holder(hash))
    if (holder) this.#seen.set(credentials, holder)
    return this.#admit(holder)
  }

  /**
   * As `verify`, at once, for credentials that were looked up within the last moment and of which no change is known; undefined
   * says nothing.
   */
  known(credentials: string): Access | undefined {
    return this.#admit(this.#seen.get(credentials))
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
    const holder = document && readHolder(document, this.#siteHost)
    return holder && sameHash(holder.hash, hash) ? holder : undefined
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
      throw new Conflict(`The token "${idOrName}" comes from the configuration; take it out of api.tokens there.`)
    }
    throw new NotFound(`There is no token "${idOrName}".`, 'cms token:list shows them.')
  }

  async #view(document: Document): Promise<TokenView> {
    const { fields } = document
    return {
      id: document.key.id,
      name: text(fields.name) ?? '',
      scopes: texts(fields.scopes),
      types: texts(fields.types),
      created_at: text(fields.created),
      expires_at: text(fields.expires),
      last_used_at: await this.#lastUsed(document.key.id),
      configured: false,
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
    }
  }

  async #lastUsed(id: string): Promise<string | null> {
    return text(await this.#ledger.peek(usedName(id)))
  }

  #author(name: string, id: string): Author {
    return tokenAuthor(name, id, this.#siteHost)
  }
}

function usedName(id: string): string {
  return `token.used.${id}`
}

function readHolder({ key, fields }: Document, siteHost: string): Holder | undefined {
  const hash = text(fields.hash)
  const expires = text(fields.expires)
  const ends = expires === null ? Number.POSITIVE_INFINITY : Date.parse(expires)
  // A file whose end can't be read must not become a token without one.
  if (hash === null || Number.isNaN(ends) || (fields.expires !== null && fields.expires !== undefined && expires === null))
    return undefined
  const author = tokenAuthor(text(fields.name) ?? key.id, key.id, siteHost)
  return { id: key.id, hash, ends, access: accessOf(`token:${key.id}`, author, texts(fields.scopes), texts(fields.types)) }
}

function sameHash(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}

function checkName(name: string): string {
  const trimmed = name.trim()
  if (trimmed === '') throw new InvalidInput({ name: ['The name is required.'] })
  // A name goes into the author line of commits.
  if (trimmed.length > 100 || /[\p{Cc}<>]/u.test(trimmed)) {
    throw new InvalidInput({ name: ['The name may have 100 characters, none of them a control character, < or >.'] })
  }
  return trimmed
}

function checkLife(ms: number): number {
  if (Number.isFinite(ms) && ms > 0 && ms < 100_000 * DAY) return ms
  throw new InvalidInput({ expires: ['The expiry is a length of time such as 90d, or never.'] })
}

function text(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null
}

function texts(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
