import type { AuditEntry, AuditLog } from '#core/audit-log.ts'
import type { Action } from '#core/history/revision.ts'
import { keyText } from '#core/key.ts'
import type { Latest, Store } from '#core/store.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import { type Thing, thingOf } from '../events/things.ts'
import { targetOf } from './content-entries.ts'
import { idOf, short } from './entries.ts'

/** Milliseconds before the newest entry from which on something may be untold. */
const OVERLAP_MS = 60_000
/** Milliseconds by which the times of a change and of its commit may differ. */
const NEAR_MS = 2_000
/** Number of revisions that are read at once. */
const AT_ONCE = 200

const DEEDS: Readonly<Record<Action, string>> = {
  created: 'created',
  updated: 'updated',
  published: 'published',
  unpublished: 'unpublished',
  moved: 'moved',
  deleted: 'deleted',
  rolled_back: 'restored',
  restored: 'restored',
  external: 'updated',
}

/** The dependencies of what is told where the feed was lost. */
export interface LostDeps {
  readonly store: Pick<Store, 'latest'>
  readonly types: ContentTypes
  readonly log: AuditLog
}

/**
 * Returns entries of what was last done to each document since the newest entry there is, from the history: for where the feed does
 * not know any more what changed. Who did it is told by name alone, since commits can say anything.
 */
export async function lostEntries({ store, types, log }: LostDeps): Promise<AuditEntry[]> {
  const [newest] = (await log.page({}, { limit: 1 })).items
  if (!newest) return []
  const from = Date.parse(newest.at) - OVERLAP_MS
  const told = await toldSince(log, from)
  const entries: AuditEntry[] = []
  for (let offset = 0; ; offset += AT_ONCE) {
    const some = (await store.latest({ offset, limit: AT_ONCE })) ?? []
    for (const latest of some) {
      const at = Date.parse(latest.at)
      if (at < from) return entries
      const thing = thingOf(latest.key, types)
      const times = thing ? (told.get(`${thing.type}/${latest.key.id}`) ?? []) : []
      if (thing && !times.some((time) => Math.abs(time - at) < NEAR_MS)) entries.push(entryOf(latest, thing))
    }
    if (some.length < AT_ONCE) return entries
  }
}

async function toldSince(log: AuditLog, since: number): Promise<ReadonlyMap<string, readonly number[]>> {
  const told = new Map<string, number[]>()
  for await (const { target, at } of log.all({ since })) {
    if (!target) continue
    const name = `${target.type}/${target.id}`
    const times = told.get(name) ?? []
    times.push(Date.parse(at))
    told.set(name, times)
  }
  return told
}

function entryOf({ key, number, at, action, by, version }: Latest, thing: Thing): AuditEntry {
  const deed = action === 'external' && version === undefined ? 'deleted' : DEEDS[action]
  return {
    ...{
      id: idOf('lost', keyText(key), String(number), at),
      at,
      actor: { kind: 'local', id: null, name: short(by.name) },
      via: null,
    },
    ...{ action: `${thing.sort}.${deed}`, target: targetOf(key, thing, undefined), outcome: 'ok', changed: null },
    ...{ request_id: null, ip: null },
  }
}
