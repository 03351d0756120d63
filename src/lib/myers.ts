/** Insertions and deletions beyond which two lists count as different altogether: the work grows with its square. */
const MAX_CHANGES = 1000

/** For each item of `a`, where the same item stands in `b` after the fewest changes (Myers 1986); undefined where that takes over 1,000. */
export function matches(a: readonly string[], b: readonly string[]): (number | undefined)[] | undefined {
  const found: (number | undefined)[] = new Array(a.length).fill(undefined)
  const trace = trail(a, b)
  if (!trace) return undefined
  let [x, y] = [a.length, b.length]
  for (let d = trace.length - 1; d >= 0; d--) {
    const reach = trace[d]
    const k = x - y
    const down = d === 0 || k === -d || (k !== d && at(reach, k - 1) < at(reach, k + 1))
    const fromX = d === 0 ? 0 : down ? at(reach, k + 1) : at(reach, k - 1) + 1
    while (x > fromX) {
      x--
      y--
      found[x] = y
    }
    // The step itself: down takes one of `b`, right leaves one of `a` out.
    if (d > 0 && down) y--
    else if (d > 0) x--
  }
  return found
}

/** Myers' furthest reaching points before each number of changes, by diagonal. */
function trail(a: readonly string[], b: readonly string[]): Map<number, number>[] | undefined {
  const trace: Map<number, number>[] = []
  let reach = new Map<number, number>([[1, 0]])
  for (let d = 0; d <= MAX_CHANGES; d++) {
    trace.push(reach)
    const next = new Map<number, number>()
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && at(reach, k - 1) < at(reach, k + 1))
      let x = down ? at(reach, k + 1) : at(reach, k - 1) + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      next.set(k, x)
      if (x >= a.length && x - k >= b.length) return trace
    }
    reach = next
  }
  return undefined
}

function at(reach: Map<number, number> | undefined, k: number): number {
  return reach?.get(k) ?? -1
}
