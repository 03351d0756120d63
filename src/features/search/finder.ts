import type { Head } from '#core/document.ts'
import { type Key, type Kind, keyText } from '#core/key.ts'
import { shownUrlOf } from '#core/permalink.ts'
import { type Extent, isWithin } from '#core/queries/extent.ts'
import type { Hit, SearchIndex } from '#core/queries/search.ts'
import { searchTextOf } from '#core/queries/search-text.ts'
import { nextStatusChange, statusAt } from '#core/status.ts'
import type { Store } from '#core/store.ts'
import type { ContentType, ContentTypes } from '#core/types/content-type.ts'
import { Analyser } from '#fulltext/analysis/analyser.ts'
import { cutAt } from '#fulltext/analysis/folding.ts'
import { queryOf } from '#fulltext/query.ts'
import { metaOf } from '#http/requests/paging.ts'
import type { Clock } from '#lib/clock.ts'
import type { Audience } from './audiences.ts'
import type { WrittenTexts } from './excerpt-maker.ts'
import { Excerpts } from './excerpts.ts'
import type { Asking } from './parameters.ts'
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

/** A record that was found, as it is now. */
interface Known {
  readonly type: ContentType
  readonly head: Head
  readonly score: number
}

interface Excerpted extends Known {
  readonly excerpt: string
}

/** Finds records and makes their excerpts. Loaded at the first search: a language's words take a while to load. */
export class Finder {
  readonly #deps: FinderDeps
  readonly #analyser: Analyser
  readonly #excerpts: Excerpts
  /** The addresses of documents as they are now: stores give one object as long as a document is hot and unchanged. */
  readonly #urls = new WeakMap<Head, string | null>()

  constructor(deps: FinderDeps) {
    this.#deps = deps
    this.#analyser = new Analyser(deps.locale)
    this.#excerpts = new Excerpts(deps.locale, deps.folder)
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
    const known = (await Promise.all(found.hits.map((hit) => this.#known(hit)))).filter((one) => one !== undefined)
    const excerpted = await this.#excerpted(known, [...found.stems])
    const now = this.#deps.clock.now()
    const there = excerpted.filter((one) => isThere(one, readable.get(one.head.key.kind), now))
    const kept = new Set(there.map(({ head }) => keyText(head.key)))
    const gone = found.hits.map(({ key }) => key).filter((key) => !kept.has(keyText(key)))
    const total = found.total - gone.length
    const meta = { ...metaOf(total, { page, perPage }), facets: { type: facetsOf(found.kinds, gone) } }
    const changes = there.map(({ type, head }) => nextStatusChange(head.fields, type.statuses, now) ?? Number.POSITIVE_INFINITY)
    const data = there.map((one) => this.#result(one, now))
    return { results: { data, meta }, until: Math.min(found.until, ...changes) }
  }

  close(): void {
    this.#excerpts.close()
  }

  async #known({ key, score }: Hit): Promise<Known | undefined> {
    const type = this.#deps.types.get(key.kind)
    const head = type && (await this.#deps.store.head(key))
    return head && { type, head, score }
  }

  /**
   * Adds their excerpts. Where the text of one is not known, its head is that of the document read for it: newer, maybe. What was
   * removed meanwhile is left out.
   */
  async #excerpted(known: readonly Known[], stems: readonly string[]): Promise<Excerpted[]> {
    const documents = known.map(({ head }) => ({ name: keyText(head.key), version: head.version }))
    const excerpts = await this.#excerpts.answer({ stems, documents })
    const unread = known.filter((_, n) => excerpts[n] === undefined)
    const read = unread.length === 0 ? [] : await this.#read(unread, stems)
    return known.flatMap((one, n) => {
      const excerpt = excerpts[n]
      return excerpt === undefined ? (read.shift() ?? []) : [{ ...one, excerpt }]
    })
  }

  /** Reads documents for their excerpts; undefined for one that was removed meanwhile. */
  async #read(known: readonly Known[], stems: readonly string[]): Promise<(Excerpted | undefined)[]> {
    const documents = await Promise.all(known.map(({ head }) => this.#deps.store.get(head.key, 'once')))
    const there = known.flatMap((one, n) => {
      const document = documents[n]
      return document ? [{ one, document }] : []
    })
    const excerpts = await this.#excerpts.answer({
      stems,
      documents: there.map(({ one, document }) => ({
        name: keyText(document.key),
        version: document.version,
        written: beginning(searchTextOf(one.type, document).body),
      })),
    })
    const read = new Map(there.map(({ one, document }, n) => [one, { ...one, head: document, excerpt: excerpts[n] ?? '' }]))
    return known.map((one) => read.get(one))
  }

  #result({ type, head, score, excerpt }: Excerpted, now: number): Result {
    const { key, fields } = head
    return {
      type: key.kind,
      id: key.id,
      title: textOrNull(fields.title),
      slug: textOrNull(fields.slug),
      status: statusAt(fields, type.statuses, now) || null,
      url: this.#urlOf(type, head),
      score: Number(score.toPrecision(6)),
      excerpt,
    }
  }

  #urlOf(type: ContentType, head: Head): string | null {
    const known = this.#urls.get(head)
    if (known !== undefined) return known
    const url = shownUrlOf(type, head)
    this.#urls.set(head, url)
    return url
  }
}

/** Returns whether a record is there for a reader of this much of its type. */
function isThere({ type, head: { fields, problem } }: Known, extent: Extent | undefined, now: number): boolean {
  return problem?.severity !== 'error' && extent !== undefined && isWithin(extent, fields, type.statuses, now)
}

/** Texts up to where there is too much of them, cut between lines where that can be. */
function beginning(texts: readonly string[]): WrittenTexts {
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
