import { setImmediate } from 'node:timers/promises'
import { answerTo, type LinkPlace, type Question, resolving } from '#core/links/resolve.ts'
import { Cache } from '#lib/cache.ts'
import { NotAsked, Unanswered, WorkerQueue } from '#lib/concurrency/worker-queue.ts'
import { Unavailable } from '#lib/errors.ts'
import { moduleAddress } from '#lib/package.ts'
import type { Markdown, Rendered } from '#markdown/markdown.ts'
import type { Syntax } from '#markdown/parser.ts'
import type { ShortcodeCall } from '#markdown/shortcodes.ts'
import type { SiteExtensions } from '../../site-extensions.ts'
import { escapeXml } from '../feeds/xml.ts'
import type { PagePictures } from '../pictures/page-pictures.ts'
import type { PagePlace } from '../theme/page-place.ts'
import { TemplateFailure } from '../theme/template-failure.ts'
import type { Theme } from '../theme/theme.ts'
import { bodyHtml, shortcodesOf } from './body-html.ts'
import type { BodyAnswer, BodyQuestion } from './body-worker.ts'
import { type MadeShortcodes, madeShortcodes } from './shortcodes.ts'

/** A body, and the page it is for. `name` is the same for the same text under the same key alone. */
export interface Body {
  readonly name: string
  readonly text: string
  readonly title: string
  /** The id of the heading whose part of the text is wanted; the whole text without it. */
  readonly part?: string
  readonly trusted: boolean
  readonly syntax?: Syntax
  readonly place: LinkPlace
  /** Scheme and host of the site. */
  readonly origin: string
  /** The moment of the state of the site that is shown, in milliseconds since 1970. */
  readonly now: number
  /** The pictures that shortcodes may show. */
  readonly pictures?: PagePictures
}

/** The HTML of a body, and its headings; `isPlain` where it could not be made in time, and is the text as it was written. */
export interface BodyHtml extends Rendered {
  readonly isPlain: boolean
}

/**
 * Up to so many characters a body is made into HTML at once: to hand it over takes longer. The worst of them takes some 40 ms.
 */
const SMALL = 16 * 1024
/** A row of a table is filled up to the columns of its head: so many lines times columns are too many to be made at once. */
const MANY_CELLS = 4_000
/** To colour so much code may take as long as that. */
const MUCH_CODE = 4 * 1024
const FENCE = /^[ \t>]*(?:```|~~~)/
const LIMIT_MS = 10_000
/** Rounds of questions to the site: for what links may mean, and for what they do. */
const ROUNDS = 3
const ANSWERS_AT_ONCE = 500
const KEPT = 1_000
const NOTICE = 'This text takes too long to be made into a page. It is shown as it was written.'

/** Makes bodies into HTML: small ones here, others in a thread of their own, so that nothing else waits for them. */
export class Bodies {
  readonly #markdown: Markdown
  readonly #queue: WorkerQueue<BodyQuestion, BodyAnswer>
  /** Bodies that took too long, by name: not tried again. */
  readonly #refused = new Cache<true>({ most: KEPT })

  readonly #theme: (() => Theme) | undefined
  readonly #plugins: SiteExtensions['markdown']

  /**
   * `limit` is how long one body may take, in milliseconds; `theme` returns what makes shortcodes; `plugins` are those that `markdown`
   * has.
   */
  constructor(markdown: Markdown, limit = LIMIT_MS, theme?: () => Theme, plugins: SiteExtensions['markdown'] = []) {
    this.#markdown = markdown
    this.#theme = theme
    this.#plugins = plugins
    this.#queue = new WorkerQueue(moduleAddress('features/site/pages/body-worker'), limit)
  }

  /** The HTML of a body, at once where it is small. Rejects with Unavailable where too many wait. */
  html(body: Body): BodyHtml | Promise<BodyHtml> {
    const theme = body.text.includes('{{<') ? this.#theme?.() : undefined
    if (isLong(body.text) && this.#plugins.every(({ entry }) => entry !== undefined)) return this.#made(body, theme)
    const missing = new Map<string, ShortcodeCall>()
    const made = this.#madeHere(body, theme, new Map(), missing)
    return theme && missing.size > 0 ? this.#withShortcodes(body, theme, missing) : { ...made, isPlain: false }
  }

  close(): void {
    void this.#queue.close()
  }

  #madeHere(body: Body, theme: Theme | undefined, uses: MadeShortcodes, missing: Map<string, ShortcodeCall>): Rendered {
    const { text, title, part, trusted, syntax = {}, place } = body
    const shortcodes = theme && shortcodesOf(theme.shortcodes, uses, missing)
    try {
      return bodyHtml(this.#markdown, text, { title, part, trusted, syntax, shortcodes, ...resolving(place) })
    } catch (error) {
      throw this.#plugins.length > 0 ? pluginFailure(this.#plugins, error) : error
    }
  }

  #placeOf({ place, origin, now, pictures }: Body): LinkPlace & PagePlace {
    const { resolve, fileAt } = resolving(place)
    const markdown = (text: string) => bodyHtml(this.#markdown, text, { title: '', trusted: false, resolve, fileAt }).html
    return { ...place, origin, now, pictures, markdown, fileHref: fileAt }
  }

  async #withShortcodes(body: Body, theme: Theme, missing: Map<string, ShortcodeCall>): Promise<BodyHtml> {
    const uses = await madeShortcodes([...missing.values()], this.#placeOf(body), theme)
    return uses ? { ...this.#madeHere(body, theme, uses, new Map()), isPlain: false } : plain(body.text)
  }

  async #made(body: Body, theme: Theme | undefined): Promise<BodyHtml> {
    if (this.#refused.get(body.name)) return plain(body.text)
    try {
      const made = await this.#asked(body, theme)
      if (made !== undefined) return { ...made, isPlain: false }
    } catch (error) {
      if (error instanceof NotAsked) throw new Unavailable('Too many long pages are being made just now.')
      if (!(error instanceof Unanswered)) throw error
    }
    this.#refused.set(body.name, true)
    return plain(body.text)
  }

  async #asked(body: Body, theme: Theme | undefined): Promise<Rendered | undefined> {
    const { text, title, part, trusted, syntax = {}, place } = body
    const { base, page, folders, folder } = place
    const { options } = this.#markdown
    const names = theme?.shortcodes ?? new Set<string>()
    const answers = new Map<Question, string | undefined>()
    let uses: MadeShortcodes | undefined = new Map()
    for (let round = 0; round < ROUNDS; round++) {
      const known = { base, page, folders, folder }
      const answer = await this.#queue.ask({
        body: text,
        title,
        part,
        trusted,
        syntax,
        options,
        plugins: this.#plugins.flatMap(({ entry }) => entry ?? []),
        names,
        uses,
        place: known,
        answers,
      })
      if ('made' in answer) return answer.made
      if (theme && answer.calls.length > 0) uses = await madeShortcodes(answer.calls, this.#placeOf(body), theme)
      if (!uses) return undefined
      for (const [n, question] of answer.unknown.entries()) {
        if (n % ANSWERS_AT_ONCE === ANSWERS_AT_ONCE - 1) await setImmediate()
        answers.set(question, answerTo(question, place))
      }
    }
    return undefined
  }
}

/** The failure of a page whose text a module's rules can't read: they add to the parser what then throws. */
function pluginFailure(plugins: SiteExtensions['markdown'], error: unknown): TemplateFailure {
  const names = plugins.map(({ module }) => `"${module}"`).join(', ')
  const words = error instanceof Error ? error.message : String(error)
  const hint = 'Switch the module off, or leave out of the text what it fails at.'
  return new TemplateFailure(
    `Its Markdown can't be made into HTML with the rules of the module ${names}: ${words}`,
    undefined,
    hint,
  )
}

function isLong(text: string): boolean {
  if (text.length > SMALL) return true
  if (text.length > MUCH_CODE && codeOf(text) > MUCH_CODE) return true
  return text.includes('|') && cellsOf(text) > MANY_CELLS
}

/** About how many characters of a text are code between fences. */
function codeOf(text: string): number {
  if (!text.includes('```') && !text.includes('~~~')) return 0
  let [code, isWithin] = [0, false]
  for (const line of text.split('\n')) {
    if (FENCE.test(line)) isWithin = !isWithin
    else if (isWithin) code += line.length + 1
  }
  return code
}

/** At most how many cells the tables of a text may have: its lines times the most bars of a line. */
function cellsOf(text: string): number {
  let [lines, bars, most] = [1, 0, 0]
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 10) {
      lines++
      bars = 0
    } else if (unit === 124) most = Math.max(most, ++bars)
  }
  return lines * most
}

function plain(text: string): BodyHtml {
  return { html: `<p>${NOTICE}</p>\n<pre>${escapeXml(text)}</pre>\n`, headings: [], isPlain: true }
}
