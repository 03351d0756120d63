import type { Customer, Customers, Recipient, Standing } from '../customers.ts'
import { SITE } from '../customers.ts'

/** The dependencies of a site that is a customer. */
export interface SiteCustomersDeps {
  readonly siteName: string
  /** The number of people who may sign in. */
  readonly members: () => Promise<number>
  readonly recipients: () => Promise<readonly Recipient[]>
}

/** The one customer of a site without teams: the site itself, which nobody owns but those who may write its billing. */
export class SiteCustomers implements Customers {
  readonly areTeams = false
  readonly #deps: SiteCustomersDeps

  constructor(deps: SiteCustomersDeps) {
    this.#deps = deps
  }

  async byId(id: string): Promise<Customer | undefined> {
    return id === SITE ? (await this.some())[0] : undefined
  }

  async some(): Promise<readonly Customer[]> {
    return [{ id: SITE, name: this.#deps.siteName, members: await this.#deps.members() }]
  }

  async ownedBy(): Promise<readonly Customer[]> {
    return []
  }

  async standings(): Promise<ReadonlyMap<string, Standing>> {
    return new Map()
  }

  recipients(): Promise<readonly Recipient[]> {
    return this.#deps.recipients()
  }

  async beginning(): Promise<readonly never[]> {
    return []
  }
}
