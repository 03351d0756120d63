import type { Access, Scope } from '../../core/access.ts'
import type { ContentType } from '../../core/content-type.ts'
import type { Head } from '../../core/document.ts'
import { Forbidden } from '../../core/errors.ts'
import { isLive } from '../../core/status.ts'

/** Throws Forbidden, naming the right, where it is not held for this type. */
export function mustMay(access: Access, scope: Scope, type: string): void {
  if (!access.may(scope, type)) throw new Forbidden(`This needs the right ${scope} for "${type}".`)
}

/** Whether only what is live exists for this reader. */
export function liveOnly(access: Access, type: string): boolean {
  return !access.may('content:drafts', type)
}

/** Whether a record exists for this reader at `now`. An unreadable one does: nobody can say whether it is live. */
export function isThere(access: Access, type: ContentType, head: Head, now: number): boolean {
  return !liveOnly(access, type.name) || head.problem?.severity === 'error' || isLive(head.fields, type.statuses, now)
}
