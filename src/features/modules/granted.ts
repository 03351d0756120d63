import { SCOPES, type Scope } from '#core/access/access.ts'

/** A right on records that a module has: of one type, or of all. */
export interface RecordRight {
  readonly scope: Scope
  readonly type?: string
}

/** The permissions of a module that have no value. */
export type PlainPermission = 'store' | 'mail' | 'site' | 'jobs'

/** The permissions that the manifest of a module names, read. */
export class Granted {
  readonly module: string
  readonly records: readonly RecordRight[]
  /** Hosts that it may send requests to, each with a port where one is named. */
  readonly hosts: readonly string[]
  /** Paths below which it may answer, beside its own. */
  readonly routes: readonly string[]
  readonly #plain: ReadonlySet<string>

  constructor(module: string, permissions: readonly string[]) {
    this.module = module
    this.#plain = new Set(permissions)
    this.records = after(permissions, 'records:').flatMap(rightOf)
    this.hosts = after(permissions, 'http:')
    this.routes = after(permissions, 'routes:').map((path) => path.replace(/\/+$/, ''))
  }

  has(permission: PlainPermission): boolean {
    return this.#plain.has(permission)
  }

  /** Throws, with a sentence for the module's author, where a permission is not named. */
  must(permission: PlainPermission, part: string): void {
    if (!this.has(permission)) throw notGranted(this.module, permission, part)
  }
}

/** Returns the error of a part of the context that is used without the permission for it. */
export function notGranted(module: string, permission: string, part: string): Error {
  return new Error(`The module "${module}" uses ${part}, and its module.yaml does not name the permission ${permission}.`)
}

function after(permissions: readonly string[], prefix: string): string[] {
  return permissions.filter((one) => one.startsWith(prefix)).map((one) => one.slice(prefix.length))
}

/** Rights on anything but records are not given to modules. */
function rightOf(text: string): RecordRight[] {
  const [scope = '', type] = text.split('@')
  const known = SCOPES.find((one) => one === scope && one.startsWith('content:'))
  return known ? [{ scope: known, ...(type !== undefined && { type }) }] : []
}
