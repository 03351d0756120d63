import type { FastifyInstance } from 'fastify'
import type { Mail } from '#core/mail.ts'
import type { Setting } from '#core/settings.ts'
import type { Throttle } from '#http/guarding/throttle.ts'
import type { Fields } from '#lib/json.ts'
import type { Allowing } from '#lib/net/guarded-request.ts'
import { isPublicAddress } from '#lib/net/public-address.ts'
import { nearest } from '#lib/text/nearest.ts'
import { EVENT_TYPES } from '../events/event.ts'
import type { EventLog } from '../events/event-log.ts'
import { typesLike } from '../events/patterns.ts'
import type { Feature, FeatureDeps, RouteDeps } from '../feature.ts'
import type { Records } from '../records/records.ts'
import type { Settings } from '../settings/settings.ts'
import type { SiteExtensions } from '../site-extensions.ts'
import { KnownJson } from './context/known-json.ts'
import { fieldTypesOf } from './field-types.ts'
import type { ListenerDeps } from './hooks/listeners.ts'
import { ModuleLives } from './hooks/lives.ts'
import { addModuleJob, moduleWorkers } from './hooks/module-jobs.ts'
import { Visits } from './hooks/visits.ts'
import { WriteChecks } from './hooks/write-checks.ts'
import { ModuleHost } from './host.ts'
import { type ModuleLog, moduleLog } from './module-log.ts'
import { type ModuleSet, NO_MODULES } from './module-set.ts'
import { modulePanel } from './panel/module-panel.ts'
import { siteExtensions } from './site-extensions.ts'

/** The dependencies of modules. */
export interface ModulesFeatureDeps extends FeatureDeps {
  readonly config: FeatureDeps['config'] & { readonly features: { readonly auth: boolean } }
  /** Those that were loaded when the site was opened. */
  readonly modules?: ModuleSet | undefined
  readonly moduleLog?: ModuleLog | undefined
  readonly mail: () => Mail
  /** By default the addresses of the public internet. */
  readonly receivers?: { readonly isAllowed: Allowing; readonly patience: number } | undefined
  /** Milliseconds that handlers and listeners have; by default ten and thirty seconds. */
  readonly modulePatience?: number | undefined
}

/** The parts of other features that modules work with. */
export interface ModuleSources {
  readonly records: () => Records
  readonly settings: () => Settings | undefined
  readonly declared: ReadonlyMap<string, Setting>
  /** Undefined where events are switched off. */
  readonly events: () => { readonly log: EventLog; readonly shown: ListenerDeps['shown'] } | undefined
  readonly adopt: (throttle: Throttle) => void
}

/** The things that modules add to other features. */
interface AddedByModules {
  readonly panel: ReturnType<typeof modulePanel>
  readonly extensions: SiteExtensions | undefined
}

/** Makes the modules of a site. */
export function makeModules(deps: ModulesFeatureDeps, sources: ModuleSources) {
  const { store, ledger, clock, types, config, isShared, jobs } = deps
  const log = deps.moduleLog ?? moduleLog(process.stderr)
  const json = new KnownJson()
  const host = new ModuleHost(deps.modules ?? NO_MODULES, {
    ...{ store, ledger, clock, log, json, ...sources },
    site: { name: config.site.name, url: config.site.url, locale: config.site.locale, timezone: config.site.timezone },
    isAllowed: deps.receivers?.isAllowed ?? isPublicAddress,
    mail: deps.mail,
    configOf: (name) => sectionOf(config, name),
    addJob: (module, name, data, at) => addModuleJob(jobs, module, name, data, at),
  })
  host.each(({ module }) => mustKnowEvents(Object.keys(module.definition.on ?? {})))
  const checks = new WriteChecks(
    host.all().flatMap(({ module, context, isOn }) => {
      const check = module.definition.checks?.['record.write']
      return check ? [{ name: module.name, check, context, isOn }] : []
    }),
    log,
  )
  const visits = new Visits(host, clock, log)
  const lives = new ModuleLives({
    ...{ host, log, store, ledger, clock, jobs, isShared },
    events: sources.events,
    patience: deps.modulePatience,
  })
  const letters = host.all().some(({ granted }) => granted.has('mail'))
  if (letters) deps.mail().composes({ module: async ({ data }) => letterOf(data) })
  let declared: ReturnType<typeof declaredRoutesOf> | undefined
  const declare = () => {
    declared ??= declaredRoutesOf(host)
    return declared
  }
  return {
    offers: { host, lives, declare },
    check: checks.check,
    panel: modulePanel({
      active: host.all(),
      fieldTypes: fieldTypesOf({ on: host.all().map(({ module }) => module) }),
      store,
      types,
      clock,
      patience: deps.modulePatience,
    }),
    extensions: siteExtensions(host.all()),
    jobs: {
      ...moduleWorkers(host, log),
      // Sign-in brings them where it is switched on.
      ...(letters && !config.features.auth && deps.mail().workers),
    },
    ...(visits.areHeard && { answered: visits.answered.bind(visits) }),
    routes: async (app: FastifyInstance, { api, operations }: RouteDeps) => {
      if (host.on().length === 0) return
      const [{ registerModules }, routes] = await Promise.all([import('./routing/registering.ts'), declare()])
      registerModules(app, routes, {
        ...{
          host,
          api,
          clock,
          json,
          adopt: sources.adopt,
          ready: (name: string) => lives.ready(name),
          patience: deps.modulePatience,
        },
        lookups: { store, types, clock },
        operations,
      })
    },
    begin: () => lives.begin(),
    close: () => lives.close(),
  } satisfies Feature & AddedByModules & { readonly check: WriteChecks['check'] }
}

/** Has modules declare their routes. */
async function declaredRoutesOf(host: ModuleHost) {
  const { routesOfAll } = await import('./routing/declared-routes.ts')
  return routesOfAll(host)
}

function mustKnowEvents(patterns: readonly string[]): void {
  const unknown = patterns.find((pattern) => !EVENT_TYPES.some(typesLike([pattern])))
  if (unknown === undefined) return
  const near = nearest(unknown, EVENT_TYPES)
  throw new Error(`It listens to "${unknown}", and there is no such event.${near ? ` Did you mean "${near}"?` : ''}`)
}

function letterOf({ subject, text }: Fields) {
  return { values: { subject: String(subject), text: String(text) }, shown: '' }
}

/** The section of the configuration that has a module's name. */
function sectionOf(config: object, name: string): Readonly<Fields> {
  const section: unknown = Object.hasOwn(config, name) ? (config as Readonly<Record<string, unknown>>)[name] : undefined
  return typeof section === 'object' && section !== null && !Array.isArray(section) ? (section as Fields) : {}
}
