import { htmlAddresses } from '#core/links/html-addresses.ts'
import { isTaken } from '#core/permalink.ts'
import { short } from '#lib/text/short-hash.ts'
import type { SitePage } from '../outline/site-snapshot.ts'
import type { Site } from '../site.ts'
import { TemplateFailure } from '../theme/template-failure.ts'

/** The most files of the site that a page is looked at with. */
const MOST_FILES = 50
/** Matches an address of this site that ends as files do. */
const OWN_FILE = /^\/(?!\/)[^?#]*\.[a-z0-9]{1,5}(?=[?#]|$)/i

/** Tells the states of a site's pages: each is another text once its bytes, or those of a file that it shows, are others. */
export class PageStates {
  readonly #site: Pick<Site, 'answer'>
  readonly #files = new WeakMap<SitePage, readonly string[]>()

  constructor(site: Pick<Site, 'answer'>) {
    this.#site = site
  }

  /** The state of what is answered at a path (percent-encoded); undefined where there is no answer just now. */
  async at(path: string): Promise<string | undefined> {
    try {
      const answer = await this.#site.answer(path)
      return 'body' in answer ? await this.of(answer) : short(answer.etag)
    } catch (error) {
      return error instanceof TemplateFailure ? this.ofFailure(error) : undefined
    }
  }

  /** The state of a page. */
  async of(page: SitePage): Promise<string> {
    const { status, etag, location = '' } = page
    const files = this.#files.get(page) ?? filesOf(page)
    this.#files.set(page, files)
    const tags = await Promise.all(files.map((path) => this.#tagAt(path)))
    return short([status, etag, location, ...tags].join('\n'))
  }

  /** The state of a page that can't be made. */
  ofFailure({ message, file, line, column }: TemplateFailure): string {
    return short([message, file, line, column].join('\n'))
  }

  async #tagAt(path: string): Promise<string> {
    return this.#site.answer(path).then(
      ({ etag }) => etag,
      () => '',
    )
  }
}

/** The paths of the site's files that a page refers to. */
function filesOf({ body, contentType }: SitePage): string[] {
  if (!contentType.startsWith('text/html')) return []
  const html = String(body)
  const addresses = htmlAddresses(html).found.flatMap(({ start, end }) => OWN_FILE.exec(html.slice(start, end))?.[0] ?? [])
  return [...new Set(addresses)].filter((path) => !isTaken(path)).slice(0, MOST_FILES)
}
