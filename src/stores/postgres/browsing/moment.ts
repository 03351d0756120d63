import { type RawBuilder, sql } from 'kysely'
import type { Kind } from '#core/key.ts'
import type { Shape } from '#core/types/content-type.ts'

/**
 * The conditions that answers about a kind depend on: the clock, in milliseconds since 1970, and the statuses of the kind that
 * are live.
 */
export interface Moment {
  readonly kind: Kind
  readonly now: number
  readonly live: readonly string[]
}

/** Returns the moment that applies to the documents of a kind at a time. */
export function momentOf(kind: Kind, { statuses }: Shape, now: number): Moment {
  return { kind, now, live: [...statuses.values()].filter(({ live }) => live).map(({ name }) => name) }
}

/** Builds the status of `documents d` at that time, as `statusAt` computes it; null or '' if there is none. */
export function statusAt({ now, live }: Moment): RawBuilder<string | null> {
  return sql`case when d.status = any(${live}::text[]) then
    case when d.expires <= ${now}::float8 then 'expired' when d.published > ${now}::float8 then 'scheduled' else d.status end
    else d.status end`
}

/** Builds the test that `documents d` are public: in a live status, begun, not over. */
export function isLive({ now, live }: Moment): RawBuilder<boolean> {
  return sql`(d.status = any(${live}::text[]) and (d.published is null or d.published <= ${now}::float8)
    and (d.expires is null or d.expires > ${now}::float8))`
}
