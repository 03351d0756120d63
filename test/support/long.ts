import t from 'tap'

/**
 * True in the long form of the tests, `npm run test:long`: it takes the files `*.long.test.ts`, and those that import this one,
 * whole. `npm test` takes what there is time for at each change.
 */
export const isLong: boolean = process.env.TEST_LONG === '1'

/** A factor for the runs of properties that are costly each: `npm run test:properties -- 10` for ten times as many. */
const factor = Number(process.env.PROPERTY_RUNS ?? 1)

/** Returns the number of runs of a property that takes `many` in the long form: a fifth of them in `npm test`, at least one. */
export function runsOf(many: number): number {
  return Math.ceil(isLong ? many : many / 5) * factor
}

/** Returns a function that declares tests as `declare` does, in the long form alone: `long(each)('…', async (t, app) => …)`. */
export function long<Words extends unknown[]>(declare: (...words: Words) => unknown): (...words: Words) => unknown {
  return (...words) => (isLong ? declare(...words) : undefined)
}

/** As `t.test`, in the long form alone. */
export const longTest = long((...words: unknown[]) => Reflect.apply(t.test, t, words)) as typeof t.test
