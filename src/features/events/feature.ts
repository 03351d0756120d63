import { ChangeDelivery } from '#core/feed/change-delivery.ts'
import { CatchUp } from '#lib/concurrency/catch-up.ts'
import type { Feature, FeatureDeps } from '../feature.ts'
import { EventLog } from './event-log.ts'
import { EventTail } from './event-tail.ts'
import { Events, NAME } from './events.ts'
import type { ShownDeps } from './shown.ts'

/** Milliseconds between two looks at what the clock did. */
const EVERY_MS = 60_000
/** Milliseconds after the start until the first: what was written meanwhile is told before. */
const FIRST_MS = 5_000
/** Milliseconds between a write and the look for events that came with it: writes come in crowds. */
const PAUSE_MS = 250

type ChangeParts = NonNullable<Feature['followParts']>

/** The dependencies of events. */
export interface EventsFeatureDeps extends FeatureDeps, Pick<ShownDeps, 'mayKnow'> {}

/** Makes the events of a site. */
export function makeEvents({ store, ledger, types, clock, isShared, mayKnow }: EventsFeatureDeps) {
  const log = new EventLog({ store, clock })
  const events = new Events({ store, ledger, types, clock, log })
  const tail = new EventTail(log)
  const taking = new CatchUp(() => events.takeNew(), PAUSE_MS)
  const shown: ShownDeps = { store, types, clock, mayKnow }
  let unsubscribe = () => {}
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  const look = () => {
    running ??= events
      .tick()
      // A hint may be lost.
      .then(() => taking.run())
      .then(() => log.sweep())
      // A store that is away is asked again.
      .catch(() => undefined)
      .finally(() => {
        running = undefined
      })
  }
  const followParts: ChangeParts = (changes, after, next) => events.take(changes, after, next)
  /** See `Events.due`. */
  const due = async () => {
    const delivery = new ChangeDelivery({ name: NAME, store, ledger, clock, isShared, followParts, lost: () => events.lost() })
    return events.due(() => delivery.run()).finally(() => delivery.close())
  }
  return {
    offers: { log, events, due, shown },
    routes: async (app, { api }) => {
      const [{ eventRoutes }, { Streams }] = await Promise.all([import('./routes.ts'), import('./streams.ts')])
      const streams = new Streams({ ...shown, ledger, log, tail })
      await eventRoutes(app, { streams, bearer: api.bearerOfAny, renew: api.uploading.renew })
    },
    followParts,
    lost: () => events.lost(),
    begin: () => {
      unsubscribe = store.subscribe(() => taking.soon())
      taking.soon()
      timer = setTimeout(() => {
        look()
        timer = setInterval(look, EVERY_MS).unref()
      }, FIRST_MS).unref()
    },
    close: async () => {
      clearTimeout(timer)
      clearInterval(timer)
      unsubscribe()
      await Promise.all([running, taking.close(), tail.close()])
    },
  } satisfies Feature
}
