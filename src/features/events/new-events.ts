import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Author, Document } from '#core/document.ts'
import type { WriteSource } from '#core/history/revision.ts'
import { type Kind, keyOf } from '#core/key.ts'
import type { Sort } from '#core/queries/query.ts'
import type { Change, Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import type { PrivateThing } from '../private-thing.ts'
import { actorOf, type EventType, type MadeEvent, type SiteEvent } from './event.ts'

/** The private kind of events that are written with what they are of, and are not in the log yet. Later ones have later ids. */
const KIND: Kind = '.new-events'

/** Most that are taken into the log at once. */
const MOST = 100
const ORDER: readonly Sort[] = [{ field: 'id', descending: false, as: 'text' }]

/** Events that wait for the log, in their order, and the changes that end that. */
export interface NewEvents {
  readonly events: readonly MadeEvent[]
  readonly removals: readonly Change[]
}

/** Returns the oldest events that wait for the log; some of them at a time. */
export async function newEvents(store: Pick<Store, 'get' | 'heads'>): Promise<NewEvents> {
  const { items } = await store.heads(KIND, { sort: ORDER, limit: MOST })
  const events: MadeEvent[] = []
  for (const { key } of items) {
    const body = (await store.get(key, 'once'))?.body ?? ''
    // The store is Quire's own, and nobody else writes there: what is none of ours is left out.
    if (body.startsWith('{')) events.push(JSON.parse(body) as MadeEvent)
  }
  return { events, removals: items.map(({ key, version }): Change => ({ key, remove: true, expects: version })) }
}

/** The deed of a change of a document; undefined where it changes nothing that is told. */
function deedOf(change: Change, before: Document | undefined, names: PrivateThing['names']) {
  if ('remove' in change) return { deed: 'deleted', changed: null } as const
  if (!before) return { deed: 'created', changed: null } as const
  const set = change.put.set ?? {}
  const differs = (field: string) => !isDeepStrictEqual(set[field] ?? null, before.fields[field] ?? null)
  const changed = Object.keys(names).filter((field) => field in set && differs(field))
  return changed.length === 0 ? undefined : ({ deed: 'updated', changed: changed.map((field) => names[field] ?? field) } as const)
}

/** Makes the events of writes of private things, as changes for the same batch. */
export class NewEventWriter {
  readonly #store: Store
  readonly #clock: Clock
  readonly #things: ReadonlyMap<Kind, PrivateThing>
  #last = 0

  constructor({ store, clock, things }: { store: Store; clock: Clock; things: readonly PrivateThing[] }) {
    this.#store = store
    this.#clock = clock
    this.#things = new Map(things.map((thing) => [thing.kind, thing]))
  }

  /** Returns the changes that keep the events of a batch; none where it changes nothing that is told. */
  async of(changes: readonly Change[], by: Author, source?: WriteSource): Promise<Change[]> {
    const made: Change[] = []
    for (const change of changes) {
      const thing = this.#things.get(change.key.kind)
      const told = thing && deedOf(change, await this.#store.get(change.key), thing.names)
      if (!thing || !told) continue
      const now = this.#clock.now()
      const name = this.#name(now)
      const event: MadeEvent['event'] = {
        type: `${thing.sort}.${told.deed === 'deleted' ? told.deed : (thing.deeds?.[told.deed] ?? told.deed)}` as EventType,
        created_at: new Date(now).toISOString(),
        data: { type: thing.sort, id: change.key.id, version: null, url: null, changed: told.changed },
        ...madeBy(thing, by, source),
      }
      const kept: MadeEvent = { name, event, kind: change.key.kind, live: { before: false, after: false } }
      made.push({ key: keyOf(KIND, name), put: { body: JSON.stringify(kept) }, expects: 'absent' })
    }
    return made
  }

  /** A name of its own, later than those before it. */
  #name(now: number): string {
    this.#last = Math.max(Math.floor(now * 1_000), this.#last + 1)
    return `e${this.#last.toString(36).padStart(11, '0')}${randomBytes(4).toString('hex')}`
  }
}

function madeBy(thing: PrivateThing, by: Author, source: WriteSource | undefined): Pick<SiteEvent, 'actor' | 'source'> {
  if (by === thing.byClock) return { actor: null, source: 'clock' }
  const actor = actorOf(by)
  return { actor, source: source ?? (actor?.kind === 'local' ? 'cli' : 'api') }
}
