import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isTaken } from '#core/permalink.ts'
import { type Tagged, tagged } from '#http/answers/etag.ts'
import { isOwnMachine } from '#http/requests/own-machine.ts'
import type { SitePage } from '../outline/site-snapshot.ts'
import type { PageStates } from './page-state.ts'
import { PageWatch } from './page-watch.ts'

const SCRIPT_AT = '/.well-known/quire/reload.js'
const EVENTS_AT = '/.well-known/quire/reload'
const BODY_END = /<\/body\b/gi
/** A connection without a byte for a minute is ended. */
const PULSE_MS = 15_000
const BYTES = { type: 'string', format: 'binary' } as const
const SCHEMA = {
  hide: true,
  querystring: { type: 'object', properties: { page: { type: 'string' }, state: { type: 'string' } } },
  response: { 200: BYTES },
} as const

/**
 * Waits for the page to become another, and loads it again. A window that nobody sees waits for nothing: browsers have six
 * connections for a host, over all windows.
 */
const SCRIPT = `(() => {
  const { state } = document.currentScript.dataset
  const page = location.pathname
  let source
  const wait = () => {
    source?.close()
    source = undefined
    if (document.hidden) return
    source = new EventSource('${EVENTS_AT}?' + new URLSearchParams({ page, state }))
    source.addEventListener('reload', () => location.reload())
    source.addEventListener('error', ({ target }) => target.readyState === 2 && target === source && setTimeout(wait, 2000))
  }
  document.addEventListener('visibilitychange', wait)
  wait()
})()
`

/** Has a browser on this machine load a page again when it has become another. */
export class Reload {
  readonly #states: PageStates
  readonly #watch: PageWatch
  readonly #made = new WeakMap<SitePage, { readonly state: string; readonly page: SitePage }>()

  constructor(states: PageStates) {
    this.#states = states
    this.#watch = new PageWatch((path) => states.at(path))
  }

  /** The page with the script that loads it again. Nothing else in it is another, but its ETag. */
  async page(page: SitePage): Promise<SitePage> {
    if (!page.contentType.startsWith('text/html')) return page
    const state = await this.#states.of(page)
    const known = this.#made.get(page)
    if (known?.state === state) return known.page
    const made = { ...page, ...withScript(page.body, state) }
    this.#made.set(page, { state, page: made })
    return made
  }

  /** HTML in the place of a page that can't be made, with the script. */
  failure(html: string, state: string): string {
    return String(withScript(Buffer.from(html), state).body)
  }

  /** Declares the routes of the script: for browsers on this machine, whose pages are of this site. */
  routes(app: FastifyInstance): void {
    app.get(SCRIPT_AT, { schema: SCHEMA }, (request, reply) => {
      if (!isOwnMachine(request)) return reply.callNotFound()
      return reply.header('cache-control', 'no-cache').header('content-type', 'text/javascript; charset=utf-8').send(SCRIPT)
    })
    app.get<{ Querystring: { page?: string; state?: string } }>(
      EVENTS_AT,
      { schema: SCHEMA, exposeHeadRoute: false },
      (request, reply) => {
        const { page = '', state = '' } = request.query
        if (!isOwnMachine(request) || isOfOthers(request) || !page.startsWith('/') || isTaken(page)) return reply.callNotFound()
        this.#answer(request, reply, page, state)
      },
    )
    app.addHook('preClose', (done) => {
      this.#watch.close()
      for (const end of this.#open) end()
      done()
    })
  }

  readonly #open = new Set<() => void>()

  #answer(request: FastifyRequest, reply: FastifyReply, page: string, state: string): void {
    const { raw } = reply
    const forget = this.#watch.add(page, state, () => raw.write('event: reload\ndata:\n\n'))
    if (!forget) {
      reply.code(503).header('retry-after', '10').send()
      return
    }
    const pulse = setInterval(() => raw.write(':\n\n'), PULSE_MS).unref()
    const end = () => raw.end()
    this.#open.add(end)
    raw.once('close', () => {
      clearInterval(pulse)
      forget()
      this.#open.delete(end)
    })
    reply.hijack()
    const type = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' }
    // A page of a type that is trusted has no origin of its own.
    const origin = request.headers.origin === 'null' ? { 'access-control-allow-origin': 'null' } : {}
    raw.writeHead(200, { ...type, ...origin, 'x-request-id': request.id, 'x-content-type-options': 'nosniff' })
    raw.write('retry: 1000\n\n')
  }
}

/** Returns whether a page of another site asks. */
function isOfOthers({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-site'] === 'cross-site' && headers.origin !== 'null'
}

function withScript(body: Buffer, state: string): Tagged {
  const script = `<script src="${SCRIPT_AT}" data-state="${state}"></script>`
  const html = String(body)
  const end = [...html.matchAll(BODY_END)].at(-1)?.index ?? html.length
  return tagged(Buffer.from(html.slice(0, end) + script + html.slice(end)))
}
