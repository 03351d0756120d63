import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { tagged } from '#http/answers/etag.ts'
import { Packer } from '#http/answers/packed.ts'
import type { ErrorLog } from '#http/errors/log.ts'
import { Forbidden, NotFound, Unavailable } from '#lib/errors.ts'
import { hasOwner } from '../signing-in/setup.ts'
import { SignIns } from '../signing-in/sign-ins.ts'
import { EarlierForm, ExpiredForm, isWrite, sendErrorPage } from './error-pages.ts'
import { readTexts } from './file-forms.ts'
import { mustComeFromHere, tokenState } from './own-forms.ts'
import { callerOf, NotSignedIn, type Panel, signedIn, signedInStill } from './panel.ts'
import { nothingThere, type PanelRoutes } from './panel-routes.ts'
import { isForScript, tokenOf } from './sent.ts'

/** The dependencies of the panel's scope: counting, and the log. */
export interface ScopeDeps {
  readonly panel: Panel
  readonly log: ErrorLog
  /** Counts a request of a session, or of an address without one. */
  readonly count: (who: string, reply: FastifyReply) => void
  /** Counts a try to sign in, as the API does. */
  readonly countSignIn: (who: string, reply: FastifyReply) => void
  /** True where only this machine can reach the server: there the first owner makes their account at an address of its own. */
  readonly isLocal: boolean
}

const ASSETS = '/admin/assets/'
/** Routes of what a page asks for by itself while somebody types. An address may be encoded in many ways: its route is looked at. */
const UNCOUNTED = /^\/admin\/(?:autosave|preview)\//
const SIGNING_IN = /^\/admin\/(?:login|verify|setup)(?:\/|$)/
const KEPT_FOR_EVER = 'public, max-age=31536000, immutable'
const ANY = { type: 'string', format: 'binary' } as const
const SCHEMA = { hide: true, response: { '2xx': ANY, '3xx': ANY, '4xx': ANY, '5xx': ANY } } as const

interface AssetParams {
  readonly Params: { readonly '*': string }
}

/**
 * The panel's part of the server: finds who calls, refuses forms that are not its own before a handler sees them, and answers
 * every error with a page. `declare` adds the routes.
 */
export function panelScope(app: FastifyInstance, deps: ScopeDeps, routes: PanelRoutes): void {
  const { panel, count, countSignIn, isLocal } = deps
  const signIns = new SignIns(panel)
  const packer = new Packer()
  let isOwned = isLocal
  app.decorateRequest('signed', null)
  app.addHook('onRequest', async (request, reply) => {
    const { url = '' } = request.routeOptions
    if (url.startsWith(ASSETS)) return
    isOwned ||= await hasOwner(panel.auth.users)
    if (!isOwned) throw new Unowned()
    request.signed = await callerOf(panel, request)
    if (!request.signed || !UNCOUNTED.test(url))
      count(request.signed ? `session:${request.signed.session.id}` : request.ip, reply)
    const { panel: route } = request.routeOptions.config
    // One limit for trying to sign in, by whichever door.
    if (SIGNING_IN.test(url) && isWrite(request)) countSignIn(request.ip, reply)
    // What a form says is looked at before it is told that nobody is signed in: it is kept for them.
    if (!isWrite(request) && !route?.isOpen) signedIn(request)
  })
  app.addHook('preHandler', async (request) => {
    if (!isWrite(request)) return
    mustComeFromHere(request, panel.origins)
    const isOpen = request.routeOptions.config.panel?.isOpen === true
    const signIn = isOpen ? await signIns.of(request) : undefined
    if (signIn && tokenState(tokenOf(request), signIn.secret) === 'good') return
    if (isOpen) throw new ExpiredForm()
    if (!request.signed) throw new NotSignedIn()
    // The proof comes before the files: none is read without it.
    await readTexts(request)
    await signedInStill(panel, request)
    mustBeTheirs(request)
  })
  app.addHook('onResponse', async (request) => request.files?.end())
  app.setErrorHandler((error, request, reply) => sendErrorPage(deps, error, request, reply))
  routes.declare(app)
  app.get<AssetParams>(`${ASSETS}*`, { schema: SCHEMA }, async (request, reply) => sendAsset(panel, packer, request, reply))
  app.all('/admin/*', { schema: SCHEMA }, async (request) => {
    throw nothingThere(routes, request)
  })
}

/** Thrown while the site has no owner, and so nobody can sign in. */
class Unowned extends Unavailable {
  constructor() {
    super(
      'This site has no owner yet, so nobody can sign in. Make one on the machine of the server: cms user:create --email <address> --role owner.',
      60,
    )
  }
}

const FILES_AGAIN =
  'You have signed in anew since this page was opened. Nothing was taken: open it again, and choose the files again.'

function mustBeTheirs(request: FastifyRequest): void {
  const { secret, mark } = signedIn(request)
  const state = tokenState(tokenOf(request), secret, mark)
  if (state === 'earlier') throw request.files && !isForScript(request) ? new Forbidden(FILES_AGAIN) : new EarlierForm()
  if (state === 'bad')
    throw new Forbidden('This form is not one of your session. Nothing was done: open its page again and send it from there.')
}

async function sendAsset(
  { templates }: Panel,
  packer: Packer,
  request: FastifyRequest<AssetParams>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const asset = templates.asset(ASSETS + request.params['*'])
  if (!asset) throw new NotFound('There is no such file.')
  return packer.send(request, reply.header('cache-control', KEPT_FOR_EVER), tagged(asset.body), asset.contentType)
}
