import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorAnswer } from '#http/errors/errors.ts'
import type { ErrorLog } from '#http/errors/log.ts'
import { Forbidden, TooLarge } from '#lib/errors.ts'
import { insecure, isPrivateWay } from '../signing-in/cookies.ts'
import { LoginPages } from '../signing-in/login-routes.ts'
import { isCarried, keptFrom, keptIn, sendKept } from './kept-form.ts'
import { leadOn, NotSignedIn, type Panel } from './panel.ts'
import { isForScript, sendJson } from './sent.ts'
import { wayOn } from './way-on.ts'

/** A form of an earlier session of the same user: it is shown again, ready to be sent. */
export class EarlierForm extends Forbidden {
  constructor() {
    super(
      'You have signed in anew since this form was opened, so it was not taken yet. All you typed is still here: send it again.',
    )
  }
}

/** A form of a sign-in that is over, or that this browser did not begin. */
export class ExpiredForm extends Forbidden {
  constructor() {
    super('This form is too old, or was opened in another browser. Nothing was done. Try again on the page below.')
  }
}

/** The dependencies of error pages. */
export interface ErrorPageDeps {
  readonly panel: Panel
  readonly log: ErrorLog
}

/** Answers an error with a page; a form is shown again to who has to sign in before it is taken. */
export async function sendErrorPage(
  { panel, log }: ErrorPageDeps,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (isForScript(request)) return answerScript(log, error, request, reply)
  try {
    return await pageOf({ panel, log }, error, request, reply)
  } catch (failure) {
    log(failure, request.id)
    const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }
    return reply.code(500).headers(headers).send('This page can not be shown just now. The log of the server has the details.')
  }
}

async function pageOf(
  { panel, log }: ErrorPageDeps,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { pages } = panel
  const isFramed = request.routeOptions.config.panel?.isFramed === true
  const mustSignIn = error instanceof ExpiredForm || (error instanceof NotSignedIn && isWrite(request))
  // No form to sign in is shown where others could read what is put into it.
  if (mustSignIn && !isPrivateWay(request)) return pageOf({ panel, log }, insecure(), request, reply)
  if (error instanceof NotSignedIn && !isFramed) {
    if (!isWrite(request)) return leadOn(reply, `/admin/login?next=${encodeURIComponent(request.url)}`)
    const login = new LoginPages(panel)
    if (request.files) return login.openWith(request, reply, undefined, FILES_ARE_GONE, '/admin/media')
    const kept = keptFrom(request)
    if (isCarried(kept)) return login.openWith(request, reply, kept, error.message)
    return pageOf({ panel, log }, new TooLarge(TOO_LONG), request, reply)
  }
  if (error instanceof ExpiredForm) {
    const kept = keptIn(request)
    const login = new LoginPages(panel)
    if (!request.signed) return login.openWith(request, reply, kept, error.message, '/admin', 403)
    const sentences = ['You are signed in already, in another tab. All you typed is still here, and nothing of it is saved yet.']
    if (kept) return sendKept(pages, request, reply, kept, { status: 403, title: 'Go on where you were', sentences })
  }
  if (error instanceof EarlierForm && !isFramed)
    return sendKept(pages, request, reply, keptFrom(request), { status: 403, title: 'Send it again', sentences: [error.message] })
  const { status, headers, body, isFault } = errorAnswer(error)
  if (isFault) log(error, request.id)
  const { 'www-authenticate': _, ...others } = headers
  reply.headers(others)
  const way = isFramed ? undefined : await wayOn(panel, error, request)
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
    ...way,
  }
  return pages.send(request, reply, {
    template: request.signed && !isFramed ? 'error' : 'error-door',
    isFramed,
    title: String(body.error),
    status,
    data,
  })
}

/** Answers what a script asked for, in JSON as the API does; a form of an earlier session with the proof of the one of now. */
function answerScript(log: ErrorLog, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, headers, body, isFault } = errorAnswer(error)
  if (isFault) log(error, request.id)
  const { 'www-authenticate': _, ...others } = headers
  const csrf = error instanceof EarlierForm ? { csrf: request.signed?.csrf } : {}
  return sendJson(reply.headers(others), status, { ...body, ...csrf })
}

const TOO_LONG =
  'You are not signed in any more, and this form is too long to be kept here. Go back to your text, sign in in another tab, and send it again.'
const FILES_ARE_GONE =
  'You are not signed in, or your session is over. Sign in, and choose the files again that are not there yet.'
const SIGNED_OUT = 'You are not signed in any more. Sign in in another tab; all you typed is still in the form.'

const HEADINGS: Readonly<Record<number, string>> = {
  401: 'Your session is over',
  403: 'This is not yours to do',
  404: 'There is nothing here',
  405: 'This can’t be done here',
  409: 'This does not fit what is there',
  412: 'It has changed meanwhile',
  413: 'That is too much at once',
  415: 'This can’t be taken',
  422: 'This can’t be taken as it is',
  429: 'A little slower, please',
  500: 'Something went wrong here',
  503: 'Not just now',
  507: 'There is no room left',
}

/** Returns whether a request may change something. */
export function isWrite({ method }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD'
}
