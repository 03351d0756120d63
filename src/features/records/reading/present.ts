import type { Document } from '#core/document.ts'
import { shownUrlOf } from '#core/permalink.ts'
import { isLive, statusAt, statusTerm } from '#core/status.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { type Tagged, versionETag } from '#http/answers/etag.ts'
import { isWithin, type Term } from '#lib/cache.ts'
import type { Clock } from '#lib/clock.ts'
import type { Fields } from '#lib/json.ts'

/** The fields every record is answered with, in this order; its own fields come after. */
export const RECORD_FIELDS = [
  'id',
  'type',
  'title',
  'slug',
  'status',
  'body',
  'url',
  'version',
  'author',
  'categories',
  'tags',
  'created_at',
  'updated_at',
  'published_at',
] as const

const ALWAYS: ReadonlySet<string> = new Set(RECORD_FIELDS)

/**
 * A record as clients see it at `now`: flat, the status as the clock has it, null for what is not known, an empty list for terms
 * it has none of.
 */
export function present(type: ContentType, document: Document, now: number): Fields {
  const { fields, key } = document
  const record: Fields = {
    id: key.id,
    type: type.name,
    title: fields.title ?? null,
    slug: fields.slug ?? null,
    status: statusAt(fields, type.statuses, now) || null,
    body: document.body,
    url: shownUrlOf(type, document),
    version: document.version,
    author: fields.author ?? null,
    categories: fields.categories ?? null,
    tags: fields.tags ?? null,
    created_at: document.createdAt ?? null,
    updated_at: document.updatedAt ?? null,
    published_at: fields.published_at ?? null,
  }
  for (const kind of type.taxonomies) record[kind.name] = fields[kind.name] ?? []
  for (const name of type.fields.keys()) record[name] ??= fields[name] ?? null
  for (const [name, value] of Object.entries(fields)) if (!ALWAYS.has(name)) record[name] = value
  return record
}

/** A record made into bytes: the whole answer `{"data":…}`, and the record alone as a part of it. */
export interface Rendering extends Tagged {
  readonly json: Buffer
  /** True if it is public, as long as the rendering is up to date. */
  readonly live: boolean
  /** The time in which its status is what it is. */
  readonly term: Term
}

const BEFORE = '{"data":'

/** Serializes records, once for each document until it changes or its status does by the clock. */
export class Renderer {
  readonly #clock: Clock
  readonly #made = new WeakMap<Document, Rendering>()
  readonly #onNew: (document: Document) => void

  /** `onNew` is called with every document when it is first rendered. */
  constructor(clock: Clock, onNew: (document: Document) => void) {
    this.#clock = clock
    this.#onNew = onNew
  }

  render(type: ContentType, document: Document): Rendering {
    const made = this.#made.get(document)
    const now = this.#clock.now()
    if (made && isWithin(made.term, now)) return made
    const rendering = renderAt(type, document, now)
    this.#made.set(document, rendering)
    if (!made) this.#onNew(document)
    return rendering
  }
}

function renderAt(type: ContentType, document: Document, now: number): Rendering {
  const record = present(type, document, now)
  const body = Buffer.from(`${BEFORE}${JSON.stringify(record)}}`)
  return {
    body,
    json: body.subarray(BEFORE.length, -1),
    etag: versionETag(document.version, beyondBytes(document, record)),
    live: isLive(document.fields, type.statuses, now),
    term: statusTerm(document.fields, type.statuses, now),
  }
}

/**
 * Returns the content of a presentation that is not in its bytes: the status that the clock derives from the stored one, the
 * dates from the history, and the values from the file's path and declared terms.
 */
export function beyondBytes({ fields, datedByHistory, saidElsewhere }: Document, record: Fields): string {
  const { status, created_at, updated_at } = record
  if (saidElsewhere) return JSON.stringify({ ...record, body: null })
  const turned = status === (fields.status ?? null) ? '' : String(status)
  return datedByHistory ? `${turned} ${created_at} ${updated_at}` : turned
}

/**
 * Returns the forms in which a record may have been read: as it is shown at `now`, and as it was before the dates from the
 * history arrived.
 */
export function readings(type: ContentType, document: Document, now: number): Fields[] {
  const shown = present(type, document, now)
  return document.datedByHistory ? [shown, { ...shown, created_at: null, updated_at: null }] : [shown]
}

/** A record as it was at a time, as an answer: its bytes are in the ETag before the `-`, and all that is answered of it after. */
export function presentAt(type: ContentType, document: Document, then: number): Pick<Rendering, 'body' | 'json' | 'etag'> {
  const json = Buffer.from(JSON.stringify(present(type, document, then)))
  const body = Buffer.concat([Buffer.from(BEFORE), json, Buffer.from('}')])
  return { body, json, etag: versionETag(document.version, json.toString()) }
}
