import type { FastifyReply, FastifyRequest } from 'fastify'
import { signingInBy } from '#http/requests/acting.ts'
import { InvalidInput, NotFound, Unauthorized } from '#lib/errors.ts'
import { formToken } from '../requests/own-forms.ts'
import { leadOn, type Panel } from '../requests/panel.ts'
import type { PanelRoutes } from '../requests/panel-routes.ts'
import { textOf } from '../requests/sent.ts'
import { insecure, isPrivateWay } from './cookies.ts'
import { arrive, mustHaveBegun, SignIns } from './sign-ins.ts'

const OPEN = { isOpen: true } as const

/**
 * `/admin/login/link`: signing in with a link that comes by mail. Opening it spends nothing, for programs look at the links in
 * messages: its page has a button.
 */
export function linkRoutes(routes: PanelRoutes, panel: Panel): void {
  const { auth, pages } = panel
  const signIns = new SignIns(panel)

  const show = async (request: FastifyRequest, reply: FastifyReply, token: string | undefined) => {
    if (!isPrivateWay(request)) throw insecure()
    const signIn = await signIns.go(request, reply, '/admin')
    const data = {
      csrf: formToken(signIn.secret),
      token: token ?? '',
      action: '/admin/login/link',
      next: signIn.next,
      ...(request.signed && {
        flash: [
          {
            tone: 'warn',
            text: `You are signed in as ${request.signed.user.name}. Going on signs you out, and in with this link.`,
          },
        ],
      }),
      other_url: '/admin/login',
    }
    const status = token === undefined ? 401 : 200
    return pages.send(request, reply, { template: 'sign-in-link', title: 'Sign in', status, data })
  }

  routes.get(
    '/admin/login/link',
    async (request, reply) => {
      const { token = '' } = request.query as Readonly<Record<string, string>>
      const found = await auth.links.look(token)
      return show(request, reply, found && token)
    },
    OPEN,
  )

  routes.on(
    'POST',
    '/admin/login/link',
    async (request, reply) => {
      const signIn = await mustHaveBegun(signIns, request)
      const token = textOf(request, 'token')
      if (token === '') return ask(request, reply)
      signingInBy(request, 'link')
      try {
        const { user } = await auth.links.spend(token)
        return await arrive(panel, signIns, { request, reply, signIn }, user, 'link')
      } catch (error) {
        if (!(error instanceof Unauthorized)) throw error
        return show(request, reply, undefined)
      }
    },
    OPEN,
  )

  const ask = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!auth.methods.includes('magic_link')) throw new NotFound('Signing in with a link is switched off.')
    try {
      await auth.links.sendForPanel(textOf(request, 'email'))
    } catch (error) {
      // What is wrong with an address is said where it was typed.
      if (error instanceof InvalidInput) return leadOn(reply, '/admin/login?done=no-address')
      throw error
    }
    const sentence = `If this is the address of an account, a link is on its way to it. It works for ${auth.links.seconds / 60} minutes, once.`
    return pages.send(request, reply, {
      template: 'signed-out',
      title: 'Check your mail',
      data: { heading: 'Check your mail', sentence, url: '/admin/login' },
    })
  }
}
