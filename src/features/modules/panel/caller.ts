import type { Access, Scope } from '#core/access/access.ts'
import { SCOPES } from '#core/access/access.ts'
import type { Caller } from '#module/context.ts'

/** Returns the caller as modules see them: who they are, and whether they hold a right. */
export function callerFor(access: Access): Caller {
  return {
    id: access.id,
    name: access.author.name,
    may: (scope, type) => mayHold(access, scope, type),
  }
}

/** Returns whether a right is held, by a name that a module has for it; false for one that is none. */
export function mayHold(access: Access, scope: string, type?: string): boolean {
  return isScope(scope) && access.may(scope, type)
}

/** Returns whether a text names a right. */
export function isScope(scope: string): scope is Scope {
  return (SCOPES as readonly string[]).includes(scope)
}
