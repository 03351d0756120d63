import type { Access } from '#core/access/access.ts'
import { noHistory } from '#core/history/revision-name.ts'
import { keyText } from '#core/key.ts'
import type { Ledger } from '#core/ledger.ts'
import type { Store } from '#core/store.ts'
import type { ContentType, ContentTypes } from '#core/types/content-type.ts'
import { instantFault } from '#core/types/values.ts'
import { type ListMeta, metaOf, pagingIn } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { SliceQueue, Slices, sortedInSlices } from '#lib/concurrency/slices.ts'
import { type FieldErrors, Forbidden, InvalidInput } from '#lib/errors.ts'
import { compareText } from '#lib/text/compare.ts'
import type { LastChange } from '../../changed-kind.ts'
import { ClockEvents, type ClockPart } from './clock-events.ts'
import { BEGINNING, Cursors, type Place } from './cursors.ts'
import type { Budget } from './ends.ts'
import { LastChanges } from './last-changes.ts'
import type { ChangeView } from './schema.ts'
import { type Readable, type Told, ToldChanges, type ToldChangesDeps } from './told-changes.ts'

/** The dependencies of the list of changes. */
export interface ChangeListDeps extends ToldChangesDeps {
  readonly types: ContentTypes
  readonly ledger: Ledger
  /** The most changes, revisions, and things that the clock did, that are looked at for one answer. */
  readonly most?: { readonly changes: number; readonly revisions: number; readonly events?: number }
}

/** The options of a list, checked. */
interface Asked {
  readonly since: number | undefined
  readonly type: string | undefined
  readonly author: string | undefined
  readonly place: Place
}

/** The changes that one answer is of; `next` is the place that the older ones begin at. */
interface Window {
  readonly told: readonly Told[]
  readonly next: Place | undefined
}

/** The position of a part in its window; `next` asks for the one before it. */
type ChangesMeta = ListMeta & { readonly next?: string }

/** Most revisions that are read for one answer, to find when what is hidden from its reader was public. */
const MOST_READ = 2_000

/**
 * Lists what was last done to each record, term, menu, setting and media file, the newest first, for one reader at a time. What
 * the clock did counts as done at its time.
 */
export class ChangeList {
  readonly #store: Store
  readonly #types: ContentTypes
  readonly #changes: LastChanges
  readonly #clockEvents: ClockEvents
  readonly #told: ToldChanges
  readonly #mostRead: number
  readonly #cursors: Cursors
  readonly #queue = new SliceQueue()

  constructor(deps: ChangeListDeps) {
    this.#store = deps.store
    this.#types = deps.types
    this.#changes = new LastChanges(deps, deps.most?.changes)
    this.#clockEvents = new ClockEvents(deps, deps.most?.events)
    this.#told = new ToldChanges(deps)
    this.#mostRead = deps.most?.revisions ?? MOST_READ
    this.#cursors = new Cursors(deps.ledger)
  }

  close(): void {
    this.#changes.close()
  }

  /**
   * A part of the list; `params` are `page per_page type author since after`. One answer is of a window of so many changes at most;
   * `meta.next` is the cursor of what is before it. Throws NotFound where no history is kept.
   */
  async list(access: Access, params: QueryParams): Promise<{ data: ChangeView[]; meta: ChangesMeta }> {
    const errors: FieldErrors = {}
    const paging = pagingIn(params, errors)
    const place = params.after === undefined ? BEGINNING : await this.#cursors.read(params.after)
    if (!place) errors.after = ['The after must be the meta.next of an earlier answer. Ask for the list from its beginning.']
    const asked = { since: sinceOf(params.since, errors), type: params.type, author: params.author, place: place ?? BEGINNING }
    if (Object.keys(errors).length > 0) throw new InvalidInput(errors)
    const window = await this.#window(access, await this.#readable(access), asked)
    if (!window) throw noHistory()
    const { told, next } = window
    const { page, perPage } = paging
    const part = told.slice((page - 1) * perPage, page * perPage)
    const data = await Promise.all(part.map((one) => this.#told.titled(one)))
    return { data, meta: { ...metaOf(told.length, paging), ...(next && { next: await this.#cursors.write(next) }) } }
  }

  async #readable(access: Access): Promise<Readable> {
    const declared = this.#types.declared()
    const kinds = await this.#store.kinds()
    const all = [...declared, ...kinds.flatMap((kind) => this.#types.get(kind) ?? [])]
    const seen = all.filter(({ name }) => access.sees(name) && access.may('content:read', name))
    if (seen.length === 0 && !access.may('content:read')) throw new Forbidden('This needs the right content:read.')
    const carries = (type: ContentType, name: string) => type.taxonomies.some((one) => one.name === name)
    const isHidden = (name: string) => !seen.some((type) => carries(type, name)) && all.some((type) => carries(type, name))
    const taxonomies = this.#types.taxonomies().filter(({ name }) => !isHidden(name))
    const seesTypes = kinds.every((kind) => access.sees(kind))
    return {
      types: new Map(seen.map((type) => [type.name, type])),
      taxonomies: new Map(taxonomies.map(({ name, singular }) => [name, singular])),
      isWhole: access.may('content:drafts') && seesTypes,
      seesTypes,
    }
  }

  async #window(access: Access, readable: Readable, asked: Asked): Promise<Window | undefined> {
    const { since, place } = asked
    const walk = await this.#changes.walk(place.offset, since)
    if (!walk) return undefined
    const slices = new Slices(this.#queue)
    const budget = { left: this.#mostRead }
    try {
      const found: Told[] = []
      let looked = 0
      for (const change of walk.changes) {
        if (budget.left <= 0) break
        const told = await this.#told.tell(access, readable, change, budget)
        found.push(...told.filter((one) => !isToldBefore(one, place)))
        looked += 1
        if (slices.isOver) await slices.pause()
      }
      const changes = walk.changes.slice(0, looked)
      const isWhole = walk.isEnd && looked === walk.changes.length
      // Of what is walked to its end, the clock has no more to tell, unless a part of an instant is told already.
      if ((isWhole && since === undefined && place.within === 0) || (looked === 0 && !isWhole))
        return { told: await this.#sorted(found, asked, slices), next: undefined }
      const end = Math.max(since ?? Number.NEGATIVE_INFINITY, isWhole ? Number.NEGATIVE_INFINITY : lastOf(changes))
      const part = await this.#clockEvents.part(end, place)
      const { byClock, from, rest } = await this.#byClock(access, readable, { part, place, changes }, budget, slices)
      // Where so much was done by the clock that this answer has a part of it, it has that part of the changes.
      const within = rest ? changes.filter((change) => lastOf([change]) >= from) : changes
      const known = new Set(within.map(({ key }) => keyText(key)))
      const kept = [
        ...found.filter(({ change }) => known.has(keyText(change.key))),
        ...byClock.filter(({ change, at }) => at >= from && lastOf([change]) <= from && !known.has(keyText(change.key))),
      ]
      const next =
        isWhole && !rest ? undefined : { offset: place.offset + within.length, ...(rest ?? { before: from, within: 0 }) }
      return { told: await this.#sorted(kept, asked, slices), next }
    } finally {
      slices.end()
    }
  }

  /** Tells of what the clock did as far as there is budget for it, of one event at least, and from what time on that is all. */
  async #byClock(
    access: Access,
    readable: Readable,
    { part, place, changes }: { part: ClockPart; place: Place; changes: readonly LastChange[] },
    budget: Budget,
    slices: Slices,
  ): Promise<Omit<ClockPart, 'events'> & { byClock: readonly Told[] }> {
    const { events } = part
    const known = new Map(changes.map((change) => [keyText(change.key), change]))
    const byClock: Told[] = []
    const seen = new Set<string>()
    for (const [n, { head }] of events.entries()) {
      if (budget.left <= 0 && n > 0) return { byClock, ...stoppedAt(part, n, place) }
      const text = keyText(head.key)
      if (seen.has(text)) continue
      seen.add(text)
      budget.left--
      const change = known.get(text) ?? (await this.#changes.of(head))
      const told = change ? await this.#told.tell(access, readable, change, budget) : []
      byClock.push(...told.filter((one) => one.at > lastOf([one.change]) && one.at < place.before))
      if (slices.isOver) await slices.pause()
    }
    return { byClock, from: part.from, rest: part.rest }
  }

  #sorted(told: readonly Told[], asked: Asked, slices: Slices): Promise<Told[]> {
    return sortedInSlices(
      told.filter((one) => isAsked(one, asked)),
      newestFirst,
      slices,
    )
  }
}

/** The end of a part of which so many events were looked at: what is left of an instant is told with the next, or all of it is. */
function stoppedAt({ events }: ClockPart, looked: number, { before, within }: Place): Omit<ClockPart, 'events'> {
  const [first, next] = [events[0]?.at ?? 0, events[looked]?.at ?? 0]
  if (next < first) return { from: next + 1, rest: { before: next + 1, within: 0 } }
  const passed = before === first + 1 ? within : 0
  return { from: first, rest: { before: first + 1, within: passed + looked } }
}

function sinceOf(since: string | undefined, errors: FieldErrors): number | undefined {
  if (since === undefined) return undefined
  if (instantFault(since) === undefined) return Date.parse(since)
  errors.since = ['The since must be a date and time (RFC 3339), such as 2026-11-20T12:00:00Z.']
  return undefined
}

/** The time of the last revision of the last of these. */
function lastOf(changes: readonly LastChange[]): number {
  return Date.parse(changes.at(-1)?.revision.at ?? '')
}

/** Returns whether what the clock did was told with what is newer. */
function isToldBefore({ change, at }: Told, { before }: Place): boolean {
  return at >= before && at > lastOf([change])
}

function isAsked({ view, at }: Told, { since, type, author }: Asked): boolean {
  if (since !== undefined && at < since) return false
  return (type === undefined || view.type === type) && (author === undefined || view.author?.name === author)
}

function newestFirst(one: Told, other: Told): number {
  return other.at - one.at || compareText(one.view.type, other.view.type) || compareText(one.view.id, other.view.id)
}
