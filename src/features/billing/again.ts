import { Stale } from '#lib/errors.ts'

/** Number of times a change is tried again because another came in between. */
const TRIES = 1000

/** Works until nothing came in between: what throws Stale is done again from its beginning. */
export async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Stale) || tries === TRIES) throw error
    }
  }
}
