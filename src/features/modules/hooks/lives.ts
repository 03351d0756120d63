import { setTimeout as pause } from 'node:timers/promises'
import type { Jobs } from '#core/jobs/jobs.ts'
import type { Ledger } from '#core/ledger.ts'
import type { Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import { NotFound, Unavailable } from '#lib/errors.ts'
import type { ActiveModule, ModuleHost } from '../host.ts'
import { type ModuleLog, wordsOf } from '../module-log.ts'
import { Listener, type ListenerDeps } from './listeners.ts'
import { migrate } from './migrations.ts'
import { ModuleClock } from './module-jobs.ts'

/** Milliseconds that a module has to begin, and to end. */
const PATIENCE_MS = 5000
/** Milliseconds between two looks for events of other nodes. */
const LOOK_MS = 1000

/** The dependencies of the lives of modules. */
export interface LivesDeps {
  readonly host: ModuleHost
  readonly log: ModuleLog
  readonly store: Store
  readonly ledger: Ledger
  readonly clock: Clock
  readonly jobs: () => Jobs
  readonly isShared: boolean
  readonly events: () => Pick<ListenerDeps, 'shown' | 'log'> | undefined
  readonly patience: number | undefined
}

/** The lives of modules in a server: migrations, `begin`, listeners and clock, `close`. */
export class ModuleLives {
  readonly #deps: LivesDeps
  readonly #clock: ModuleClock
  readonly #migrated = new Map<string, Promise<void>>()
  readonly #listeners: Listener[] = []
  readonly #begun: ActiveModule[] = []
  readonly #stops: (() => void)[] = []

  constructor(deps: LivesDeps) {
    this.#deps = deps
    this.#clock = new ModuleClock(deps)
  }

  /** Begins all that is on: migrations first. A server answers meanwhile; the routes of a module that migrates wait. */
  async begin(): Promise<void> {
    const { host } = this.#deps
    await Promise.all(host.on().map((active) => this.#begin(active)))
    this.#clock.begin()
    await this.#listen()
  }

  /** Resolves when a module may be asked; rejects where it is off, or still migrates. Undefined where nothing is to be waited for. */
  ready(name: string): Promise<void> | undefined {
    const active = this.#deps.host.find(name)
    if (!active) return Promise.reject(new NotFound('There is nothing at this address.'))
    if (!active.module.definition.migrations?.length) return undefined
    return this.#within(this.migrated(active))
  }

  /** Runs the migrations of a module, once. A module whose migration fails is off. */
  migrated(active: ActiveModule): Promise<void> {
    const { module, context } = active
    const known = this.#migrated.get(module.name)
    if (known) return known
    const { store, ledger } = this.#deps
    const migrations = module.definition.migrations ?? []
    const deps = { store, ledger, pause: (ms: number) => pause(ms) }
    const made = migrations.length === 0 ? Promise.resolve() : migrate(module.name, migrations, context, deps)
    const ended = made.catch((error: unknown) =>
      this.#deps.host.switchOff(module, `A migration failed: ${wordsOf(error)}`, error),
    )
    this.#migrated.set(module.name, ended)
    return ended
  }

  /** Tells listeners what there is, and adds the jobs that are due. */
  async run(): Promise<void> {
    await this.#clock.tick()
    await Promise.all(this.#listeners.map((listener) => listener.run()))
  }

  async close(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop()
    await Promise.all([this.#clock.close(), ...this.#listeners.splice(0).map((listener) => listener.close())])
    await Promise.all(this.#begun.splice(0).map((active) => this.#end(active)))
  }

  async #begin(active: ActiveModule): Promise<void> {
    const { module, context, isOn } = active
    await this.migrated(active)
    if (!isOn()) return
    this.#begun.push(active)
    await this.#inTime(active, 'begin', () => module.definition.begin?.(context))
  }

  async #end(active: ActiveModule): Promise<void> {
    await this.#inTime(active, 'close', () => active.module.definition.close?.(active.context))
  }

  /** One that fails to begin goes on without: its routes may work. */
  async #inTime({ module }: ActiveModule, part: 'begin' | 'close', work: () => unknown): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('it takes more than 5 s, and is not waited for.')), PATIENCE_MS)
    })
    try {
      await Promise.race([work(), late])
    } catch (error) {
      this.#deps.log({ level: 'error', module: module.name, message: `\`${part}\` failed: ${wordsOf(error)}`, error })
    } finally {
      clearTimeout(timer)
    }
  }

  async #listen(): Promise<void> {
    const { host, ledger, clock, isShared, log: say, patience } = this.#deps
    const listening = host.on().filter(({ module }) => Object.keys(module.definition.on ?? {}).length > 0)
    const events = listening.length === 0 ? undefined : this.#deps.events()
    if (!events) {
      for (const { module } of listening)
        say({
          level: 'warn',
          module: module.name,
          message: 'It listens to events, and events are switched off (features.events).',
        })
      return
    }
    for (const active of listening) {
      const listener = new Listener(active, {
        ...events,
        ...{ ledger, clock, isShared, say },
        ...(patience !== undefined && { patience }),
      })
      this.#listeners.push(listener)
      // A store that is away is asked again by the next hint.
      await listener.begin().catch(() => undefined)
    }
    const soon = () => {
      for (const listener of this.#listeners) listener.soon()
    }
    this.#stops.push(events.log.subscribe(soon))
    if (!isShared) return
    const timer = setInterval(soon, LOOK_MS).unref()
    this.#stops.push(() => clearInterval(timer))
  }

  async #within(work: Promise<void>): Promise<void> {
    const late = pause(this.#deps.patience ?? 2 * PATIENCE_MS, undefined, { ref: false }).then(() => {
      throw new Unavailable('The module is being brought up to date.', 5)
    })
    late.catch(() => undefined)
    await Promise.race([work, late])
  }
}
