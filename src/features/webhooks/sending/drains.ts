import { CatchUp } from '#lib/concurrency/catch-up.ts'
import { Drain, type DrainDeps } from './drain.ts'

/** Milliseconds for which more hints are waited for. */
const PAUSE_MS = 100
/** Milliseconds between two looks at what is due. */
const TICK_MS = 1_000
/** Milliseconds between two looks at what other nodes may have left. */
const WHOLE_MS = 5_000
/** Milliseconds between two looks at what is too old. */
const SWEEP_MS = 3_600_000
/** Milliseconds that receivers have to answer when the server ends; what they have not answered is sent again. */
const GRACE_MS = 5_000

/** The ways of events to all webhooks, of one server. */
export class Drains {
  readonly #deps: DrainDeps
  readonly #looks: CatchUp
  readonly #drains = new Map<string, Drain>()
  #stops: (() => void)[] = []

  constructor(deps: DrainDeps) {
    this.#deps = deps
    this.#looks = new CatchUp(() => this.#look(false), PAUSE_MS)
  }

  /** Sends from now on: as events come, and again where it failed. */
  begin(): void {
    const { log, deliveries, webhooks, isShared } = this.#deps
    const soon = () => this.#looks.soon()
    const unsubscribe = log.subscribe(soon)
    const every = (ms: number, work: () => unknown) => {
      const timer = setInterval(work, ms).unref()
      this.#stops.push(() => clearInterval(timer))
    }
    this.#stops.push(unsubscribe)
    every(TICK_MS, soon)
    if (isShared) every(WHOLE_MS, () => this.wake())
    every(SWEEP_MS, () => void deliveries.sweep().catch(() => undefined))
    void webhooks.forget().catch(() => undefined)
    soon()
  }

  /** Looks soon at all that may be there. */
  wake(): void {
    void this.#look(true).catch(() => this.#looks.soon())
  }

  /** Sends what is there, and due by now, and resolves when all was tried. Rejects with Unavailable where another node is at it. */
  async run(): Promise<void> {
    await Promise.all((await this.#all()).map((drain) => drain.run()))
  }

  /** Begins nothing more; resolves when what is under way has ended. */
  async close(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop()
    await this.#looks.close()
    await Promise.all([...this.#drains.values()].map((drain) => drain.close(GRACE_MS)))
  }

  async #look(isWhole: boolean): Promise<void> {
    for (const drain of await this.#all()) drain.soon(isWhole)
  }

  /** The ways to the webhooks that are on now. */
  async #all(): Promise<Drain[]> {
    const on = (await this.#deps.webhooks.all()).filter(({ isEnabled }) => isEnabled)
    return on.map(({ id }) => {
      const drain = this.#drains.get(id) ?? new Drain(id, this.#deps)
      this.#drains.set(id, drain)
      return drain
    })
  }
}
