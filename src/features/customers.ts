import type { Access } from '#core/access/access.ts'
import type { Change } from '#core/store.ts'

/** The id of the customer where there are no teams: the site itself. */
export const SITE = 'site'

/** A subscriber: a team, or the site itself where there are no teams. */
export interface Customer {
  /** The id of the team, or `SITE`. */
  readonly id: string
  readonly name: string
  /** Number of seats that are taken. */
  readonly members: number
}

/** The address of a letter, and the name of whose it is. */
export interface Recipient {
  readonly email: string
  readonly name: string
}

/** The relation of a caller to a customer whom they may know of. */
export type Standing = 'owner' | 'member'

/** The customers of a site. */
export interface Customers {
  /** True where they are teams. */
  readonly areTeams: boolean
  byId(id: string): Promise<Customer | undefined>
  /** Some of all customers, at most so many. */
  some(most: number): Promise<readonly Customer[]>
  /** Those that the caller is an owner of, at most so many. */
  ownedBy(access: Access, most: number): Promise<readonly Customer[]>
  /** The customers that the caller has a part in, by their ids: one of others is like one that is not there. */
  standings(access: Access): Promise<ReadonlyMap<string, Standing>>
  /** The people who get letters about it. */
  recipients(id: string): Promise<readonly Recipient[]>
  /**
   * The change that goes with the beginning of a subscription. It fails with Stale where the number of members is another by then,
   * and has whatever is about to be done to the customer fail so, too.
   */
  beginning(customer: Customer, subscription: string): Promise<readonly Change[]>
}
