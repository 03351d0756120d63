/** A factor for the runs of properties that are costly each: `npm run test:properties -- 10` for ten times as many. */
const factor = Number(process.env.PROPERTY_RUNS ?? 1)

/** Returns the number of runs of a property that takes `few` in `npm test`. */
export function runsOf(few: number): number {
  return few * factor
}
