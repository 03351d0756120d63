import { ChangeDelivery } from '#core/feed/change-delivery.ts'
import type { Feature, FeatureDeps } from '../feature.ts'
import { EventLog } from './event-log.ts'
import { EventTail } from './event-tail.ts'
import { Events, NAME } from './events.ts'

/** Milliseconds between two looks at what the clock did. */
const EVERY_MS = 60_000
/** Milliseconds after the start until the first: what was written meanwhile is told before. */
const FIRST_MS = 5_000

type ChangeParts = NonNullable<Feature['followParts']>

/** Makes the events of a site. */
export function makeEvents({ store, ledger, types, clock, isShared }: FeatureDeps) {
  const log = new EventLog({ store, clock })
  const events = new Events({ store, ledger, types, clock, log })
  const tail = new EventTail(log)
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  const look = () => {
    running ??= events
      .tick()
      .then(() => log.sweep())
      // A store that is away is asked again.
      .catch(() => undefined)
      .finally(() => {
        running = undefined
      })
  }
  const followParts: ChangeParts = (changes, after) => events.take(changes, after)
  /** See `Events.due`. */
  const due = async () => {
    const delivery = new ChangeDelivery({ name: NAME, store, ledger, clock, isShared, followParts, lost: () => events.lost() })
    return events.due(() => delivery.run()).finally(() => delivery.close())
  }
  return {
    offers: { log, events, due },
    routes: async (app, { api }) => {
      const [{ eventRoutes }, { Streams }] = await Promise.all([import('./routes.ts'), import('./streams.ts')])
      const streams = new Streams({ store, ledger, types, clock, log, tail })
      await eventRoutes(app, { streams, bearer: api.bearerOfAny, renew: api.uploading.renew })
    },
    followParts,
    lost: () => events.lost(),
    begin: () => {
      timer = setTimeout(() => {
        look()
        timer = setInterval(look, EVERY_MS).unref()
      }, FIRST_MS).unref()
    },
    close: async () => {
      clearTimeout(timer)
      clearInterval(timer)
      await Promise.all([running, tail.close()])
    },
  } satisfies Feature
}
