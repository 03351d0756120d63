import { hash, randomBytes } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { Ledger } from '#core/ledger.ts'
import type { Clock } from '#lib/clock.ts'
import { networkOf } from '#lib/net/network.ts'

const DAY = 86_400_000

/** Tells the first download of a module by an address on a day from later ones. No address is kept, and none can be told again. */
export class DownloadDays {
  readonly #ledger: Ledger
  readonly #clock: Clock

  constructor({ ledger, clock }: { readonly ledger: Ledger; readonly clock: Clock }) {
    this.#ledger = ledger
    this.#clock = clock
  }

  /** Resolves with whether it is the first. */
  async isFirst(name: string, address: string): Promise<boolean> {
    const day = new Date(this.#clock.now()).toISOString().slice(0, 10)
    const who = hash(
      'sha256',
      JSON.stringify([await this.#salt(day), name, isIPv6(address) ? networkOf(address) : address]),
      'hex',
    )
    return (await this.#ledger.add(`modules.downloaded.${day}.${who}`, 1, DAY)) === 1
  }

  /** The salt of a day, the same on all nodes once it was kept. */
  async #salt(day: string): Promise<string> {
    const fact = `modules.salt.${day}`
    const kept = await this.#ledger.peek(fact)
    if (typeof kept === 'string') return kept
    await this.#ledger.put(fact, randomBytes(16).toString('hex'), 2 * DAY)
    return String(await this.#ledger.peek(fact))
  }
}
