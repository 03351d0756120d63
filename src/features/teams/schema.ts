import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import { many, one } from '#http/answers/shapes.ts'
import { subscriptionView } from '../subscription-view.ts'
import { TEAM_ROLES } from './team.ts'

const text = { type: 'string' } as const
const role = { ...text, enum: TEAM_ROLES } as const

const memberView = {
  title: 'TeamMember',
  type: 'object',
  required: ['user', 'name', 'role', 'since', 'pending'],
  additionalProperties: false,
  properties: {
    user: { ...text, description: 'The id of the user, or of the account that stands for an invitation.' },
    name: text,
    role,
    since: { ...text, format: 'date-time' },
    pending: { type: 'boolean', description: 'True for who was invited, and has not signed in yet.' },
  },
} as const satisfies JSONSchema

const teamView = {
  title: 'Team',
  type: 'object',
  required: ['id', 'name', 'slug', 'members', 'types', 'subscription', 'created_at'],
  additionalProperties: false,
  properties: {
    id: text,
    name: text,
    slug: { ...text, description: 'What `team` of a type names.' },
    members: { type: 'array', items: memberView },
    types: { type: 'array', items: text, description: 'The types that it owns.' },
    subscription: { ...subscriptionView, type: ['object', 'null'], description: 'The last one. Null where there was none.' },
    created_at: { type: ['string', 'null'] },
  },
} as const satisfies JSONSchema

/** A team as it is shown. */
export type TeamView = FromSchema<typeof teamView>

/** A member as they are shown. */
export type MemberView = FromSchema<typeof memberView>

/** Teams, and which part of the list they are. */
export const teamList = many(teamView)

/** An answer with one team. */
export const oneTeam = one(teamView)

/** An answer with one member. */
export const oneMember = one(memberView)

const slug = { ...text, maxLength: 100, examples: ['acme'] } as const

/** A team to be made. */
export const newTeam = {
  title: 'NewTeam',
  type: 'object',
  required: ['name'],
  additionalProperties: false,
  properties: {
    name: { ...text, examples: ['Acme'] },
    slug: { ...slug, description: 'If nothing is said, made of the name.' },
  },
} as const satisfies JSONSchema

/** The change of a team. */
export const teamChange = {
  title: 'TeamChange',
  type: 'object',
  additionalProperties: false,
  properties: { name: text, slug },
} as const satisfies JSONSchema

/** A member to be added: a user, or whoever has an address. */
export const newMember = {
  title: 'NewTeamMember',
  type: 'object',
  additionalProperties: false,
  properties: {
    user: { ...text, description: 'The id of a user. This or `email`.' },
    email: { ...text, description: 'An address that is nobody’s gets an invitation.', examples: ['ada@example.org'] },
    role: { ...role, default: 'member' },
  },
} as const satisfies JSONSchema

/** Another role of a member. */
export const memberChange = {
  title: 'TeamMemberChange',
  type: 'object',
  required: ['role'],
  additionalProperties: false,
  properties: { role },
} as const satisfies JSONSchema

/** The response for what was removed. */
export const removed = one({
  type: 'object',
  required: ['id', 'deleted'],
  additionalProperties: false,
  properties: { id: text, deleted: { type: 'boolean' } },
})
