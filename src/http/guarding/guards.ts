import type { onRequestHookHandler } from 'fastify'
import type { Access } from '#core/access/access.ts'
import type { Bearers, Counter } from './bearer.ts'

/** Bearers of the one sort or the other: who the first does not know, the second may. */
export function eitherOf(first: Bearers, second: Bearers): Bearers {
  return {
    known: (credentials): Access | undefined => first.known(credentials) ?? second.known(credentials),
    verify: async (token, credentials) => (await first.verify(token, credentials)) ?? second.verify(token, credentials),
  }
}

/** Counts by both where there are two; the headers say what the second leaves. */
export function bothOf(first: Counter | undefined, second: Counter | undefined): Counter | undefined {
  if (!first || !second) return first ?? second
  return {
    count: (who, reply) => {
      first.count(who, reply)
      second.count(who, reply)
    },
  }
}

/** Lets in anyone, counted by client address where there is a throttle. */
export function open(throttle: Counter | undefined): onRequestHookHandler {
  return (request, reply, done) => {
    try {
      throttle?.count(request.ip, reply)
      done()
    } catch (error) {
      done(error as Error)
    }
  }
}
