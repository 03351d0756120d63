import type { TestApp } from './app.ts'

/** The answer that a browser got. */
export interface Seen {
  status: number
  location: string | undefined
  // The tests say what they expect of it.
  // biome-ignore lint/suspicious/noExplicitAny: a test's assertions are its types
  body: any
  headers: Headers
  cookies: string[]
}

/**
 * As much of a browser as a sign-in needs: cookies by origin, and addresses followed one at a time. What is on the site is asked
 * of the app itself.
 */
export class Browser {
  readonly #app: TestApp
  readonly #site: string
  readonly #jar = new Map<string, Map<string, string>>()

  /** `site` is the origin that the app answers; undefined where it listens itself. */
  constructor(app: TestApp, site = 'https://example.org') {
    this.#app = app
    this.#site = site
  }

  /** One request; redirects are not followed. */
  async get(address: string, headers: Record<string, string> = {}): Promise<Seen> {
    const { origin, pathname, search } = new URL(address, this.#site)
    const jar = this.#jar.get(origin) ?? new Map<string, string>()
    this.#jar.set(origin, jar)
    const sent = jar.size > 0 ? { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') } : {}
    const seen = await this.#ask(origin, `${pathname}${search}`, { ...sent, ...headers })
    for (const cookie of seen.cookies) keep(jar, cookie)
    return seen
  }

  /** Follows redirects for as long as they lead to `host`. */
  async follow(address: string, host: string): Promise<string> {
    let at = address
    while (new URL(at).host === host) {
      const { location, status } = await this.get(at)
      if (location === undefined) throw new Error(`${new URL(at).pathname} answered ${status}`)
      at = new URL(location, at).href
    }
    return at
  }

  /** The cookies that are kept for the site. */
  cookies(): ReadonlyMap<string, string> {
    return this.#jar.get(this.#site) ?? new Map()
  }

  async #ask(origin: string, path: string, headers: Record<string, string>): Promise<Seen> {
    const answer =
      origin === this.#site ? await this.#inject(path, headers) : await fetch(`${origin}${path}`, { headers, redirect: 'manual' })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') && text !== ''
    return {
      status: answer.status,
      location: answer.headers.get('location') ?? undefined,
      body: isJson ? JSON.parse(text) : text,
      headers: answer.headers,
      cookies: answer.headers.getSetCookie(),
    }
  }

  async #inject(path: string, headers: Record<string, string>): Promise<Response> {
    const { status, headers: answered, text } = await this.#app.bare(`GET ${path}`, { headers })
    const pairs = Object.entries(answered).flatMap(([name, value]) =>
      [value ?? []].flat().map((one): [string, string] => [name, String(one)]),
    )
    return new Response(text, { status, headers: pairs })
  }
}

function keep(jar: Map<string, string>, cookie: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
  if (/max-age=0/i.test(cookie) || /expires=thu, 01 jan 1970/i.test(cookie)) jar.delete(name)
  else jar.set(name, value)
}
