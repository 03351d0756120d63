import type { Ledger } from '#core/ledger.ts'
import type { Mail } from '#core/mail.ts'
import { type Setting, settingKey } from '#core/settings.ts'
import type { Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { Allowing } from '#lib/net/guarded-request.ts'
import type { Log, ModuleContext, Settings as ModuleSettings, SiteFacts } from '#module/context.ts'
import type { Records } from '../../records/records.ts'
import type { Settings } from '../../settings/settings.ts'
import { Granted } from '../granted.ts'
import { settingsAccessOf } from '../module-access.ts'
import { type ModuleLog, wordsOf } from '../module-log.ts'
import type { LoadedModule } from '../module-set.ts'
import { asked } from './faults.ts'
import type { KnownJson } from './known-json.ts'
import { httpOf } from './module-http.ts'
import { recordsOf } from './module-records.ts'
import { StoreOfModule } from './module-store.ts'

/** The parts of a site that modules work with. */
export interface ContextDeps {
  readonly store: Store
  readonly ledger: Ledger
  readonly clock: Clock
  readonly site: SiteFacts
  readonly log: ModuleLog
  readonly isAllowed: Allowing
  readonly records: () => Records
  readonly json: KnownJson
  /** Undefined where settings are switched off: then their defaults count. */
  readonly settings: () => Settings | undefined
  readonly declared: ReadonlyMap<string, Setting>
  readonly mail: () => Mail
  /** Returns the section of the configuration of a module that ships. */
  readonly configOf: (module: string) => Readonly<Fields>
  readonly addJob: (module: LoadedModule, name: string, data: Json, at: number | undefined) => Promise<void>
}

/** The context of a module, and what the host itself needs of it. */
export interface OfModule {
  readonly granted: Granted
  readonly store: StoreOfModule
  readonly context: ModuleContext
}

/** Makes what a module gets: no more than its permissions name. */
export function contextOf(module: LoadedModule, deps: ContextDeps): OfModule {
  const { name, definition, permissions, folder } = module
  const granted = new Granted(name, permissions)
  const store = new StoreOfModule(granted, definition, deps.store, deps.ledger)
  const context: ModuleContext = {
    ...{ store, site: deps.site, log: logOf(name, deps.log), settings: settingsOf(name, deps) },
    records: recordsOf(granted, deps.records, deps.json),
    http: httpOf(granted, deps.isAllowed),
    mail: {
      send: async ({ to, subject, text }) => {
        granted.must('mail', 'mail')
        const data = { subject: String(subject), text: String(text) }
        await asked(() => deps.mail().send({ template: 'module', to, data }))
      },
    },
    config: folder === undefined ? deps.configOf(name) : {},
    now: () => deps.clock.now(),
    addJob: async (job, data, at) => {
      granted.must('jobs', 'jobs')
      await deps.addJob(module, job, data, at)
    },
  }
  return { granted, store, context: Object.freeze(context) }
}

function logOf(module: string, log: ModuleLog): Log {
  return {
    info: (message) => log({ level: 'info', module, message: wordsOf(message) }),
    warn: (message) => log({ level: 'warn', module, message: wordsOf(message) }),
    error: (message, error) => log({ level: 'error', module, message: wordsOf(message), error }),
  }
}

function settingsOf(module: string, { settings, declared }: ContextDeps): ModuleSettings {
  const access = settingsAccessOf(module)
  const keyOf = (name: string): string => {
    const key = settingKey(module, name)
    if (!declared.has(key)) throw new Error(`The module "${module}" declares no setting "${name}".`)
    return key
  }
  return {
    get: async (name) => {
      const key = keyOf(name)
      const there = settings()
      if (!there) return (declared.get(key)?.field.default ?? null) as Json
      return (await asked(() => there.get(access, key))).view.value as Json
    },
    set: async (name, value) => {
      const key = keyOf(name)
      const there = settings()
      if (!there) throw new Error('Settings are switched off on this site.')
      await asked(() => there.set(access, key, value))
    },
  }
}
