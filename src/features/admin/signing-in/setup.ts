import { hash, randomBytes } from 'node:crypto'
import type { Ledger } from '#core/ledger.ts'
import type { Users } from '#features/users/users.ts'

/** Milliseconds that the address of the set-up is good. */
const LIFE = 15 * 60_000
const NAME = 'panel.setup'

/** The one-time address at which the first owner makes their account: a new one takes the place of the one before. */
export class SetUp {
  readonly #ledger: Ledger

  constructor({ ledger }: { ledger: Ledger }) {
    this.#ledger = ledger
  }

  /** Makes the token of a new address. Its hash alone is kept. */
  async begin(): Promise<string> {
    const token = randomBytes(32).toString('base64url')
    await this.#ledger.put(NAME, hash('sha256', token, 'base64url'), LIFE)
    return token
  }

  /** Returns whether a token is the one that is good now. */
  async isGood(token: string): Promise<boolean> {
    const kept = await this.#ledger.peek(NAME)
    return typeof kept === 'string' && kept === hash('sha256', token, 'base64url')
  }

  /** Makes a token that was spent good again: nobody became the owner. */
  async restore(token: string): Promise<void> {
    await this.#ledger.put(NAME, hash('sha256', token, 'base64url'), LIFE)
  }

  /** Spends the token; false where it is not the one, or was spent. */
  async spend(token: string): Promise<boolean> {
    return (await this.isGood(token)) && (await this.#ledger.take(NAME)) === hash('sha256', token, 'base64url')
  }
}

/** Resolves with whether the site has an owner who may sign in. */
export async function hasOwner(users: Users): Promise<boolean> {
  return (await users.list()).some(({ role, disabled }) => role === 'owner' && !disabled)
}
