import type { Config } from '#config/schema.ts'
import { SiteCustomers } from '#features/billing/site-customers.ts'
import type { People } from '#features/teams/people.ts'
import type { Tokens } from '#features/tokens/tokens.ts'
import type { Accounts } from '#features/users/accounts.ts'
import type { Invitations } from '#features/users/invitations.ts'
import { usersWith } from '#features/users/rights.ts'
import type { Users } from '#features/users/users.ts'

/** The users of a site as teams need them; what sends mail is asked for when some is to be sent. */
export function peopleOf(users: Users, invitations: Invitations, accounts: () => Accounts): People {
  return {
    byId: (id) => users.byId(id),
    byEmail: (email) => users.byEmail(email),
    some: (ids) => invitations.some(ids),
    make: (access, email, team, asked) => invitations.make(access, email, team, asked),
    invite: (id) => accounts().send(id),
    remove: (id, by, asked) => users.remove(id, by, undefined, asked),
    withdrawal: (id, team) => invitations.withdrawal(id, team),
  }
}

/** The site as the customer of its own billing. Where nobody can sign in it has no members, and nobody gets letters. */
export function siteCustomer({ site, features }: Config, users: () => Users): SiteCustomers {
  return new SiteCustomers({
    siteName: site.name,
    members: async () => (features.auth ? (await users().page({ limit: 0 })).total : 0),
    recipients: async () => (features.auth ? usersWith(users(), 'billing:write') : []),
  })
}

/**
 * Returns what finds the name and the rights of who `user:<id>` or `token:<id>` names, as they are now; undefined for who is gone, or
 * may not sign in.
 */
export function callers(users: (() => Users) | undefined, tokens: () => Tokens) {
  return async (caller: string) => {
    const [kind, id = ''] = caller.split(':', 2)
    if (kind === 'user') return users?.().acting(id)
    return kind === 'token' ? tokens().acting(id) : undefined
  }
}
