import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { isWellKnown } from '#core/files/site-files.ts'
import { isTaken } from '#core/permalink.ts'
import type { Send } from '#http/answers/answers.ts'
import { Packer } from '#http/answers/packed.ts'
import type { ErrorLog } from '#http/errors/log.ts'
import { isOwnMachine } from '#http/requests/own-machine.ts'
import { Forbidden } from '#lib/errors.ts'
import type { SitePage } from './outline/site-snapshot.ts'
import { POLICY, TRUSTED_POLICY } from './policies.ts'
import { failurePage, plainFailurePage } from './serving/broken-page.ts'
import { PageStates } from './serving/page-state.ts'
import { Reload } from './serving/reload.ts'
import type { Site } from './site.ts'
import { TemplateFailure } from './theme/template-failure.ts'

/** The options of a site's routes. */
export interface SiteRoutesOptions {
  readonly site: Site
  /**
   * For a server that listens for no other machine: the site's root folder, absolute. A browser on this machine is shown what is
   * wrong with a template, and loads pages again when they change.
   */
  readonly local: { readonly root: string } | undefined
  /** A callback with each template that fails. */
  readonly log: ErrorLog
  /** True if what it shows is for browsers on this machine alone. */
  readonly isNearOnly: boolean
  /** Answers with bytes. */
  readonly send: Send
  /** Returns whether the admin panel is on the host that a request came to. */
  readonly isPanelHost: (host: string) => boolean
}

/** Takes the site's origin from a page: on the panel's host, scripts in it would else act for who is signed in. */
const APART = 'sandbox allow-scripts allow-forms allow-popups; '
const KEPT_FOR_EVER = 'public, max-age=31536000, immutable'
const ANY_BYTES = { type: 'string', format: 'binary' } as const
const SCHEMA = { hide: true, response: { '2xx': ANY_BYTES, '3xx': ANY_BYTES, '4xx': ANY_BYTES, '5xx': ANY_BYTES } } as const

/** GET and HEAD of every address that is not Quire's own: pages, the theme's files, sitemap, feed, robots.txt. */
export const siteRoutes: FastifyPluginAsync<SiteRoutesOptions> = async (app, options) => {
  const { site, local, log, isPanelHost } = options
  if (options.isNearOnly) refuseOthers(app)
  const states = new PageStates(site)
  const packer = new Packer(options.send)
  const reload = local && new Reload(states)
  reload?.routes(app)
  app.get('/*', { schema: SCHEMA }, async (request, reply) => {
    const [path = '/', query] = splitUrl(request.url)
    if (isTaken(path) && !(isWellKnown(path) && (await site.hasFile(path)))) return reply.callNotFound()
    const near = reload && isOwnMachine(request) ? reload : undefined
    const sending = { query, isApart: isPanelHost(request.host), reload: near, packer }
    try {
      return await sendAnswer(request, reply, site, path, sending)
    } catch (error) {
      if (!(error instanceof TemplateFailure)) throw error
      log(error, request.id)
      const html = local && near ? near.failure(failurePage(error, local.root), states.ofFailure(error)) : plainFailurePage()
      return sendHtml(reply.code(500), html)
    }
  })
}

/** The sitemap and its parts, also where the pages themselves are served by something else. */
export const sitemapRoutes: FastifyPluginAsync<Pick<SiteRoutesOptions, 'site' | 'isNearOnly' | 'send'>> = async (
  app,
  { site, isNearOnly, send: sendBytes },
) => {
  if (isNearOnly) refuseOthers(app)
  const packer = new Packer(sendBytes)
  for (const path of ['/sitemap.xml', '/sitemap-:part(^\\d+).xml']) {
    app.get(path, { schema: SCHEMA }, async (request, reply) => {
      const [path, query] = splitUrl(request.url)
      return send(request, reply, await site.page(path), { query, isApart: false, reload: undefined, packer })
    })
  }
}

/** Has every route of a scope answer browsers on this machine alone: another name of it may be that of any site. */
function refuseOthers(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    if (!isOwnMachine(request)) throw new Forbidden('A server with --drafts shows its site to browsers on its own machine only.')
  })
}

function splitUrl(url: string): [string, string] {
  const mark = url.indexOf('?')
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark)]
}

/** The ways in which a page is sent otherwise than it is made. */
interface Sending {
  readonly query: string
  /** True if it may not act for who is signed in to the panel on its host. */
  readonly isApart: boolean
  readonly reload: Reload | undefined
  readonly packer: Packer
}

async function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  site: Site,
  path: string,
  sending: Sending,
): Promise<FastifyReply> {
  const answer = await site.answer(path)
  if ('body' in answer) return send(request, reply, answer, sending)
  const policy = answer.policy === undefined ? {} : { 'content-security-policy': answer.policy }
  const headers = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache', ...policy }
  // A file that went away, or became another, since it was found.
  return (await sending.packer.sendFile(request, reply, { ...answer, headers }, path))
    ? reply
    : send(request, reply, await site.page(path), sending)
}

async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  made: SitePage,
  { query, isApart, reload, packer }: Sending,
): Promise<FastifyReply> {
  const page = reload ? await reload.page(made) : made
  const trusted = isApart ? APART + TRUSTED_POLICY : TRUSTED_POLICY
  reply
    .code(page.status)
    .header('content-security-policy', page.trusted ? trusted : POLICY)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'strict-origin-when-cross-origin')
    .header('cache-control', page.immutable ? KEPT_FOR_EVER : 'no-cache')
  if (page.location !== undefined) reply.header('location', page.location + query)
  if (page.status === 200) return packer.send(request, reply, page, page.contentType)
  return reply.header('content-type', page.contentType).send(page.body)
}

function sendHtml(reply: FastifyReply, html: string): FastifyReply {
  return reply
    .header('content-security-policy', POLICY)
    .header('cache-control', 'no-store')
    .header('content-type', 'text/html; charset=utf-8')
    .send(Buffer.from(html))
}
