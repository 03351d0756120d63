import type { ContentTypes } from '#core/content-type.ts'
import type { Clock } from '#lib/clock.ts'
import { Markdown } from '#markdown/markdown.ts'
import type { DataSources } from '../data/page-data.ts'
import { Prints } from '../data/prints.ts'
import { ListAnswers } from '../data/questions.ts'
import { RecordData } from '../data/record-data.ts'
import { RecordLists } from '../data/record-lists.ts'
import type { AskedPlace } from '../files/asked.ts'
import { Bodies } from '../pages/bodies.ts'
import { PageRenderer, type SiteFacts } from '../pages/page-renderer.ts'
import { Views } from '../pages/views.ts'
import { SiteSearch } from '../searching/site-search.ts'
import { Theme, type ThemeOptions, themeStamp } from './theme.ts'

const LOOK_EVERY_MS = 1000
/** Ids of the theme on pages with a text. */
const RESERVED = ['main']

/**
 * The engine that makes pages: the theme and everything that gathers data for it. It is loaded with the first page, since its
 * libraries take a tenth of a second to import.
 */
export class Engine {
  readonly views: Views
  readonly prints: Prints
  /** Answers to what templates ask of lists. */
  readonly answers: ListAnswers
  /** Undefined where the search is switched off. */
  readonly search: SiteSearch | undefined
  readonly #bodies: Bodies
  readonly #sources: DataSources
  readonly #facts: SiteFacts
  readonly #options: ThemeOptions
  readonly #clock: Clock
  #theme: Theme
  #renderer: PageRenderer
  #looked: number

  /** `scripts` is the folder of what runs in a browser to search. */
  constructor(
    parts: AskedPlace & { types: ContentTypes; clock: Clock; withTerms: boolean },
    facts: SiteFacts,
    options: ThemeOptions,
    scripts: string,
  ) {
    this.#facts = facts
    this.#options = options
    this.#clock = parts.clock
    const markdown = new Markdown({ reserved: RESERVED })
    this.#bodies = new Bodies(markdown)
    this.views = new Views(parts, markdown, this.#bodies)
    this.prints = new Prints(this.views.summaries)
    this.#sources = { lists: new RecordLists(parts), records: new RecordData(this.views) }
    this.answers = new ListAnswers(this.#sources.lists, this.prints)
    const { locale, searchable } = facts
    this.search = searchable ? new SiteSearch(this.views, { locale, scripts }) : undefined
    this.#theme = new Theme(options)
    this.#renderer = new PageRenderer(facts, this.#theme, this.views, this.#sources)
    this.#looked = parts.clock.now()
  }

  /** The theme and its renderer, made anew after a file of the theme has changed. */
  current(): { theme: Theme; renderer: PageRenderer } {
    const now = this.#clock.now()
    if (Math.abs(now - this.#looked) >= LOOK_EVERY_MS) {
      this.#looked = now
      if (themeStamp(this.#options) !== this.#theme.stamp) {
        this.#theme = new Theme(this.#options)
        this.#renderer = new PageRenderer(this.#facts, this.#theme, this.views, this.#sources)
      }
    }
    return { theme: this.#theme, renderer: this.#renderer }
  }

  /** Ends the threads for long bodies. */
  close(): void {
    this.#bodies.close()
    this.search?.close()
  }
}
