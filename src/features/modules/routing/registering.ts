import type { FastifyInstance } from 'fastify'
import type { LookupDeps } from '#core/queries/lookups.ts'
import type { ApiDeps } from '#http/api.ts'
import type { Throttle } from '#http/guarding/throttle.ts'
import type { Operations } from '#http/openapi/operations.ts'
import { SchemaChecks } from '#http/requests/validation.ts'
import type { Clock } from '#lib/clock.ts'
import type { KnownJson } from '../context/known-json.ts'
import type { ModuleHost } from '../host.ts'
import { accessOfModule } from '../module-access.ts'
import type { DeclaredRoute } from './declared-routes.ts'
import { describedRoute } from './described-routes.ts'
import { moduleRoutes, PATIENCE_MS, preparedRoutes } from './module-routes.ts'

/** The routes of modules, by their names. */
type RoutesOfAll = ReadonlyMap<string, readonly DeclaredRoute[]>

/** The server that modules declare their routes to. */
export interface RegisteringDeps {
  readonly host: ModuleHost
  readonly api: Pick<ApiDeps, 'bearerOfAny' | 'sendJson'>
  readonly clock: Clock
  readonly json: KnownJson
  readonly lookups: LookupDeps
  readonly adopt: (throttle: Throttle) => void
  /** Resolves when a module may be asked; rejects where it is off. */
  readonly ready: (module: string) => Promise<void> | undefined
  readonly patience: number | undefined
  readonly operations: Pick<Operations, 'describe'>
}

/** Declares the routes of all modules to a server. One whose options can't be, or that Quire itself has, puts its module off. */
export function registerModules(app: FastifyInstance, routesOf: RoutesOfAll, deps: RegisteringDeps): void {
  const schemas = new SchemaChecks()
  deps.host.each(({ module, granted, store }) => {
    const routes = routesOf.get(module.name) ?? []
    for (const { method, path } of routes)
      if (app.hasRoute({ method, url: path }))
        throw new Error(`It declares the route ${method} ${path}, which is one of Quire's own.`)
    const own = {
      ...{ module: module.name, api: deps.api, clock: deps.clock, json: deps.json, schemas, adopt: deps.adopt },
      ready: () => deps.ready(module.name),
      patience: deps.patience ?? PATIENCE_MS,
      rules: {
        kindOf: (name: string) => store.declared(name)?.kind,
        lookups: deps.lookups,
        access: accessOfModule(granted),
      },
    }
    moduleRoutes(app, preparedRoutes(routes, own), own)
    for (const route of routes) deps.operations.describe(describedRoute(module.name, route))
  })
}
