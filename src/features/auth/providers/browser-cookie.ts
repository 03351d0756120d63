import { STATE_LIFE } from './states.ts'

/**
 * The cookie by which a browser that began a sign-in is known when it comes back. Over https no other host and no plain
 * connection can have set it (`__Host-`, RFC 6265bis §4.1.3.2).
 */
export class BrowserCookie {
  readonly #name: string
  readonly #attributes: string

  /** `siteUrl` is where browsers see the site. */
  constructor(siteUrl: string) {
    const isSecure = new URL(siteUrl).protocol === 'https:'
    this.#name = isSecure ? '__Host-cms_signin' : 'cms_signin'
    // Lax: it has to come along when the provider sends the browser back.
    this.#attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  }

  /** The header that has the browser keep a secret for as long as a sign-in may take. */
  set(secret: string): string {
    return `${this.#name}=${secret}; Max-Age=${STATE_LIFE / 1000}; ${this.#attributes}`
  }

  /** The header that has the browser forget it. */
  remove(): string {
    return `${this.#name}=; Max-Age=0; ${this.#attributes}`
  }

  /** Returns the value that a browser sends. Undefined if it sends none, or several, since nobody can tell whose they are. */
  read(header: string | undefined): string | undefined {
    const all = (header ?? '').split(';').map((pair) => pair.trim())
    const found = all.filter((pair) => pair.startsWith(`${this.#name}=`))
    return found.length === 1 ? found[0]?.slice(this.#name.length + 1) : undefined
  }
}
