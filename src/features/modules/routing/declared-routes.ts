import { SCOPES } from '#core/access/access.ts'
import type { Handler, Middleware, RouteGroup, RouteOptions } from '#module/routing.ts'
import type { Granted } from '../granted.ts'
import type { ModuleHost } from '../host.ts'
import { accessOfModule } from '../module-access.ts'
import { ruledFields, rulesOf } from './body-rules.ts'

/** The most routes of a module. */
const MOST_ROUTES = 300

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export type RouteMethod = (typeof METHODS)[number]

/** A route as a module has declared it. */
export interface DeclaredRoute {
  readonly method: RouteMethod
  /** From `/api` on, with parameters as `:id`. */
  readonly path: string
  readonly options: RouteOptions
  readonly auth: string
  readonly use: readonly Middleware[]
  readonly handler: Handler
}

/** The beginning, the throttles and the guard that a group gives its routes. */
interface Scope {
  readonly prefix: string
  readonly use: readonly Middleware[]
  readonly auth: string
}

const PART = /^(?::[A-Za-z_]\w{0,63}|[A-Za-z0-9][A-Za-z0-9._~-]{0,99})$/

/** Has a module declare its routes. Throws, with a sentence, for one that it may not have. */
export function declaredRoutes(granted: Granted, declare: (group: RouteGroup) => unknown): DeclaredRoute[] {
  const found: DeclaredRoute[] = []
  const seen = new Set<string>()
  const isOver = { value: false }
  const add = (route: DeclaredRoute): void => {
    if (isOver.value) throw new Error('Routes are declared in `routes` alone, and at once.')
    mustBeOwn(granted, route.path)
    const shape = shapeOf(route)
    if (seen.has(shape)) throw new Error(`It declares the route ${route.method} ${route.path} twice.`)
    if (found.length === MOST_ROUTES) throw new Error(`It declares over ${MOST_ROUTES} routes.`)
    seen.add(shape)
    found.push(route)
  }
  const result = declare(groupOf({ prefix: '', use: [], auth: 'token' }, add))
  if (result instanceof Promise) {
    void result.catch(() => undefined)
    throw new Error('Its `routes` is async: routes are declared at once.')
  }
  isOver.value = true
  return found
}

/** The routes of modules by their names; a module that declares what it may not, or what another has, is off. */
export function routesOfAll(host: ModuleHost): ReadonlyMap<string, readonly DeclaredRoute[]> {
  const found = new Map<string, readonly DeclaredRoute[]>()
  const owners = new Map<string, string>()
  host.each(({ module, granted, context, store }) => {
    const { definition, name } = module
    if (!definition.routes) return
    const routes = declaredRoutes(granted, (group) => definition.routes?.(group, context))
    for (const route of routes) {
      const owner = owners.get(shapeOf(route))
      if (owner !== undefined)
        throw new Error(`It declares the route ${route.method} ${route.path}, which is the module "${owner}"'s.`)
    }
    const deps = { kindOf: (name: string) => store.declared(name)?.kind, access: accessOfModule(granted) }
    for (const { options } of routes) ruledFields(rulesOf(options.body)?.rules ?? {}, deps)
    for (const route of routes) owners.set(shapeOf(route), name)
    found.set(name, routes)
  })
  return found
}

/** The name of a parameter makes no other route. */
function shapeOf({ method, path }: DeclaredRoute): string {
  return `${method} ${path.replaceAll(/:\w+/g, ':')}`
}

function groupOf(scope: Scope, add: (route: DeclaredRoute) => void): RouteGroup {
  const route =
    (method: RouteMethod) =>
    (path: string, ...rest: [Handler] | [RouteOptions, Handler]) => {
      const handler = rest.length === 1 ? rest[0] : rest[1]
      const options = rest.length === 1 ? {} : rest[0]
      if (typeof handler !== 'function') throw new Error(`The route ${method} ${String(path)} has no handler.`)
      const use = [...scope.use, ...usedBy(options.use)]
      add({ method, path: joined(scope.prefix, path), options, auth: authOf(options.auth ?? scope.auth), use, handler })
    }
  return {
    group: ({ prefix = '', use, auth }, declare) => {
      const within = {
        prefix: joined(scope.prefix, prefix),
        use: [...scope.use, ...usedBy(use)],
        auth: authOf(auth ?? scope.auth),
      }
      declare(groupOf(within, add))
    },
    get: route('GET'),
    post: route('POST'),
    put: route('PUT'),
    patch: route('PATCH'),
    delete: route('DELETE'),
  }
}

/** Joins two parts of a path; `{id}` is another way to write `:id`. */
function joined(prefix: string, path: string): string {
  if (typeof path !== 'string') throw new Error('The path of a route is a text.')
  const parts = path
    .replaceAll(/\{(\w+)\}/g, ':$1')
    .split('/')
    .filter((part) => part !== '')
  const wrong = parts.find((part) => !PART.test(part) || part === '..')
  if (wrong !== undefined) throw new Error(`"${wrong.slice(0, 50)}" can't be a part of a route's path.`)
  return [prefix, ...parts].join('/')
}

function mustBeOwn({ module, routes }: Granted, path: string): void {
  const own = `/api/x/${module}`
  if ([own, ...routes].some((prefix) => path === prefix || path.startsWith(`${prefix}/`))) return
  const claimed = `Its routes are below ${own}, or below what a permission \`routes:\` names.`
  throw new Error(`It declares the route ${path || '/'}, which is not its own. ${claimed}`)
}

function usedBy(use: readonly Middleware[] | undefined): readonly Middleware[] {
  const all = use ?? []
  for (const one of all)
    if (!/^[1-9]\d{0,8},[1-9]\d{0,4}$/.test(String(one?.throttle)))
      throw new Error('`use` takes `throttle("<n>,<m>")`: n requests in m minutes.')
  return all
}

function authOf(auth: string): string {
  if (auth === 'public' || auth === 'token' || (SCOPES as readonly string[]).includes(auth)) return auth
  throw new Error(`\`auth\` is public, token or a right (${SCOPES.slice(0, 3).join(', ')}, …), not "${auth}".`)
}
