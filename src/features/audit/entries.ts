import { createHash } from 'node:crypto'
import type { AuditActor, AuditEntry } from '#core/audit-log.ts'
import type { Author } from '#core/document.ts'
import type { Acting } from '#http/requests/acting.ts'
import { actorOf } from '../events/event.ts'

/** The authors of what Quire does by itself, by their addresses. */
const OWN: ReadonlySet<string> = new Set(['quire@localhost', 'billing@localhost'])

/** Most characters of an id, a title or a name that is kept. */
const LONGEST = 200

/** An entry that is not kept yet. */
export type NewEntry = Omit<AuditEntry, 'id'>

/** The one that is shown where nobody knows who it was. */
export const UNKNOWN: AuditActor = { kind: 'local', id: null, name: null }

/** Returns the id of what these words name: the same each time. */
export function idOf(...words: readonly string[]): string {
  return `aud_${createHash('sha256').update(JSON.stringify(words)).digest('base64url').slice(0, 22)}`
}

/** Returns who acts in a request. */
export function actorIn({ access }: Acting): AuditActor {
  const [, token = ''] = access.id.split(':', 2)
  const { name } = access.author
  return access.user === undefined ? { kind: 'token', id: token, name } : { kind: 'user', id: access.user, name }
}

/** Returns who made a change that Quire was asked for; what it does by itself is nobody's. */
export function actorBy(by: Author): AuditActor {
  if (!by.request && OWN.has(by.email)) return { kind: 'system', id: null, name: by.name }
  const { kind, id, name } = actorOf(by) ?? UNKNOWN
  return { kind, id, name: name === null ? null : short(name) }
}

/** Returns a text as far as it is kept. */
export function short(text: string): string {
  return text.slice(0, LONGEST)
}
