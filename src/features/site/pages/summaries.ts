import type { Document } from '#core/document.ts'
import { keyText } from '#core/key.ts'
import { LIMITS } from '#core/rules/limits.ts'
import { Cache } from '#lib/cache.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { Markdown } from '#markdown/markdown.ts'
import { cut } from '#markdown/text.ts'
import type { Entry } from '../outline/entry.ts'
import { PerSnapshot } from '../outline/per-snapshot.ts'
import { hrefOf, type SiteSnapshot } from '../outline/site-snapshot.ts'
import { termUrl } from '../outline/terms.ts'
import type { Authors, AuthorView, FoundAuthor } from './authors.ts'
import { minutesOf } from './reading-time.ts'
import type { ShownDocuments } from './shown-documents.ts'

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
  /** Minutes, at least one. */
  readonly reading_time: number
}

/** The part of a view that the snapshot itself knows. */
export type FactsView = Omit<SummaryView, 'excerpt' | 'authors' | 'terms' | 'reading_time'>

/**
 * Everything that a record's views are made of, as a text, but for what its body asks: where that is the same, they are. `keys`
 * are those of the records that they show: itself, and its authors.
 */
export interface Inputs {
  readonly text: string
  readonly keys: readonly string[]
}

/** The data of a document that a list shows beside that of its head. */
interface ShortFacts {
  readonly excerpt: string
  readonly author: Json
  readonly minutes: number
}

const KEPT_FACTS = 20_000
/** The most terms of a taxonomy that are named with a record: as many as a request may send. */
const MOST_TERMS = LIMITS.items
const NO_FACTS: ShortFacts = { excerpt: '', author: null, minutes: 1 }

/** Makes of records what lists show. */
export class Summaries {
  readonly #documents: ShownDocuments
  readonly #authors: Authors
  readonly #markdown: Markdown
  readonly #short = new Cache<ShortFacts>({ most: KEPT_FACTS })
  /** The terms of taxonomies, by id, as records that have them name them: few, and each for many. */
  readonly #terms = new PerSnapshot((_kind: string, _snapshot) => new Map<string, TermView>())

  constructor(documents: ShownDocuments, authors: Authors, markdown: Markdown) {
    this.#documents = documents
    this.#authors = authors
    this.#markdown = markdown
  }

  /** A record for a list. */
  async of(entry: Entry, snapshot: SiteSnapshot): Promise<SummaryView> {
    const known = this.#short.get(keyText(entry.key), entry.version)
    if (known) return this.#made(entry, snapshot, known)
    const document = await this.#documents.get(entry, snapshot)
    return this.#made(entry, snapshot, document ? this.#facts(entry, document) : NO_FACTS)
  }

  /** As `of`, of a document that was read. */
  ofDocument(entry: Entry, document: Document, snapshot: SiteSnapshot): Promise<SummaryView> {
    return this.#made(entry, snapshot, this.#facts(entry, document))
  }

  /** Returns what the views of a record are made of: at once, where its authors were found before. */
  inputs(entry: Entry, snapshot: SiteSnapshot): Inputs | Promise<Inputs> {
    const authors = this.authors(entry, snapshot)
    const of = (found: readonly FoundAuthor[]): Inputs => this.#inputsWith(found, entry, snapshot)
    return authors instanceof Promise ? authors.then(of) : of(authors)
  }

  /** The authors of a record, found once for each snapshot. */
  authors(entry: Entry, snapshot: SiteSnapshot): readonly FoundAuthor[] | Promise<readonly FoundAuthor[]> {
    return this.#authors.once(entry, snapshot)
  }

  #inputsWith(authors: readonly FoundAuthor[], entry: Entry, snapshot: SiteSnapshot): Inputs {
    const { key, version, folder, hasFolder, type } = entry
    const shown = [factsOf(entry, snapshot), authors, this.#termsOf(entry, snapshot)]
    // What a text leads to in its own words depends on the place of its file.
    const text = JSON.stringify([key, version, folder, hasFolder, type.html, type.typographer, type.wikilinks, shown])
    const own = keyText(key)
    return { text, keys: authors.length === 0 ? [own] : [own, ...authors.flatMap((author) => author.key ?? [])] }
  }

  /** As `termsOf`. */
  #termsOf({ terms }: Entry, snapshot: SiteSnapshot): TermView[] {
    const views: TermView[] = []
    for (const kind in terms) {
      const known = this.#terms.of(kind, snapshot)
      for (const id of (terms[kind] ?? []).slice(0, MOST_TERMS)) {
        const view = known.get(id) ?? termView(kind, id, snapshot)
        known.set(id, view)
        views.push(view)
      }
    }
    return views
  }

  async #made(entry: Entry, snapshot: SiteSnapshot, facts: ShortFacts): Promise<SummaryView> {
    return withFacts(entry, snapshot, facts, await this.#authors.of(entry, facts.author, snapshot))
  }

  #facts({ type: { wikilinks } }: Entry, document: Document): ShortFacts {
    const name = keyText(document.key)
    const known = this.#short.get(name, document.version)
    if (known) return known
    const { author = null } = document.fields
    const own = ownExcerpt(document.fields)
    const text = own === undefined ? this.#markdown.excerpt(document.body, { wikilinks }) : cut(own, 300)
    const facts = { excerpt: text, author, minutes: minutesOf(document.body) }
    this.#short.set(name, facts, document.version)
    return facts
  }
}

/** The data of a record that is known without reading it. */
export function factsOf(entry: Entry, snapshot: SiteSnapshot): FactsView {
  return {
    title: entry.title,
    url: entry.url === null ? '' : hrefOf(snapshot, entry.url),
    type: entry.type.name,
    type_label: entry.type.label,
    published_at: entry.published === undefined ? null : new Date(entry.published).toISOString(),
    updated_at: entry.modified ?? null,
  }
}

/** The terms of a record. */
export function termsOf(entry: Entry, snapshot: SiteSnapshot): TermView[] {
  return Object.entries(entry.terms).flatMap(([kind, ids]) => ids.slice(0, MOST_TERMS).map((id) => termView(kind, id, snapshot)))
}

/** Returns the excerpt that a record has beside its body, as it is shown in lists. */
export function ownExcerpt({ excerpt, description, summary }: Readonly<Fields>): string | undefined {
  const own = [excerpt, description, summary].find((text) => typeof text === 'string' && text.trim() !== '')
  return typeof own === 'string' ? own.trim() : undefined
}

function withFacts(
  entry: Entry,
  snapshot: SiteSnapshot,
  { excerpt, minutes }: ShortFacts,
  authors: readonly FoundAuthor[],
): SummaryView {
  // What stands after a spread is added property by property, some fifteen times as slowly.
  return Object.assign(factsOf(entry, snapshot), {
    excerpt,
    authors: authors.map(({ view }) => view),
    terms: termsOf(entry, snapshot),
    reading_time: minutes,
  })
}

function termView(kind: string, id: string, snapshot: SiteSnapshot): TermView {
  const url = termUrl(kind, id)
  const term = url === undefined ? undefined : snapshot.outline.terms.get(url)
  return { kind, id, name: snapshot.outline.termNames.of(kind, id), url: term ? hrefOf(snapshot, term.url) : null }
}
