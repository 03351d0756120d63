import { type Kysely, sql } from 'kysely'
import { datedHead } from '#core/dates.ts'
import type { Head } from '#core/document.ts'
import { type Chosen, PastChoice, type PastHead, type PastLink, type PastList, type PastMoment } from '#core/history/past.ts'
import type { Action } from '#core/history/revision.ts'
import { timeNamed } from '#core/history/revision-name.ts'
import { isPrivate, type Kind, keyOf } from '#core/key.ts'
import { Cache } from '#lib/cache.ts'
import { InvalidInput } from '#lib/errors.ts'
import type { Database } from '../database.ts'
import type { Rows } from '../documents/rows.ts'
import type { Freshness } from '../following/freshness.ts'
import type { Tables } from '../tables.ts'

/** A revision as its row has it, without its bytes. */
interface Row {
  readonly id: string
  readonly place: number
  readonly number: number
  readonly at: string
  readonly action: string
  readonly version: string | null
  readonly moved_from: string | null
  readonly is_end: boolean
}

/** A revision, and its row among those of the key it had. */
interface Link extends PastLink {
  readonly place: number
  readonly isEnd: boolean
}

/** The content of a revision. `head` is set if the record is now exactly that. */
interface Held {
  /** Of the record it is asked for. */
  readonly id: string
  readonly file: string
  readonly version: string
  readonly bytes: Buffer | null
  readonly head: string | null
  readonly problem: string | null
}

/** By kind and id, the rows of revisions, newest first. */
type Revisions = Map<Kind, Map<string, Row[]>>

/** Number of records that are requested at once. A part of this size holds nobody up. */
const AT_ONCE = 250

/** Lists of records as they were. */
export class PastLists {
  readonly #database: Database
  readonly #rows: Rows
  readonly #freshness: Freshness
  /** The last list: a client that reads it page by page asks for it again. */
  readonly #last = new Cache<PastList>({ most: 1 })

  constructor(database: Database, rows: Rows, freshness: Freshness) {
    this.#database = database
    this.#rows = rows
    this.#freshness = freshness
  }

  /** As `Store.past`. */
  async list(kind: Kind, moment: PastMoment): Promise<PastList | undefined> {
    if (isPrivate(kind)) return undefined
    if ('at' in moment && 'commit' in moment.at)
      throw new InvalidInput({ at: ['This history is not one of commits: name a time.'] })
    const state = this.#freshness.stateAt(await this.#freshness.now())
    const known = this.#last.get([kind, moment], state)
    if (known) return known
    const time = 'at' in moment ? timeNamed(moment.at) : Number.POSITIVE_INFINITY
    const list = { heads: await this.#heads(kind, await this.#chosen(kind, moment)), time }
    this.#last.set([kind, moment], list, state)
    return list
  }

  async #chosen(kind: Kind, moment: PastMoment): Promise<Chosen<Link>[]> {
    const revisions = await this.#database.read((db) => revisionsOf(db, kind))
    const there = await this.#database.read((db) => idsOf(db, kind))
    const choice = new PastChoice<Link>(moment)
    for (const id of revisions.get(kind)?.keys() ?? []) {
      choice.take({ key: keyOf(kind, id), links: linksOf(revisions, { kind, id }), isThere: there.has(id) })
    }
    return choice.all()
  }

  async #heads(kind: Kind, chosen: readonly Chosen<Link>[]): Promise<PastHead[]> {
    const heads: PastHead[] = []
    for (let n = 0; n < chosen.length; n += AT_ONCE) {
      const some = chosen.slice(n, n + AT_ONCE)
      const held = await this.#database.read((db) => heldBy(db, kind, some))
      const byId = new Map(held.map((one) => [one.id, one]))
      for (const one of some) {
        const head = this.#head(one, byId.get(one.key.id))
        if (head)
          heads.push({ head, number: one.link.number, at: one.link.at, ...(one.removedAt && { removedAt: one.removedAt }) })
      }
    }
    return heads
  }

  #head({ key, first, link }: Chosen<Link>, held: Held | undefined): Head | undefined {
    if (!held) return undefined
    const { bytes, file, version, head, problem } = held
    const created_at = first.isEnd ? null : first.at
    const updated_at = link.isEnd ? null : link.at
    const dates = { ...(created_at !== null && { createdAt: created_at }), ...(updated_at !== null && { updatedAt: updated_at }) }
    const found =
      head === null
        ? datedHead(this.#rows.read(key, file, bytes ?? Buffer.alloc(0)), dates)
        : this.#rows.head({ ...key, file, version, head, problem, created_at, updated_at })
    return found.problem?.severity === 'error' ? undefined : found
  }
}

/** The revisions of all records of a kind, and of the kinds that records of it were moved from. */
async function revisionsOf(db: Kysely<Tables>, kind: Kind): Promise<Revisions> {
  const kinds = new Set([kind])
  const found: Revisions = new Map()
  // A set that grows while it is gone through visits what is added, each once.
  for (const one of kinds) {
    const byId = new Map<string, Row[]>()
    for (const row of await rowsOf(db, one)) {
      const rows = byId.get(row.id)
      if (rows) rows.push(row)
      else byId.set(row.id, [row])
      if (row.moved_from !== null) kinds.add(keyNamed(row.moved_from).kind)
    }
    found.set(one, byId)
  }
  return found
}

function rowsOf(db: Kysely<Tables>, kind: Kind): Promise<Row[]> {
  return db
    .selectFrom('revisions')
    .select(['id', 'place', 'number', 'at', 'action', 'version', 'moved_from', 'is_end'])
    .where('kind', '=', kind)
    .orderBy('place', 'desc')
    .execute()
}

async function idsOf(db: Kysely<Tables>, kind: Kind): Promise<Set<string>> {
  const rows = await db.selectFrom('documents').select('id').where('kind', '=', kind).execute()
  return new Set(rows.map(({ id }) => id))
}

/** As `chainOf`: newest first, and on with those of the key that the record was moved from. */
function linksOf(revisions: Revisions, key: { readonly kind: Kind; readonly id: string }): Link[] {
  const links: Link[] = []
  let before = Number.POSITIVE_INFINITY
  for (let at: typeof key | undefined = key; at; ) {
    const { kind, id } = at
    at = undefined
    for (const row of revisions.get(kind)?.get(id) ?? []) {
      if (row.place >= before) continue
      links.push(linkOf(row, { kind, id }))
      if (row.moved_from === null) continue
      before = row.place
      at = keyNamed(row.moved_from)
      break
    }
  }
  return links
}

function linkOf({ place, number, at, action, version, is_end }: Row, owner: Link['owner']): Link {
  return {
    place,
    number,
    at,
    action: action as Action,
    owner,
    mark: `${place} ${owner.kind}/${owner.id}`,
    isEnd: is_end,
    ...(version !== null && { version }),
  }
}

function keyNamed(text: string): { kind: Kind; id: string } {
  const slash = text.lastIndexOf('/')
  return { kind: text.slice(0, slash), id: text.slice(slash + 1) }
}

/** The bytes of revisions, but where they are what the record is now. */
async function heldBy(db: Kysely<Tables>, kind: Kind, chosen: readonly Chosen<Link>[]): Promise<Held[]> {
  const isNow = sql`d.version = r.version and d.file = r.file`
  const { rows } = await sql<Held>`
    select w.id, r.file, r.version, case when ${isNow} then null else r.bytes end as bytes,
      case when ${isNow} then d.head end as head, case when ${isNow} then d.problem end as problem
    from unnest(${chosen.map(({ key }) => key.id)}::text[], ${chosen.map(({ link }) => link.owner.id)}::text[],
      ${chosen.map(({ link }) => link.place)}::bigint[]) as w (id, owner, place)
    join revisions r on r.kind = ${kind} and r.id = w.owner and r.place = w.place
    left join documents d on d.kind = ${kind} and d.id = w.id`.execute(db)
  return rows
}
