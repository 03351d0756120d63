import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '#core/access/access.ts'
import type { Ledger } from '#core/ledger.ts'
import type { Auth } from '#features/auth/auth.ts'
import { isOf } from '#features/auth/sessions/sessions.ts'
import { actingIn } from '#http/requests/acting.ts'
import type { Clock } from '#lib/clock.ts'
import { Unauthorized } from '#lib/errors.ts'
import type { Resource } from '../../resource.ts'
import type { Autosaves } from '../autosaves/autosaves.ts'
import type { Pages, Signed } from '../rendering/pages.ts'
import type { PanelTemplates } from '../rendering/panel-templates.ts'
import type { PreviewLinks } from '../resources/preview-links.ts'
import { PanelCookie } from '../signing-in/cookies.ts'
import type { PanelSessions } from '../signing-in/panel-sessions.ts'
import { formToken } from './own-forms.ts'

/** The parts that the routes of the panel work with. */
export interface Panel {
  readonly auth: Auth
  readonly ledger: Ledger
  readonly clock: Clock
  readonly sessions: PanelSessions
  readonly autosaves: Autosaves
  readonly pages: Pages
  readonly templates: PanelTemplates
  readonly previewLinks: PreviewLinks
  readonly site: {
    readonly name: string
    readonly url: string
    readonly locale: string
    readonly timezone: string
    readonly content: string
  }
  /** Finds a resource that the reader sees, by its name. */
  readonly resourceOf: (access: Access, name: string) => Promise<Resource | undefined>
  /** The addresses that the editor asks: for files, and for records to link to; undefined where these are switched off. */
  readonly editorUrls: { readonly upload: string | undefined; readonly records: string | undefined }
  /** The origins that the panel is opened at, beside the one that a request came to. */
  readonly origins: readonly string[]
}

/** The cookie of a session. */
export const SESSION_COOKIE = new PanelCookie('cms_session')

/** Thrown where a page needs somebody who is signed in. */
export class NotSignedIn extends Unauthorized {
  constructor() {
    super('You are not signed in, or your session is over. Nothing was done; all you typed is still here.')
  }
}

/** Finds the caller by the cookie of their session; null where there is none that counts. */
export async function callerOf(panel: Panel, request: FastifyRequest): Promise<Signed | null> {
  const secret = SESSION_COOKIE.read(request)
  const signed = secret === undefined ? null : await signedBy(panel, secret)
  return signed && { ...signed, access: actingIn(request, signed.access, signed.session.id) }
}

/** Finds who is signed in by the secret of a session; null where it is over. */
export async function signedBy({ auth, sessions }: Panel, secret: string): Promise<Signed | null> {
  const session = await sessions.find(secret)
  const user = session && (await auth.users.byId(session.user))
  if (!session || !user || !isOf(session, user)) return null
  const access = await auth.users.access(user)
  return { user, access, session, mark: session.mark, secret, csrf: formToken(secret, session.mark) }
}

/** Returns the caller of a page, on a route that needs one. Throws NotSignedIn. */
export function signedIn({ signed }: FastifyRequest): Signed {
  if (!signed) throw new NotSignedIn()
  return signed
}

/**
 * Finds the caller of a request once more, and makes them the request's own: what a form brings may take long to come. Throws
 * NotSignedIn where their session is over.
 */
export async function signedInStill(panel: Panel, request: FastifyRequest): Promise<Signed> {
  request.signed = await callerOf(panel, request)
  return signedIn(request)
}

/** Answers a form: the browser is led on by GET (RFC 9110 §15.4.4). */
export function leadOn(reply: FastifyReply, to: string): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(to, 303)
}

/** The address to lead to after signing in: a path of the panel that is none of signing in, else its first page. */
export function nextOf(next: unknown): string {
  if (typeof next !== 'string' || next.length > 2000 || !/^\/admin(?:[/?][\x21-\x7e]*)?$/.test(next)) return '/admin'
  const { pathname, search } = new URL(next, 'http://panel.invalid')
  // A path that means another one than it says, such as /admin/../x, is none of the panel.
  if (!`${pathname}${search}`.startsWith(next.split('?', 1)[0] ?? '') || /[\\]/.test(next)) return '/admin'
  if (!/^\/admin(?:\/|$)/.test(pathname)) return '/admin'
  return /^\/admin\/(?:login|verify|logout|setup)(?:\/|$)/.test(pathname) ? '/admin' : `${pathname}${search}`
}
