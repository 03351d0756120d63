/** The roles that a member can have in a team. */
export const TEAM_ROLES = ['owner', 'member'] as const

export type TeamRole = (typeof TEAM_ROLES)[number]

/** A user in a team. */
export interface Member {
  /** The id of the user. */
  readonly user: string
  readonly role: TeamRole
  /** RFC 3339 UTC. */
  readonly since: string
}

/** Users who belong together, and own types. */
export interface Team {
  readonly id: string
  readonly name: string
  /** The name in the configuration; no two teams have the same. */
  readonly slug: string
  readonly members: readonly Member[]
  /** RFC 3339 UTC. */
  readonly createdAt: string | undefined
}

/** The parts of a user that a team asks for. */
export interface Person {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly disabled: boolean
  /** The team whose invitation the account stands for, until its first sign-in. */
  readonly invitedTo?: string | undefined
}
