import type { Access } from '#core/access/access.ts'
import type { Resource, Row } from '../../resource.ts'

/** Returns whether the reader may bring back what was removed. */
export function mayRestore(resource: Resource, access: Access): boolean {
  return resource.past?.mayRestore?.(access) ?? resource.mayCreate(access)
}

/** Returns whether the reader may make one what it was. */
export function mayTurnBack(resource: Resource, access: Access, row: Row): boolean {
  return resource.mayUpdate(access, row) && (resource.past?.mayRestore?.(access) ?? true)
}
