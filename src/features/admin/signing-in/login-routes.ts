import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Auth } from '#features/auth/auth.ts'
import { signingInBy } from '#http/requests/acting.ts'
import { Failure, InvalidInput, NotFound } from '#lib/errors.ts'
import type { Signed } from '../rendering/pages.ts'
import { carrying, type KeptForm, keptIn } from '../requests/kept-form.ts'
import { formToken } from '../requests/own-forms.ts'
import { leadOn, nextOf, type Panel, SESSION_COOKIE } from '../requests/panel.ts'
import type { PanelRoutes } from '../requests/panel-routes.ts'
import { textOf } from '../requests/sent.ts'
import { insecure, isPrivateWay } from './cookies.ts'
import { hasOwner } from './setup.ts'
import { arrive, mustHaveBegun, type SignIn, SignIns } from './sign-ins.ts'

/** The reason why somebody was not signed in, and what they had typed. */
interface Wrong {
  readonly status: number
  readonly message: string
  readonly email?: string
  readonly isPassword?: boolean
}

const OPEN = { isOpen: true } as const

const WRONG_CODE =
  'That code is not right, or no longer good. Only the newest one counts, in the browser that asked for it. Look again, or have another one sent.'
const WRONG_PASSWORD = 'Address and password do not match. Try again, or sign in with a code.'

const UNOWNED =
  'This site has no owner yet. Open the address that cms serve printed when it started: there you make yourself its owner.'

/** `/admin/login` and `/admin/verify`: signing in to the panel with a code or a password; and signing out. */
export function loginRoutes(routes: PanelRoutes, panel: Panel): void {
  const pages = new LoginPages(panel)
  routes.get('/admin/login', (request, reply) => pages.open(request, reply), OPEN)
  routes.on('POST', '/admin/login', (request, reply) => pages.sendCode(request, reply), OPEN)
  routes.on('POST', '/admin/login/password', (request, reply) => pages.takePassword(request, reply), OPEN)
  routes.get('/admin/verify', (request, reply) => pages.openCode(request, reply), OPEN)
  routes.on('POST', '/admin/verify', (request, reply) => pages.takeCode(request, reply), OPEN)
  routes.on('POST', '/admin/logout', async (request, reply) => {
    if (request.signed) await endSession(panel, request, request.signed)
    SESSION_COOKIE.clear(request, reply)
    return leadOn(reply, '/admin/signed-out')
  })
  routes.get('/admin/signed-out', (request, reply) => pages.signedOut(request, reply), OPEN)
}

/** Ends the session that a request comes in. */
async function endSession({ sessions }: Panel, request: FastifyRequest, { user, session }: Signed): Promise<void> {
  await sessions.end(session.id)
  request.signedOut = { user, session: session.id }
}

/** The pages of signing in. */
export class LoginPages {
  readonly #panel: Panel
  readonly #signIns: SignIns

  constructor(panel: Panel) {
    this.#panel = panel
    this.#signIns = new SignIns(panel)
  }

  async open(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const next = nextOf((request.query as Readonly<Record<string, string>>).next)
    if (request.signed) return leadOn(reply, next)
    const says = (await hasOwner(this.#panel.auth.users)) ? undefined : UNOWNED
    return this.#show(request, reply, await this.#begin(request, reply, next), undefined, undefined, says)
  }

  /** Shows the page to somebody whose session is over, with the form that they sent. */
  async openWith(
    request: FastifyRequest,
    reply: FastifyReply,
    kept: KeptForm | undefined,
    message: string,
    next = '/admin',
    status = 401,
  ): Promise<FastifyReply> {
    const signIn = await this.#begin(request, reply, next)
    return this.#show(request, reply, signIn, { status, message: '' }, kept, message)
  }

  async sendCode(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { auth } = this.#panel
    const before = await mustHaveBegun(this.#signIns, request)
    if (!auth.methods.includes('otp')) throw new NotFound('Signing in with a code is switched off.')
    const email = textOf(request, 'email')
    const kept = keptIn(request)
    // A code that came stays good where another is asked for.
    const isSame = before.email?.toLowerCase() === email.trim().toLowerCase()
    const signIn = isSame
      ? await this.#signIns.renew(request, reply, before, email)
      : await this.#signIns.begin(request, reply, { email, next: before.next })
    try {
      await auth.codes.send(email, { browser: signIn.id, client: request.ip })
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error
      return this.#show(request, reply, signIn, { ...wrongOf(error), email }, kept)
    }
    // What was typed before is carried by the page itself.
    return kept ? this.#askForCode(request, reply, signIn, undefined, kept) : leadOn(reply, '/admin/verify')
  }

  async takePassword(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { auth } = this.#panel
    const signIn = await mustHaveBegun(this.#signIns, request)
    if (!auth.methods.includes('password')) throw new NotFound('Signing in with a password is switched off.')
    const email = textOf(request, 'email')
    const kept = keptIn(request)
    signingInBy(request, 'password', email)
    try {
      const user = await auth.passwords.verify(email, textOf(request, 'password'), request.ip)
      return await arrive(this.#panel, this.#signIns, { request, reply, signIn, kept }, user, 'password')
    } catch (error) {
      if (!isWrong(error)) throw error
      return this.#show(request, reply, signIn, { ...wrongOf(error, WRONG_PASSWORD), email, isPassword: true }, kept)
    }
  }

  async openCode(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const signIn = await this.#signIns.of(request)
    if (signIn?.email === undefined) return leadOn(reply, '/admin/login')
    return this.#askForCode(request, reply, signIn)
  }

  async takeCode(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { auth } = this.#panel
    const signIn = await mustHaveBegun(this.#signIns, request)
    const kept = keptIn(request)
    signingInBy(request, 'code', signIn.email)
    try {
      const user = await auth.codes.verify(signIn.email ?? '', textOf(request, 'code'), request.ip, signIn.id)
      return await arrive(this.#panel, this.#signIns, { request, reply, signIn, kept }, user, 'code')
    } catch (error) {
      if (!isWrong(error)) throw error
      return this.#askForCode(request, reply, signIn, wrongOf(error, WRONG_CODE), kept)
    }
  }

  async signedOut(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return this.#panel.pages.send(request, reply, { template: 'signed-out', title: 'Signed out', data: { url: '/admin/login' } })
  }

  async #begin(request: FastifyRequest, reply: FastifyReply, next: string): Promise<SignIn> {
    if (!isPrivateWay(request)) throw insecure()
    return this.#signIns.go(request, reply, next)
  }

  #show(
    request: FastifyRequest,
    reply: FastifyReply,
    { secret, next }: SignIn,
    wrong?: Wrong,
    kept?: KeptForm,
    says?: string,
  ): Promise<FastifyReply> {
    const { auth, pages } = this.#panel
    const { message = '', email = '', isPassword = false, status = 200 } = wrong ?? {}
    return pages.send(request, reply, {
      template: 'sign-in',
      title: 'Sign in',
      status,
      data: {
        ...{ csrf: formToken(secret), next, email, kept: carrying(kept) },
        ...{ is_password: isPassword, error: isPassword ? '' : message, password_error: isPassword ? message : '' },
        actions: { code: '/admin/login', password: '/admin/login/password', link: '/admin/login/link' },
        ...methodsOf(auth),
        ...(says !== undefined && { flash: [{ tone: 'info', text: says }] }),
      },
    })
  }

  #askForCode(
    request: FastifyRequest,
    reply: FastifyReply,
    signIn: SignIn,
    wrong?: Wrong,
    kept?: KeptForm,
  ): Promise<FastifyReply> {
    const { auth, pages } = this.#panel
    return pages.send(request, reply, {
      template: 'verify',
      title: 'Enter the code',
      status: wrong?.status ?? 200,
      data: {
        ...{
          csrf: formToken(signIn.secret),
          email: signIn.email ?? '',
          error: wrong?.message ?? '',
          minutes: auth.codes.seconds / 60,
        },
        ...{ action: '/admin/verify', next: signIn.next, kept: carrying(kept), other_url: '/admin/login' },
        again: { action: '/admin/login', label: 'Send a new code', is_disabled: false },
      },
    })
  }
}

function methodsOf({ methods, providers }: Auth) {
  return {
    methods: { code: methods.includes('otp'), password: methods.includes('password'), link: methods.includes('magic_link') },
    providers: providers.names.map((name) => ({
      label: name.charAt(0).toUpperCase() + name.slice(1),
      url: `/admin/login/${encodeURIComponent(name)}`,
    })),
  }
}

function isWrong(error: unknown): error is Failure {
  return error instanceof Failure && [401, 422, 429].includes(error.status)
}

function wrongOf(error: Failure, message = error.message): Wrong {
  if (error instanceof InvalidInput) return { status: 422, message: Object.values(error.errors)[0]?.[0] ?? error.message }
  return { status: error.status, message: error.status === 401 ? message : error.message }
}
