import type { Document, Head } from '#core/document.ts'
import { keyText } from '#core/key.ts'
import type { LinkPlace } from '#core/links/resolve.ts'
import { pageHref } from '#core/page-address.ts'
import type { Store } from '#core/store.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import { cacheKey } from '#lib/cache-key.ts'
import type { Clock } from '#lib/clock.ts'
import type { Fields } from '#lib/json.ts'
import type { Markdown, Rendered } from '#markdown/markdown.ts'
import { Answers, type Asked, type AskedPlace, placeOf } from '../files/asked.ts'
import { fieldsShown } from '../files/fields.ts'
import type { Entry } from '../outline/entry.ts'
import { isShown } from '../outline/outline.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import { PagePictures, type PagePicturesOptions } from '../pictures/page-pictures.ts'
import type { SitePictures } from '../pictures/site-pictures.ts'
import { Authors } from './authors.ts'
import type { Bodies, BodyHtml } from './bodies.ts'
import { Embedding } from './embeds.ts'
import { ShownDocuments } from './shown-documents.ts'
import { Summaries, type SummaryView } from './summaries.ts'

/** A record whole: `html` is the body, safe to put into a page as it is, `headings` are its own, and so are `fields`. */
export interface RecordView extends SummaryView, Rendered {
  readonly id: string
  readonly fields: Readonly<Fields>
  /** Set where `html` is the text as it was written, since it could not be made in time. */
  readonly isPlain?: true
}

/** The way that a record is made into a view. */
interface Making {
  readonly pictures: PagePictures
  /** Characters of its body at most. */
  readonly longest?: number
  /** True if all who ask for its body meanwhile get the same. */
  readonly isShared?: boolean
  /** Takes down what it asks the site. */
  readonly asked?: Asked | undefined
  /** The id of the heading whose part of its body is wanted. */
  readonly part?: string | undefined
}

const NO_BODY: BodyHtml = { html: '', headings: [], isPlain: false }

/** Takes the view of a record that was made for its own page, and what was asked for it. */
export type ViewTaker = (entry: Entry, view: RecordView, snapshot: SiteSnapshot, asked: Asked) => void

/** The parts of a site that views are made of. */
export interface ViewParts extends AskedPlace {
  readonly types: ContentTypes
  readonly clock: Clock
  readonly pictures: SitePictures
}

/** Makes of records what templates show. */
export class Views {
  readonly answers: Answers
  readonly documents: ShownDocuments
  readonly summaries: Summaries
  readonly #store: Store
  readonly #types: ContentTypes
  readonly #clock: Clock
  readonly #bodies: Bodies
  readonly #pictures: SitePictures
  #taker: ViewTaker | undefined
  /** Bodies that are being made into HTML, by record: many may ask for a page that takes long. */
  readonly #making = new WeakMap<SiteSnapshot, Map<Entry, Promise<BodyHtml>>>()

  constructor(parts: ViewParts, markdown: Markdown, bodies: Bodies) {
    this.#store = parts.store
    this.#types = parts.types
    this.#clock = parts.clock
    this.#pictures = parts.pictures
    this.answers = new Answers(parts)
    this.documents = new ShownDocuments(parts)
    this.summaries = new Summaries(this.documents, new Authors(parts), markdown)
    this.#bodies = bodies
  }

  /**
   * Returns a record for its own page; undefined if it is not public any more since the snapshot. Answers of the site that it is
   * made with are added to `asked`, those about pictures to `askedOfPictures`.
   */
  async record(entry: Entry, snapshot: SiteSnapshot, asked?: Asked, askedOfPictures = asked): Promise<RecordView | undefined> {
    const place = placeOf(entry, snapshot, snapshot.base, asked)
    const pictures = this.pictures(snapshot, { asked: askedOfPictures, knows: entry.knows })
    const whole = await this.#whole(entry, snapshot, place, { pictures, isShared: asked === undefined, asked })
    if (!whole) return undefined
    const view = Object.assign(whole.view, { fields: await this.#fieldsOf(whole.document, entry, place, asked) })
    if (asked) this.#taker?.(entry, view, snapshot, asked)
    return view
  }

  /** Has the views of records given to `taker`, too, until another is named: a build makes each once for all that it is used for. */
  giveTo(taker: ViewTaker | undefined): void {
    this.#taker = taker
  }

  /** The fields of a record as templates get them, by its head. What they ask the site is added to `asked`. */
  fields(entry: Entry, head: Head, snapshot: SiteSnapshot, asked: Asked): Promise<Readonly<Fields>> {
    return this.#fieldsOf(head, entry, placeOf(entry, snapshot, snapshot.base, asked), asked)
  }

  /**
   * As `record`, to be read elsewhere: links in it are whole addresses. A body of more than `longest` characters is left out.
   * Answers of the site are added to `asked`.
   */
  async entryOfFeed(entry: Entry, snapshot: SiteSnapshot, longest: number, asked: Asked): Promise<RecordView | undefined> {
    const place = placeOf(entry, snapshot, snapshot.origin + snapshot.base, asked)
    const pictures = this.pictures(snapshot, { asked, isWhole: true })
    return (await this.#whole(entry, snapshot, place, { pictures, longest, asked }))?.view
  }

  /** The pictures that one page may show; see `PagePictures`. */
  pictures(snapshot: SiteSnapshot, options: PagePicturesOptions): PagePictures {
    return new PagePictures(this.#pictures, snapshot, options)
  }

  async #whole(
    entry: Entry,
    snapshot: SiteSnapshot,
    place: LinkPlace,
    { pictures, longest = Number.POSITIVE_INFINITY, isShared = false, asked }: Making,
  ): Promise<{ document: Document; view: RecordView } | undefined> {
    const document = await this.documents.get(entry, snapshot)
    if (!document) return undefined
    const summary = await this.summaries.ofDocument(entry, document, snapshot)
    const body = document.body.length > longest ? NO_BODY : this.#body(entry, document, snapshot, { place, pictures, isShared })
    const own = await body
    const { headings, isPlain } = own
    const made = own.embeds ? await this.#embedding(entry, snapshot, { place, pictures, asked }).of(own) : own.html
    const html = made.includes('<img') ? await pictures.completed(made) : made
    // To be tried again by the next build.
    if (isPlain) this.documents.stray(entry)
    const parts = { id: entry.key.id, html, headings, fields: document.fields, ...(isPlain && { isPlain }) }
    const view = Object.assign(summary, parts)
    return { document, view }
  }

  /** The keys of all records that pages of a snapshot may show, as texts. */
  async keys({ showing }: SiteSnapshot): Promise<string[]> {
    const now = this.#clock.now()
    const keys: string[] = []
    for (const kind of await this.#store.kinds()) {
      const type = this.#types.get(kind)
      if (!type) continue
      const { items } = await this.#store.heads(kind, {})
      const shown = items.filter(({ fields, problem }) => problem?.severity !== 'error' && isShown(fields, type, now, showing))
      for (const { key } of shown) keys.push(keyText(key))
    }
    return keys
  }

  #fieldsOf(head: Head, { type }: Entry, place: LinkPlace, asked?: Asked): Promise<Readonly<Fields>> {
    return fieldsShown(head, type, place, (path) => this.answers.mediaAt(path, asked))
  }

  #body(
    entry: Entry,
    document: Document,
    snapshot: SiteSnapshot,
    { place, pictures, isShared, part }: Making & { place: LinkPlace },
  ): BodyHtml | Promise<BodyHtml> {
    const known = isShared ? this.#making.get(snapshot)?.get(entry) : undefined
    if (known) return known
    const name = cacheKey(keyText(document.key), document.version)
    const { html: kind, typographer, wikilinks } = entry.type
    const html = this.#bodies.html({
      name,
      text: document.body,
      title: entry.title,
      ...(part !== undefined && { part }),
      trusted: kind === 'trusted',
      syntax: { typographer, wikilinks },
      place,
      pictures,
      origin: snapshot.origin,
      now: snapshot.made,
    })
    if (html instanceof Promise && isShared) this.#share(snapshot, entry, html)
    return html
  }

  /** Takes the texts of others into that of a record's page, each with its links resolved from its own place. */
  #embedding(
    entry: Entry,
    snapshot: SiteSnapshot,
    { place: { base }, pictures, asked }: Making & { place: LinkPlace },
  ): Embedding {
    return new Embedding({
      ...{ entry, snapshot, asked },
      document: (other) => this.documents.get(other, snapshot),
      body: (other, document, part) =>
        this.#body(other, document, snapshot, { place: placeOf(other, snapshot, base, asked), pictures, part }),
      href: ({ url }) => base + pageHref(url ?? '/', snapshot.urls),
    })
  }

  #share(snapshot: SiteSnapshot, entry: Entry, html: Promise<BodyHtml>): void {
    const making = this.#making.get(snapshot) ?? new Map<Entry, Promise<BodyHtml>>()
    this.#making.set(snapshot, making.set(entry, html))
    const done = () => making.delete(entry)
    html.then(done, done)
  }
}
