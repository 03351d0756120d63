import type { FromSchema, JSONSchema } from 'json-schema-to-ts'

const text = { type: 'string' } as const
const time = { type: ['string', 'null'], format: 'date-time' } as const

/** The shape of a subscription as it is shown, by itself and with its team. */
export const subscriptionView = {
  title: 'Subscription',
  type: 'object',
  required: [
    ...['id', 'team', 'plan', 'status', 'current_period_start', 'current_period_end', 'cancel_at_period_end'],
    ...['trial_ends_at', 'canceled_at'],
  ],
  additionalProperties: false,
  properties: {
    id: text,
    team: { type: ['string', 'null'], description: 'The id of the team; null where there are no teams.' },
    plan: { ...text, description: 'The id of the plan.' },
    status: { ...text, enum: ['trialing', 'active', 'past_due', 'canceled'] },
    current_period_start: { ...text, format: 'date-time' },
    current_period_end: { ...text, format: 'date-time' },
    cancel_at_period_end: { type: 'boolean', description: 'True for one that is cancelled, and goes on until its period ends.' },
    trial_ends_at: time,
    canceled_at: { ...time, description: 'When it ended.' },
  },
} as const satisfies JSONSchema

/** A subscription as it is shown. */
export type SubscriptionView = FromSchema<typeof subscriptionView>

/** The subscriptions of teams, as far as teams ask for them. */
export interface TeamSubscriptions {
  /** The last one of each of these teams, by their ids. */
  of(teams: readonly string[]): Promise<ReadonlyMap<string, SubscriptionView>>
  /** Throws Conflict where the plan of a team is for fewer members. */
  mustHaveSeats(team: string, members: number): Promise<void>
  /** Throws Conflict while a team has a subscription that has not ended. */
  mustBeOver(team: string): Promise<void>
}
