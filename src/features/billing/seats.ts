import { Conflict } from '#lib/errors.ts'
import type { Plan } from './subscription.ts'

/** Throws Conflict where a plan is for fewer members; it names a plan that is for as many. */
export function mustHaveSeats(plan: Pick<Plan, 'name' | 'seats'>, members: number, plans: readonly Plan[]): void {
  const { name, seats } = plan
  if (seats === null || members <= seats) return
  const more = plans.filter((one) => one.seats === null || one.seats >= members).sort((a, b) => room(a) - room(b))[0]
  const way = more ? `The plan ${more.name} has ${more.seats ?? 'any number of seats'}.` : 'No plan has more.'
  throw new Conflict(`The plan ${name} has ${seats} ${seats === 1 ? 'seat' : 'seats'}, and this would need ${members}. ${way}`)
}

function room({ seats }: Plan): number {
  return seats ?? Number.POSITIVE_INFINITY
}
