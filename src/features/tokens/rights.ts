import { createHash } from 'node:crypto'
import { type Access, PRESETS, REACHES, type Reach, SCOPES, type Scope } from '#core/access/access.ts'
import type { Author } from '#core/document.ts'
import { InvalidInput } from '#lib/errors.ts'
import { nearest } from '#lib/text/nearest.ts'

/** A set of rights as a token holds it: `content:read`, or `content:write@posts` for one type. */
export type Rights = ReadonlySet<string>

/**
 * Scopes and presets (each may be narrowed: `edit@posts`) as plain scopes, in a fixed order; throws InvalidInput naming the
 * nearest known one.
 */
export function expandScopes(names: readonly string[]): string[] {
  const scopes = names.flatMap((name) => expand(name.trim()))
  if (scopes.length === 0)
    throw new InvalidInput({ scopes: ['At least one scope is needed: read, edit, admin, or a single one.'] })
  return [...new Set(scopes)].sort()
}

function expand(name: string): string[] {
  const at = name.indexOf('@')
  const bare = at < 0 ? name : name.slice(0, at)
  const known = Object.hasOwn(PRESETS, bare) ? PRESETS[bare] : SCOPES.filter((scope) => scope === bare)
  if (known === undefined || known.length === 0 || name.endsWith('@')) throw unknownScope(name, bare)
  return known.map((scope) => `${scope}${at < 0 ? '' : name.slice(at)}`)
}

function unknownScope(name: string, bare: string): InvalidInput {
  const near = nearest(bare, [...Object.keys(PRESETS), ...SCOPES])
  const hint = near ? `Did you mean "${near}"?` : `Presets are ${Object.keys(PRESETS).join(', ')}.`
  return new InvalidInput({ scopes: [`There is no scope "${name}". ${hint}`] })
}

/** Returns the access of a caller with these scopes, limited to `types` if there are any. */
export function accessOf(id: string, author: Author, scopes: readonly string[], types: readonly string[]): Access {
  const rights: Rights = new Set(scopes)
  const only = types.length > 0 ? new Set(types) : undefined
  const sees = (type: string) => only === undefined || only.has(type)
  const may = (scope: Scope, type?: string) =>
    type === undefined ? rights.has(scope) : sees(type) && (rights.has(scope) || rights.has(`${scope}@${type}`))
  return {
    id,
    author,
    fingerprint: digest([[...scopes].sort(), [...types].sort()]),
    user: undefined,
    handle: undefined,
    may,
    reach: (scope, type) => (may(scope, type) ? 'all' : 'none'),
    writable: () => undefined,
    sees,
  }
}

/** Returns the access of a token in the hands of its owner: what both may. Its changes are the owner's, by way of the token. */
export function overlapOf(token: Access, owner: Access): Access {
  const may: Access['may'] = (scope, type) => token.may(scope, type) && owner.may(scope, type)
  return {
    id: token.id,
    author: { name: `${owner.author.name} via ${token.author.name}`, email: owner.author.email },
    fingerprint: digest([token.fingerprint, owner.fingerprint]),
    user: owner.user,
    handle: owner.handle,
    may,
    reach: (scope, type) => narrower(token.reach(scope, type), owner.reach(scope, type)),
    writable: (type) => owner.writable(type),
    sees: (type) => token.sees(type) && owner.sees(type),
  }
}

function narrower(one: Reach, other: Reach): Reach {
  return REACHES.indexOf(one) < REACHES.indexOf(other) ? one : other
}

function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 8)
}
