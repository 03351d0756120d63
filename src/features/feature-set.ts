import { ChangeDelivery } from '#core/feed/change-delivery.ts'
import type { Stop, Workers } from '#core/jobs/jobs.ts'
import type { Feature, FeatureDeps } from './feature.ts'

/** Makes a feature when it is first called, and gives the same one each time. */
type Make = () => Feature

/** The features that each switch turns on, by their names, in the order of their lives. */
export type FeatureTable = Readonly<Record<string, Readonly<Record<string, Make>>>>

type Intersection<U> = (U extends unknown ? (of: U) => void : never) extends (of: infer I) => void ? I : never

type Offer<M> = M extends () => { readonly offers: infer O } ? O : undefined

/** The objects that the features of a table offer, by the names of these. Each feature is made when it is first asked for. */
export type Offers<T> = Intersection<{ [S in keyof T]: { readonly [N in keyof T[S]]: Offer<T[S][N]> } }[keyof T]>

/** Number of jobs that a server does at once: one that is slow holds nobody up. */
const AT_ONCE = 2

/** The parts of a site that features live by in its server. */
export type LifeDeps = Pick<FeatureDeps, 'store' | 'ledger' | 'jobs' | 'clock' | 'isShared'>

/** The features of a site, and their life in its server. */
export class FeatureSet<T extends FeatureTable> {
  readonly offers: Offers<T>
  readonly #table: T
  readonly #switches: Readonly<Record<string, boolean>>
  readonly #deps: LifeDeps
  readonly #made: Feature[] = []
  readonly #stops: Stop[] = []

  /** `table` gets the function by which each feature is made once. */
  constructor(
    table: (once: <F extends Feature>(make: () => F) => () => F) => T,
    switches: Readonly<Record<string, boolean>>,
    deps: LifeDeps,
  ) {
    this.#table = table((make) => this.#once(make))
    this.#switches = switches
    this.#deps = deps
    this.offers = offersOf(this.#table)
  }

  /** The features that are switched on, in their order. */
  on(): readonly Feature[] {
    return this.#named().map(([, feature]) => feature)
  }

  /** Begins what they do by themselves, one after the other, then what they follow, then their jobs. */
  async begin(): Promise<void> {
    const features = this.on()
    for (const feature of features) await feature.begin?.()
    for (const [name, feature] of this.#named()) await this.#deliver(name, feature)
    const workers = workersOf(features)
    if (Object.keys(workers).length === 0) return
    for (let n = 0; n < AT_ONCE; n++) this.#stops.push(this.#deps.jobs().run(workers))
  }

  /**
   * Ends the jobs and deliveries under way, then closes what was made, the last one first. One that fails keeps no other from its
   * end; its error is thrown then, the first of several.
   */
  async close(): Promise<void> {
    const failures: unknown[] = []
    const ended = async (end: () => unknown) => {
      try {
        await end()
      } catch (error) {
        failures.push(error)
      }
    }
    await Promise.all(this.#stops.splice(0).map(ended))
    for (const feature of this.#made.splice(0).reverse()) await ended(() => feature.close?.())
    if (failures.length > 0) throw failures[0]
  }

  #named(): [name: string, feature: Feature][] {
    const on = Object.entries(this.#table).filter(([name]) => this.#switches[name])
    return on.flatMap(([, features]) => Object.entries(features).map(([name, make]): [string, Feature] => [name, make()]))
  }

  async #deliver(name: string, feature: Feature): Promise<void> {
    const { follow, followParts } = feature
    if (!follow && !followParts) return
    const { store, ledger, clock, isShared } = this.#deps
    const receiver = {
      ...(follow && { follow: follow.bind(feature) }),
      ...(followParts && { followParts: followParts.bind(feature) }),
      lost: async () => feature.lost?.(),
    }
    const delivery = new ChangeDelivery({ name, store, ledger, clock, isShared, ...receiver })
    this.#stops.push(() => delivery.close())
    await delivery.begin()
  }

  #once<F extends Feature>(make: () => F): () => F {
    let made: F | undefined
    return () => {
      if (!made) {
        made = make()
        this.#made.push(made)
      }
      return made
    }
  }
}

/** The workers of all features. Throws where two would do jobs of one name: those of one of them would never be done. */
function workersOf(features: readonly Feature[]): Workers {
  const named = features.flatMap(({ jobs }) => Object.entries(jobs ?? {}))
  const names = named.map(([name]) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw new Error(`Two features have jobs named "${twice}".`)
  return Object.fromEntries(named)
}

function offersOf<T extends FeatureTable>(table: T): Offers<T> {
  const offers = {}
  for (const [name, make] of Object.values(table).flatMap((features) => Object.entries(features))) {
    Object.defineProperty(offers, name, { enumerable: true, get: () => make().offers })
  }
  return offers as Offers<T>
}
