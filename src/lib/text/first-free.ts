/**
 * Finds a number from 1 on that is not taken: the first, where numbers are taken without gaps, else one right after a taken one.
 * Asks about twice the logarithm of it.
 */
export async function firstFree(isTaken: (number: number) => Promise<boolean>): Promise<number> {
  let taken = 0
  let free = 1
  while (await isTaken(free)) {
    taken = free
    free *= 2
  }
  while (free - taken > 1) {
    const middle = (taken + free) >>> 1
    if (await isTaken(middle)) taken = middle
    else free = middle
  }
  return free
}
