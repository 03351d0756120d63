import { hash } from 'node:crypto'
import type { Author } from '../document.ts'
import { type Access, type Reach, SCOPES, type Scope } from './access.ts'

/** The roles that every site has, the least first. */
export const BUILT_IN_ROLES = ['viewer', 'contributor', 'author', 'editor', 'admin', 'owner'] as const

export type BuiltInRole = (typeof BUILT_IN_ROLES)[number]

type ForEach<Roles extends readonly string[]> = { readonly [R in keyof Roles]: Reach }

/** The reach of each right for each role, in the order of `BUILT_IN_ROLES`. Anything not listed is not allowed. */
export const ROLE_TABLE: Readonly<Record<Scope, ForEach<typeof BUILT_IN_ROLES>>> = {
  'content:read': ['all', 'all', 'all', 'all', 'all', 'all'],
  'content:drafts': ['none', 'own', 'own', 'all', 'all', 'all'],
  'content:write': ['none', 'own-drafts', 'own', 'all', 'all', 'all'],
  'content:publish': ['none', 'none', 'own', 'all', 'all', 'all'],
  'content:delete': ['none', 'own-drafts', 'own', 'all', 'all', 'all'],
  'taxonomy:write': ['none', 'none', 'none', 'all', 'all', 'all'],
  'media:write': ['none', 'own', 'own', 'all', 'all', 'all'],
  'menus:write': ['none', 'none', 'none', 'all', 'all', 'all'],
  'settings:write': ['none', 'none', 'none', 'none', 'all', 'all'],
  'users:read': ['none', 'none', 'none', 'none', 'all', 'all'],
  'users:write': ['none', 'none', 'none', 'none', 'all', 'all'],
  'teams:write': ['none', 'none', 'none', 'none', 'all', 'all'],
  'webhooks:write': ['none', 'none', 'none', 'none', 'all', 'all'],
  'modules:publish': ['none', 'none', 'none', 'none', 'all', 'all'],
  'audit:read': ['none', 'none', 'none', 'none', 'all', 'all'],
  'billing:write': ['none', 'none', 'none', 'none', 'none', 'all'],
}

/**
 * A role of the configuration: what it begins with, the scopes (`content:write@posts`) it has for all records beside, the only
 * fields it may write by type.
 */
export interface RoleSetting {
  readonly extends: string
  readonly allow: readonly string[]
  readonly fields: Readonly<Record<string, readonly string[]>>
}

/** The holder of a role. `handle` is the `author` value of their records. */
export interface RoleHolder {
  readonly id: string
  readonly handle: string
  readonly author: Author
}

/** The roles of a site: the built-in ones and those of its configuration. */
export class Roles {
  readonly #custom: Readonly<Record<string, RoleSetting>>

  /** The settings are taken as checked: each extends a role there is, none itself. */
  constructor(custom: Readonly<Record<string, RoleSetting>> = {}) {
    this.#custom = custom
  }

  /** All there are, the built-in ones first. */
  names(): string[] {
    return [...BUILT_IN_ROLES, ...Object.keys(this.#custom)]
  }

  has(name: string): boolean {
    return isBuiltIn(name) || Object.hasOwn(this.#custom, name)
  }

  /** The types that roles of the configuration name: for all others a right is held as for any. */
  types(): string[] {
    const settings = Object.values(this.#custom)
    const named = settings.flatMap(({ allow, fields }) => [
      ...allow.flatMap((scope) => scope.split('@').slice(1)),
      ...Object.keys(fields),
    ])
    return [...new Set(named)]
  }

  /** Returns the rights of a role's holder. There are none if the role no longer exists. */
  access(name: string, { id, handle, author }: RoleHolder): Access {
    const chain = this.#chain(name)
    const base = BUILT_IN_ROLES.findIndex((role) => role === (chain.at(-1)?.extends ?? name))
    const reach = (scope: Scope, type?: string) => (isAllowed(chain, scope, type) ? 'all' : (ROLE_TABLE[scope][base] ?? 'none'))
    const fields = writableIn(chain)
    const isOwning = SCOPES.some((scope) => ['own', 'own-drafts'].includes(reach(scope)))
    return {
      id: `user:${id}`,
      author,
      fingerprint: hash('sha256', JSON.stringify([name, chain, isOwning ? handle : '']), 'hex').slice(0, 8),
      user: id,
      handle,
      may: (scope, type) => reach(scope, type) === 'all',
      reach,
      writable: (type) => fields.get(type),
      sees: () => true,
    }
  }

  /** The role itself and what it begins with, down to a built-in one. */
  #chain(name: string): RoleSetting[] {
    const setting = Object.hasOwn(this.#custom, name) ? this.#custom[name] : undefined
    return setting ? [setting, ...this.#chain(setting.extends)] : []
  }
}

function isAllowed(chain: readonly RoleSetting[], scope: Scope, type: string | undefined): boolean {
  return chain.some(({ allow }) => allow.includes(scope) || (type !== undefined && allow.includes(`${scope}@${type}`)))
}

/** Returns the writable fields by type: those of the role itself, else those of the role it extends. */
function writableIn(chain: readonly RoleSetting[]): ReadonlyMap<string, ReadonlySet<string>> {
  const said = [...chain].reverse().flatMap(({ fields }) => Object.entries(fields))
  return new Map(said.map(([type, names]) => [type, new Set(names)]))
}

function isBuiltIn(name: string): name is BuiltInRole {
  return (BUILT_IN_ROLES as readonly string[]).includes(name)
}
