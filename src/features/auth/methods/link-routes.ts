import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { FromSchema } from 'json-schema-to-ts'
import { signingInBy } from '#http/requests/acting.ts'
import { BadRequest, Forbidden, UnsupportedMediaType } from '#lib/errors.ts'
import { addressWith, type Handovers } from '../sessions/handovers.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { linkPages, type Render, sendPage } from './link-page.ts'
import type { Links } from './links.ts'
import * as shape from './schema.ts'

/** The dependencies of the link routes. */
export interface LinkRoutes {
  readonly links: Links
  readonly sessions: Sessions
  readonly handovers: Handovers
  readonly site: { readonly name: string; readonly url: string }
  /** The guard of requests without a token: they are counted by address. */
  readonly open: onRequestHookHandler
}

type Opened = { Querystring: FromSchema<typeof shape.linkQuery> }

const VERIFY = '/api/auth/magic-link/verify'
const FORM = 'application/x-www-form-urlencoded'
const common = { tags: ['Sign-in'], security: [] } as const

/** `/api/auth/magic-link` where links can be asked for, and what a link that came by mail leads to. */
export function linkRoutes(app: FastifyInstance, parts: LinkRoutes, isAskedFor: boolean): void {
  if (isAskedFor) askRoute(app, parts)
  openRoute(app, parts)
  // Only here a form is read: any other site can send one.
  app.register(async (scope) => formRoute(scope, parts))
}

function askRoute(app: FastifyInstance, { links, open }: LinkRoutes): void {
  app.post<{ Body: FromSchema<typeof shape.linkRequest> }>(
    '/api/auth/magic-link',
    {
      onRequest: open,
      schema: {
        ...{ ...common, operationId: 'sendLink', summary: 'Have a link sent by mail that signs in' },
        ...{ body: shape.linkRequest, response: { 202: shape.onItsWay } },
      },
    },
    async ({ body }, reply) => {
      await links.send(body.email, body.to)
      return reply
        .code(202)
        .send({ message: 'If this is the address of an account, a link is on its way to it.', expires_in: links.seconds })
    },
  )
}

function openRoute(app: FastifyInstance, parts: LinkRoutes): void {
  const render = linkPages()
  app.get<Opened>(
    VERIFY,
    {
      onRequest: parts.open,
      schema: {
        ...{ ...common, operationId: 'openLink', summary: 'Sign in with a link', errors: [404] },
        description:
          'Programs that look at the links in an e-mail do not spend it: who does not ask for JSON gets a page with a button.',
        ...{ querystring: shape.linkQuery, response: shape.linkAnswers },
      },
    },
    async (request, reply) => (asksForJson(request) ? spend(parts, request) : show(parts, render, request, reply)),
  )
}

function formRoute(scope: FastifyInstance, parts: LinkRoutes): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser<string>(FORM, { parseAs: 'string' }, async (_request: FastifyRequest, body: string) =>
    readForm(body),
  )
  scope.addContentTypeParser('*', async () => {
    throw new UnsupportedMediaType(`Send the form as ${FORM}.`)
  })
  scope.post<{ Body: FromSchema<typeof shape.linkForm> }>(
    VERIFY,
    {
      onRequest: parts.open,
      schema: {
        ...{ ...common, operationId: 'useLink', summary: 'Sign in with a link: the button of its page', errors: [401, 403, 404] },
        ...{ body: { content: { [FORM]: { schema: shape.linkForm } } }, response: shape.formAnswers },
      },
    },
    (request, reply) => onButton(parts, request, reply),
  )
}

async function spend({ links, sessions }: LinkRoutes, request: FastifyRequest<Opened>) {
  const signingIn = signingInBy(request, 'link')
  const { user } = await links.spend(request.query.token ?? '')
  return sessions.begin(user, 'link', signingIn)
}

async function show(
  { links, site }: LinkRoutes,
  render: Render,
  { query: { token = '' } }: FastifyRequest<Opened>,
  reply: FastifyReply,
) {
  const found = await links.look(token)
  const page = await render({ siteName: site.name, siteUrl: site.url, token: found && token })
  if (!found) reply.header('www-authenticate', 'Bearer realm="Quire"')
  return sendPage(reply, found ? 200 : 401, page, found?.to)
}

async function onButton(
  parts: LinkRoutes,
  request: FastifyRequest<{ Body: FromSchema<typeof shape.linkForm> }>,
  reply: FastifyReply,
) {
  const { links, sessions, handovers, site } = parts
  if (request.headers.origin !== new URL(site.url).origin) {
    throw new Forbidden('A link is used on the page that it opens: the Origin header is not the address of this site (site.url).')
  }
  const signingIn = signingInBy(request, 'link')
  const { user, to } = await links.spend(request.body.token)
  if (to === undefined) return sessions.begin(user, 'link', signingIn)
  // The page that is led to may name its address to others, and the code is in it.
  return reply
    .code(302)
    .header('referrer-policy', 'no-referrer')
    .header('location', addressWith(to, 'code', await handovers.give(user, 'link')))
    .send()
}

/** Returns whether a client prefers JSON to a page. A wildcard is no preference, and HEAD changes nothing. */
function asksForJson({ method, headers }: FastifyRequest): boolean {
  const types = (headers.accept ?? '').split(',').map((range) => range.split(';', 1)[0]?.trim().toLowerCase())
  return method !== 'HEAD' && types.includes('application/json') && !types.includes('text/html')
}

function readForm(body: string): Record<string, string> {
  const pairs = [...new URLSearchParams(body)]
  const form = Object.fromEntries(pairs)
  if (Object.keys(form).length < pairs.length) throw new BadRequest('A field of the form is there twice.')
  return form
}
