import type { Access } from '#core/access/access.ts'
import { shownFields } from '#core/access/shown-fields.ts'
import type { ContentType, ContentTypes } from '#core/types/content-type.ts'
import { type Tagged, tagged, taggedJson } from '#http/answers/etag.ts'
import { openApi } from '#http/openapi/document.ts'
import type { Operations } from '#http/openapi/operations.ts'
import type { OpenApi } from '#http/openapi/shapes.ts'
import { Cache } from '#lib/cache.ts'
import { renderPage } from './page/page.ts'
import { PAGE_POLICY } from './page/style.ts'
import { withTypes } from './typed.ts'

/** The dependencies of the API description. */
export interface DocsDeps {
  readonly operations: Operations
  readonly types: ContentTypes
  readonly site: { readonly name: string; readonly url: string }
  readonly version: string
}

const DESCRIPTION = `JSON in UTF-8, names in snake_case, times in RFC 3339 UTC with milliseconds. One thing is \`{"data": {…}}\`, a list \`{"data": […], "meta": {…}}\`, every error \`{"error": "<label>", "message": "<sentence>"}\`.

HEAD is answered wherever GET is. A token goes into the header \`Authorization: Bearer <token>\`, never into an address. What a token may not read does not exist for it: not in lists, not in counts.`

/** The API's description of itself: made when it is first asked for, since most servers never are. */
export class Docs {
  readonly #deps: DocsDeps
  readonly #made = new Cache<Tagged>({ most: 20 })
  #general: OpenApi | undefined
  #page: (Tagged & { readonly policy: string }) | undefined

  constructor(deps: DocsDeps) {
    this.#deps = deps
  }

  /**
   * Returns the document as JSON; for a caller with a token, with the declared types they may read, and the terms that lists of
   * these take. No other caller learns of them.
   */
  document(access: Access | null): Tagged {
    const types = access ? this.#typesFor(access) : []
    const terms = access?.may('content:read') || types.length > 0 ? this.#terms() : []
    const hidden = this.#deps.types.declared().filter(({ name }) => access?.sees(name) === false)
    const key = [types.map(({ name }) => name), terms, hidden.map(({ name }) => name)]
    const made = this.#made.get(key) ?? taggedJson(withTypes(this.#whole(), types, terms))
    this.#made.set(key, made)
    return made
  }

  /** The page that shows the document as everybody may see it, as HTML, and what it may load (its Content-Security-Policy). */
  page(): Tagged & { readonly policy: string } {
    this.#page ??= { ...tagged(Buffer.from(renderPage(this.#whole()))), policy: PAGE_POLICY }
    return this.#page
  }

  /** The document without the types of the site. */
  #whole(): OpenApi {
    const { operations, site, version } = this.#deps
    this.#general ??= openApi(operations.all(), {
      title: `${site.name} API`,
      version,
      description: DESCRIPTION,
      url: site.url.replace(/\/+$/, ''),
    })
    return this.#general
  }

  #terms(): string[] {
    return this.#deps.types.taxonomies().map(({ singular }) => singular)
  }

  #typesFor(access: Access): ContentType[] {
    const declared = this.#deps.types.declared()
    const readable = declared.filter(({ name }) => access.sees(name) && access.reach('content:read', name) !== 'none')
    return readable.map((type) => ({ ...type, fields: shownFields(access, type.fields) }))
  }
}
