import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import type { ErrorLog } from '#http/errors/log.ts'
import type { Auth } from './auth.ts'
import { methodRoutes } from './methods/routes.ts'
import { providerRoutes } from './providers/routes.ts'
import { keyRoutes, sessionRoutes } from './sessions/routes.ts'

/** The dependencies of the sign-in routes. */
export interface AuthRoutes {
  readonly auth: Auth
  /** The guard of requests without a token: they are counted by address. */
  readonly open: onRequestHookHandler
  /** The guard of routes that need a token. */
  readonly bearer: onRequestHookHandler
  readonly log: ErrorLog
}

/** The most bytes a body here may have. */
const BODY_LIMIT = 16 * 1024

/** `/api/auth/…`, and the keys of its tokens. */
export function authRoutes(app: FastifyInstance, { auth, ...guards }: AuthRoutes): void {
  app.addHook('onRoute', (route) => {
    route.bodyLimit ??= BODY_LIMIT
  })
  app.addHook('onSend', async (_request, reply) => {
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  })
  sessionRoutes(app, { ...auth, ...guards })
  methodRoutes(app, { ...auth, ...guards })
  providerRoutes(app, { ...auth, ...guards })
  keyRoutes(app, auth.keys)
}
