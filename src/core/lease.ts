import { Unavailable } from '#lib/errors.ts'
import type { Ledger } from './ledger.ts'

/** Milliseconds that a node has something for itself: longer than what is done between two renewals. */
const LEASE_MS = 60_000

/**
 * Does some work while no other node does: `renew` gives it another minute, and throws Unavailable where that comes too late. Throws
 * Unavailable where another is at it.
 */
export async function alone(ledger: Ledger, name: string, work: (renew: () => Promise<void>) => Promise<void>): Promise<void> {
  let end = performance.now() + LEASE_MS
  const isOurs = () => performance.now() < end
  const isFree = (await ledger.peek(name)) === undefined && (await ledger.add(name, 1, LEASE_MS)) === 1
  if (!isFree) throw new Unavailable('Another node is at it.', 1)
  const renew = async () => {
    // Once it is over it may be another's.
    if (!isOurs()) throw new Unavailable('It took too long: another node may be at it.', 1)
    const next = performance.now() + LEASE_MS
    await ledger.put(name, 1, LEASE_MS)
    end = next
  }
  try {
    await work(renew)
  } finally {
    if (isOurs()) await ledger.take(name)
  }
}
