import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorLog } from '#http/error-log.ts'
import { errorAnswer } from '#http/errors.ts'
import { Forbidden, MethodNotAllowed, NotFound, Unavailable } from '#lib/errors.ts'
import { LoginPages } from '../signing-in/login-routes.ts'
import { hasOwner } from '../signing-in/setup.ts'
import { SignIns } from '../signing-in/sign-ins.ts'
import { readTexts } from './file-forms.ts'
import { keptFrom, sendKept } from './kept-form.ts'
import { mustComeFromHere, tokenState } from './own-forms.ts'
import { callerOf, leadOn, NotSignedIn, type Panel, signedIn } from './panel.ts'
import type { PanelRoutes } from './panel-routes.ts'
import { isForScript, sendJson, tokenOf } from './sent.ts'

/** The dependencies of the panel's scope: counting, and the log. */
export interface ScopeDeps {
  readonly panel: Panel
  readonly log: ErrorLog
  /** Counts a request of a session, or of an address without one. */
  readonly count: (who: string, reply: FastifyReply) => void
  /** True where only this machine can reach the server: there the first owner makes their account at an address of its own. */
  readonly isLocal: boolean
}

const ASSETS = '/admin/assets/'
/** Requests that a page makes by itself while somebody types. */
const UNCOUNTED = /^\/admin\/(?:autosave|preview)\//
const KEPT_FOR_EVER = 'public, max-age=31536000, immutable'
const ANY = { type: 'string', format: 'binary' } as const
const SCHEMA = { hide: true, response: { '2xx': ANY, '3xx': ANY, '4xx': ANY, '5xx': ANY } } as const

/**
 * The panel's part of the server: finds who calls, refuses forms that are not its own before a handler sees them, and answers
 * every error with a page. `declare` adds the routes.
 */
export function panelScope(app: FastifyInstance, deps: ScopeDeps, routes: PanelRoutes): void {
  const { panel, count, isLocal } = deps
  const signIns = new SignIns(panel)
  let isOwned = isLocal
  app.decorateRequest('signed', null)
  app.addHook('onRequest', async (request, reply) => {
    if (request.url.startsWith(ASSETS)) return
    isOwned ||= await hasOwner(panel.auth.users)
    if (!isOwned) throw new Unowned()
    request.signed = await callerOf(panel, request)
    if (!request.signed || !UNCOUNTED.test(request.url))
      count(request.signed ? `session:${request.signed.session.id}` : request.ip, reply)
    const { panel: route } = request.routeOptions.config
    // What a form says is looked at before it is told that nobody is signed in: it is kept for them.
    if (!isWrite(request) && !route?.isOpen) signedIn(request)
  })
  app.addHook('preHandler', async (request) => {
    if (!isWrite(request)) return
    mustComeFromHere(request, panel.origins)
    const isOpen = request.routeOptions.config.panel?.isOpen === true
    const signIn = isOpen ? await signIns.of(request) : undefined
    if (signIn && tokenState(tokenOf(request), signIn.secret) === 'good') return
    if (request.signed) {
      // The proof comes before the files: none is read without it.
      await readTexts(request)
      return mustBeTheirs(request)
    }
    throw isOpen ? new ExpiredForm() : new NotSignedIn()
  })
  app.addHook('onResponse', async (request) => request.files?.end())
  app.setErrorHandler((error, request, reply) => answerError(deps, error, request, reply))
  routes.declare(app)
  app.get<{ Params: { '*': string } }>(`${ASSETS}*`, { schema: SCHEMA }, async (request, reply) =>
    sendAsset(panel, request, reply),
  )
  app.all('/admin/*', { schema: SCHEMA }, async (request) => {
    throw nothingThere(routes, request)
  })
}

/** Thrown while the site has no owner, and so nobody can sign in. */
class Unowned extends Unavailable {
  constructor() {
    super(
      'This site has no owner yet, so nobody can sign in. Make one on the machine of the server: cms user:create <email> --role owner.',
      60,
    )
  }
}

/** A form of a sign-in that is over, or that this browser did not begin. */
class ExpiredForm extends Forbidden {
  constructor() {
    super('This form is too old, or was opened in another browser. Nothing was done. Try again on the page below.')
  }
}

/** A form of an earlier session of the same user: it is shown again, ready to be sent. */
class EarlierForm extends Forbidden {
  constructor() {
    super(
      'You have signed in anew since this form was opened, so it was not taken yet. All you typed is still here: send it again.',
    )
  }
}

function mustBeTheirs(request: FastifyRequest): void {
  const { secret, mark } = signedIn(request)
  const state = tokenState(tokenOf(request), secret, mark)
  if (state === 'earlier') throw request.files && !isForScript(request) ? new Forbidden(FILES_AGAIN) : new EarlierForm()
  if (state === 'bad')
    throw new Forbidden('This form is not one of your session. Nothing was done: open its page again and send it from there.')
}

async function answerError(
  { panel, log }: ScopeDeps,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { pages } = panel
  const isFramed = request.routeOptions.config.panel?.isFramed === true
  if (isForScript(request)) return answerScript(log, error, request, reply)
  if (error instanceof NotSignedIn && !isFramed) {
    if (!isWrite(request)) return leadOn(reply, `/admin/login?next=${encodeURIComponent(request.url)}`)
    const login = new LoginPages(panel)
    if (request.files) return login.openWith(request, reply, undefined, FILES_ARE_GONE, '/admin/media')
    return login.openWith(request, reply, keptFrom(request), error.message)
  }
  if (error instanceof EarlierForm && !isFramed)
    return sendKept(pages, request, reply, keptFrom(request), { status: 403, title: 'Send it again', sentences: [error.message] })
  const { status, headers, body } = errorAnswer(error)
  if (status === 500) log(error, request.id)
  const { 'www-authenticate': _, ...others } = headers
  reply.headers(others)
  const data = {
    number: String(status),
    heading: HEADINGS[status] ?? String(body.error),
    sentences: isFramed
      ? [status === 401 ? SIGNED_OUT : String(body.message)]
      : [String(body.message), ...(isWrite(request) && status < 500 ? ['Go back to find all you typed as it was.'] : [])],
    near: [],
    buttons: isFramed
      ? []
      : [
          {
            label: request.signed ? 'To the dashboard' : 'Sign in',
            url: request.signed ? '/admin' : '/admin/login',
            tone: 'primary',
          },
        ],
  }
  try {
    return await pages.send(request, reply, {
      template: request.signed && !isFramed ? 'error' : 'error-door',
      isFramed,
      title: String(body.error),
      status,
      data,
    })
  } catch (failure) {
    log(failure, request.id)
    const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }
    return reply.code(500).headers(headers).send('This page can not be shown just now. The log of the server has the details.')
  }
}

/** Answers what a script asked for, in JSON as the API does; a form of an earlier session with the proof of the one of now. */
function answerScript(log: ErrorLog, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, headers, body } = errorAnswer(error)
  if (status === 500) log(error, request.id)
  const { 'www-authenticate': _, ...others } = headers
  const csrf = error instanceof EarlierForm ? { csrf: request.signed?.csrf } : {}
  return sendJson(reply.headers(others), status, { ...body, ...csrf })
}

const FILES_AGAIN =
  'You have signed in anew since this page was opened. Nothing was taken: open it again, and choose the files again.'
const FILES_ARE_GONE = 'You are not signed in, or your session is over. Nothing was taken: sign in, and choose the files again.'
const SIGNED_OUT = 'You are not signed in any more. Sign in in another tab; all you typed is still in the form.'

const HEADINGS: Readonly<Record<number, string>> = {
  401: 'Your session is over',
  403: 'This is not yours to do',
  404: 'There is nothing here',
  409: 'This does not fit what is there',
  413: 'That is too much at once',
  415: 'This can’t be taken',
  429: 'A little slower, please',
  500: 'Something went wrong here',
  503: 'Not just now',
}

async function sendAsset({ templates }: Panel, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const path = decodeURI(request.url.split('?', 1)[0] ?? '')
  const asset = templates.asset(path)
  if (!asset) throw new NotFound('There is no such file.')
  return reply.header('cache-control', KEPT_FOR_EVER).type(asset.contentType).send(asset.body)
}

function nothingThere(routes: PanelRoutes, { method, url }: FastifyRequest): Error {
  const path = url.split('?', 1)[0] ?? ''
  const found = routes.table().filter((route) => patternOf(route.url).test(path))
  const allowed = [...new Set(found.map((route) => route.method))]
  return allowed.length > 0 && !allowed.includes(method) ? new MethodNotAllowed(allowed) : new NotFound('There is no such page.')
}

function patternOf(url: string): RegExp {
  return new RegExp(`^${url.replaceAll(/:[a-z]+/g, '[^/]+')}$`)
}

function isWrite({ method }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD'
}
