import type { Clock } from '#lib/clock.ts'
import { Markdown } from '#markdown/markdown.ts'
import { quotesOf } from '#markdown/quotes.ts'
import { WORDS } from '#markdown/words.ts'
import type { SiteExtensions } from '../../site-extensions.ts'
import type { DataSources } from '../data/page-data.ts'
import { Prints } from '../data/prints.ts'
import { ListAnswers } from '../data/questions.ts'
import { RecordData } from '../data/record-data.ts'
import { RecordLists } from '../data/record-lists.ts'
import { Covers } from '../feeds/covers.ts'
import { Feeds } from '../feeds/feeds.ts'
import { Sitemaps } from '../feeds/sitemap.ts'
import { Bodies } from '../pages/bodies.ts'
import { PageRenderer } from '../pages/page-renderer.ts'
import type { SiteFacts } from '../pages/site-facts.ts'
import { Twins } from '../pages/twins.ts'
import { type ViewParts, Views } from '../pages/views.ts'
import { SiteSearch } from '../searching/site-search.ts'
import { Theme, type ThemeOptions, themeStamp } from './theme.ts'
import { Words } from './words.ts'

const LOOK_EVERY_MS = 1000
/** The words of Markdown among those of the site. */
const OF_MARKDOWN = 'markdown'
/** Ids of the theme on pages with a text. */
const RESERVED = ['main']

/**
 * The engine that makes pages: the theme and everything that gathers data for it. It is loaded with the first page, since its
 * libraries take a tenth of a second to import.
 */
export class Engine {
  readonly views: Views
  readonly prints: Prints
  readonly feeds: Feeds
  readonly twins = new Twins()
  /** Answers to what templates ask of lists. */
  readonly answers: ListAnswers
  /** Undefined where the search is switched off. */
  readonly search: SiteSearch | undefined
  /** Undefined where it is switched off. */
  readonly sitemaps: Sitemaps | undefined
  readonly #bodies: Bodies
  readonly #markdown: Markdown
  /** Those of Markdown. */
  readonly #words: string
  readonly #sources: DataSources
  readonly #facts: SiteFacts
  readonly #options: ThemeOptions
  readonly #clock: Clock
  #current: { readonly theme: Theme; readonly renderer: PageRenderer }
  #looked: number
  #isOutdated = false

  /** `scripts` is the folder of what runs in a browser to search. */
  constructor(
    parts: ViewParts & { withTerms: boolean; withSitemap: boolean; plugins?: SiteExtensions['markdown'] | undefined },
    facts: SiteFacts,
    options: Omit<ThemeOptions, 'excerpt'>,
    scripts: string,
  ) {
    this.#facts = facts
    this.#clock = parts.clock
    const words = { ...WORDS, ...new Words(options.folders, options.root, options.locale).below(OF_MARKDOWN) }
    const markdown = new Markdown(
      { reserved: RESERVED, words, quotes: quotesOf(options.locale) },
      parts.plugins?.map(({ use }) => use),
    )
    this.#words = JSON.stringify(words)
    this.#markdown = markdown
    this.#options = { ...options, excerpt: (text) => markdown.excerpt(text) }
    this.#bodies = new Bodies(markdown, undefined, () => this.#current.theme, parts.plugins)
    this.views = new Views(parts, markdown, this.#bodies)
    this.feeds = new Feeds(facts, this.views)
    this.prints = new Prints(this.views.summaries)
    this.#sources = { lists: new RecordLists(parts, this.views.documents), records: new RecordData(this.views, this.prints) }
    this.answers = new ListAnswers(this.#sources.lists, this.prints)
    const { locale, searchable } = facts
    const { prints, views } = this
    this.search = searchable
      ? new SiteSearch({ views, prints, theme: () => this.#current.theme }, { locale, scripts })
      : undefined
    const { clock, pictures } = parts
    const covers = new Covers({ answers: views.answers, pictures, clock })
    this.sitemaps = parts.withSitemap ? new Sitemaps(covers, clock) : undefined
    this.#current = this.#newTheme()
    this.#looked = parts.clock.now()
  }

  /** The theme and its renderer: the same object until a file of the theme has changed. */
  current(): { readonly theme: Theme; readonly renderer: PageRenderer } {
    this.#look()
    return this.#current
  }

  #look(): void {
    const now = this.#clock.now()
    if (Math.abs(now - this.#looked) >= LOOK_EVERY_MS) {
      this.#looked = now
      if (themeStamp(this.#options) !== this.#current.theme.stamp) {
        this.#current = this.#newTheme()
        this.#isOutdated = JSON.stringify({ ...WORDS, ...this.#current.theme.words.below(OF_MARKDOWN) }) !== this.#words
      }
    }
  }

  /** True if the words that Markdown shows are others by now: they are taken with the engine. */
  get isOutdated(): boolean {
    this.#look()
    return this.#isOutdated
  }

  #newTheme(): { theme: Theme; renderer: PageRenderer } {
    const theme = new Theme(this.#options)
    return { theme, renderer: new PageRenderer(this.#facts, theme, this.views, this.#sources, this.#markdown) }
  }

  /** Ends the threads for long texts. */
  close(): void {
    this.#bodies.close()
    this.twins.close()
    this.search?.close()
  }
}
