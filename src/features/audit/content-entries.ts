import type { AuditActor, AuditEntry, AuditTarget, RequestOrigin } from '#core/audit-log.ts'
import type { Head } from '#core/document.ts'
import { type Key, keyText } from '#core/key.ts'
import type { Changed, Cursor, Store } from '#core/store.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import type { Clock } from '#lib/clock.ts'
import { deedsIn, type Thing, thingOf } from '../events/things.ts'
import { actorBy, idOf, short, UNKNOWN } from './entries.ts'

/** The dependencies of entries of content. */
export interface ContentDeps {
  readonly store: Pick<Store, 'heads'>
  readonly types: ContentTypes
  readonly clock: Clock
  /** Gives where a request of this process came from, once. */
  readonly originOf: (request: string) => Pick<RequestOrigin, 'via' | 'ip'> | undefined
}

interface Told {
  readonly change: Changed
  readonly thing: Thing
  /** The words that are its id. What comes later of the same moment has a greater id. */
  readonly id: readonly string[]
}

/**
 * Returns the entries of a part of the feed that begins after a cursor. Those of a change are the same however often, and with
 * however many others, the part is told; those of a write of Quire's also where another part of the feed has it.
 */
export async function contentEntries(changes: readonly Changed[], after: Cursor, deps: ContentDeps): Promise<AuditEntry[]> {
  const told = toldIn(changes, after, deps.types)
  const titles = await titlesOf(told, deps.store)
  return told.flatMap((one) => {
    const { change, thing, id } = one
    const at = change.at ?? deps.clock.now()
    const origin = change.request === undefined ? undefined : deps.originOf(change.request)
    return deedsIn(change, thing, at).map((deed, nth): AuditEntry => {
      const [sort = '', what = ''] = deed.split('.')
      return {
        ...{ id: `${idOf(...id)}${nth}`, at: new Date(at).toISOString(), actor: actorOf(change), via: origin?.via ?? null },
        ...{ action: `${sort}.${what}`, target: targetOf(change.key, thing, titles.get(keyText(change.key))) },
        ...{ outcome: 'ok', changed: change.changed ?? null, request_id: change.request ?? null, ip: origin?.ip ?? null },
      }
    })
  })
}

/** Returns what an entry of a document is about. */
export function targetOf({ id }: Key, { sort, type }: Thing, title: string | undefined): AuditTarget {
  return { kind: sort === 'settings' ? 'setting' : sort, type, id, title: title ?? null }
}

function toldIn(changes: readonly Changed[], after: Cursor, types: ContentTypes): Told[] {
  const seen = new Map<string, number>()
  return changes.flatMap((change) => {
    const thing = thingOf(change.key, types)
    if (!thing) return []
    // A document may come to the same state twice. What Quire wrote has a time of its own, whoever tells it and from where on; what
    // is between two other changes may be told in another way after a crash.
    const moment = change.source === undefined || change.at === undefined ? after : String(change.at)
    const words = [
      moment,
      keyText(change.key),
      change.action,
      change.version ?? '',
      change.was?.version ?? '',
      change.request ?? '',
    ]
    const name = words.join('\n')
    const nth = seen.get(name) ?? 0
    seen.set(name, nth + 1)
    return [{ change, thing, id: [...words, String(nth)] }]
  })
}

/** The titles that things have now, looked up together. */
async function titlesOf(told: readonly Told[], store: ContentDeps['store']): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, Set<string>>()
  for (const { change } of told) {
    if (change.removed) continue
    const { kind, id } = change.key
    ids.set(kind, (ids.get(kind) ?? new Set()).add(id))
  }
  const titles = new Map<string, string>()
  for (const [kind, some] of ids) {
    const where = [{ field: 'id', op: 'in' as const, value: [...some], as: 'text' as const }]
    const { items } = await store.heads(kind, { where })
    for (const head of items) titles.set(keyText(head.key), short(titleOf(head)))
  }
  return titles
}

function titleOf({ key, fields }: Head): string {
  const found = [fields.title, fields.name, fields.label].find((one) => typeof one === 'string' && one !== '')
  return typeof found === 'string' ? found : key.id
}

/** An edit from outside says who made it in words that anybody can write. */
function actorOf({ by, source }: Changed): AuditActor {
  if (!by) return UNKNOWN
  return source === undefined ? { kind: 'local', id: null, name: short(by.name) } : actorBy(by)
}
