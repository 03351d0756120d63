import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw, type ZlibOptions } from 'node:zlib'
import type { Author, Head, Version } from '#core/document.ts'
import { type Key, type Kind, keyOf } from '#core/key.ts'
import type { Change, Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import { type Failure, NoSpace, NotFound } from '#lib/errors.ts'
import type { Json } from '#lib/json.ts'
import { KeyedMutex } from '#lib/keyed-mutex.ts'

/** The private kind that texts which were typed and not saved are documents of. */
const KIND: Kind = '.autosaves'

const LIFE_MS = 30 * 86_400_000
const LONGEST = 16 * 1024 * 1024
const deflate = promisify(deflateRaw)
const inflate: (text: Buffer, options: ZlibOptions) => Promise<Buffer> = promisify(inflateRaw)
const SWEEP_EVERY_MS = 3_600_000
/** The most that one user may have of them. */
const MOST = 100
/** The most that one sweep removes: the next one goes on. */
const MOST_SWEPT = 200

/** The form that a text was typed into: that of a record, or of a new one. */
export interface Place {
  /** The name of the resource, `content/posts`. */
  readonly resource: string
  /** The id of the record; undefined for a new one. */
  readonly id: string | undefined
}

/** The names and values of a form. */
export type Pairs = readonly (readonly [name: string, value: string])[]

/** A form that was typed into and not saved, without what was typed. */
export interface KeptHead extends Place {
  readonly title: string
  /** The version that the edit began from. */
  readonly base: Version | undefined
  /** Milliseconds since 1970. */
  readonly at: number
}

/** A form that was typed into and not saved. */
export interface Kept extends KeptHead {
  readonly pairs: Pairs
}

/** The user whose texts are kept. */
export interface Keeper {
  /** The id of the user. */
  readonly id: string
  readonly author: Author
}

/**
 * The texts that users typed and have not saved, one for each user and form: private, never in the history, and gone after 30
 * days. `keep` throws NoSpace for more than 100 of a user.
 */
export class Autosaves {
  readonly #store: Store
  readonly #clock: Clock
  readonly #users = new KeyedMutex()
  #swept = Number.NEGATIVE_INFINITY

  constructor({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
    this.#store = store
    this.#clock = clock
  }

  /** Keeps what was typed in the place of what was kept before; resolves with the time once it is durable. */
  keep(keeper: Keeper, kept: Omit<Kept, 'at'>): Promise<number> {
    return this.#users.run(keeper.id, async () => {
      const { resource, id, title, base, pairs } = kept
      const at = this.#clock.now()
      const key = keyIn(keeper.id, kept)
      const known = (await this.#heads(keeper.id)).filter((head) => this.#read(head))
      if (known.length >= MOST && !known.some((head) => head.key.id === key.id)) throw tooMany()
      const set = {
        ...{ user: keeper.id, resource, record: id ?? null, title, base: base ?? null },
        at: new Date(at).toISOString(),
      }
      await this.#store.write([{ key, put: { set, body: await packed(pairs) } }], keeper.author)
      await this.#sweep(keeper.author)
      return at
    })
  }

  /** Finds what is kept of a form; undefined where nothing is. */
  async find(user: string, place: Place): Promise<Kept | undefined> {
    const document = await this.#store.get(keyIn(user, place), 'once')
    const head = document && this.#read(document)
    const pairs = document && (await pairsIn(document.body))
    return head && pairs && { ...head, pairs }
  }

  /** All that a user has, the newest first. */
  async of(user: string): Promise<KeptHead[]> {
    const heads = await this.#heads(user)
    return heads.flatMap((head) => this.#read(head) ?? []).sort((a, b) => b.at - a.at)
  }

  /** Removes what is kept of a form, if anything is. */
  async drop({ id, author }: Keeper, place: Place): Promise<void> {
    const key = keyIn(id, place)
    await this.#users.run(id, async () => {
      if (await this.#store.head(key)) await this.#remove([key], author)
    })
  }

  async #heads(user: string): Promise<Head[]> {
    return (await this.#store.heads(KIND, { where: [{ field: 'user', op: 'eq', value: user, as: 'text' }] })).items
  }

  #read({ fields, problem }: Head): KeptHead | undefined {
    const at = Date.parse(textOf(fields.at) ?? '')
    const resource = textOf(fields.resource)
    if (problem?.severity === 'error' || resource === undefined || !(at > this.#clock.now() - LIFE_MS)) return undefined
    return { resource, id: textOf(fields.record), title: textOf(fields.title) ?? '', base: textOf(fields.base), at }
  }

  /** Removes those that are over, whoever they are of. */
  async #sweep(author: Author): Promise<void> {
    const now = this.#clock.now()
    if (now - this.#swept < SWEEP_EVERY_MS) return
    this.#swept = now
    const over = new Date(now - LIFE_MS).toISOString()
    const { items } = await this.#store.heads(KIND, {
      where: [{ field: 'at', op: 'lt', value: over, as: 'text' }],
      limit: MOST_SWEPT,
    })
    for (const { key } of items) await this.#remove([key], author)
  }

  async #remove(keys: readonly Key[], author: Author): Promise<void> {
    const changes = keys.map((key): Change => ({ key, remove: true }))
    // Another node may have been faster.
    await this.#store.write(changes, author).catch((error) => {
      if (!(error instanceof NotFound)) throw error
    })
  }
}

function tooMany(): Failure {
  return new NoSpace(
    `You have ${MOST} texts that were kept and not saved. Save some, or throw some away: they are on the dashboard.`,
  )
}

/** Names of records and types are any text: the key is made of their hash. */
function keyIn(user: string, { resource, id }: Place): Key {
  const place = JSON.stringify([user, resource, id ?? null])
  return keyOf(KIND, createHash('sha256').update(place).digest('hex').slice(0, 40))
}

/** A long text in YAML takes its time, what is packed does not. */
async function packed(pairs: Pairs): Promise<string> {
  return (await deflate(JSON.stringify(pairs))).toString('base64url')
}

async function pairsIn(text: string): Promise<Pairs | undefined> {
  try {
    const whole = await inflate(Buffer.from(text, 'base64url'), { maxOutputLength: LONGEST })
    const value: Json = JSON.parse(whole.toString('utf8'))
    return Array.isArray(value) ? value.flatMap(pairOf) : undefined
  } catch {
    return undefined
  }
}

function pairOf(value: Json): (readonly [string, string])[] {
  if (!Array.isArray(value)) return []
  const [name, text] = value
  return typeof name === 'string' && typeof text === 'string' ? [[name, text]] : []
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
