import type { Access } from '#core/access/access.ts'
import { alone } from '#core/lease.ts'
import type { Ledger } from '#core/ledger.ts'
import type { Clock } from '#lib/clock.ts'
import { CatchUp } from '#lib/concurrency/catch-up.ts'
import { Unavailable } from '#lib/errors.ts'
import type { Json } from '#lib/json.ts'
import type { ModuleEvent } from '#module/module.ts'
import type { KeptEvent } from '../../events/event.ts'
import { type EventLog, numberOfEvent } from '../../events/event-log.ts'
import { typesLike } from '../../events/patterns.ts'
import { factName } from '../context/module-store.ts'
import type { ActiveModule } from '../host.ts'
import { accessOfModule } from '../module-access.ts'
import { type ModuleLog, wordsOf } from '../module-log.ts'

/** Times that an event is tried, and the milliseconds until the second; each later one waits four times as long. */
const TRIES = 6
const FIRST_PAUSE_MS = 1000
/** Milliseconds that a listener has. */
const PATIENCE_MS = 30_000
/** Milliseconds that a cursor is kept, and that what was set aside is told of: ten years, and thirty days. */
const KEPT_MS = 3650 * 86_400_000
const TOLD_MS = 30 * 86_400_000
/** Milliseconds after a hint for which more are waited for. */
const HINT_MS = 50

/** The events of a site, and what it takes to tell of them. */
export interface ListenerDeps {
  readonly log: EventLog
  readonly ledger: Ledger
  readonly clock: Clock
  readonly isShared: boolean
  /** Returns an event as somebody may know of it now. */
  readonly shown: (access: Access, event: KeptEvent) => Promise<ModuleEvent | undefined>
  readonly say: ModuleLog
  readonly patience?: number
}

/** The point that a module has come to: the number of the last event, and what is to be tried again. */
interface State {
  readonly after: number
  /** Times that the next event was tried, and when it is tried again (milliseconds since 1970). */
  readonly tries: number
  readonly nextAt: number
}

/** Tells one module of the events that it listens to: each at least once and in their order, from a cursor of its own. */
export class Listener {
  readonly #active: ActiveModule
  readonly #deps: ListenerDeps
  readonly #access: Access
  readonly #runs: CatchUp
  readonly #wants: (type: string) => boolean
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(active: ActiveModule, deps: ListenerDeps) {
    this.#active = active
    this.#deps = deps
    this.#access = accessOfModule(active.granted)
    this.#wants = typesLike(Object.keys(active.module.definition.on ?? {}))
    this.#runs = new CatchUp(() => this.#run(), HINT_MS)
  }

  /** Begins where it ended; one that is new, with what comes from now on. */
  async begin(): Promise<void> {
    if (!(await this.#deps.ledger.peek(this.#fact('events')))) await this.#keep(await this.#newest())
    this.#runs.soon()
  }

  soon(): void {
    this.#runs.soon()
  }

  /** Tells what there is, and is due by now. */
  run(): Promise<void> {
    return this.#runs.run()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#runs.close()
  }

  async #run(): Promise<void> {
    const { ledger, isShared } = this.#deps
    const work = async (renew: () => Promise<void>) => {
      while (!this.#isClosed && this.#active.isOn() && (await this.#turn(renew)));
    }
    if (!isShared) return work(async () => undefined)
    await alone(ledger, this.#fact('lease'), work).catch((error: unknown) => {
      // The other node tells of it.
      if (!(error instanceof Unavailable)) throw error
    })
  }

  /** Takes the next events; false where there is nothing to do now. */
  async #turn(renew: () => Promise<void>): Promise<boolean> {
    const { log, clock } = this.#deps
    let state = await this.#state()
    if (state.nextAt > clock.now()) return this.#later(state.nextAt - clock.now())
    const parts = await log.after(state.after)
    if (parts.length === 0) return false
    for (const part of parts) {
      for (const kept of part.events) {
        if (this.#isClosed) return false
        await renew()
        const n = numberOfEvent(kept.event.id)
        const failed = await this.#tell(kept)
        if (failed !== undefined && state.tries + 1 < TRIES) return this.#again(state, n, failed.error)
        if (failed !== undefined) await this.#setAside(kept, failed.error)
        state = { after: n, tries: 0, nextAt: 0 }
        // What the module does not listen to is passed by for nothing.
        if (this.#wants(kept.event.type)) await this.#keep(state)
      }
      state = { after: Math.max(part.n, state.after), tries: 0, nextAt: 0 }
    }
    await this.#keep(state)
    return true
  }

  /** Resolves with what failed, if anything did. */
  async #tell(kept: KeptEvent): Promise<{ readonly error: unknown } | undefined> {
    const { type } = kept.event
    if (!this.#wants(type)) return undefined
    const event = await this.#deps.shown(this.#access, kept)
    if (!event) return undefined
    const { module, context } = this.#active
    const listeners = Object.entries(module.definition.on ?? {}).filter(([pattern]) => typesLike([pattern])(event.type))
    try {
      for (const [, listen] of listeners)
        await inTime(this.#deps.patience ?? PATIENCE_MS, () => listen(structuredClone(event), context))
      return undefined
    } catch (error) {
      return { error }
    }
  }

  async #again({ after, tries }: State, n: number, error: unknown): Promise<false> {
    const pause = FIRST_PAUSE_MS * 4 ** tries
    await this.#keep({ after: Math.max(after, n - 1), tries: tries + 1, nextAt: this.#deps.clock.now() + pause })
    this.#say('warn', `A listener failed, and is told again in ${Math.round(pause / 1000)} s: ${wordsOf(error)}`, error)
    return this.#later(pause)
  }

  async #setAside({ event }: KeptEvent, error: unknown): Promise<void> {
    await this.#deps.ledger.add(this.#fact('aside'), 1, TOLD_MS)
    this.#say('error', `The event ${event.id} (${event.type}) is set aside after ${TRIES} tries: ${wordsOf(error)}`, error)
  }

  #later(ms: number): false {
    clearTimeout(this.#timer)
    if (!this.#isClosed) this.#timer = setTimeout(() => this.#runs.soon(), ms).unref()
    return false
  }

  async #newest(): Promise<State> {
    return { after: await this.#deps.log.newest(), tries: 0, nextAt: 0 }
  }

  async #state(): Promise<State> {
    const kept = (await this.#deps.ledger.peek(this.#fact('events'))) as Readonly<Record<keyof State, Json>> | undefined
    if (!kept) return this.#newest()
    return { after: Number(kept.after), tries: Number(kept.tries), nextAt: Number(kept.nextAt) }
  }

  async #keep(state: State): Promise<void> {
    await this.#deps.ledger.put(this.#fact('events'), { ...state }, KEPT_MS)
  }

  #fact(name: string): string {
    return factName(this.#active.module.name, 'host', name)
  }

  #say(level: 'warn' | 'error', message: string, error: unknown): void {
    this.#deps.say({ level, module: this.#active.module.name, message, error })
  }
}

/** Resolves with the number of events that were set aside for a module in the last thirty days. */
export async function countAside(ledger: Ledger, module: string): Promise<number> {
  const count = await ledger.peek(factName(module, 'host', 'aside'))
  return typeof count === 'number' ? count : 0
}

async function inTime(ms: number, work: () => unknown): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`It took more than ${ms / 1000} s.`)), ms)
  })
  try {
    await Promise.race([work(), late])
  } finally {
    clearTimeout(timer)
  }
}
