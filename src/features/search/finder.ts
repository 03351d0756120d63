import type { Document, Head } from '#core/document.ts'
import { type Key, type Kind, keyText } from '#core/key.ts'
import { shownUrlOf } from '#core/permalink.ts'
import { type Extent, isWithin } from '#core/queries/extent.ts'
import type { Found, Hit, SearchIndex } from '#core/queries/search.ts'
import { searchTextOf } from '#core/queries/search-text.ts'
import { nextStatusChange, statusAt } from '#core/status.ts'
import type { Store } from '#core/store.ts'
import type { ContentType, ContentTypes } from '#core/types/content-type.ts'
import { Analyser } from '#fulltext/analysis/analyser.ts'
import { cutAt } from '#fulltext/analysis/folding.ts'
import { excerptOf } from '#fulltext/excerpt.ts'
import { queryOf } from '#fulltext/query.ts'
import { Reading } from '#fulltext/reading.ts'
import { plainText } from '#fulltext/text/plain-text.ts'
import { metaOf } from '#http/requests/paging.ts'
import type { Clock } from '#lib/clock.ts'
import { composed } from '#lib/text/normal-form.ts'
import type { Audience } from './audiences.ts'
import type { Asking } from './parameters.ts'
import { Readings } from './readings.ts'
import type { Result, Results } from './schema.ts'

/** The dependencies of a finder. */
export interface FinderDeps {
  readonly store: Store
  readonly types: ContentTypes
  readonly clock: Clock
  /** The language of the texts, as `site.locale` has it. */
  readonly locale: string
  readonly index: SearchIndex
  /** A folder for texts that there is no room for in memory; absent where nothing is written on the machine. */
  readonly folder?: string
}

/**
 * Number of UTF-16 units of a document's texts that are made into plain text for its excerpt. A `Reading` keeps a quarter as many
 * of what comes out, which is shorter than its source.
 */
const MOST_READ = 256 * 1024

/** A result, and the time at which the clock next changes its status. */
interface Timed {
  readonly result: Result
  readonly until: number
}

/** Finds records and makes their excerpts. Loaded at the first search: a language's words take a while to load. */
export class Finder {
  readonly #deps: FinderDeps
  readonly #analyser: Analyser
  readonly #readings: Readings
  /** The addresses of documents as they are now: stores give one object as long as a document is hot and unchanged. */
  readonly #urls = new WeakMap<Head, string | null>()

  constructor(deps: FinderDeps) {
    this.#deps = deps
    this.#analyser = new Analyser(deps.locale)
    this.#readings = new Readings(this.#analyser, deps.folder)
  }

  /**
   * Finds the results for this audience, and says until when they are what they are (ms since 1970), as far as the clock is
   * concerned. A record that was removed meanwhile is left out, and not counted.
   */
  async find({ q, type, status, page, perPage }: Asking, { readable }: Audience): Promise<{ results: Results; until: number }> {
    const found = await this.#deps.index.find({
      clauses: queryOf(q, this.#analyser),
      readable,
      ...(type !== undefined && { kind: type }),
      ...(status !== undefined && { status }),
      offset: (page - 1) * perPage,
      limit: perPage,
    })
    const all = await Promise.all(found.hits.map((hit) => this.#result(hit, found, readable.get(hit.key.kind))))
    const gone = found.hits.filter((_, n) => all[n] === undefined).map(({ key }) => key)
    const there = all.filter((one) => one !== undefined)
    const total = found.total - gone.length
    const meta = { ...metaOf(total, { page, perPage }), facets: { type: facetsOf(found.kinds, gone) } }
    const until = there.reduce((least, one) => Math.min(least, one.until), found.until)
    return { results: { data: there.map(({ result }) => result), meta }, until }
  }

  close(): void {
    this.#readings.close()
  }

  async #result({ key, score }: Hit, { stems }: Found, extent: Extent | undefined): Promise<Timed | undefined> {
    const { types, clock } = this.#deps
    const type = types.get(key.kind)
    const found = type && (await this.#look(key, type))
    const now = clock.now()
    if (!found || found.head.problem?.severity === 'error') return undefined
    const { head, reading } = found
    const { fields } = head
    if (!extent || !isWithin(extent, fields, type.statuses, now)) return undefined
    const result: Result = {
      type: key.kind,
      id: key.id,
      title: textOrNull(fields.title),
      slug: textOrNull(fields.slug),
      status: statusAt(fields, type.statuses, now) || null,
      url: this.#urlOf(type, head),
      score: Number(score.toPrecision(6)),
      excerpt: excerptOf(reading(), stems, this.#analyser),
    }
    return { result, until: nextStatusChange(fields, type.statuses, now) ?? Number.POSITIVE_INFINITY }
  }

  /** Finds a record and its text. If the text is not cached, the head is that of the document read for it: newer, maybe. */
  async #look(key: Key, type: ContentType): Promise<{ head: Head; reading: () => Reading } | undefined> {
    const { store } = this.#deps
    const head = await store.head(key)
    const known = head && this.#readings.get(keyText(key), head.version)
    if (known) return { head, reading: () => known }
    const document = head && (await store.get(key, 'once'))
    return document && { head: document, reading: () => this.#read(type, document) }
  }

  #urlOf(type: ContentType, head: Head): string | null {
    const known = this.#urls.get(head)
    if (known !== undefined) return known
    const url = shownUrlOf(type, head)
    this.#urls.set(head, url)
    return url
  }

  /** A document's text as a person reads it. */
  #read(type: ContentType, document: Document): Reading {
    const { texts, goesOn } = beginning(searchTextOf(type, document).body)
    const reading = Reading.of(composed(texts.map(plainText).join('\n\n')), goesOn)
    this.#readings.set(keyText(document.key), document.version, reading)
    return reading
  }
}

/** Texts up to where there is too much of them, cut between lines where that can be. */
function beginning(texts: readonly string[]): { texts: readonly string[]; goesOn: boolean } {
  let left = MOST_READ
  for (const [n, text] of texts.entries()) {
    if (text.length > left) {
      const line = text.lastIndexOf('\n', left)
      return { texts: [...texts.slice(0, n), cutAt(text, line > 0 ? line : left)], goesOn: true }
    }
    left -= text.length
  }
  return { texts, goesOn: false }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function facetsOf(kinds: ReadonlyMap<Kind, number>, gone: readonly Key[]): Record<string, number> {
  const counts = [...kinds].map(([kind, n]): [Kind, number] => [kind, n - gone.filter((key) => key.kind === kind).length])
  return Object.fromEntries(counts.filter(([, n]) => n > 0).sort(([a], [b]) => (a < b ? -1 : 1)))
}
