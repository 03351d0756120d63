/** Insertions and deletions beyond which two lists count as different altogether: the work grows with its square. */
const MAX_CHANGES = 1000

/**
 * Merges two lists that came from one (diff3: Khanna, Kunal, Pierce 2007). Undefined where both changed one place, each in its
 * own way, or where a list has changed beyond recognition.
 */
export function merge3(base: readonly string[], ours: readonly string[], theirs: readonly string[]): string[] | undefined {
  const inOurs = matches(base, ours)
  const inTheirs = matches(base, theirs)
  if (!inOurs || !inTheirs) return undefined
  const merged: string[] = []
  let [o, a, b] = [0, 0, 0]
  while (o < base.length || a < ours.length || b < theirs.length) {
    if (o < base.length && inOurs[o] === a && inTheirs[o] === b) {
      merged.push(base[o] ?? '')
      o++
      a++
      b++
      continue
    }
    let next = o
    while (next < base.length && (inOurs[next] === undefined || inTheirs[next] === undefined)) next++
    const [toA, toB] = [inOurs[next] ?? ours.length, inTheirs[next] ?? theirs.length]
    const chosen = choose(base.slice(o, next), ours.slice(a, toA), theirs.slice(b, toB))
    if (!chosen) return undefined
    merged.push(...chosen)
    o = next
    a = toA
    b = toB
  }
  return merged
}

/** The side that changed, or either where both say the same. */
function choose(base: readonly string[], ours: readonly string[], theirs: readonly string[]): readonly string[] | undefined {
  if (isEqual(ours, base)) return theirs
  return isEqual(theirs, base) || isEqual(ours, theirs) ? ours : undefined
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i])
}

/** For each item of `a`, where the same item stands in `b` after the fewest changes (Myers 1986); undefined beyond MAX_CHANGES. */
function matches(a: readonly string[], b: readonly string[]): (number | undefined)[] | undefined {
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
