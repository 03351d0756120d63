import type { Access } from '#core/access/access.ts'
import { type ClockStatus, isClockStatus, statusAt } from '#core/status.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { Conflict, Forbidden, InvalidInput } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import { reaches } from '../rights.ts'
import { isLiveStatus, statusOf } from './stored-status.ts'

/** The fields that say when a live record is public. */
export const WHEN = ['published_at', 'expires_at'] as const

/**
 * Checks what a change does to a record's status: Conflict where the move is not among those allowed, Forbidden where it takes
 * content:publish and that does not go so far. `before` undefined is a new record. With `isUndo` the move the other way is the one
 * that has to be allowed, or this one.
 */
export function checkStatusMove(
  access: Access,
  type: ContentType,
  before: Readonly<Fields> | undefined,
  set: Fields,
  isUndo = false,
): void {
  const from = before && statusOf(type, before)
  const to = statusOf(type, { ...before, ...set })
  const known = from === undefined ? undefined : type.statuses.get(from)
  const wasMoved = isUndo && from !== undefined && type.statuses.get(to)?.to.includes(from)
  if (known && from !== to && !known.to.includes(to) && !wasMoved) {
    const allowed = known.to.length > 0 ? `It may become ${known.to.join(' or ')}.` : 'It is the last one.'
    throw new Conflict(`A record that is ${from} can't become ${to}. ${allowed}`, undefined, allowed)
  }
  if (touchesPublic(type, from, to, set) && !mayPublish(access, type, before, set)) {
    throw new Forbidden(`To publish or to withdraw needs the right content:publish for "${type.name}".`)
  }
}

/**
 * Returns whether the caller may publish. The right to publish only own records takes a record that was theirs and stays theirs.
 */
function mayPublish(access: Access, type: ContentType, before: Readonly<Fields> | undefined, set: Fields): boolean {
  const isAfter = reaches(access, 'content:publish', type, { ...before, ...set })
  return isAfter && (before === undefined || reaches(access, 'content:publish', type, before))
}

/**
 * Returns whether a change affects what the public sees. The begin and end of a live record define the time it is public, so
 * changing them counts as publishing too.
 */
function touchesPublic(type: ContentType, from: string | undefined, to: string, set: Fields): boolean {
  const wasLive = from !== undefined && isLiveStatus(type, from)
  if (wasLive !== isLiveStatus(type, to)) return true
  return wasLive && WHEN.some((name) => Object.hasOwn(set, name))
}

/** The time a record goes live at, where a change brings it into a live status without one. */
export function publishingStamp(type: ContentType, before: Readonly<Fields> | undefined, set: Fields, now: number): Fields {
  const after = { ...before, ...set }
  const begins = isLiveStatus(type, statusOf(type, after)) && !(before && isLiveStatus(type, statusOf(type, before)))
  return begins && (after.published_at ?? null) === null ? { published_at: new Date(now).toISOString() } : {}
}

const REMEDIES = {
  scheduled: 'set published_at to a time to come',
  expired: 'set expires_at to a time that is over',
} satisfies Record<ClockStatus, string>

/**
 * Throws InvalidInput where a request names a status that only the clock makes, and a record with these fields would not read as
 * that at `now`.
 */
export function checkReadsAs(type: ContentType, sent: Json | undefined, fields: Readonly<Fields>, now: number): void {
  if (typeof sent !== 'string' || type.statuses.has(sent) || !isClockStatus(sent)) return
  if (statusAt(fields, type.statuses, now) === sent) return
  throw new InvalidInput({ status: [`The status ${sent} is made by the clock: ${REMEDIES[sent]}.`] })
}
