import type { Document, Head } from '#core/document.ts'
import type { PastHead, PastMoment } from '#core/history/past.ts'
import { parseRevisionName, revisionText } from '#core/history/revision-name.ts'
import { keyText } from '#core/key.ts'
import { compareKeys, fieldOf, sortable } from '#core/queries/comparison.ts'
import { isOwn } from '#core/queries/extent.ts'
import { matches } from '#core/queries/operators.ts'
import type { Condition, Query, Sort } from '#core/queries/query.ts'
import { statusAt } from '#core/status.ts'
import type { Store } from '#core/store.ts'
import type { ContentType, Field } from '#core/types/content-type.ts'
import type { Fields } from '#lib/json.ts'
import { compareText } from '#lib/text/compare.ts'
import type { Deps } from '../parts.ts'
import type { Plan } from './parameters.ts'
import type { Source } from './sources.ts'

/** A record as it is listed: its head with what a list of removed ones says beside, and how the clock had its status. */
interface Seen {
  readonly past: PastHead
  readonly head: Head
  readonly then: number
  readonly status: string
}

/** Of a record that was removed, when it was, and the revision that a rollback brings it back with. */
const OF_REMOVED: readonly Field[] = [
  { name: 'deleted_at', type: 'datetime', label: 'Deleted at', rules: [] },
  { name: 'revision', type: 'text', label: 'Revision', rules: [] },
]

const LATEST_REMOVAL: readonly Sort[] = [{ field: 'deleted_at', descending: true, as: 'instant' }]

/** The type with what its removed records have beside. */
export function removedType(type: ContentType): ContentType {
  return { ...type, fields: new Map([...type.fields, ...OF_REMOVED.map((field) => [field.name, field] as const)]) }
}

/** Lists of past records. */
export class PastLists {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /**
   * Resolves with the past records that the plan selects, with the conditions and the extent of a query: those within the extent
   * both now and then; of removed ones, the reader's own. `type` is `removedType` if removed records are requested.
   */
  async source(type: ContentType, plan: Plan, { where = [], live, own }: Query): Promise<Source> {
    const moment: PastMoment = plan.at === undefined ? { removed: true } : { at: parseRevisionName('at', plan.at) }
    const list = await this.#deps.store.past(type.name, moment)
    const latest = Math.min(list?.time ?? 0, this.#deps.clock.now())
    const seen = (list?.heads ?? []).map((past) => seenAt(type, past, latest))
    const there = live ? await this.#within(type, seen, own) : seen
    const met = there.filter(({ head, status }) => where.every((one) => matches(fieldOf(head, one.field, status), one)))
    return new PastSource(this.#deps.store, type, ordered(met, plan.sort ?? (plan.removed ? LATEST_REMOVAL : type.sort)))
  }

  async #within(type: ContentType, seen: readonly Seen[], own: string | undefined): Promise<Seen[]> {
    const isRemoved = ({ past }: Seen) => past.removedAt !== undefined
    const then = seen.filter((one) => {
      const isOwnThen = isOwn(one.head.fields, own)
      return isOwnThen || (!isRemoved(one) && type.statuses.get(one.status)?.live === true)
    })
    const ids = then.filter((one) => !isRemoved(one)).map(({ head }) => head.key.id)
    const where: Condition[] = [{ field: 'id', op: 'in', value: ids, as: 'text' }]
    const now = await this.#deps.store.count(type.name, { where, live: true, ...(own !== undefined && { own }) }, 'id')
    return then.filter((one) => isRemoved(one) || now.has(one.head.key.id))
  }
}

/** A record's status is that of the time that is asked for, and of none before the revision it is of. */
function seenAt(type: ContentType, past: PastHead, latest: number): Seen {
  const { at, removedAt } = past
  const then = removedAt === undefined ? Math.max(Date.parse(at), latest) : Date.parse(removedAt)
  const head = { ...past.head, fields: { ...past.head.fields, ...ofRemoved(past) } }
  return { past, head, then, status: statusAt(head.fields, type.statuses, then) }
}

function ofRemoved({ number, removedAt }: PastHead): Fields {
  return removedAt === undefined ? {} : { deleted_at: removedAt, revision: revisionText({ number }) }
}

/** As `orderHeads` has it; what is compared is worked out once a record. */
function ordered(seen: readonly Seen[], sorts: readonly Sort[]): Seen[] {
  const decorated = seen.map((one) => ({
    one,
    keys: sorts.map(({ field, as }) => sortable(fieldOf(one.head, field, one.status), as)),
  }))
  decorated.sort((a, b) => {
    for (const [n, { descending }] of sorts.entries()) {
      const order = compareKeys(a.keys[n], b.keys[n], descending)
      if (order !== 0) return order
    }
    return compareText(a.one.head.key.id, b.one.head.key.id)
  })
  return decorated.map(({ one }) => one)
}

class PastSource implements Source {
  readonly type: ContentType
  readonly #store: Store
  readonly #seen: readonly Seen[]
  readonly #thens = new Map<string, number>()

  constructor(store: Store, type: ContentType, seen: readonly Seen[]) {
    this.type = type
    this.#store = store
    this.#seen = seen
  }

  async page(offset: number, limit: number) {
    const documents = await Promise.all(this.#seen.slice(offset, offset + limit).map((seen) => this.#document(seen)))
    return { items: documents.filter((document) => document !== undefined), total: this.#seen.length }
  }

  async count(field: string): Promise<Map<string, number>> {
    const counts = new Map<string, number>()
    for (const { head, status } of this.#seen) {
      const items = [fieldOf(head, field, status) ?? []].flat().filter((item) => item !== null && typeof item !== 'object')
      for (const text of new Set(items.map(String))) counts.set(text, (counts.get(text) ?? 0) + 1)
    }
    return counts
  }

  asOf = ({ key }: Document): number => this.#thens.get(keyText(key)) ?? 0

  async #document({ past, then }: Seen): Promise<Document | undefined> {
    const document = await this.#store.at(past.head.key, past.number)
    if (!document) return undefined
    this.#thens.set(keyText(document.key), then)
    return { ...document, fields: { ...document.fields, ...ofRemoved(past) } }
  }
}
