import type { Head } from '#core/document.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { AuditedThing } from '../audited-thing.ts'
import { type Member, TEAM_ROLES, type Team, type TeamRole } from './team.ts'

/** The private kind that teams are documents of. */
export const KIND = '.teams'

/** Teams as the audit log tells of them. */
export const AUDITED_TEAMS: AuditedThing = {
  kind: KIND,
  sort: 'team',
  names: { name: 'name', slug: 'slug', members: 'members' },
  title: 'name',
}

/** The team that a document holds; undefined where it can't be read as one. Members that can't be read are none. */
export function readTeam({ key, fields, problem }: Head): Team | undefined {
  const name = text(fields.name)
  const slug = text(fields.slug)
  if (problem?.severity === 'error' || name === undefined || slug === undefined) return undefined
  const members = Array.isArray(fields.members) ? fields.members.flatMap((one) => readMember(one) ?? []) : []
  return { id: key.id, name, slug, members, createdAt: text(fields.created) }
}

/** A new team as a document has it. */
export function fieldsOf({ name, slug, members, createdAt }: Team): Fields {
  return { name, slug, created: createdAt ?? null, ...memberFields(members) }
}

/** The members of a team as a document has them: their ids by themselves as well, which teams are found by. */
export function memberFields(members: readonly Member[]): Fields {
  const listed = members.map(({ user, role, since }) => ({ user, role, since }))
  return { members: listed, users: members.map(({ user }) => user) }
}

function readMember(value: Json): Member | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const user = text(value.user)
  const since = text(value.since)
  const role = TEAM_ROLES.find((one): one is TeamRole => one === value.role)
  return user === undefined || since === undefined || role === undefined ? undefined : { user, role, since }
}

function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
