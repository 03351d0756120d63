import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Access } from '#core/access/access.ts'
import type { Auth } from '#features/auth/auth.ts'
import type { User } from '#features/users/user.ts'
import { NotLetIn, Semaphore } from '#lib/concurrency/semaphore.ts'
import { NotFound } from '#lib/errors.ts'
import type { PreviewPage, Resource } from '../../resource.ts'
import { sendPreview } from './send-preview.ts'

const AT = '/.well-known/quire/preview/'
const AT_ONCE = 2
const MOST_WAITING = 16
const ANY = { type: 'string', format: 'binary' } as const
const SCHEMA = { hide: true, response: { '2xx': ANY, '4xx': ANY, '5xx': ANY } } as const
const OVER = 'This preview is over, or there never was one here.'

/** The parts of the panel that links to previews need. */
interface Parts {
  readonly auth: Auth
  readonly site: { readonly url: string }
  readonly resourceOf: (access: Access, name: string) => Promise<Resource | undefined>
}

/**
 * Links by which anybody sees the page of one record as it is now, live or not. One ends by itself, with the key that signed it,
 * and with the right of its maker to read the record.
 */
export class PreviewLinks {
  readonly #parts: Parts
  readonly #drawing = new Semaphore(AT_ONCE, MOST_WAITING)

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Makes the link of a record that somebody sees, with its end in milliseconds since 1970. */
  async make(user: User, type: string, id: string): Promise<{ url: string; ends: number }> {
    const { auth, site } = this.#parts
    const { token, ends } = await auth.previewTokens.make(user, type, id)
    return { url: new URL(site.url).origin + AT + token, ends }
  }

  /** Declares the route that links lead to. Whatever is wrong with one, the answer is the same. */
  routes(app: FastifyInstance): void {
    app.get<{ Params: { token: string } }>(`${AT}:token`, { schema: SCHEMA }, async (request, reply) => {
      const page = await this.#drawn(request.params.token)
      return page === 'busy'
        ? sendWords(reply.code(503).header('retry-after', '2'), 'Too many previews are drawn just now.')
        : page
          ? sendPreview(reply, page)
          : sendWords(reply.code(404), OVER)
    })
  }

  async #drawn(token: string): Promise<PreviewPage | 'busy' | undefined> {
    const { auth, resourceOf } = this.#parts
    const claims = await auth.previewTokens.read(token)
    const user = claims && (await auth.users.byId(claims.user))
    if (!claims || !user || user.disabled || user.tokenVersion !== claims.version) return undefined
    const access = await auth.users.access(user)
    const resource = await resourceOf(access, `content/${claims.type}`)
    try {
      return await this.#drawing.run(async () => resource?.preview?.(access, claims.id, {}), [claims.user])
    } catch (error) {
      if (error instanceof NotLetIn) return 'busy'
      if (error instanceof NotFound) return undefined
      throw error
    }
  }
}

function sendWords(reply: FastifyReply, words: string): FastifyReply {
  return reply
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
    })
    .send(
      `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Preview</title></head><body><h1>Preview</h1><p>${words}</p></body></html>\n`,
    )
}
