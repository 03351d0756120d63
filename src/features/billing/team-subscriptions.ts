import { Conflict } from '#lib/errors.ts'
import type { SubscriptionView, TeamSubscriptions } from '../subscription-view.ts'
import type { Gateway } from './gateway.ts'
import type { Kept } from './kept.ts'
import { mustHaveSeats } from './seats.ts'
import type { Plan, Subscription } from './subscription.ts'
import { viewOf } from './views.ts'

/** Returns the subscriptions of teams. What is refused is so by the plan as it was agreed on; `plans` are those to be named. */
export function teamSubscriptions(
  kept: Kept,
  gateway: Pick<Gateway, 'mustBeginNone'>,
  plans: readonly Plan[],
): TeamSubscriptions {
  const live = async (team: string): Promise<Subscription | undefined> => {
    const subscription = (await kept.latest([team])).get(team)?.subscription
    return subscription?.status === 'canceled' ? undefined : subscription
  }
  return {
    of: async (teams) => {
      const found = await kept.latest(teams)
      return new Map([...found].map(([team, { subscription }]): [string, SubscriptionView] => [team, viewOf(subscription)]))
    },
    mustHaveSeats: async (team, members) => {
      const subscription = await live(team)
      if (subscription) mustHaveSeats(subscription.plan, members, plans)
    },
    mustBeOver: async (team) => {
      if (await live(team)) throw new Conflict('The team has a subscription. It can’t be removed before that has ended.')
      await gateway.mustBeginNone?.(team)
    },
  }
}
