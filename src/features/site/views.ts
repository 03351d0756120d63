import type { ContentTypes } from '#core/content-type.ts'
import type { Document } from '#core/document.ts'
import { targetOf } from '#core/fields.ts'
import { idToPath, keyText, parseKey } from '#core/key.ts'
import { foldersOf, keysOfFile } from '#core/links/resolve.ts'
import { LIMITS } from '#core/rules/limits.ts'
import { isLive } from '#core/status.ts'
import type { Store } from '#core/store.ts'
import { Cache } from '#lib/cache.ts'
import { cacheKey } from '#lib/cache-key.ts'
import type { Clock } from '#lib/clock.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { Bodies, BodyHtml } from './bodies.ts'
import { cut, type Markdown } from './markdown.ts'
import { isShown } from './outline.ts'
import type { Entry } from './site-entries.ts'
import type { SiteSnapshot } from './site-snapshot.ts'
import { termUrl } from './terms.ts'

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

/** A record whole: `html` is the body, safe to put into a page as it is; `fields` are its own. */
export interface RecordView extends SummaryView {
  readonly id: string
  readonly html: string
  readonly fields: Readonly<Fields>
  /** Set where `html` is the text as it was written, since it could not be made in time. */
  readonly isPlain?: true
}

/** The author of a record. */
export interface AuthorView {
  readonly name: string
  readonly url: string | null
}

/** The data of a document that a list shows beside that of its head. */
interface ShortFacts {
  readonly excerpt: string
  readonly author: Json
}

const KEPT_FACTS = 20_000
/** The most authors of a record that are named with it. */
const MOST_AUTHORS = 100
/** The most terms of a taxonomy that are named with a record: as many as a request may send. */
const MOST_TERMS = LIMITS.items
const NO_BODY: BodyHtml = { html: '', isPlain: false }

/** The files that a record's body asked the site about, each with the page of the record in it, or null if there is none. */
export type Asked = Map<string, string | null>

/** Makes of records what templates show. */
export class Views {
  readonly #store: Store
  readonly #types: ContentTypes
  readonly #clock: Clock
  readonly #markdown: Markdown
  readonly #bodies: Bodies
  readonly #short = new Cache<ShortFacts>({ most: KEPT_FACTS })
  readonly #strayed = new WeakSet<Entry>()
  /** Bodies that are being made into HTML, by record: many may ask for a page that takes long. */
  readonly #making = new WeakMap<SiteSnapshot, Map<Entry, Promise<BodyHtml>>>()

  constructor(parts: { store: Store; types: ContentTypes; clock: Clock }, markdown: Markdown, bodies: Bodies) {
    this.#store = parts.store
    this.#types = parts.types
    this.#clock = parts.clock
    this.#markdown = markdown
    this.#bodies = bodies
  }

  /**
   * Returns a record for its own page; undefined if it is not public any more since the snapshot. Files that its body asks about
   * are added to `asked`. A body of more than `longest` characters is left out.
   */
  async record(
    entry: Entry,
    snapshot: SiteSnapshot,
    asked?: Asked,
    longest = Number.POSITIVE_INFINITY,
  ): Promise<RecordView | undefined> {
    const document = await this.#documentOf(entry, snapshot)
    if (!document) return undefined
    const summary = await this.#summaryOf(entry, snapshot, this.#facts(document))
    const body = document.body.length > longest ? NO_BODY : this.#body(entry, document, snapshot, asked)
    const { html, isPlain } = await body
    // To be tried again by the next build.
    if (isPlain) this.#strayed.add(entry)
    return { ...summary, id: entry.key.id, html, fields: document.fields, ...(isPlain && { isPlain }) }
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

  /** Everything that a record's views are made of, as a text, but for what its body asks: where that is the same, they are. */
  async inputs(entry: Entry, snapshot: SiteSnapshot): Promise<string> {
    const summary = await this.#summaryOf(entry, snapshot, { excerpt: '', author: entry.author })
    return JSON.stringify([entry.key, entry.version, entry.type.html, summary])
  }

  /**
   * The record as it is now; undefined where it is gone since the snapshot was made, or became what the snapshot does not show.
   */
  async #documentOf(entry: Entry, { showing }: SiteSnapshot): Promise<Document | undefined> {
    const document = await this.#store.get(entry.key)
    if (document?.version === entry.version) return document
    this.#strayed.add(entry)
    if (!document || document.problem?.severity === 'error') return undefined
    return isShown(document.fields, entry.type, this.#clock.now(), showing) ? document : undefined
  }

  async #summaryOf(entry: Entry, snapshot: SiteSnapshot, facts: ShortFacts): Promise<SummaryView> {
    return {
      title: entry.title,
      url: snapshot.base + entry.url,
      type: entry.type.name,
      type_label: entry.type.label,
      excerpt: facts.excerpt,
      published_at: entry.published === undefined ? null : new Date(entry.published).toISOString(),
      updated_at: entry.modified ?? null,
      authors: await this.#authors(entry, facts.author, snapshot),
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

  #body(entry: Entry, document: Document, snapshot: SiteSnapshot, asked: Asked | undefined): BodyHtml | Promise<BodyHtml> {
    const known = asked ? undefined : this.#making.get(snapshot)?.get(entry)
    if (known) return known
    const place = {
      base: snapshot.base,
      page: entry.url ?? '/',
      folders: foldersOf(entry.key.kind, idToPath(entry.key.id)),
      pageOf: (path: string) => {
        const found = pageOf(path, snapshot)
        asked?.set(path, found ?? null)
        return found
      },
    }
    const name = cacheKey(keyText(document.key), document.version)
    const trusted = entry.type.html === 'trusted'
    const html = this.#bodies.html({ name, text: document.body, title: entry.title, trusted, place })
    if (html instanceof Promise && !asked) this.#share(snapshot, entry, html)
    return html
  }

  #share(snapshot: SiteSnapshot, entry: Entry, html: Promise<BodyHtml>): void {
    const making = this.#making.get(snapshot) ?? new Map<Entry, Promise<BodyHtml>>()
    this.#making.set(snapshot, making.set(entry, html))
    const done = () => making.delete(entry)
    html.then(done, done)
  }

  async #authors(entry: Entry, author: Json, snapshot: SiteSnapshot): Promise<AuthorView[]> {
    // A file may name more, and one of them many times.
    const named = new Set(Array.isArray(author) ? author.slice(0, LIMITS.items) : [author])
    const list = [...named].slice(0, MOST_AUTHORS)
    const field = entry.type.fields.get('author')
    const to = (field && targetOf(field)) ?? 'authors'
    const found = await Promise.all(list.map((one) => this.#author(one, to, snapshot)))
    return found.filter((view) => view !== undefined)
  }

  /** A name as it stands, or the title of the record it refers to where that is live. */
  async #author(author: Json, to: string, snapshot: SiteSnapshot): Promise<AuthorView | undefined> {
    if (author !== null && typeof author === 'object' && !Array.isArray(author))
      return typeof author.name === 'string' ? { name: author.name, url: null } : undefined
    if (typeof author !== 'string' || author.trim() === '') return undefined
    const type = this.#types.get(to)
    const key = type && parseKey(to, author)
    const record = key && (await this.#store.get(key))
    // One that is not live is as one that is not there.
    if (!type || !record || !isLive(record.fields, type.statuses, this.#clock.now())) return { name: author, url: null }
    const url = snapshot.entries.get(keyText(record.key))?.url
    const shown = url != null && snapshot.outline.records.get(url)?.key.id === record.key.id
    return { name: String(record.fields.name ?? record.fields.title ?? author), url: shown ? snapshot.base + url : null }
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

/** The page of the record in a file, by the file's path below content/ without extension. */
export function pageOf(path: string, snapshot: SiteSnapshot): string | undefined {
  const [inKind, asPage] = keysOfFile(path)
  const entry = snapshot.entries.get(inKind) ?? snapshot.entries.get(asPage)
  return entry?.url && snapshot.outline.records.get(entry.url) === entry ? entry.url : undefined
}
