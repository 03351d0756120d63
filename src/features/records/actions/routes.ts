import type { FastifyInstance, FastifyRequest } from 'fastify'
import { accessOf } from '#http/guarding/bearer.ts'
import type { Idempotency, KeptAnswer } from '#http/guarding/idempotency.ts'
import { askedBy } from '#http/requests/write-options.ts'
import type { Records } from '../records.ts'
import { followedMeta, moveQuery, redirectOf } from '../schemas/change.ts'
import { params } from '../schemas/record.ts'
import type { ActionResult } from './actions.ts'
import type { ActionInput } from './asked-action.ts'
import { actionInput, actionResult } from './schema.ts'

/** The dependencies of the route. */
interface ActionRoutes {
  readonly records: Records
  readonly idempotency: Idempotency
}

type Asked = { Params: { type: string }; Body: ActionInput; Querystring: { redirect?: string } }

/** The route of actions on several records. */
export function actionRoutes(app: FastifyInstance, { records, idempotency }: ActionRoutes): void {
  app.post<Asked>(
    '/api/cms/:type/actions',
    {
      schema: {
        operationId: 'actOnRecords',
        summary: 'Changes or removes several records at once',
        description:
          'One of set, add, remove and delete, for up to 100 records: in one step, all or none. Where some can not be changed, nothing is written, the status is the first that applies of 404, 403, 409 and 422, and `errors` says what is wrong with each.',
        tags: ['Records'],
        errors: [403, 409],
        traits: ['idempotency-key', 'by-id'],
        params,
        body: actionInput,
        querystring: moveQuery,
        response: { 200: actionResult },
      },
    },
    (request, reply) => idempotency.answer(request, reply, (once) => act(records, request, once), before(records, request)),
  )
}

async function act(records: Records, request: FastifyRequest<Asked>, once?: string): Promise<KeptAnswer> {
  const options = { redirect: redirectOf(request.query), asked: askedBy(request, once) }
  return kept(await records.act(accessOf(request), request.params.type, request.body, options))
}

/** Tells the answer to a request whose write was done before. */
function before(records: Records, request: FastifyRequest<Asked>) {
  return async (once: string): Promise<KeptAnswer | undefined> => {
    const result = await records.acted(accessOf(request), request.params.type, request.body, once)
    return result && kept(result)
  }
}

function kept({ records, changed, followed }: ActionResult): KeptAnswer {
  const meta = { changed, ...(followed && followedMeta(followed)) }
  return { status: 200, headers: {}, body: Buffer.from(JSON.stringify({ data: records, meta })) }
}
