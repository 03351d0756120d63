import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type AuditEntry, type AuditLog, newEntryId } from '#core/audit-log.ts'
import type { Author, Document } from '#core/document.ts'
import { type Kind, keyOf } from '#core/key.ts'
import type { Sort } from '#core/queries/query.ts'
import type { Change, Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import { Conflict, Stale } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { AuditedThing } from '../audited-thing.ts'
import { actorBy, short } from './entries.ts'

/** The private kind of entries that are written with what they are of, and are not in the log yet. Later ones have later ids. */
const KIND: Kind = '.new-audit'
const SYSTEM: Author = { name: 'Quire', email: 'quire@localhost' }

/** Most documents of entries that are taken into the log at once. */
const MOST = 100
const ORDER: readonly Sort[] = [{ field: 'id', descending: false, as: 'text' }]

/** The effect of a change on a thing. */
interface Deed {
  readonly thing: AuditedThing
  readonly id: string
  readonly action: string
  readonly changed: readonly string[] | null
  readonly title: string | null
}

/** Makes the entries of writes of private things, as a change for the same batch: neither is there without the other. */
export class PrivateChangeWriter {
  readonly #store: Store
  readonly #clock: Clock
  readonly #things: ReadonlyMap<Kind, AuditedThing>
  #last = 0

  constructor({ store, clock, things }: { store: Store; clock: Clock; things: readonly AuditedThing[] }) {
    this.#store = store
    this.#clock = clock
    this.#things = new Map(things.map((thing) => [thing.kind, thing]))
  }

  /** Returns the change that keeps the entries of a batch; none where it changes nothing that is told. */
  async of(changes: readonly Change[], by: Author): Promise<Change[]> {
    const deeds: Deed[] = []
    for (const change of changes) {
      const thing = this.#things.get(change.key.kind)
      const deed = thing && deedOf(change, thing, await this.#store.get(change.key))
      if (deed) deeds.push(deed)
    }
    const isAlone = ({ thing, id }: Deed) =>
      !deeds.some((other) => !other.thing.part && other.thing.sort === thing.sort && other.id === id)
    const told = deeds.filter((deed) => !deed.thing.part || isAlone(deed))
    if (told.length === 0) return []
    const now = Math.floor(this.#clock.now())
    const entries = told.map((deed) => entryOf(deed, by, now))
    return [{ key: keyOf(KIND, this.#name(now)), put: { body: JSON.stringify(entries) }, expects: 'absent' }]
  }

  /** A name of its own, later than those before it. */
  #name(now: number): string {
    this.#last = Math.max(now * 1_000, this.#last + 1)
    return `e${this.#last.toString(36).padStart(11, '0')}${randomBytes(4).toString('hex')}`
  }
}

/** Takes the entries that were written with private things into the log. Two that do so at once do no harm. */
export async function takeNew(store: Store, log: AuditLog): Promise<void> {
  for (;;) {
    const { items } = await store.heads(KIND, { sort: ORDER, limit: MOST })
    if (items.length === 0) return
    const entries: AuditEntry[] = []
    for (const { key } of items) entries.push(...entriesIn(await store.get(key, 'once')))
    await log.append(entries)
    const removals = items.map(({ key, version }): Change => ({ key, remove: true, expects: version }))
    await store.write(removals, SYSTEM).catch((error: unknown) => {
      // Another took some of them.
      if (!(error instanceof Stale || error instanceof Conflict)) throw error
    })
  }
}

function entryOf({ thing, id, action, changed, title }: Deed, by: Author, now: number): AuditEntry {
  return {
    ...{ id: newEntryId(), at: new Date(now).toISOString(), actor: actorBy(by), via: by.request?.via ?? null, action },
    ...{ target: { kind: thing.sort, type: thing.sort, id, title }, outcome: 'ok', changed },
    ...{ request_id: by.request?.id ?? null, ip: by.request?.ip ?? null },
  }
}

function deedOf(change: Change, thing: AuditedThing, before: Document | undefined): Deed | undefined {
  const { sort, names, actions, part } = thing
  const set: Fields = 'remove' in change ? {} : (change.put.set ?? {})
  const fields = { ...before?.fields, ...set }
  const owner = part?.owner === undefined ? change.key.id : textOf(fields[part.owner])
  if (owner === null) return undefined
  const told = { thing, id: owner, title: titleOf(thing, fields) }
  const differs = (field: string) => !isDeepStrictEqual(set[field] ?? null, before?.fields[field] ?? null)
  const changed = Object.keys(names).filter((field) => field in set && differs(field))
  const byName = changed.map((field) => names[field] ?? field)
  if ('remove' in change) {
    if (part || !before) return undefined
    return { ...told, action: actions?.deleted ?? `${sort}.deleted`, changed: null }
  }
  if (!before && !part) return { ...told, action: actions?.created ?? `${sort}.created`, changed: null }
  if (changed.length === 0) return undefined
  const own = changed.map((field) => actions?.changed?.[field]).find((one) => one !== undefined)
  return { ...told, action: own ?? `${sort}.updated`, changed: byName }
}

function titleOf({ title }: AuditedThing, fields: Fields): string | null {
  const text = title === undefined ? null : textOf(fields[title])
  return text === null || text === '' ? null : short(text)
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null
}

function entriesIn(document: Document | undefined): AuditEntry[] {
  const body = document?.body ?? ''
  // The store is Quire's own, and nobody else writes there: what is none of ours is left out.
  return body.startsWith('[') ? (JSON.parse(body) as AuditEntry[]) : []
}
