import type { Access } from '#core/access/access.ts'
import type { Author } from '#core/document.ts'
import type { Granted } from './granted.ts'

/** The author of what a module writes. */
export function authorOf(module: string): Author {
  return { name: `Module ${module}`, email: `module+${module}@quire.localhost` }
}

/** The rights of a module on records: those that its permissions name, and no others. */
export function accessOfModule({ module, records }: Granted): Access {
  const may: Access['may'] = (scope, type) =>
    records.some((right) => right.scope === scope && (right.type === undefined || right.type === type))
  const rights = records.map(({ scope, type = '' }) => `${scope}@${type}`).sort()
  return {
    id: `module:${module}`,
    author: authorOf(module),
    fingerprint: JSON.stringify(['module', ...rights]),
    user: undefined,
    handle: undefined,
    may,
    reach: (scope, type) => (may(scope, type) ? 'all' : 'none'),
    writable: () => undefined,
    sees: (type) => records.some((right) => right.type === undefined || right.type === type),
  }
}

/** The rights by which a module reads and sets its own settings. */
export function settingsAccessOf(module: string): Access {
  return {
    id: `module:${module}`,
    author: authorOf(module),
    fingerprint: 'module settings',
    user: undefined,
    handle: undefined,
    may: (scope) => scope === 'settings:write' || scope === 'content:read',
    reach: () => 'none',
    writable: () => undefined,
    sees: () => true,
  }
}
