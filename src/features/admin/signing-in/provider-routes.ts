import { signingInBy } from '#http/requests/acting.ts'
import { Unauthorized } from '#lib/errors.ts'
import { leadOn, nextOf, type Panel } from '../requests/panel.ts'
import type { PanelRoutes } from '../requests/panel-routes.ts'
import { insecure, isPrivateWay } from './cookies.ts'
import { arrive, mustHaveBegun, SignIns } from './sign-ins.ts'

const OPEN = { isOpen: true } as const

type Query = Readonly<Record<string, string>>

/**
 * `/admin/login/<provider>`: signing in with an account elsewhere. The provider leads back to the API, and that leads here with a
 * code that is good in the browser that began, once.
 */
export function providerRoutes(routes: PanelRoutes, panel: Panel): void {
  const { auth } = panel
  const signIns = new SignIns(panel)
  routes.get(
    '/admin/login/arrive',
    async (request, reply) => {
      const { code = '' } = request.query as Query
      const signIn = await mustHaveBegun(signIns, request)
      signingInBy(request, 'provider')
      if (code === '')
        throw new Unauthorized(
          'Signing in there was declined, or went wrong. Nobody was signed in: begin again, or sign in another way.',
        )
      const user = await auth.handovers.arrive(code, signIn.id)
      return arrive(panel, signIns, { request, reply, signIn }, user, 'provider')
    },
    OPEN,
  )
  routes.get<{ provider: string }>(
    '/admin/login/:provider',
    async (request, reply) => {
      if (!isPrivateWay(request)) throw insecure()
      const next = nextOf((request.query as Query).next)
      if (request.signed) return leadOn(reply, next)
      const { id } = await signIns.go(request, reply, next)
      // The provider leads back to the site's own host, and the browser has to be known there.
      const site = new URL(panel.site.url).origin
      if (panel.origins.length > 0 && !panel.origins.includes(site)) {
        const away = new URL(`/api/auth/${encodeURIComponent(request.params.provider)}/redirect`, site)
        away.searchParams.set('panel', await auth.handovers.leave(id))
        return reply.header('cache-control', 'no-store').redirect(away.href, 302)
      }
      const { location, cookie } = await auth.providers.begin(request.params.provider, undefined, id)
      reply.header('set-cookie', cookie)
      return reply.header('cache-control', 'no-store').redirect(location, 302)
    },
    OPEN,
  )
}
