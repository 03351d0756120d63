import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import type { FromSchema } from 'json-schema-to-ts'
import { answerWith, sendTagged } from '#http/answers/answers.ts'
import { taggedJson } from '#http/answers/etag.ts'
import { accessOf } from '#http/guarding/bearer.ts'
import type { Idempotency, KeptAnswer } from '#http/guarding/idempotency.ts'
import { pagingOf, pagingQuery } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import type { Members } from './members.ts'
import * as shape from './schema.ts'
import type { Teams } from './teams.ts'

/** The dependencies of the routes of teams. */
export interface TeamRoutes {
  readonly teams: Teams
  readonly members: Members
  readonly idempotency: Idempotency
  /** The guard of routes that need a token. */
  readonly bearer: onRequestHookHandler
}

type One = { id: string }
type OneMember = { id: string; user: string }

const tags = ['Teams'] as const
const base = '/api/teams'

/** `/api/teams…`. */
export async function teamRoutes(app: FastifyInstance, { teams, members, idempotency, bearer }: TeamRoutes): Promise<void> {
  app.addHook('onRequest', bearer)
  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })

  app.get<{ Querystring: QueryParams }>(base, { schema: LIST }, (request, reply) => {
    const listed = async () => teams.list(accessOf(request), pagingOf(request.query))
    answerWith(sendTagged, request, reply, listed().then(taggedJson))
  })
  app.get<{ Params: One }>(`${base}/:id`, { schema: GET }, (request, reply) => {
    const got = teams.get(accessOf(request), request.params.id)
    answerWith(
      sendTagged,
      request,
      reply,
      got.then((data) => taggedJson({ data })),
    )
  })
  app.post<{ Body: FromSchema<typeof shape.newTeam> }>(base, { schema: CREATE }, (request, reply) =>
    idempotency.answer(request, reply, async () => {
      const team = await teams.create(accessOf(request), request.body)
      return { ...created(team), headers: { location: `${base}/${encodeURIComponent(team.id)}` } }
    }),
  )
  app.route<{ Params: One; Body: FromSchema<typeof shape.teamChange> }>({
    method: ['PATCH', 'PUT'],
    url: `${base}/:id`,
    schema: UPDATE,
    handler: async (request) => ({ data: await teams.update(accessOf(request), request.params.id, request.body) }),
  })
  app.delete<{ Params: One }>(`${base}/:id`, { schema: REMOVE }, async (request) => {
    await teams.remove(accessOf(request), request.params.id)
    return removed(request.params.id)
  })
  app.post<{ Params: One; Body: FromSchema<typeof shape.newMember> }>(`${base}/:id/members`, { schema: ADD }, (request, reply) =>
    idempotency.answer(request, reply, async () =>
      created(await members.add(accessOf(request), request.params.id, request.body)),
    ),
  )
  const member = `${base}/:id/members/:user`
  app.route<{ Params: OneMember; Body: FromSchema<typeof shape.memberChange> }>({
    method: ['PATCH', 'PUT'],
    url: member,
    schema: SET_ROLE,
    handler: async (request) => {
      const { id, user } = request.params
      return { data: await members.setRole(accessOf(request), id, user, request.body.role) }
    },
  })
  app.delete<{ Params: OneMember }>(member, { schema: LEAVE }, async (request) => {
    await members.remove(accessOf(request), request.params.id, request.params.user)
    return removed(request.params.user)
  })
}

const LIST = {
  operationId: 'listTeams',
  summary: 'Lists the teams by their names',
  description: 'All of them with teams:write, else those that the user who is signed in belongs to.',
  tags,
  errors: [422],
  traits: ['etag'],
  querystring: pagingQuery,
  response: { 200: shape.teamList },
} as const

const GET = {
  operationId: 'getTeam',
  summary: 'Gives a team',
  tags,
  errors: [404],
  traits: ['etag'],
  response: { 200: shape.oneTeam },
} as const

const CREATE = {
  operationId: 'createTeam',
  summary: 'Makes a team, whose first owner is the user who asks',
  tags,
  errors: [403, 409],
  traits: ['location', 'idempotency-key'],
  body: shape.newTeam,
  response: { 201: shape.oneTeam },
} as const

const UPDATE = {
  operationId: 'updateTeam',
  summary: 'Changes the name or the slug of a team',
  description: 'The slug of a team that owns a type stays.',
  tags,
  errors: [403, 404, 409],
  body: shape.teamChange,
  response: { 200: shape.oneTeam },
} as const

const REMOVE = {
  operationId: 'deleteTeam',
  summary: 'Removes a team that owns no type',
  description: 'Its members keep their accounts; invitations to it end.',
  tags,
  errors: [403, 404, 409],
  response: { 200: shape.removed },
} as const

const ADD = {
  operationId: 'addTeamMember',
  summary: 'Adds a user to a team, or invites an address that is nobody’s',
  description: 'For owners of the team, and with teams:write.',
  tags,
  errors: [403, 404, 409],
  traits: ['idempotency-key'],
  body: shape.newMember,
  response: { 201: shape.oneMember },
} as const

const SET_ROLE = {
  operationId: 'updateTeamMember',
  summary: 'Gives a member another role in the team',
  description: 'For owners of the team, and with teams:write. The last owner stays one.',
  tags,
  errors: [403, 404, 409],
  body: shape.memberChange,
  response: { 200: shape.oneMember },
} as const

const LEAVE = {
  operationId: 'removeTeamMember',
  summary: 'Takes a member out of a team; everybody may leave',
  description: 'The last owner stays. An invitation that nobody took ends.',
  tags,
  errors: [403, 404, 409],
  response: { 200: shape.removed },
} as const

function created(data: object): KeptAnswer {
  return { status: 201, headers: {}, body: Buffer.from(JSON.stringify({ data })) }
}

function removed(id: string): { data: { id: string; deleted: boolean } } {
  return { data: { id, deleted: true } }
}
