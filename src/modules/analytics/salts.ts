import { hash, randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { networkOf } from '#lib/net/network.ts'
import type { Facts, Visit } from '#module/module.ts'

/** Milliseconds that a salt is kept: while its day lasts anywhere, and for those that are late. */
const LIFE = 48 * 3_600_000

/** Milliseconds in which a node whose turn it is makes a salt, and between two looks of those that wait for it. */
const TURN = 10_000
const LOOK = 50

/** Number of looks after which a node gives up, for its next visit to try anew. */
const LOOKS = 100

/** Bits of a visitor's number: as many as a number of JavaScript holds, in whole bytes. */
export const VISITOR_BITS = 48

/** Returns the salt of a day, the same for all nodes: one of them makes it, and it is gone after 48 hours. */
export async function saltOf(facts: Facts, day: string): Promise<string> {
  const name = `salt-${day}`
  for (let look = 0; look < LOOKS; look++) {
    const found = await facts.peek(name)
    if (typeof found === 'string') return found
    // Where the node whose turn it is dies on the way, another has the next one.
    if ((await facts.add(`${name}-turn`, 1, TURN)) === 1) await facts.put(name, randomBytes(16).toString('base64url'), LIFE)
    else await setTimeout(LOOK)
  }
  throw new Error(`No node made the salt of ${day}.`)
}

/**
 * Returns the text by which a visitor is told from others, before it is hashed. An address of IPv6 is that of its network, since
 * a browser changes the rest by itself.
 */
export function identityOf({ ip, headers, host }: Visit): string {
  return `${networkOf(ip)}\n${host}\n${headers['user-agent'] ?? ''}`
}

/** Returns the number of a visitor on a day: not to be told from the address, nor of another day, without its salt. */
export function visitorOf(salt: string, identity: string): number {
  // As text it is made in a third of the time.
  return Number.parseInt(hash('sha256', `${salt}\n${identity}`, 'hex').slice(0, VISITOR_BITS / 4), 16)
}
