import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw, type ZlibOptions } from 'node:zlib'
import type { Author, Head, Version } from '#core/document.ts'
import { type Key, type Kind, keyOf } from '#core/key.ts'
import type { Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import { KeyedMutex } from '#lib/concurrency/keyed-mutex.ts'
import { type Failure, NoSpace, NotFound } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import { type FormIds, formIdOf } from './form-ids.ts'

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

/** The thing that a form is of: a record, or a new one. */
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
  readonly key: Key
  /** The id of the form. */
  readonly form: string
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

/** A form that is to be kept; without ids it is the one form of its place. */
export interface ToKeep extends Omit<Kept, 'key' | 'form' | 'at'> {
  readonly forms?: FormIds | undefined
}

/**
 * The texts that users typed and have not saved, one for each user and form, be two forms of one record or of a new one:
 * private, never in the history, and gone after 30 days. `keep` throws NoSpace for more than 100 of a user.
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

  /** Keeps what was typed in the place of what was kept of its forms before; resolves with the time once it is durable. */
  keep(keeper: Keeper, kept: ToKeep): Promise<number> {
    return this.#users.run(keeper.id, async () => {
      const { resource, id, title, base, pairs } = kept
      const forms: FormIds = kept.forms ?? [formIdOf(kept)]
      const [form] = forms
      const at = this.#clock.now()
      const key = keyIn(keeper.id, form)
      const heads = await this.#heads(keeper.id)
      const taken = heads.filter((head) => forms.includes(formIn(head.fields)))
      const others = heads.filter((head) => !taken.includes(head) && this.#read(head))
      if (others.length >= MOST) throw tooMany()
      const set = {
        ...{ user: keeper.id, form, resource, record: id ?? null, title, base: base ?? null },
        at: new Date(at).toISOString(),
      }
      await this.#store.write([{ key, put: { set, body: await packed(pairs) } }], keeper.author)
      const gone = taken.filter((head) => head.key.id !== key.id)
      await this.#remove(gone, keeper.author)
      await this.#sweep(keeper.author)
      return at
    })
  }

  /** Finds what is kept of a form of a place, by default of the one that was kept last; undefined where nothing is. */
  async find(user: string, place: Place, form?: string): Promise<Kept | undefined> {
    const found = (await this.at(user, place)).find((kept) => form === undefined || kept.form === form)
    return found && this.read(found)
  }

  /** All that is kept of the forms of a place, the newest first. */
  async at(user: string, { resource, id }: Place): Promise<KeptHead[]> {
    return (await this.of(user)).filter((kept) => kept.resource === resource && kept.id === id)
  }

  /** Reads what was typed; undefined where it is gone meanwhile. */
  async read({ key }: KeptHead): Promise<Kept | undefined> {
    const document = await this.#store.get(key, 'once')
    const head = document && this.#read(document)
    const pairs = document && (await pairsIn(document.body))
    return head && pairs && { ...head, pairs }
  }

  /** All that a user has, the newest first. */
  async of(user: string): Promise<KeptHead[]> {
    const heads = await this.#heads(user)
    return heads.flatMap((head) => this.#read(head) ?? []).sort((a, b) => b.at - a.at)
  }

  /** Removes what is kept of forms, if anything is. */
  async drop({ id, author }: Keeper, forms: readonly string[]): Promise<void> {
    await this.#users.run(id, async () => {
      const heads = await this.#heads(id)
      const gone = heads.filter((head) => forms.includes(formIn(head.fields)))
      await this.#remove(gone, author)
    })
  }

  async #heads(user: string): Promise<Head[]> {
    return (await this.#store.heads(KIND, { where: [{ field: 'user', op: 'eq', value: user, as: 'text' }] })).items
  }

  #read({ key, fields, problem }: Head): KeptHead | undefined {
    const at = Date.parse(textOf(fields.at) ?? '')
    const resource = textOf(fields.resource)
    if (problem?.severity === 'error' || resource === undefined || !(at > this.#clock.now() - LIFE_MS)) return undefined
    const [id, title, base] = [textOf(fields.record), textOf(fields.title) ?? '', textOf(fields.base)]
    return { key, form: formIn(fields), resource, id, title, base, at }
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
    await this.#remove(items, author)
  }

  async #remove(heads: readonly Head[], author: Author): Promise<void> {
    for (const { key } of heads) {
      // Another node may have been faster.
      await this.#store.write([{ key, remove: true }], author).catch((error) => {
        if (!(error instanceof NotFound)) throw error
      })
    }
  }
}

function tooMany(): Failure {
  return new NoSpace(
    `You have ${MOST} texts that were kept and not saved. Save some, or throw some away: they are on the dashboard.`,
  )
}

function formIn({ form, resource, record }: Fields): string {
  return textOf(form) ?? formIdOf({ resource: textOf(resource) ?? '', id: textOf(record) })
}

/** A user's forms are their own, whatever ids they say. */
function keyIn(user: string, form: string): Key {
  const name = JSON.stringify([user, form])
  return keyOf(KIND, createHash('sha256').update(name).digest('hex').slice(0, 40))
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
