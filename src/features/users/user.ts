/** Somebody who signs in. Times are RFC 3339 UTC. */
export interface User {
  readonly id: string
  /** One plain address, in small letters; no two have the same. */
  readonly email: string
  readonly name: string
  /** The `author` of their records; no two users have the same. */
  readonly handle: string
  /** A role of the site; one that is not there any more gives no rights. */
  readonly role: string
  readonly disabled: boolean
  /** Grows whenever all that they are signed in with is to end: access and refresh tokens name the one they were made under. */
  readonly tokenVersion: number
  /** As `features/auth` hashes it; undefined where they have none. */
  readonly passwordHash: string | undefined
  readonly createdAt: string | undefined
  /** The id of the team whose invitation the account stands for, until its first sign-in. */
  readonly invitedTo?: string | undefined
}

/** The properties of a user that others may change. */
export interface UserChanges {
  readonly name?: string | undefined
  readonly role?: string | undefined
  readonly disabled?: boolean | undefined
}
