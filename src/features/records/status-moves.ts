import type { Access } from '../../core/access.ts'
import type { ContentType } from '../../core/content-type.ts'
import { Conflict, Forbidden } from '../../core/errors.ts'
import type { Fields } from '../../core/json.ts'

/** The fields that say when a live record is public. */
export const WHEN = ['published_at', 'expires_at'] as const

/**
 * Checks what a change does to a record's status: Conflict where the move is not among those allowed, Forbidden where it takes
 * content:publish and that is not held. `before` undefined is a new record.
 */
export function checkStatusMove(access: Access, type: ContentType, before: Readonly<Fields> | undefined, set: Fields): void {
  const from = before && statusOf(type, before)
  const to = statusOf(type, { ...before, ...set })
  const known = from === undefined ? undefined : type.statuses.get(from)
  if (known && from !== to && !known.to.includes(to)) {
    const allowed = known.to.length > 0 ? `It may become ${known.to.join(' or ')}.` : 'It is the last one.'
    throw new Conflict(`A record that is ${from} can't become ${to}. ${allowed}`, undefined, allowed)
  }
  if (touchesPublic(type, from, to, set) && !access.may('content:publish', type.name)) {
    throw new Forbidden(`To publish or to withdraw needs the right content:publish for "${type.name}".`)
  }
}

/** When a live record begins and ends is when it is public: that is publishing too. */
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

/** The status of a new record that is sent without one: `draft`, else the first that is not live. */
export function firstStatus(type: ContentType): string {
  const statuses = [...type.statuses.values()]
  if (type.statuses.get('draft')?.live === false) return 'draft'
  return statuses.find((status) => !status.live)?.name ?? type.defaultStatus
}

/** The stored status of a record with these fields. */
export function statusOf(type: ContentType, fields: Readonly<Fields>): string {
  return typeof fields.status === 'string' ? fields.status : type.defaultStatus
}

/** Whether a record in this status is public once begun and until over. */
export function isLiveStatus(type: ContentType, name: string): boolean {
  return type.statuses.get(name)?.live === true
}
