import { type RawBuilder, sql } from 'kysely'
import type { Kind } from '#core/key.ts'
import { type Extent, ownBy } from '#core/queries/extent.ts'
import type { SearchQuery } from '#core/queries/search.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import { isOneOfThose } from '../browsing/conditions.ts'
import { isLive, type Moment, momentOf, statusAt } from '../browsing/moment.ts'

/** The part of `documents d` that exists for the caller. Nothing else affects an answer. */
export interface Audience {
  readonly reads: RawBuilder<boolean>
  /** Builds the test that a document's status at that time is this one. */
  hasStatus(status: string): RawBuilder<boolean>
  /** The query for the time at which the clock next changes what exists for the caller, as `at`; null for never. */
  readonly nextChange: RawBuilder<{ at: number | null }>
}

/** Kinds for which the clock decides in the same way. */
interface Group {
  readonly kinds: Kind[]
  readonly moment: Moment
  readonly what: Extent
}

/** Returns the audience for a reader of these kinds, at a time. */
export function audienceOf(readable: SearchQuery['readable'], types: ContentTypes, now: number): Audience {
  const groups = groupsOf(readable, types, now)
  const any = (of: (group: Group) => RawBuilder<boolean>) =>
    sql<boolean>`(${sql.join([sql`false`, ...groups.map((group) => sql`(d.kind = any(${group.kinds}::text[]) and ${of(group)})`)], sql` or `)})`
  return {
    reads: sql`(d.readable and ${any(readsOf)})`,
    hasStatus: (status) => any(({ moment }) => sql`${statusAt(moment)} = ${status}`),
    nextChange: sql`select min(at) as at from (
      ${nextOf(sql`d.published`, any)} union all ${nextOf(sql`d.expires`, any)}) changes`,
  }
}

function nextOf(column: RawBuilder<number | null>, any: (of: (group: Group) => RawBuilder<boolean>) => RawBuilder<boolean>) {
  const changes = any(({ moment: { live, now } }) => sql`d.status = any(${live}::text[]) and ${column} > ${now}::float8`)
  return sql`(select min(${column}) as at from documents d where d.readable and ${changes})`
}

function readsOf({ kinds, moment, what }: Group): RawBuilder<boolean> {
  if (what === 'all') return sql`true`
  return what === 'live' ? isLive(moment) : sql`(${isLive(moment)} or ${isOneOfThose(kinds, ownBy(what.own))})`
}

function groupsOf(readable: SearchQuery['readable'], types: ContentTypes, now: number): Group[] {
  const groups = new Map<string, Group>()
  for (const [kind, what] of readable) {
    if (!types.get(kind)) continue
    const moment = momentOf(kind, types.shape(kind), now)
    const name = JSON.stringify([what, moment.live])
    const group = groups.get(name) ?? { kinds: [], moment, what }
    group.kinds.push(kind)
    groups.set(name, group)
  }
  return [...groups.values()]
}
