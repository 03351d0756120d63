import { randomBytes } from 'node:crypto'
import type { ActingRequest } from './document.ts'
import type { Page } from './queries/query.ts'
import type { Part } from './store.ts'

/** Number of entries of another log that are added at once. */
const AT_ONCE = 500

/** The kinds of things that entries are about. */
export const AUDITED_THINGS = [
  ...['record', 'term', 'menu', 'setting', 'media'],
  ...['user', 'token', 'team', 'webhook', 'subscription', 'invoice', 'key', 'module', 'site', 'audit'],
] as const

/** The outcomes of what was asked: done; not allowed; tried in vain. */
export const OUTCOMES = ['ok', 'refused', 'failed'] as const

export type Outcome = (typeof OUTCOMES)[number]

/** The kinds of those who act: `local` is somebody at the machine, or in git; `system` Quire itself. */
export const ACTOR_KINDS = ['user', 'token', 'local', 'system'] as const

/** The one who did something. */
export interface AuditActor {
  readonly kind: (typeof ACTOR_KINDS)[number]
  readonly id: string | null
  readonly name: string | null
}

/** The thing that something was done to. */
export interface AuditTarget {
  readonly kind: string
  /** The content type, the singular of a taxonomy; else as the kind. */
  readonly type: string
  readonly id: string | null
  readonly title: string | null
}

/** An entry of the audit log: no value of a field is in it, and no secret. */
export interface AuditEntry {
  /** No two entries have the same; one that is added again has it again. */
  readonly id: string
  /** RFC 3339 UTC with milliseconds. */
  readonly at: string
  readonly actor: AuditActor
  /** The token or session that was used, or the way of signing in: `token:<id>`, `session:<id>`, `password`. */
  readonly via: string | null
  /** `record.published`, `token.created`. */
  readonly action: string
  readonly target: AuditTarget | null
  readonly outcome: Outcome
  /** The names of what differs; null of what is new or gone, and where it is not known. */
  readonly changed: readonly string[] | null
  readonly request_id: string | null
  readonly ip: string | null
  /** The number of times that it happened within a minute, where that is more than once. */
  readonly count?: number
}

/** The origin of a request: entries that know its id alone are shown with it. */
export interface RequestOrigin {
  readonly request: string
  /** RFC 3339 UTC with milliseconds. */
  readonly at: string
  readonly via: string | null
  readonly ip: string | null
}

/** Conditions on entries, all of which hold. */
export interface AuditFilter {
  /** The id of who did it. */
  readonly actor?: string | undefined
  readonly action?: string | undefined
  /** The kind or the type of the thing, and its id. */
  readonly target?: { readonly of: string; readonly id?: string | undefined } | undefined
  readonly outcome?: Outcome | undefined
  /** Milliseconds since 1970: from then on, and before then. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** The kinds and the content types whose entries do not exist for the reader. */
  readonly without?: { readonly kinds: readonly string[]; readonly types: readonly string[] } | undefined
}

/**
 * The audit log of a site, shared by all its processes: entries are added and, a day at a time, removed when they are old. No
 * method changes one.
 *
 * - `append` is durable when it resolves. An entry whose id is there already is not added again.
 * - The order of entries is that of their times, the newest first, and of one time by id, the greatest first.
 * - An entry without an address is shown with that of its request, once `note` has told of it, whichever came first.
 */
export interface AuditLog {
  append(entries: readonly AuditEntry[]): Promise<void>
  /** Keeps where requests came from, as long as entries of their day. */
  note(origins: readonly RequestOrigin[]): Promise<void>
  page(filter: AuditFilter, part: Part): Promise<Page<AuditEntry>>
  /** All entries, in their order. What is added meanwhile may be left out. */
  all(filter: AuditFilter): AsyncIterable<AuditEntry>
  /** The content types that there are entries of records of. */
  types(): Promise<readonly string[]>
  /** Removes all of the days (UTC) before that of a time, in milliseconds since 1970. */
  sweep(before: number): Promise<void>
  close(): Promise<void>
}

/** Returns whether an entry fulfils the conditions. */
export function isWithin({ at, actor, action, target, outcome }: AuditEntry, filter: AuditFilter): boolean {
  if (filter.actor !== undefined && actor.id !== filter.actor) return false
  if (filter.action !== undefined && action !== filter.action) return false
  if (filter.outcome !== undefined && outcome !== filter.outcome) return false
  const time = Date.parse(at)
  if (time < (filter.since ?? Number.NEGATIVE_INFINITY) || time >= (filter.until ?? Number.POSITIVE_INFINITY)) return false
  if (filter.target && (!target || !isAbout(target, filter.target))) return false
  return !target || !filter.without || !isHidden(target, filter.without)
}

/** Returns an id that no other entry has. */
export function newEntryId(): string {
  return `aud_${randomBytes(16).toString('base64url')}`
}

/** A deed that no store tells of: who did what, and to what. */
export interface AuditedDeed {
  readonly actor: AuditActor
  readonly action: string
  readonly target: AuditTarget
}

/** Returns the entry of a deed, done at a time in milliseconds since 1970; `request` is that which asked for it, if one did. */
export function entryOfDeed({ actor, action, target }: AuditedDeed, now: number, request?: ActingRequest): AuditEntry {
  return {
    ...{ id: newEntryId(), at: new Date(Math.floor(now)).toISOString(), actor, via: request?.via ?? null },
    ...{ action, target, outcome: 'ok', changed: null, request_id: request?.id ?? null, ip: request?.ip ?? null },
  }
}

/** Adds entries of another log, some at a time. */
export async function takeEntries(log: AuditLog, entries: AsyncIterable<AuditEntry>): Promise<void> {
  let some: AuditEntry[] = []
  for await (const entry of entries) {
    if (some.push(entry) < AT_ONCE) continue
    await log.append(some)
    some = []
  }
  await log.append(some)
}

/** Compares two entries by the order of the log. */
export function byTime(one: AuditEntry, other: AuditEntry): number {
  if (one.at !== other.at) return one.at < other.at ? 1 : -1
  return one.id === other.id ? 0 : one.id < other.id ? 1 : -1
}

/** Returns an entry with the origin of its request. */
export function withOrigin(entry: AuditEntry, origin: Pick<RequestOrigin, 'via' | 'ip'> | undefined): AuditEntry {
  return origin && entry.ip === null ? { ...entry, via: entry.via ?? origin.via, ip: origin.ip } : entry
}

function isAbout({ kind, type, id }: AuditTarget, { of, id: wanted }: NonNullable<AuditFilter['target']>): boolean {
  return (kind === of || type === of) && (wanted === undefined || id === wanted)
}

function isHidden({ kind, type }: AuditTarget, { kinds, types }: NonNullable<AuditFilter['without']>): boolean {
  return kinds.includes(kind) || (kind === 'record' && types.includes(type))
}
