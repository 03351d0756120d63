import type { ContentTypes } from '#core/content-type.ts'
import type { Document } from '#core/document.ts'
import { keyText } from '#core/key.ts'
import type { LinkPlace } from '#core/links/resolve.ts'
import { LIMITS } from '#core/rules/limits.ts'
import type { Store } from '#core/store.ts'
import { Cache } from '#lib/cache.ts'
import { cacheKey } from '#lib/cache-key.ts'
import type { Clock } from '#lib/clock.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { Markdown, Rendered } from '#markdown/markdown.ts'
import { cut } from '#markdown/text.ts'
import { Answers, type Asked, type AskedPlace, placeOf } from '../files/asked.ts'
import { fieldsShown } from '../files/fields.ts'
import { isShown } from '../outline/outline.ts'
import type { Entry } from '../outline/site-entries.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import { termUrl } from '../outline/terms.ts'
import { Authors, type AuthorView } from './authors.ts'
import type { Bodies, BodyHtml } from './bodies.ts'

/** A term of a record, for templates. */
export interface TermView {
  readonly kind: string
  readonly id: string
  readonly name: string
  readonly url: string | null
}

/** The view of a record in a list. */
export interface SummaryView {
  readonly title: string
  readonly url: string
  readonly type: string
  readonly type_label: string
  readonly excerpt: string
  readonly published_at: string | null
  readonly updated_at: string | null
  readonly authors: readonly AuthorView[]
  readonly terms: readonly TermView[]
}

/** A record whole: `html` is the body, safe to put into a page as it is, `headings` are its own, and so are `fields`. */
export interface RecordView extends SummaryView, Rendered {
  readonly id: string
  readonly fields: Readonly<Fields>
  /** Set where `html` is the text as it was written, since it could not be made in time. */
  readonly isPlain?: true
}

/** The data of a document that a list shows beside that of its head. */
interface ShortFacts {
  readonly excerpt: string
  readonly author: Json
}

const KEPT_FACTS = 20_000
/** The most terms of a taxonomy that are named with a record: as many as a request may send. */
const MOST_TERMS = LIMITS.items
const NO_BODY: BodyHtml = { html: '', headings: [], isPlain: false }

/** Makes of records what templates show. */
export class Views {
  readonly answers: Answers
  readonly #store: Store
  readonly #types: ContentTypes
  readonly #clock: Clock
  readonly #authors: Authors
  readonly #markdown: Markdown
  readonly #bodies: Bodies
  readonly #short = new Cache<ShortFacts>({ most: KEPT_FACTS })
  readonly #strayed = new WeakSet<Entry>()
  /** Bodies that are being made into HTML, by record: many may ask for a page that takes long. */
  readonly #making = new WeakMap<SiteSnapshot, Map<Entry, Promise<BodyHtml>>>()

  constructor(parts: AskedPlace & { types: ContentTypes; clock: Clock }, markdown: Markdown, bodies: Bodies) {
    this.#store = parts.store
    this.#types = parts.types
    this.#clock = parts.clock
    this.#authors = new Authors(parts)
    this.answers = new Answers(parts)
    this.#markdown = markdown
    this.#bodies = bodies
  }

  /**
   * Returns a record for its own page; undefined if it is not public any more since the snapshot. Answers of the site that it is
   * made with are added to `asked`.
   */
  async record(entry: Entry, snapshot: SiteSnapshot, asked?: Asked): Promise<RecordView | undefined> {
    const place = placeOf(entry, snapshot, snapshot.base, asked)
    const whole = await this.#whole(entry, snapshot, place, { isShared: asked === undefined })
    if (!whole) return undefined
    const { document, view } = whole
    const mediaAt = (path: string) => this.answers.mediaAt(path, asked)
    return { ...view, fields: await fieldsShown(document, entry.type, place, mediaAt) }
  }

  /** As `record`, to be read elsewhere: links in it are whole addresses. A body of more than `longest` characters is left out. */
  async entryOfFeed(entry: Entry, snapshot: SiteSnapshot, longest: number): Promise<RecordView | undefined> {
    const place = placeOf(entry, snapshot, snapshot.origin + snapshot.base)
    return (await this.#whole(entry, snapshot, place, { longest }))?.view
  }

  async #whole(
    entry: Entry,
    snapshot: SiteSnapshot,
    place: LinkPlace,
    { longest = Number.POSITIVE_INFINITY, isShared = false }: { longest?: number; isShared?: boolean },
  ): Promise<{ document: Document; view: RecordView } | undefined> {
    const document = await this.#documentOf(entry, snapshot)
    if (!document) return undefined
    const summary = await this.#summaryOf(entry, snapshot, this.#facts(document))
    const body = document.body.length > longest ? NO_BODY : this.#body(entry, document, snapshot, { place, isShared })
    const { html, headings, isPlain } = await body
    // To be tried again by the next build.
    if (isPlain) this.#strayed.add(entry)
    const view = { ...summary, id: entry.key.id, html, headings, fields: document.fields, ...(isPlain && { isPlain }) }
    return { document, view }
  }

  /** A record for a list. */
  async summary(entry: Entry, snapshot: SiteSnapshot): Promise<SummaryView> {
    const known = this.#short.get(keyText(entry.key), entry.version)
    if (known) return this.#summaryOf(entry, snapshot, known)
    const document = await this.#documentOf(entry, snapshot)
    return this.#summaryOf(entry, snapshot, document ? this.#facts(document) : { excerpt: '', author: null })
  }

  /**
   * Returns whether a view of a record was made from another version than that of the snapshot, since it was written meanwhile.
   */
  hasStrayed(entry: Entry): boolean {
    return this.#strayed.has(entry)
  }

  /**
   * Everything that a record's views are made of, as a text, but for what its body asks: where that is the same, they are. `keys`
   * are those of the records that they show: itself, and its authors.
   */
  async inputs(entry: Entry, snapshot: SiteSnapshot): Promise<{ text: string; keys: readonly string[] }> {
    const authors = await this.#authors.of(entry, entry.author, snapshot)
    const summary = this.#summaryWith(
      entry,
      snapshot,
      '',
      authors.map(({ view }) => view),
    )
    const text = JSON.stringify([entry.key, entry.version, entry.type.html, summary])
    return { text, keys: [keyText(entry.key), ...authors.flatMap(({ key }) => key ?? [])] }
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

  /**
   * The record as it is now; undefined where it is gone since the snapshot was made, or became what the snapshot does not show.
   */
  async #documentOf(entry: Entry, { showing }: SiteSnapshot): Promise<Document | undefined> {
    const document = entry.draft ?? (await this.#store.get(entry.key))
    if (document?.version === entry.version) return document
    this.#strayed.add(entry)
    if (!document || document.problem?.severity === 'error') return undefined
    return isShown(document.fields, entry.type, this.#clock.now(), showing) ? document : undefined
  }

  async #summaryOf(entry: Entry, snapshot: SiteSnapshot, facts: ShortFacts): Promise<SummaryView> {
    const authors = await this.#authors.of(entry, facts.author, snapshot)
    return this.#summaryWith(
      entry,
      snapshot,
      facts.excerpt,
      authors.map(({ view }) => view),
    )
  }

  #summaryWith(entry: Entry, snapshot: SiteSnapshot, excerpt: string, authors: readonly AuthorView[]): SummaryView {
    return {
      title: entry.title,
      url: snapshot.base + entry.url,
      type: entry.type.name,
      type_label: entry.type.label,
      excerpt,
      published_at: entry.published === undefined ? null : new Date(entry.published).toISOString(),
      updated_at: entry.modified ?? null,
      authors,
      terms: Object.entries(entry.terms).flatMap(([kind, ids]) =>
        ids.slice(0, MOST_TERMS).map((id) => termView(kind, id, snapshot)),
      ),
    }
  }

  #facts(document: Document): ShortFacts {
    const name = keyText(document.key)
    const known = this.#short.get(name, document.version)
    if (known) return known
    const { author = null } = document.fields
    const own = ownExcerpt(document.fields)
    const text = own === undefined ? this.#markdown.excerpt(document.body) : cut(own, 300)
    const facts = { excerpt: text, author }
    this.#short.set(name, facts, document.version)
    return facts
  }

  #body(
    entry: Entry,
    document: Document,
    snapshot: SiteSnapshot,
    { place, isShared }: { place: LinkPlace; isShared: boolean },
  ): BodyHtml | Promise<BodyHtml> {
    const known = isShared ? this.#making.get(snapshot)?.get(entry) : undefined
    if (known) return known
    const name = cacheKey(keyText(document.key), document.version)
    const trusted = entry.type.html === 'trusted'
    const html = this.#bodies.html({ name, text: document.body, title: entry.title, trusted, place })
    if (html instanceof Promise && isShared) this.#share(snapshot, entry, html)
    return html
  }

  #share(snapshot: SiteSnapshot, entry: Entry, html: Promise<BodyHtml>): void {
    const making = this.#making.get(snapshot) ?? new Map<Entry, Promise<BodyHtml>>()
    this.#making.set(snapshot, making.set(entry, html))
    const done = () => making.delete(entry)
    html.then(done, done)
  }
}

/** Returns the excerpt that a record has beside its body, as it is shown in lists. */
export function ownExcerpt({ excerpt, description, summary }: Readonly<Fields>): string | undefined {
  const own = [excerpt, description, summary].find((text) => typeof text === 'string' && text.trim() !== '')
  return typeof own === 'string' ? own.trim() : undefined
}

function termView(kind: string, id: string, snapshot: SiteSnapshot): TermView {
  const url = termUrl(kind, id)
  const term = url === undefined ? undefined : snapshot.outline.terms.get(url)
  return { kind, id, name: snapshot.outline.termNames.of(kind, id), url: term ? snapshot.base + term.url : null }
}
