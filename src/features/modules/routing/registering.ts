import type { FastifyInstance } from 'fastify'
import type { LookupDeps } from '#core/queries/lookups.ts'
import type { ApiDeps } from '#http/api.ts'
import type { Throttle } from '#http/guarding/throttle.ts'
import { SchemaChecks } from '#http/requests/validation.ts'
import type { Clock } from '#lib/clock.ts'
import type { ActiveModule, ModuleHost } from '../host.ts'
import { accessOfModule } from '../module-access.ts'
import { type DeclaredRoute, declaredRoutes } from './declared-routes.ts'
import { moduleRoutes, PATIENCE_MS, preparedRoutes } from './module-routes.ts'

/** The server that modules declare their routes to. */
export interface RegisteringDeps {
  readonly host: ModuleHost
  readonly api: Pick<ApiDeps, 'bearerOfAny'>
  readonly clock: Clock
  readonly lookups: LookupDeps
  readonly adopt: (throttle: Throttle) => void
  /** Resolves when a module may be asked; rejects where it is off. */
  readonly ready: (module: string) => Promise<void> | undefined
  readonly patience: number | undefined
}

/** Declares the routes of all modules. One that declares what it may not, or what another has, is off. */
export function registerModules(app: FastifyInstance, deps: RegisteringDeps): void {
  const schemas = new SchemaChecks()
  const taken = new Map<string, string>()
  deps.host.each((active) => {
    const { module, granted, store } = active
    const declare = module.definition.routes
    if (!declare) return
    const routes = declaredRoutes(granted, (group) => declare.call(module.definition, group, active.context))
    mustBeFree(app, active, routes, taken)
    const own = {
      ...{ module: module.name, api: deps.api, clock: deps.clock, schemas, adopt: deps.adopt },
      ready: () => deps.ready(module.name),
      patience: deps.patience ?? PATIENCE_MS,
      rules: {
        collection: (name: string) => store.declared(name),
        lookups: deps.lookups,
        access: accessOfModule(granted),
      },
    }
    const prepared = preparedRoutes(routes, own)
    for (const route of routes) taken.set(shapeOf(route), module.name)
    moduleRoutes(app, prepared, own)
  })
}

/** Throws where a route is another module's, or one of Quire's own. */
function mustBeFree(
  app: FastifyInstance,
  { module }: ActiveModule,
  routes: readonly DeclaredRoute[],
  taken: ReadonlyMap<string, string>,
) {
  for (const route of routes) {
    const { method, path } = route
    const owner = taken.get(shapeOf(route))
    if (owner !== undefined && owner !== module.name)
      throw new Error(`It declares the route ${method} ${path}, which is the module "${owner}"'s.`)
    if (app.hasRoute({ method, url: path }))
      throw new Error(`It declares the route ${method} ${path}, which is one of Quire's own.`)
  }
}

/** The name of a parameter makes no other route. */
function shapeOf({ method, path }: DeclaredRoute): string {
  return `${method} ${path.replaceAll(/:\w+/g, ':')}`
}
