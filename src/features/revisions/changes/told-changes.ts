import type { Access } from '#core/access/access.ts'
import { revisionText } from '#core/history/revision-name.ts'
import { isLive, statusTerm } from '#core/status.ts'
import type { Store } from '#core/store.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { type MessageReader, messageFor } from '#http/past/revisions.ts'
import type { Clock } from '#lib/clock.ts'
import type { Fields } from '#lib/json.ts'
import type { ChangedKind, LastChange, SeenChange } from '../../changed-kind.ts'
import type { Histories } from '../../records/histories.ts'
import { isKnown, seesAll } from '../../records/rights.ts'
import { type Budget, Ends } from './ends.ts'
import { LastKnown } from './last-known.ts'
import type { ChangeView } from './schema.ts'

const TERMS = 'taxonomy/'

/** The rest of a change of which a reader is told the type and the id alone. */
const NOTHING = { title: null, author: null, message: null, commit: null } as const

/** A change for one reader, before its title is looked up. */
export interface Told {
  readonly change: LastChange
  readonly view: ChangeView
  readonly at: number
}

/** The parts of the content that exist for a reader. */
export interface Readable extends MessageReader {
  readonly types: ReadonlyMap<string, ContentType>
  /** Singulars of taxonomies by their names. */
  readonly taxonomies: ReadonlyMap<string, string>
}

/** The dependencies of `ToldChanges`. */
export interface ToldChangesDeps {
  readonly store: Store
  readonly clock: Clock
  readonly histories: Histories
  /** Kinds beside records and terms. */
  readonly others: readonly ChangedKind[]
}

/**
 * Tells readers of changes, as far as they may know of them. A reader who may not see drafts is told of a record that was public when
 * it stopped being so, of a term or menu when it was removed, and no more.
 */
export class ToldChanges {
  readonly #store: Store
  readonly #clock: Clock
  readonly #ends: Ends
  readonly #known: LastKnown
  readonly #histories: Histories
  readonly #others: ReadonlyMap<string, ChangedKind>

  constructor(deps: ToldChangesDeps) {
    this.#store = deps.store
    this.#clock = deps.clock
    this.#histories = deps.histories
    this.#others = new Map(deps.others.map((one) => [one.kind, one]))
    this.#ends = new Ends(deps)
    this.#known = new LastKnown(deps)
  }

  /** Returns what a reader is told of a change; what is read to find out is taken off the budget. */
  async tell(access: Access, readable: Readable, change: LastChange, budget: Budget): Promise<readonly Told[]> {
    const { kind, id } = change.key
    const other = this.#others.get(kind)
    if (other) return (await other.seen(access, change)).flatMap((one) => asSeen(change, one))
    const singular = kind.startsWith(TERMS) ? readable.taxonomies.get(kind.slice(TERMS.length)) : undefined
    if (singular !== undefined) {
      const { revision, head } = change
      const title = titleIn('term', head?.fields)
      const message = messageFor(readable, revision.message)
      const isGone = !head && !readable.isWhole
      return asSeen(change, { kind: 'term', type: singular, id, title, revision, message, isGone })
    }
    const type = readable.types.get(kind)
    if (!type) return []
    const { head } = change
    const isThere = head ? isKnown(access, type, head, this.#clock.now()) : seesAll(access, kind)
    if (isThere) return this.#tellWhole(access, readable, type, change)
    const end = await this.#ends.of(type, change, budget)
    if (!end) return []
    const { at, number, isDeleted } = end
    const of = { kind: 'record', type: kind, id } as const
    const view = { ...named(at, number), action: isDeleted ? 'deleted' : 'unpublished', ...of, ...NOTHING } as const
    return [{ change, view, at }]
  }

  /** The last change of a record that is there for the reader. */
  async #tellWhole(access: Access, readable: Readable, type: ContentType, change: LastChange): Promise<readonly Told[]> {
    const revision = await this.#known.of(access, type, change)
    if (!revision) return []
    const { key, head } = change
    const seen = { kind: 'record', type: type.name, id: key.id, title: titleIn('record', head?.fields) } as const
    const known = { ...change, revision }
    const message = messageFor(readable, revision.message)
    return [inFull(known, { ...seen, revision, message }, clockIn(type, known, this.#clock.now()))]
  }

  /** Returns a change with its title: of what was removed, the one it had last. */
  async titled({ change: { key, head }, view }: Told): Promise<ChangeView> {
    if (head || view.title !== null || view.author === null) return view
    const all = (await this.#store.history(key, { limit: 2 }))?.items ?? []
    const last = all.find(({ version }) => version !== undefined)
    const document = last && (await this.#histories.document({ key, document: undefined, all, visible: all }, last))
    return { ...view, title: titleIn(view.kind, document?.fields) }
  }
}

/** A change that the clock made after the last revision: from when on, and whether the record is public since. */
interface ByClock {
  readonly at: number
  readonly isLive: boolean
}

function clockIn(type: ContentType, { revision, head }: LastChange, now: number): ByClock | undefined {
  if (!head) return undefined
  const { from } = statusTerm(head.fields, type.statuses, now)
  if (!Number.isFinite(from) || from <= Date.parse(revision.at)) return undefined
  return { at: from, isLive: isLive(head.fields, type.statuses, now) }
}

/** A thing as its reader is told of it. One that is gone in the folder alone is told of once that is in a commit. */
function asSeen(change: LastChange, seen: SeenChange): readonly Told[] {
  if (!seen.isGone) return [inFull(change, seen)]
  const { kind, type, id, revision } = seen
  if (revision.version !== undefined) return []
  const at = Date.parse(revision.at)
  return [{ change, view: { ...named(at, revision.number), action: 'deleted', kind, type, id, ...NOTHING }, at }]
}

function inFull(change: LastChange, seen: SeenChange, clock?: ByClock): Told {
  const { kind, type, id, title, revision, message } = seen
  const { number, action, by, commit } = revision
  const at = clock?.at ?? Date.parse(revision.at)
  const done = clock ? (clock.isLive ? 'published' : 'unpublished') : action
  const view = {
    ...{ ...named(at, number), action: done, kind, type, id, title },
    author: { name: by.name },
    message,
    commit: commit ?? null,
  }
  return { change, view, at }
}

function named(at: number, number: number): Pick<ChangeView, 'ts' | 'created_at'> {
  return { ts: revisionText({ number }), created_at: new Date(at).toISOString() }
}

/** The fields that are the titles of things. A setting has its name alone. */
const TITLES = { record: 'title', term: 'name', menu: 'label', setting: undefined, media: 'title' } as const

function titleIn(kind: ChangeView['kind'], fields: Readonly<Fields> | undefined): string | null {
  const field = TITLES[kind]
  const title = field === undefined ? undefined : fields?.[field]
  return typeof title === 'string' ? title : null
}
