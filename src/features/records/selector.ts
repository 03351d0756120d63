import type { Access } from '#core/access.ts'
import type { ContentType } from '#core/content-type.ts'
import type { Document } from '#core/document.ts'
import { extentOf, narrowedTo } from '#core/extent.ts'
import { type Key, type Kind, keyText, parseKey } from '#core/key.ts'
import type { Condition } from '#core/query.ts'
import { shortHash } from '#http/etag.ts'
import type { Fields, Json } from '#lib/json.ts'
import { type Selection, WHOLE } from './parameters.ts'
import type { Deps, Part } from './parts.ts'
import { beyondBytes, present, presentAt } from './present.ts'

/** A record that another one refers to, as far as the reader may see it. */
interface Included {
  readonly record: Fields
  readonly tag: string
}

/** The settings for the parts of an answer, one for each document. */
interface Wanted {
  readonly type: ContentType
  readonly selection: Selection
  readonly targets: Targets
  readonly included: ReadonlyMap<string, Included>
  readonly then: ((document: Document) => number) | undefined
}

/** Makes the parts of an answer: whole records as they are kept, others with some fields or with what they refer to. */
export class Selector {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** `then` gives the time that a record's status is read at, where it isn't now. */
  async select(
    access: Access,
    type: ContentType,
    documents: readonly Document[],
    selection: Selection,
    then?: (document: Document) => number,
  ): Promise<Part[]> {
    const { renderer } = this.#deps
    if (selection === WHOLE && then) return documents.map((document) => pastPart(type, document, then(document)))
    if (selection === WHOLE) {
      return documents.map((document) => {
        const { json, etag, term } = renderer.render(type, document)
        return { json, tag: etag, until: term.until }
      })
    }
    const targets = targetsOf(type, selection)
    const included = await this.#fetch(access, targets, documents)
    return documents.map((document) => this.#part({ type, selection, targets, included, then }, document))
  }

  /** One level, each record once, however many refer to it; a type's records all at once. */
  async #fetch(access: Access, targets: Targets, documents: readonly Document[]): Promise<Map<string, Included>> {
    const wanted = new Map<string, Set<string>>()
    for (const { fields } of documents) {
      for (const [name, to] of targets) {
        const ids = wanted.get(to) ?? new Set()
        for (const { id } of keysOf(to, fields[name])) ids.add(id)
        wanted.set(to, ids)
      }
    }
    const found = await Promise.all([...wanted].map(([kind, ids]) => this.#include(access, kind, [...ids])))
    return new Map(found.flat())
  }

  async #include(access: Access, kind: Kind, ids: string[]): Promise<[string, Included][]> {
    const { store, types, clock } = this.#deps
    const type = types.get(kind)
    if (ids.length === 0 || !type || !access.may('content:read', kind)) return []
    const where: Condition[] = [{ field: 'id', op: 'in', value: ids, as: 'text' }]
    const { items } = await store.browse(kind, { where, ...narrowedTo(extentOf(access, kind)) })
    return items.map((document) => {
      const record = present(type, document, clock.now())
      return [keyText(document.key), { record, tag: `${document.version}${beyondBytes(document, record)}` }]
    })
  }

  #part({ type, selection, targets, included, then }: Wanted, document: Document): Part {
    const now = this.#deps.clock.now()
    const record = present(type, document, then?.(document) ?? now)
    // Data of the history beside the bytes is all in the record.
    let tag = `${document.version}${then ? shortHash(JSON.stringify(record)) : beyondBytes(document, record)}`
    for (const [name, to] of targets) {
      record[name] = replaced(record[name] ?? null, to, (key) => {
        const found = included.get(keyText(key))
        tag += found?.tag ?? ''
        return found && without(found.record, selection.omitted)
      })
    }
    const answer = selection.fields ? pick(record, selection.fields) : record
    for (const name of selection.omitted ?? []) delete answer[name]
    // Made for one answer, and not kept.
    return { json: Buffer.from(JSON.stringify(answer)), tag, until: now }
  }
}

function pastPart(type: ContentType, document: Document, then: number): Part {
  const { json, etag } = presentAt(type, document, then)
  return { json, tag: etag, until: Number.NEGATIVE_INFINITY }
}

/** Names of included fields, with the type each refers to. */
type Targets = ReadonlyMap<string, string>

function targetsOf(type: ContentType, { include }: Selection): Targets {
  return new Map(
    include.flatMap((name) => {
      const to = type.fields.get(name)?.to
      return to === undefined ? [] : [[name, to]]
    }),
  )
}

function keysOf(to: string, value: Json | undefined): Key[] {
  return [value ?? []].flat().flatMap((id) => (typeof id === 'string' ? (parseKey(to, id) ?? []) : []))
}

/**
 * Replaces references with the records they lead to. A record that does not exist for the reader stays an id, like a reference
 * that leads nowhere.
 */
function replaced(value: Json, to: string, find: (key: Key) => Fields | undefined): Json {
  if (Array.isArray(value)) return value.map((item) => replaced(item, to, find))
  const [key] = keysOf(to, value)
  return (key && find(key)) ?? value
}

/** A record that is included goes without its body where the records do. */
function without(record: Fields, omitted: readonly string[] = []): Fields {
  if (!omitted.includes('body')) return record
  const { body: _, ...rest } = record
  return rest
}

function pick(record: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, Object.hasOwn(record, name) ? (record[name] ?? null) : null]))
}
