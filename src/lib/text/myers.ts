/** Insertions and deletions beyond which two lists count as different altogether: the work grows with its square. */
const MAX_CHANGES = 1000
/** Lists that have more items together count so, too: they may be walked along anew for each change. */
const MAX_ITEMS = 200_000

// Not by diff 9 (jsdiff): the same matches take it 3 to 15 times as long, 290 ms for 1,000 long lines that begin alike (this 23).
/**
 * Returns for each item of `a` the index of its match in `b` by the fewest changes (Myers 1986); undefined if the two are
 * different altogether.
 */
export function matches(a: readonly string[], b: readonly string[]): (number | undefined)[] | undefined {
  if (a.length + b.length > MAX_ITEMS || Math.abs(a.length - b.length) > MAX_CHANGES) return undefined
  const found: (number | undefined)[] = new Array(a.length).fill(undefined)
  const trace = trail(...numbered(a, b))
  if (!trace) return undefined
  let [x, y] = [a.length, b.length]
  for (let d = trace.length - 1; d >= 0; d--) {
    const reach = trace[d]
    const k = x - y
    const down = isDown(reach, d, k)
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

/** Equal items as equal numbers: long ones that begin alike would take their length at each comparison. */
function numbered(...lists: [a: readonly string[], b: readonly string[]]): [a: Int32Array, b: Int32Array] {
  const numbers = new Map<string, number>()
  const numberOf = (item: string) => {
    const known = numbers.get(item)
    if (known === undefined) numbers.set(item, numbers.size)
    return known ?? numbers.size - 1
  }
  const [a, b] = lists
  return [Int32Array.from(a, numberOf), Int32Array.from(b, numberOf)]
}

/** Myers' furthest reaching points before each number of changes, by diagonal. */
function trail(a: Int32Array, b: Int32Array): Int32Array[] | undefined {
  const trace: Int32Array[] = []
  let reach = new Int32Array()
  for (let d = 0; d <= MAX_CHANGES; d++) {
    trace.push(reach)
    const next = new Int32Array(d + 1)
    for (let k = -d; k <= d; k += 2) {
      let x = d === 0 ? 0 : isDown(reach, d, k) ? at(reach, k + 1) : at(reach, k - 1) + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      next[(k + d) >> 1] = x
      if (x >= a.length && x - k >= b.length) return trace
    }
    reach = next
  }
  return undefined
}

function isDown(reach: Int32Array | undefined, d: number, k: number): boolean {
  return k === -d || (k !== d && at(reach, k - 1) < at(reach, k + 1))
}

/** The point on a diagonal: of `d` changes there are `d + 1`, from `-d` on, each second one. */
function at(reach: Int32Array | undefined, k: number): number {
  return reach?.[(k + reach.length - 1) >> 1] ?? -1
}
