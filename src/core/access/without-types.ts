import { hash } from 'node:crypto'
import type { Access } from './access.ts'

/** Returns the access for which some types do not exist, whatever its rights are for others. */
export function withoutTypes(access: Access, hidden: ReadonlySet<string>): Access {
  if (hidden.size === 0) return access
  const sees = (type: string) => !hidden.has(type) && access.sees(type)
  const { id, author, user, handle } = access
  return {
    ...{ id, author, user, handle },
    fingerprint: hash('sha256', JSON.stringify([access.fingerprint, [...hidden].sort()]), 'hex').slice(0, 8),
    may: (scope, type) => (type === undefined || sees(type)) && access.may(scope, type),
    reach: (scope, type) => (sees(type) ? access.reach(scope, type) : 'none'),
    writable: (type) => access.writable(type),
    sees,
  }
}
